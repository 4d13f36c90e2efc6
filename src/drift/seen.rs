//! The shapes that were seen, in a file beside the log: one JSON object per line, each of them once.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::MessageShape;
use crate::files;
use crate::platform::files as platform;
use crate::watchdog::before_using;

/// Adds a shape, unless it is known or the file is full.
///
/// # Errors
/// The file cannot be read or written.
pub(crate) fn record(log: &Path, shape: &MessageShape) -> io::Result<()> {
    let path = shapes_file(log);
    let mut options = OpenOptions::new();
    platform::private(options.append(true).read(true).create(true));
    before_using(&path);
    if let Some(folder) = path.parent() {
        platform::create_private_folder(folder)?;
    }
    let (file, found) = files::open(&path, &mut options)?;
    if found.len() > FILE_MAX {
        return Ok(());
    }
    let mut known = Vec::new();
    (&file).take(FILE_MAX).read_to_end(&mut known)?;
    let mut line = serde_json::to_vec(shape)?;
    if memchr::memmem::find(&known, &line).is_some() {
        return Ok(());
    }
    line.push(b'\n');
    if known.last().is_some_and(|last| *last != b'\n') {
        line.insert(0, b'\n');
    }
    (&file).write_all(&line)
}

/// The shapes that were seen, without doubles.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn seen(log: &Path) -> io::Result<Vec<MessageShape>> {
    let bytes = files::read(&shapes_file(log))?.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let mut shapes: Vec<MessageShape> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    shapes.sort();
    shapes.dedup();
    Ok(shapes)
}

pub(crate) fn shapes_file(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".shapes");
    name.into()
}

/// The size at which no shape is added.
const FILE_MAX: u64 = 1 << 20;

//! Appends to the log: one write a record, so that records of many processes never mix.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::Record;

/// Says where the log is and what its failure means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditFile {
    /// The file; its folder is made on the first write.
    pub path: PathBuf,
}

impl AuditFile {
    /// Names the file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

/// Appends one record.
///
/// # Errors
/// The file or its folder cannot be made or written; nothing was decided by that.
pub fn append(file: &AuditFile, record: &Record) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let mut log = open(&file.path)?;
    // Appends are whole on a local file system; on others the file is locked.
    if !crate::disk::is_local(&log) {
        rustix::fs::flock(&log, rustix::fs::FlockOperation::LockExclusive)?;
    }
    if !ends_in_newline(&mut log)? {
        line.insert(0, b'\n');
    }
    match log.write(&line)? {
        written if written == line.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Whoever may read the log can hold up an open that waits, by a lease (S2).
    let at_once = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    options.append(true).read(true).create(true).mode(0o600).custom_flags(at_once);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            options.open(path)
        }
        opened => opened,
    }
}

/// A record that was cut short by a full disk must not swallow the next one.
fn ends_in_newline(log: &mut File) -> io::Result<bool> {
    if log.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    log.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    log.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_was_cut_short_does_not_swallow_the_next() {
        let folder = std::env::temp_dir().join(format!("snaphook-audit-{}", std::process::id()));
        let file = AuditFile::new(folder.join("deep/audit.jsonl"));
        append(&file, &Record::new("aaaaaaa", "x")).unwrap();
        let whole = std::fs::read_to_string(&file.path).unwrap();
        let cut = whole.get(..20).unwrap();
        std::fs::write(&file.path, cut).unwrap();
        append(&file, &Record::new("bbbbbbb", "x")).unwrap();
        let lines: Vec<String> = std::fs::read_to_string(&file.path).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], cut);
        assert!(lines[1].contains("bbbbbbb") && lines.len() == 2, "{lines:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

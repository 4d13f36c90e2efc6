//! Appends to the log: one write a record, so that records of many processes never mix.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use snaphook_adapters::raw::visible_json;

use super::Record;
use crate::files;

/// Says where the log is and how much depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditFile {
    /// The file; its folder is made on the first write.
    pub path: PathBuf,
    /// Whether a record that another process keeps from being locked is an error. Otherwise it is written
    /// without the lock.
    pub required: bool,
}

impl AuditFile {
    /// Names the file; a record is not required.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), required: false }
    }

    /// Requires that records are written under the lock.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// Appends one record, and waits for other writers until `until` at most.
///
/// # Errors
/// The log is not a regular file, or it or its folder cannot be made or written; nothing was decided by that.
pub fn append(file: &AuditFile, record: &Record, until: Instant) -> io::Result<()> {
    let mut line = visible_json(&serde_json::to_string(record)?).into_owned().into_bytes();
    line.push(b'\n');
    let log = open(&file.path)?;
    if crate::disk::is_local(&log) {
        // Appends are whole. The lock is shared: it only tells who repairs the log that records are being written.
        let _ = files::lock_shared(&log, until.min(Instant::now() + SHARING));
    } else {
        locked(&log, file.required, until)?;
    }
    write(&log, line, until)
}

/// Takes the lock of the log. Any process that can read the log can hold that lock, so that a record which
/// is not required is written without it rather than lost.
fn locked(log: &File, required: bool, until: Instant) -> io::Result<()> {
    match files::lock(log, until) {
        Ok(false) if required => Err(io::Error::new(io::ErrorKind::WouldBlock, "locked by another process")),
        Err(error) if required => Err(error),
        _ => Ok(()),
    }
}

fn write(mut log: &File, mut line: Vec<u8>, until: Instant) -> io::Result<()> {
    if is_unfinished(log)? {
        // Either a record was cut short, as by a full disk, and must not swallow the next one; or another process
        // is writing it. With the lock, nobody writes, and nobody else ends the record.
        let _ = files::lock(log, until);
        if is_unfinished(log)? {
            line.insert(0, b'\n');
        }
    }
    match log.write(&line)? {
        written if written == line.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true).mode(0o600);
    let opened = match files::open(path, &mut options) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            files::open(path, &mut options)
        }
        opened => opened,
    };
    opened.map(|(log, _)| log)
}

/// Returns true if the last record has no line end.
fn is_unfinished(log: &File) -> io::Result<bool> {
    let Some(at) = log.metadata()?.len().checked_sub(1) else { return Ok(false) };
    let mut last = [b'\n'];
    // What was cut off in between is not there to be read.
    log.read_at(&mut last, at)?;
    Ok(last != *b"\n")
}

/// How long the shared lock may take.
const SHARING: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn a_record_that_was_cut_short_does_not_swallow_the_next() {
        let folder = std::env::temp_dir().join(format!("snaphook-audit-{}", std::process::id()));
        let file = AuditFile::new(folder.join("deep/audit.jsonl"));
        append(&file, &Record::new("aaaaaaa", "x"), soon()).unwrap();
        let whole = std::fs::read_to_string(&file.path).unwrap();
        let cut = whole.get(..20).unwrap();
        std::fs::write(&file.path, cut).unwrap();
        append(&file, &Record::new("bbbbbbb", "x"), soon()).unwrap();
        let lines: Vec<String> = std::fs::read_to_string(&file.path).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], cut);
        assert!(lines[1].contains("bbbbbbb") && lines.len() == 2, "{lines:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn parallel_writers_of_long_records_leave_no_empty_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::new(folder.path().join("log"));
        let mut record = Record::new("aaaaaaa", "x");
        record.reason = "x".repeat(60_000);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| (0..100).for_each(|_| append(&file, &record, soon()).unwrap()));
            }
        });
        let text = std::fs::read_to_string(&file.path).unwrap();
        assert_eq!((text.lines().count(), text.lines().filter(|line| line.is_empty()).count()), (600, 0));
    }

    #[test]
    fn parallel_writers_repair_a_record_that_was_cut_short_once() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let file = AuditFile::new(folder.path().join(round.to_string()));
            std::fs::write(&file.path, "{\"cut").unwrap();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| append(&file, &Record::new("aaaaaaa", "x"), soon()).unwrap());
                }
            });
            let text = std::fs::read_to_string(&file.path).unwrap();
            assert_eq!((text.lines().count(), text.lines().next()), (5, Some("{\"cut")), "{round}: {text}");
        }
    }

    #[test]
    fn a_lock_that_is_held_is_an_error_only_where_a_record_is_required() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let held = open(&path).unwrap();
        held.lock().unwrap();
        let log = open(&path).unwrap();
        let until = || Instant::now() + Duration::from_millis(30);
        assert_eq!(locked(&log, true, until()).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        locked(&log, false, until()).unwrap();
    }

    #[test]
    fn what_is_not_a_regular_file_holds_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let _both_ends = File::options().read(true).write(true).open(&fifo).unwrap();
        for path in [fifo.as_path(), Path::new("/dev/null"), Path::new("/dev/full"), folder.path()] {
            append(&AuditFile::new(path), &Record::new("aaaaaaa", "x"), soon()).unwrap_err();
        }
    }
}

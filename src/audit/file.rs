//! Appends records to the log, each with a single write, so that records of several processes do not interleave.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use snaphook_adapters::raw::visible_json;
use snaphook_policy::AuditRotation;

use super::{Record, rotate};
use crate::files;
use crate::platform::files as platform;

/// The location of the log, and how failures to write it are handled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditFile {
    /// The path of the log. Its directory is created on the first write.
    pub path: PathBuf,
    /// If true, failing to lock the log is an error. If false, the record is then written without the lock.
    pub required: bool,
    /// When a new file begins, and how long older files are kept.
    pub rotation: AuditRotation,
}

impl AuditFile {
    /// Creates a description of the log at `path`; records are not required, and it is rotated by its size.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), required: false, rotation: AuditRotation::default() }
    }

    /// Requires the lock for every record.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// Appends one record, waiting for other writers until `until` at the latest.
///
/// # Errors
/// The log is not a regular file, or it or its directory cannot be created or written.
pub fn append(file: &AuditFile, record: &Record, until: Instant) -> io::Result<()> {
    append_record(file, line_of(record)?, until)
}

/// Appends the line of a record like [`append`].
pub(crate) fn append_record(file: &AuditFile, line: Vec<u8>, until: Instant) -> io::Result<()> {
    let (mut log, found) = open(&file.path)?;
    // A log that cannot be moved is continued.
    if rotate::is_due(&log, found.len(), file.rotation)? && rotate::rotate(file, &log, until).is_ok() {
        log = open(&file.path)?.0;
    }
    if crate::disk::is_local(&log) {
        share(&log, until);
    } else {
        lock_log(&log, file.required, until)?;
    }
    write_whole(&log, log.metadata()?.len(), line, until)
}

/// Appends a line to a file beside the log, to which no other process writes.
pub(crate) fn append_line(path: &Path, line: &[u8]) -> io::Result<()> {
    let (file, found) = open(path)?;
    write_whole(&file, found.len(), [line, b"\n"].concat(), Instant::now())?;
    file.sync_data()
}

/// The line of a record in the log.
pub(crate) fn line_of(record: &Record) -> io::Result<Vec<u8>> {
    let mut line = visible_json(&serde_json::to_string(record)?).into_owned().into_bytes();
    line.push(b'\n');
    Ok(line)
}

/// Takes the shared lock. Local appends are atomic; the lock only tells a process that repairs the log that others are
/// writing.
fn share(log: &File, until: Instant) {
    let _ = files::lock_shared(log, until.min(Instant::now() + SHARED_LOCK_TIMEOUT));
}

/// A log that stays open between the records of a long-lived process, if it is on a local file system. It is open once for each
/// thread that appends at the same time, so that a log that hangs in one thread holds up no other.
#[derive(Debug, Default)]
pub(crate) struct OpenLog(Mutex<Vec<KeptLog>>);

/// The number of threads for which the log stays open.
const KEPT: usize = 8;

#[derive(Debug)]
struct KeptLog {
    path: PathBuf,
    file: File,
    identity: (u64, u64),
}

/// The error for records that were not all written.
#[derive(Debug)]
pub(crate) struct Unwritten {
    /// The number of records that were written whole; they are the first ones.
    pub(crate) whole: usize,
    pub(crate) error: io::Error,
}

fn one_by_one(file: &AuditFile, lines: &[Vec<u8>], until: Instant) -> Result<(), Unwritten> {
    let append = |(whole, line): (usize, &Vec<u8>)| {
        append_record(file, line.clone(), until).map_err(|error| Unwritten { whole, error })
    };
    lines.iter().enumerate().try_for_each(append)
}

impl OpenLog {
    /// Appends records like [`append_record`], with a single write. The log is opened again if its path names another file by now.
    pub(crate) fn append(&self, file: &AuditFile, lines: &[Vec<u8>], until: Instant) -> Result<(), Unwritten> {
        let none = |error| Unwritten { whole: 0, error };
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = kept().pop();
        let shared = |log: KeptLog| log.share(file, until).map(|len| (log, len));
        let (log, len) = match free.and_then(shared) {
            Some(log) => log,
            None => match KeptLog::open(&file.path).map_err(none)?.and_then(shared) {
                Some(log) => log,
                None => return one_by_one(file, lines, until),
            },
        };
        let written = write(&log.file, len, lines.concat(), until).map_err(none)?;
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        let whole = ends.take_while(|end| *end <= written).count();
        if whole < lines.len() {
            return Err(Unwritten { whole, error: io::ErrorKind::WriteZero.into() });
        }
        if log.file.unlock().is_ok() {
            let mut kept = kept();
            if kept.len() < KEPT {
                kept.push(log);
            }
        }
        Ok(())
    }
}

impl KeptLog {
    /// Returns `None` for a log that is not on a local file system.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        let (file, found) = open(path)?;
        if !crate::disk::is_local(&file) {
            return Ok(None);
        }
        Ok(Some(Self { path: path.to_owned(), file, identity: platform::identity(&found) }))
    }

    /// Takes the shared lock and returns the length of the log, if the next record belongs into it: the path still names it, and it
    /// is not full.
    fn share(&self, file: &AuditFile, until: Instant) -> Option<u64> {
        if self.path != file.path {
            return None;
        }
        share(&self.file, until);
        let found = std::fs::metadata(&file.path).ok().filter(|found| platform::identity(found) == self.identity)?;
        rotate::is_due(&self.file, found.len(), file.rotation).is_ok_and(|due| !due).then_some(found.len())
    }
}

/// Locks the log. Any process that can read the log can hold this lock, so if records are not required, a timeout
/// is not an error: an unlocked write is better than a lost record.
fn lock_log(log: &File, required: bool, until: Instant) -> io::Result<()> {
    match files::lock(log, until) {
        Ok(false) if required => Err(io::Error::new(io::ErrorKind::WouldBlock, "locked by another process")),
        Err(error) if required => Err(error),
        _ => Ok(()),
    }
}

/// Appends lines to a log of this length. Returns the number of their bytes that were written.
fn write(mut log: &File, len: u64, mut lines: Vec<u8>, until: Instant) -> io::Result<usize> {
    let mut before = 0;
    if is_unfinished(log, len)? {
        // Either the last record was truncated, for example by a full disk, and the new record must not be appended
        // to its line, or another process is writing it right now. The exclusive lock tells these cases apart.
        let _ = files::lock(log, until);
        if is_unfinished(log, log.metadata()?.len())? {
            lines.insert(0, b'\n');
            before = 1;
        }
    }
    Ok(log.write(&lines)?.saturating_sub(before))
}

fn write_whole(log: &File, len: u64, line: Vec<u8>, until: Instant) -> io::Result<()> {
    let whole = line.len();
    if write(log, len, line, until)? == whole { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    platform::private(options.append(true).read(true).create(true));
    match files::open(path, &mut options) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                platform::create_private_folder(folder)?;
            }
            files::open(path, &mut options)
        }
        opened => opened,
    }
}

/// Returns true if the last record of a log of this length does not end with a line feed.
fn is_unfinished(log: &File, len: u64) -> io::Result<bool> {
    let Some(at) = len.checked_sub(1) else { return Ok(false) };
    let mut last = [b'\n'];
    // The read returns nothing if the log was truncated in between.
    platform::read_at(log, &mut last, at)?;
    Ok(last != *b"\n")
}

/// The longest wait for the shared lock.
const SHARED_LOCK_TIMEOUT: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn a_truncated_record_is_not_joined_with_the_next() {
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
    fn a_log_that_stays_open_follows_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::new(folder.path().join("log"));
        let moved = folder.path().join("log.1");
        let log = OpenLog::default();
        let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().count();
        let add = |id: &str| log.append(&file, &[line_of(&Record::new(id, "x")).unwrap()], soon()).unwrap();
        add("aaaaaaa");
        add("bbbbbbb");
        assert_eq!(lines(&file.path), 2);
        // Another process can repair the log in the meantime.
        assert!(files::lock(&open(&file.path).unwrap().0, Instant::now()).unwrap());
        std::fs::rename(&file.path, &moved).unwrap();
        add("ccccccc");
        assert_eq!((lines(&moved), lines(&file.path)), (2, 1));
        std::fs::remove_file(&file.path).unwrap();
        add("ddddddd");
        assert_eq!(lines(&file.path), 1);
        std::fs::write(&file.path, "{\"cut").unwrap();
        add("eeeeeee");
        assert_eq!(lines(&file.path), 2);
    }

    #[test]
    fn threads_that_share_an_open_log_lose_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let (file, log) = (AuditFile::new(folder.path().join("log")), OpenLog::default());
        let lines = ["aaaaaaa", "bbbbbbb"].map(|id| line_of(&Record::new(id, "x")).unwrap());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| log.append(&file, &lines, soon()).unwrap()));
            }
        });
        assert_eq!(
            std::fs::read_to_string(&file.path).unwrap().lines().filter(|line| line.ends_with('}')).count(),
            1600
        );
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
    fn parallel_writers_repair_a_truncated_record_once() {
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
    fn a_held_lock_is_an_error_only_if_records_are_required() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (held, _) = open(&path).unwrap();
        held.lock().unwrap();
        let (log, _) = open(&path).unwrap();
        let until = || Instant::now() + Duration::from_millis(30);
        assert_eq!(lock_log(&log, true, until()).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        lock_log(&log, false, until()).unwrap();
    }

    #[test]
    fn a_record_is_appended_only_to_a_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let _both_ends = File::options().read(true).write(true).open(&fifo).unwrap();
        for path in [fifo.as_path(), Path::new("/dev/null"), Path::new("/dev/full"), folder.path()] {
            append(&AuditFile::new(path), &Record::new("aaaaaaa", "x"), soon()).unwrap_err();
        }
    }
}

//! Moves a log that is due into a folder beside it, and deletes older files. No record is lost: a process that has opened
//! the log before writes to the moved file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use snaphook_policy::{AuditRotation, older_logs, sending_folder};

use super::{AuditFile, new_id};
use crate::files;
use crate::platform::files as platform;

/// Returns true if the next record begins a new file, because the log of this length is full.
pub(super) fn is_due(log: &File, len: u64, rotation: AuditRotation) -> io::Result<bool> {
    if len >= rotation.size {
        return Ok(true);
    }
    let Some(days) = rotation.days else { return Ok(false) };
    Ok(first_time(log)?.and_then(|first| first.elapsed().ok()).is_some_and(|age| age >= of_days(days)))
}

/// Moves the log, unless another process does. On `Err` it stays where it is.
pub(super) fn rotate(file: &AuditFile, log: &File, until: Instant) -> io::Result<()> {
    if !files::lock(log, until.min(Instant::now() + LOCK_TIMEOUT))? {
        return Ok(());
    }
    let is_moved = platform::identity(&fs::metadata(&file.path)?) != platform::identity(&log.metadata()?);
    let moved = if is_moved { Ok(()) } else { move_away(file) };
    log.unlock()?;
    moved
}

/// The files into which a log was moved, oldest first.
pub(super) fn older_files(log: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = match fs::read_dir(older_logs(log)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        folder => folder?,
    };
    let paths = folder.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let mut logs: Vec<_> = paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == END)).collect();
    // The names begin with the time.
    logs.sort_unstable();
    Ok(logs)
}

/// The records that the collector refuses alone, as the log has them.
pub(crate) fn refused_file(log: &Path) -> PathBuf {
    sending_folder(log).join("refused.jsonl")
}

/// The log whose refused records a file has; `None` if it is another file.
pub(crate) fn log_of_refused(file: &Path) -> Option<&Path> {
    let log = Path::new(file.parent()?.to_str()?.strip_suffix(".sent")?);
    (refused_file(log) == file).then_some(log)
}

fn move_away(file: &AuditFile) -> io::Result<()> {
    let folder = older_logs(&file.path);
    platform::create_private_folder(&folder)?;
    // The id keeps two files of the same moment apart. Windows forbids `:` in a name.
    let time = humantime::format_rfc3339_nanos(SystemTime::now()).to_string().replace(':', "-");
    fs::rename(&file.path, folder.join(format!("{time}-{}.{END}", new_id())))?;
    if let Some(days) = file.rotation.keep_days {
        delete_older(&file.path, of_days(days));
    }
    Ok(())
}

/// Deletes the files whose last record is older than this. What cannot be deleted stays until the next time.
fn delete_older(log: &Path, keep: Duration) {
    for file in older_files(log).unwrap_or_default().into_iter().chain([refused_file(log)]) {
        let last = fs::metadata(&file).and_then(|found| found.modified());
        if last.is_ok_and(|last| last.elapsed().is_ok_and(|age| age > keep)) {
            let _ = fs::remove_file(file);
        }
    }
}

/// The time of the first record; `None` if the log does not begin with one.
fn first_time(log: &File) -> io::Result<Option<SystemTime>> {
    #[derive(Deserialize)]
    struct Timed {
        time: String,
    }
    let mut start = [0; START];
    let read = platform::read_at(log, &mut start, 0)?;
    // A record may be longer, so that its time, the second member, is closed here.
    let start = String::from_utf8_lossy(start.get(..read).unwrap_or_default());
    let members = start.match_indices(',').nth(1).and_then(|(end, _)| start.get(..end));
    let timed = members.and_then(|members| serde_json::from_str::<Timed>(&format!("{members}}}")).ok());
    Ok(timed.and_then(|timed| humantime::parse_rfc3339(&timed.time).ok()))
}

fn of_days(days: u64) -> Duration {
    Duration::from_secs(days.saturating_mul(24 * 60 * 60))
}

/// The extension of moved files.
const END: &str = "jsonl";
/// The number of bytes that hold the version and the time of a record.
const START: usize = 64;
/// The longest wait for processes that are writing.
const LOCK_TIMEOUT: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Log, Record, append};

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    fn rotating(folder: &Path, size: u64) -> AuditFile {
        let mut file = AuditFile::new(folder.join("log"));
        file.rotation.size = size;
        file
    }

    fn ids(file: &AuditFile) -> Vec<String> {
        let id =
            |line: io::Result<crate::audit::LogLine>| crate::audit::AuditEntry::parse(&line.unwrap().bytes).unwrap().id;
        Log::open(&file.path).unwrap().lines_forward().map(id).collect()
    }

    #[test]
    fn a_full_log_is_moved_and_still_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = rotating(folder.path(), 300);
        let all = ["aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd", "eeeeeee"];
        for id in all {
            append(&file, &Record::new(id, "x"), soon()).unwrap();
        }
        assert!(older_files(&file.path).unwrap().len() >= 2);
        assert_eq!(ids(&file), all);
        let log = Log::open(&file.path).unwrap();
        let mut backward: Vec<_> = log.lines_backward().map(Result::unwrap).collect();
        backward.reverse();
        assert_eq!(backward, log.lines_forward().map(Result::unwrap).collect::<Vec<_>>());
        for line in backward {
            assert_eq!(log.read(line.at, line.bytes.len()).unwrap(), line.bytes);
        }
    }

    #[test]
    fn processes_that_rotate_at_once_lose_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let file = rotating(folder.path(), 2_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..250).for_each(|_| append(&file, &Record::new(&new_id(), "x"), soon()).unwrap()));
            }
        });
        let ids = ids(&file);
        assert_eq!(ids.len(), 1000);
        assert_eq!(ids.into_iter().collect::<std::collections::HashSet<_>>().len(), 1000);
        assert!(older_files(&file.path).unwrap().len() > 10);
    }

    #[test]
    fn a_log_that_cannot_be_moved_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let file = rotating(folder.path(), 1);
        fs::write(older_logs(&file.path), "a file").unwrap();
        append(&file, &Record::new("aaaaaaa", "x"), soon()).unwrap();
        append(&file, &Record::new("bbbbbbb", "x"), soon()).unwrap();
        assert_eq!(fs::read_to_string(&file.path).unwrap().lines().count(), 2);
    }

    #[test]
    fn an_old_log_is_moved_and_older_files_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = rotating(folder.path(), u64::MAX);
        (file.rotation.days, file.rotation.keep_days) = (Some(7), Some(30));
        let mut record = Record::new("aaaaaaa", "x");
        record.time = "2001-01-01T00:00:00.000Z".to_owned();
        append(&file, &record, soon()).unwrap();
        append(&file, &Record::new("bbbbbbb", "x"), soon()).unwrap();
        append(&file, &Record::new("ccccccc", "x"), soon()).unwrap();
        assert_eq!(ids(&file), ["aaaaaaa", "bbbbbbb", "ccccccc"]);
        let [moved] = older_files(&file.path).unwrap().try_into().unwrap();
        let refused = refused_file(&file.path);
        fs::create_dir_all(refused.parent().unwrap()).unwrap();
        fs::write(&refused, "{}\n").unwrap();
        let long_ago = SystemTime::now() - Duration::from_hours(31 * 24);
        for old in [moved, refused.clone()] {
            File::options().append(true).open(old).unwrap().set_modified(long_ago).unwrap();
        }
        file.rotation.size = 1;
        append(&file, &Record::new("ddddddd", "x"), soon()).unwrap();
        assert_eq!(ids(&file), ["bbbbbbb", "ccccccc", "ddddddd"]);
        assert!(!refused.exists());
    }
}

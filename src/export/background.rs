//! Starts the process that sends records.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use super::position::lock_file;
use super::send::LINGER;
use crate::files;
use crate::platform::{files as platform, processes};
use crate::policy::Places;
use crate::watchdog::before_waiting;

/// Starts processes that send the records of one log.
#[derive(Debug)]
pub(crate) struct RecordSender {
    log: PathBuf,
    policy: Option<PathBuf>,
    program: PathBuf,
}

impl RecordSender {
    /// Creates the sender of a log. The process reads the collector from the policy of these places.
    pub(crate) fn new(log: &Path, places: &Places) -> Option<Self> {
        let whole = |path: &Path| std::path::absolute(path).ok();
        Some(Self {
            log: whole(log)?,
            policy: places.policy.as_deref().and_then(whole),
            program: places.binary()?.to_owned(),
        })
    }

    /// Starts a process, unless one was started a moment ago or the collector is to be left alone for a while. It outlives
    /// this process, and has none of its files.
    pub(crate) fn start(&self) -> Option<Child> {
        before_waiting();
        let lock = lock_file(&self.log);
        if !is_due(&lock) {
            return None;
        }
        // Another call that comes now leaves the record to this process, which waits as long for more.
        postpone(&lock, LINGER).ok()?;
        let mut command = Command::new(&self.program);
        command.args(["log", "--send", "--in-background", "--audit"]).arg(&self.log);
        command.args(self.policy.iter().flat_map(|policy| [Path::new("--policy"), policy]));
        processes::start_detached(&mut command).ok()
    }
}

/// Leaves the session of the agent, so that signals to its processes do not end this one, and its folder, so that the folder can be
/// removed.
pub(crate) fn leave_agent(log: &Path) {
    processes::leave_session();
    if let Some(folder) = log.parent() {
        let _ = std::env::set_current_dir(folder);
    }
}

/// Returns true if the next process may be started.
fn is_due(lock: &Path) -> bool {
    let next = std::fs::metadata(lock).and_then(|found| found.modified());
    let wait = next.ok().and_then(|next| next.duration_since(SystemTime::now()).ok());
    // A time that is further away was set by another clock.
    wait.is_none_or(|wait| wait > LONGEST_WAIT)
}

/// Sets when the next process may be started.
pub(super) fn postpone(lock: &Path, wait: Duration) -> io::Result<()> {
    open_lock(lock)?.set_modified(SystemTime::now() + wait.min(LONGEST_WAIT))
}

/// Opens the lock file, and creates it and its folder.
pub(super) fn open_lock(lock: &Path) -> io::Result<File> {
    if let Some(folder) = lock.parent() {
        platform::create_private_folder(folder)?;
    }
    Ok(files::open(lock, platform::private(OpenOptions::new().create(true).append(true)))?.0)
}

/// The longest time for which no process is started.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

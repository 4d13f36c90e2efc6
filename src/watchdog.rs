//! Starts the watchdog of a call when it is needed.
//!
//! Most calls only compute and read files on a disk of this machine. A second thread would take a tenth of their time. So
//! whatever may take any time is announced here before, and the first announcement starts the watchdog, which
//! answers the call if it is not answered in time.
//!
//! Other processes announce the same, and nothing is started: a line server has a watchdog from its start.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::disk::Known;

/// A call that may need a watchdog.
pub(crate) trait Watched: Sync {
    /// Starts the watchdog, or ends the process with a refusal.
    fn start_watchdog(&'static self);
}

/// Sets the only call of the process.
pub(crate) fn watch_when_needed(call: &'static dyn Watched) {
    // A process has one call.
    let _ = CALL.set(call);
}

/// Announces something that may take any time: another program, a lock, or a long computation.
pub(crate) fn before_waiting() {
    if let Some(call) = CALL.get()
        && !IS_STARTED.swap(true, Ordering::Relaxed)
    {
        call.start_watchdog();
    }
}

/// Announces the use of a file, which may take any time if it is not on a disk of this machine. Returns what is known of the
/// path without reading the disk.
pub(crate) fn before_using(path: &Path) -> Option<Known> {
    announce(path, true)
}

/// Announces that a path is looked up, like [`before_using`], without following a symbolic link at its end.
pub(crate) fn before_looking_up(path: &Path) -> Option<Known> {
    announce(path, false)
}

fn announce(path: &Path, follows: bool) -> Option<Known> {
    if CALL.get().is_none() || IS_STARTED.load(Ordering::Relaxed) {
        return None;
    }
    // What the kernel does not have in memory is read from where the closest folder is that it has.
    let mut known = Known::of(path, follows);
    let asked = (known != Known::Unread).then_some(known);
    for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if known != Known::Unread {
            break;
        }
        known = Known::of(folder, true);
    }
    if matches!(known, Known::Unread | Known::Elsewhere) {
        before_waiting();
        return None;
    }
    asked
}

static CALL: OnceLock<&'static dyn Watched> = OnceLock::new();
static IS_STARTED: AtomicBool = AtomicBool::new(false);

//! Starts the watchdog of a call when it is needed.
//!
//! Most calls only compute and read files on a local disk. A second thread would take a tenth of their time, so these functions
//! are called before whatever may take any time. The first of them that sees a need starts the watchdog, which answers the
//! call if it is not answered in time.
//!
//! In other processes they do nothing: a line server has a watchdog from its start.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::disk::CachedLookup;

/// A call that may need a watchdog.
pub(crate) trait Watched: Sync {
    /// Starts the watchdog, or ends the process with a refusal.
    fn start_watchdog(&'static self);
}

/// Registers the call of this process.
pub(crate) fn watch_when_needed(call: &'static dyn Watched) {
    let _ = CALL.set(call);
}

/// Starts the watchdog before the call waits for another program or a lock, or computes for long.
pub(crate) fn before_waiting() {
    if let Some(call) = CALL.get()
        && !IS_STARTED.swap(true, Ordering::Relaxed)
    {
        call.start_watchdog();
    }
}

/// Starts the watchdog before a file is used, unless the file is on a local disk. Returns the cached lookup of the path, if
/// there is one and no watchdog.
pub(crate) fn before_using(path: &Path) -> Option<CachedLookup> {
    look_up(path, true)
}

/// Like [`before_using`], for a path that is looked up without following a symbolic link at its end.
pub(crate) fn before_looking_up(path: &Path) -> Option<CachedLookup> {
    look_up(path, false)
}

fn look_up(path: &Path, follows: bool) -> Option<CachedLookup> {
    if CALL.get().is_none() || IS_STARTED.load(Ordering::Relaxed) {
        return None;
    }
    let found = CachedLookup::of(path, follows);
    // A path that is not cached is read from the file system of the closest folder that is.
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let mut lookups = std::iter::once(found).chain(folders.map(|folder| CachedLookup::of(folder, true)));
    match lookups.find(|lookup| *lookup != CachedLookup::NotCached) {
        None | Some(CachedLookup::MayBlock) => {
            before_waiting();
            None
        }
        Some(_) => Some(found),
    }
}

static CALL: OnceLock<&'static dyn Watched> = OnceLock::new();
static IS_STARTED: AtomicBool = AtomicBool::new(false);

//! Permissions for single calls that were blocked: the same call passes once.

use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use snaphook_adapters::model::{Detail, HookEvent};

use super::OverrideSpan;
use crate::audit::hex;
use crate::platform::files as platform;
use crate::policy::Places;
use crate::watchdog::before_using;

/// The time within which the call has to be made.
pub(crate) const LIFETIME: Duration = Duration::from_mins(10);

/// The longest arguments that are recognised again, in bytes.
const MAX: usize = 1 << 20;

/// The digest by which a call is recognised again: of the agent, the folders, the tool and all arguments. Returns `None` for
/// an event that is not a call, and for one that is too long.
pub(crate) fn digest(event: &HookEvent) -> Option<String> {
    let Detail::Tool(call) = &event.detail else { return None };
    let input = call.input.as_str();
    if input.len() > MAX {
        return None;
    }
    let [project, cwd] = [&event.project, &event.cwd].map(|folder| folder.as_deref().unwrap_or_default());
    let mut hash = Sha256::new();
    for part in [event.agent.id, project, cwd, &call.name, input] {
        // With its length, so that no part can end in another one.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Some(hex(&hash.finalize(), 64))
}

/// A call may meet several gates, and passes each of them once.
fn gate(event: &HookEvent) -> String {
    let gate = format!("{} {:?}", event.row.native, event.row.selector.roles);
    hex(&Sha256::digest(gate), 16)
}

/// Returns true if the call with a digest may pass once.
///
/// # Errors
/// There is a file that cannot be used; the message has one line.
pub(crate) fn is_granted(places: &Places, digest: &str, now: SystemTime) -> Result<bool, String> {
    let Some(folder) = places.override_folder() else { return Ok(false) };
    Ok(OverrideSpan::read(&folder.join(digest), LIFETIME, places, now)?.is_some())
}

/// Uses a permission up for the gate of an event. Returns false if it was used before: of several processes, one gets it.
///
/// # Errors
/// The use cannot be noted; the message has one line.
pub(crate) fn take(places: &Places, digest: &str, event: &HookEvent) -> Result<bool, String> {
    let Some(folder) = places.override_folder() else { return Ok(false) };
    let used = folder.join(format!("{digest}.{}", gate(event)));
    before_using(&used);
    match platform::private(fs::OpenOptions::new().write(true).create_new(true)).open(&used) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(format!("{}: cannot be written: {error}", places.shown(&used))),
    }
}

/// Lets the call with a digest pass once.
///
/// # Errors
/// The permission cannot be written; the message has one line.
pub(crate) fn grant(places: &Places, digest: &str, span: OverrideSpan, now: SystemTime) -> Result<(), String> {
    let folder = places.override_folder().ok_or("no folder for the permission; set HOME")?;
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let of = name.split('.').next().unwrap_or_default();
        if of == digest || !is_granted(places, of, now).unwrap_or(true) {
            fs::remove_file(entry.path())
                .map_err(|error| format!("{}: cannot be removed: {error}", places.shown(&entry.path())))?;
        }
    }
    span.write(&folder.join(digest), places)
}

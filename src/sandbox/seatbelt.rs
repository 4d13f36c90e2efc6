//! The launcher `seatbelt`: `sandbox-exec`, a program of macOS, applies a profile to itself and executes the command.
//! The text of the profile is tested, but no command has been run with it on a Mac yet.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

use super::isolate::WITHIN;
use super::profile::Profile;
use super::promises::Promises;
use super::run::Refusal;
use super::sbpl;
use crate::platform::processes;
use crate::policy::Places;

/// The program that applies a profile. The system protects it from being replaced.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// Executes the command with the profile. Returns only if that failed.
///
/// `sandbox-exec` starts this program again, as a second stage that tests the profile and becomes the command.
pub(super) fn run(profile: Profile, places: &Places, argv: &[OsString]) -> Result<Refusal, String> {
    let profile = on_disk(profile)?;
    let own = places.binary().ok_or("the path of this program is unknown")?;
    let promises = Promises::new(&profile).bytes();
    let promises = promises.split(|byte| *byte == 0).filter(|promise| !promise.is_empty()).map(OsStr::from_bytes);
    let mut command = Command::new(SANDBOX_EXEC);
    command.args(sbpl::arguments(&profile)).arg("--").arg(own).args(["run", WITHIN, "seatbelt"]);
    command.args(promises.flat_map(|promise| [OsStr::new(WITHIN), promise])).arg("--").args(argv);
    Ok(Refusal::Isolation(format!("{SANDBOX_EXEC} cannot be started: {}", processes::replace(&mut command))))
}

/// The second stage. The first value is the launcher, each other one a promise.
pub(super) fn within(values: Vec<OsString>) -> Result<(), String> {
    let mut values = values.into_iter();
    let is_ours = values.next().is_some_and(|launcher| launcher == "seatbelt");
    let bytes: Vec<u8> = values.flat_map(|promise| [promise.into_vec(), vec![0]].concat()).collect();
    let promises = Promises::from_bytes(&bytes).filter(|_| is_ours);
    promises.ok_or_else(|| format!("{WITHIN} is only for processes that snaphook starts"))?.test()
}

/// The profile with each path as it is written on disk: the rules distinguish upper and lower case, most file systems
/// of macOS do not.
fn on_disk(mut profile: Profile) -> Result<Profile, String> {
    let Profile { write, hide_inside, hide_outside, read_only, pinned, .. } = &mut profile;
    for path in [write, hide_inside, hide_outside, read_only, pinned].into_iter().flatten() {
        *path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(profile)
}

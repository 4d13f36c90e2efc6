//! The built-in launcher: the process takes its own rights away and becomes the command.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use rustix::fs::{Mode, OFlags};

use super::mounts::SHARED;
use super::profile::Profile;
use super::streams;

/// Before this version of landlock a file could be emptied or moved away all the same.
const LEAST: ABI = ABI::V3;

/// The devices that any program may use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Where programs make terminals.
const TERMINALS: &[&str] = &["/dev/ptmx", "/dev/pts"];

/// File systems with devices, terminals and message queues.
const OF_DEVICES: &[&str] = &["devpts", "devtmpfs", "mqueue"];

/// Restricts this process, for good. `terminals`: only its own can be below `/dev/pts`.
pub(super) fn restrict(profile: &Profile, terminals: bool) -> Result<(), String> {
    let lacks = |error: &dyn std::fmt::Display| {
        format!("the kernel cannot apply the whole profile by landlock ({error}); use launcher = \"bwrap\"")
    };
    let write = AccessFs::from_write(LEAST);
    let handled = write | AccessFs::ReadFile;
    let ruleset = scoped().map_err(|error| lacks(&error))?.set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset.handle_access(handled).and_then(Ruleset::create).map_err(|error| lacks(&error))?;
    let mut granting = Granting { ruleset: Some(ruleset) };
    // Root could make a device that leads to the disk, or to the terminal of another program.
    let granted = handled & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    for root in &profile.write {
        granting.grant(root, granted)?;
    }
    granting.grant(Path::new(SHARED), granted)?;
    let (read, write) = (BitFlags::from(AccessFs::ReadFile), AccessFs::WriteFile | AccessFs::Truncate);
    let terminals: &[&str] = if terminals { TERMINALS } else { &[] };
    for device in DEVICES.iter().chain(terminals) {
        granting.rule(Path::new(device), read | write)?;
    }
    for open in streams::open() {
        let none = BitFlags::EMPTY;
        let rights = if open.read { read } else { none } | if open.write { write } else { none };
        if !rights.is_empty() {
            granting.rule(Path::new(open.path), rights)?;
        }
    }
    // Devices too: among them are the terminals of other programs.
    let devices = profile.mounts.iter().filter(|mount| OF_DEVICES.contains(&mount.kind.as_str()));
    let devices = devices.map(|mount| mount.point.clone()).chain([PathBuf::from("/dev")]);
    let hidden: Vec<_> = profile.hide_outside.iter().chain(&profile.absent).cloned().chain(devices).collect();
    granting.around(Path::new("/"), &hidden)?;
    let ruleset = granting.ruleset.ok_or("a landlock rule was not taken")?;
    let status = ruleset.restrict_self().map_err(|error| lacks(&error))?;
    // Only the scope may be missing: all else is required.
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(lacks(&format!("{:?}", status.ruleset)));
    }
    Ok(())
}

/// Keeps the signals of this process and all that it starts from every other, where the kernel can.
pub(super) fn keep_signals() -> Result<(), String> {
    let says = |error: &dyn std::fmt::Display| format!("landlock does not keep signals inside: {error}");
    if can_keep_signals() {
        let ruleset = scoped().and_then(Ruleset::create).map_err(|error| says(&error))?;
        ruleset.restrict_self().map_err(|error| says(&error))?;
    }
    Ok(())
}

/// Whether signals can be kept inside: from Linux 6.12 on.
pub(crate) fn can_keep_signals() -> bool {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::Signal).is_ok()
}

/// A ruleset that keeps signals inside where the kernel can, and does nothing else yet.
fn scoped() -> Result<Ruleset, RulesetError> {
    Ruleset::default().set_compatibility(CompatLevel::BestEffort).scope(Scope::Signal)
}

struct Granting {
    ruleset: Option<RulesetCreated>,
}

impl Granting {
    /// Grants rights on a path and all below; a path that has gone needs none.
    fn grant(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), String> {
        let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
        self.rule(path, if found.is_dir() { rights } else { rights & AccessFs::from_file(LEAST) })
    }

    fn rule(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), String> {
        let says = |error: &dyn std::fmt::Display| format!("{}: landlock does not take it: {error}", path.display());
        // Not opened for reading: `/dev/ptmx` would make a terminal, and a pipe would wait.
        let Ok(fd) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else { return Ok(()) };
        let ruleset = self.ruleset.take().ok_or("a landlock rule was not taken")?;
        self.ruleset = Some(ruleset.add_rule(PathBeneath::new(fd, rights)).map_err(|error| says(&error))?);
        Ok(())
    }

    /// Lets everything below a folder be read but what is hidden: landlock only grants, so each
    /// neighbour of what is hidden is granted instead. Links are left out: what they lead to is
    /// granted, or not, where it lies.
    fn around(&mut self, folder: &Path, hidden: &[PathBuf]) -> Result<(), String> {
        let says = |error: std::io::Error| format!("{}: cannot be listed: {error}", folder.display());
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            // Its other entries cannot be named, so they are not granted: only the way on is.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                let mut next: Vec<PathBuf> = hidden.iter().filter_map(|path| step(folder, path)).collect();
                next.dedup();
                next.retain(|path| !hidden.contains(path));
                return next.iter().try_for_each(|path| self.around(path, &under(path, hidden)));
            }
            // A hidden file that does not exist yet may be in a folder that does not either.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(says(error)),
        };
        for entry in entries {
            let entry = entry.map_err(says)?;
            let path = entry.path();
            if hidden.contains(&path) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let below = under(&path, hidden);
            if below.is_empty() {
                self.rule(&path, AccessFs::ReadFile.into())?;
            } else {
                self.around(&path, &below)?;
            }
        }
        Ok(())
    }
}

/// The hidden paths below a folder.
fn under(folder: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    hidden.iter().filter(|hidden| hidden.starts_with(folder)).cloned().collect()
}

/// The entry of a folder that leads to a path below it.
fn step(folder: &Path, path: &Path) -> Option<PathBuf> {
    Some(folder.join(path.strip_prefix(folder).ok()?.components().next()?))
}

//! The built-in launcher: the process restricts itself and then executes the command.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags, RawDir};
use rustix::io::Errno;

use super::mounts::SHARED;
use super::profile::Profile;
use super::streams;

/// The minimum version of landlock. Earlier versions do not restrict truncating and moving files.
const LEAST: ABI = ABI::V3;

/// The devices that any program may use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The paths at which programs create terminals.
const TERMINALS: &[&str] = &["/dev/ptmx", "/dev/pts"];

/// File systems with devices, terminals and message queues.
const OF_DEVICES: &[&str] = &["devpts", "devtmpfs", "mqueue"];

/// Restricts this process permanently. `terminals` is true if `/dev/pts` has only its own terminals.
pub(super) fn restrict(profile: &Profile, terminals: bool) -> Result<(), String> {
    let lacks = |error: &dyn std::fmt::Display| {
        format!("the kernel cannot apply the whole profile by landlock ({error}); use launcher = \"bwrap\"")
    };
    let write = AccessFs::from_write(LEAST);
    let handled = write | AccessFs::ReadFile;
    let ruleset = scoped().map_err(|error| lacks(&error))?.set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset.handle_access(handled).and_then(Ruleset::create).map_err(|error| lacks(&error))?;
    let mut granting = Granting { ruleset: Some(ruleset) };
    // Root could create a device node for the disk, or for the terminal of another program.
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
    // File systems of devices contain the terminals of other programs.
    let devices = profile.mounts.iter().filter(|mount| OF_DEVICES.contains(&mount.kind.as_str()));
    let devices = devices.map(|mount| mount.point.as_path()).chain([Path::new("/dev")]);
    let hidden = profile.hide_outside.iter().chain(&profile.absent).map(PathBuf::as_path);
    granting.all_but(&hidden.chain(devices).collect::<Vec<_>>())?;
    let ruleset = granting.ruleset.ok_or("a landlock rule was not taken")?;
    let status = ruleset.restrict_self().map_err(|error| lacks(&error))?;
    // Only the signal scope is optional.
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(lacks(&format!("{:?}", status.ruleset)));
    }
    Ok(())
}

/// Prevents this process and its children from sending signals to other processes, if the kernel supports it.
pub(super) fn keep_signals() -> Result<(), String> {
    let says = |error: &dyn std::fmt::Display| format!("landlock does not keep signals inside: {error}");
    if can_keep_signals() {
        let ruleset = scoped().and_then(Ruleset::create).map_err(|error| says(&error))?;
        ruleset.restrict_self().map_err(|error| says(&error))?;
    }
    Ok(())
}

/// Returns true if the kernel can restrict signals: Linux 6.12 or later.
pub(crate) fn can_keep_signals() -> bool {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::Signal).is_ok()
}

/// A ruleset that restricts only signals, if the kernel supports it.
fn scoped() -> Result<Ruleset, RulesetError> {
    Ruleset::default().set_compatibility(CompatLevel::BestEffort).scope(Scope::Signal)
}

struct Granting {
    ruleset: Option<RulesetCreated>,
}

impl Granting {
    /// Grants rights on a path and everything below. A missing path is ignored.
    fn grant(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), String> {
        let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
        self.rule(path, if found.is_dir() { rights } else { rights & AccessFs::from_file(LEAST) })
    }

    fn rule(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), String> {
        // Opening for reading would create a terminal at `/dev/ptmx`, and would block on a pipe.
        let Ok(opened) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else { return Ok(()) };
        self.add(opened, rights).map_err(|error| format!("{}: landlock does not take it: {error}", path.display()))
    }

    fn add(&mut self, opened: OwnedFd, rights: BitFlags<AccessFs>) -> Result<(), String> {
        let ruleset = self.ruleset.take().ok_or("a landlock rule was not taken")?;
        self.ruleset = Some(ruleset.add_rule(PathBeneath::new(opened, rights)).map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Grants read access to everything except hidden paths. Landlock can only grant, so every sibling of a hidden path is
    /// granted. Links are skipped, because access is checked at their target.
    fn all_but(&mut self, hidden: &[&Path]) -> Result<(), String> {
        let steps = hidden.iter().filter_map(|path| path.as_os_str().as_bytes().strip_prefix(b"/")).collect();
        let mut ahead: Vec<(PathBuf, Vec<&[u8]>)> = vec![(PathBuf::from("/"), steps)];
        let mut names = [MaybeUninit::uninit(); 16 << 10];
        while let Some((folder, hidden)) = ahead.pop() {
            let says = |error: &dyn std::fmt::Display| format!("{}: cannot be listed: {error}", folder.display());
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let opened = match rustix::fs::open(&folder, flags, Mode::empty()) {
                Ok(opened) => opened,
                // The other entries of this folder cannot be listed, so only the next step of the path is granted.
                Err(Errno::ACCESS) => {
                    let mut next: Vec<&[u8]> = hidden.iter().filter_map(|path| first_step(path)).collect();
                    next.sort_unstable();
                    next.dedup();
                    let next = next.into_iter().map(|name| (name, under(name, &hidden)));
                    let next = next.filter(|(_, below)| !below.contains(&[].as_slice()));
                    ahead.extend(next.map(|(name, below)| (folder.join(OsStr::from_bytes(name)), below)));
                    continue;
                }
                // A hidden file that does not exist may be in a folder that does not exist either.
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(says(&error)),
            };
            let mut entries = RawDir::new(&opened, &mut names);
            while let Some(entry) = entries.next() {
                let entry = entry.map_err(|error| says(&error))?;
                let (name, kind) = (entry.file_name(), entry.file_type());
                // A socket cannot be opened like a file, so it needs no grant.
                if matches!(name.to_bytes(), b"." | b"..") || matches!(kind, FileType::Symlink | FileType::Socket) {
                    continue;
                }
                let below = under(name.to_bytes(), &hidden);
                if below.is_empty() {
                    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    let Ok(neighbour) = rustix::fs::openat(&opened, name, flags, Mode::empty()) else { continue };
                    let failed = |error| format!("{}: {name:?}: landlock does not take it: {error}", folder.display());
                    self.add(neighbour, AccessFs::ReadFile.into()).map_err(failed)?;
                } else if !below.contains(&[].as_slice()) {
                    ahead.push((folder.join(OsStr::from_bytes(name.to_bytes())), below));
                }
            }
        }
        Ok(())
    }
}

/// The rest of each hidden path after an entry of a folder; empty for the entry itself.
fn under<'h>(name: &[u8], hidden: &[&'h [u8]]) -> Vec<&'h [u8]> {
    let rests = hidden.iter().filter_map(|path| path.strip_prefix(name));
    rests.filter_map(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }).collect()
}

/// The first component of a path.
fn first_step(path: &[u8]) -> Option<&[u8]> {
    path.split(|byte| *byte == b'/').next()
}

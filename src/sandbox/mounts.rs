//! What landlock cannot do: take something away below a folder that was granted. A view of the file
//! system of its own can; it takes a user namespace where the process is not root.

use std::fs::OpenOptions;
use std::path::Path;

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::profile::Profile;
use super::streams;

/// Gives this process its own view, where one is needed: in it the profile's exceptions hold, and the
/// terminals of others are not there. Returns whether those are out of reach.
pub(super) fn apply(profile: &Profile) -> Result<bool, String> {
    let mut exceptions = profile.hide_inside.iter().chain(&profile.read_only).chain(&profile.pinned);
    if exceptions.next().is_some() {
        excepted(profile)?;
        entered(profile)?;
        return Ok(own_terminals());
    }
    // Without exceptions it is not required: no terminals can be made then.
    if !streams::other_terminals() {
        return Ok(true);
    }
    // Root without its powers could make one and not fill it.
    let users = !rustix::process::geteuid().is_root();
    let Some(own) = can_settle().then(|| separate(users).ok()).flatten() else { return Ok(false) };
    let says = |what: &str, error: &dyn std::fmt::Display| format!("a mount namespace was made, but {what}: {error}");
    settle(own).map_err(|(what, error)| says(what, &error))?;
    home_kept(profile).map_err(|error| says("the home folder cannot be bound", &error))?;
    entered(profile)?;
    Ok(own_terminals())
}

/// Goes to the working directory anew: where it was before the view was made, nothing of that holds.
fn entered(profile: &Profile) -> Result<(), String> {
    let gone = |error| format!("{}: the working directory is gone: {error}", profile.cwd.display());
    std::env::set_current_dir(&profile.cwd).map_err(gone)
}

/// Covers what the profile takes away below what it grants.
fn excepted(profile: &Profile) -> Result<(), String> {
    let about = profile.hide_inside.iter().chain(&profile.read_only).chain(&profile.pinned).next();
    let about = about.map(|path| path.display().to_string()).unwrap_or_default();
    let says = |what: &str, error: &dyn std::fmt::Display| {
        format!(
            "{about} lies where the command may write and must not be {}, which takes a mount namespace, and {what}: \
             {error}; allow user namespaces, which another sandbox around this one may forbid, or take it out of \
             sandbox.write, sandbox.hide or [protect]",
            if profile.hide_inside.is_empty() { "changed" } else { "read" }
        )
    };
    own_namespace().map_err(|(what, error)| says(what, &error))?;
    home_kept(profile).map_err(|error| says("the home folder cannot be bound", &error))?;
    for path in &profile.pinned {
        bound(path).map_err(|error| says("it cannot be bound", &error))?;
    }
    for path in &profile.read_only {
        bound(path)
            .and_then(|()| remount(path, MountFlags::RDONLY))
            .map_err(|error| says("it cannot be bound", &error))?;
    }
    for path in &profile.hide_inside {
        covered(path).map_err(|error| says("it cannot be covered", &error))?;
    }
    Ok(())
}

/// Puts an empty set of terminals in the place of everybody's; those that are open stay open.
fn own_terminals() -> bool {
    let (options, flags) = (c"newinstance,ptmxmode=0666,mode=620", MountFlags::NOSUID | MountFlags::NOEXEC);
    rustix::mount::mount("devpts", "/dev/pts", "devpts", flags, options).is_ok()
}

fn own_namespace() -> Result<(), (&'static str, std::io::Error)> {
    settle(separate(true).map_err(|error| ("none can be made", error))?)
}

/// Makes a namespace, with one of users where that is needed; returns who has to be its user.
fn separate(users: bool) -> std::io::Result<Option<(u32, u32)>> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let alone = if user.is_root() { unshare(UnshareFlags::NEWNS) } else { Err(rustix::io::Errno::PERM.into()) };
    if alone.is_ok() || !users {
        return alone.map(|()| None);
    }
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    Ok(Some((user.as_raw(), group.as_raw())))
}

fn settle(own: Option<(u32, u32)>) -> Result<(), (&'static str, std::io::Error)> {
    if let Some((user, group)) = own {
        let write = |file: &str, text: String| std::fs::write(Path::new("/proc/self").join(file), text);
        write("setgroups", "deny".to_owned())
            .and_then(|()| write("uid_map", format!("{user} {user} 1")))
            .and_then(|()| write("gid_map", format!("{group} {group} 1")))
            .map_err(|error| ("its users cannot be set", error))?;
    }
    rustix::mount::mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)
        .map_err(|error| ("it cannot be separated", error.into()))
}

/// Whether a namespace could be filled: inside of landlock, and where AppArmor forbids it, none can, and
/// once it is made there is no way back out of it.
fn can_settle() -> bool {
    let restricted = std::fs::read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    !restricted.is_ok_and(|set| set.starts_with(b"1"))
        && OpenOptions::new().write(true).open("/proc/self/uid_map").is_ok()
}

#[expect(
    deprecated,
    reason = "this process has one thread, and the other form is unsafe code, which is forbidden here"
)]
fn unshare(flags: UnshareFlags) -> std::io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Keeps modes, owners and times in the home folder as they are, but where the command may write: landlock
/// has no right for these, and whoever cannot read its configuration starts without our hook.
fn home_kept(profile: &Profile) -> std::io::Result<()> {
    let Some(home) = profile.home.as_ref().filter(|home| home.is_dir()) else { return Ok(()) };
    if home.parent().is_none() || profile.write.iter().any(|root| home.starts_with(root)) {
        return Ok(());
    }
    let roots = profile.write.iter().filter(|root| root.starts_with(home));
    let roots: Vec<_> = roots.map(|root| (root, is_read_only(root))).collect();
    bound(home).and_then(|()| remount(home, MountFlags::RDONLY))?;
    for (root, was_read_only) in roots {
        bound(root)?;
        if !was_read_only && is_read_only(root) {
            remount(root, MountFlags::empty())?;
        }
    }
    Ok(())
}

fn is_read_only(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY))
}

fn bound(path: &Path) -> std::io::Result<()> {
    Ok(rustix::mount::mount_bind_recursive(path, path)?)
}

/// Sets whether a mount is read-only, and more, and keeps what else is set of it: the kernel refuses to
/// loosen that.
fn remount(path: &Path, flags: MountFlags) -> std::io::Result<()> {
    let set = rustix::fs::statvfs(path)?.f_flag;
    let mut flags = MountFlags::BIND | flags;
    for (is, flag) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if set.contains(is) {
            flags |= flag;
        }
    }
    Ok(rustix::mount::mount_remount(path, flags, c"")?)
}

/// Puts something empty in the place of a file or folder.
fn covered(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        return Ok(rustix::mount::mount("tmpfs", path, "tmpfs", flags, c"mode=0555,size=4k")?);
    }
    rustix::mount::mount_bind("/dev/null", path)?;
    // A device that cannot be opened: reading is refused, and writing does not get lost.
    remount(path, MountFlags::RDONLY | MountFlags::NODEV)
}

//! The mount namespace of the launcher `landlock`, which has no rights for these: taking something away below a
//! folder that was granted, modes and owners of files, terminals that are opened later. It takes a user namespace
//! where the process is not root.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::profile::Profile;

/// Memory that processes share.
pub(super) const SHARED: &str = "/dev/shm";

/// File systems of the kernel, where landlock alone decides, and of other machines, which may not answer.
const LEFT: &str = "9p afs autofs bpf cgroup cgroup2 ceph cifs configfs debugfs devpts devtmpfs fuse hugetlbfs mqueue nfs \
                    nfs4 nsfs proc pstore securityfs smb3 sysfs tracefs";

/// Gives this process its own mounts, where it can have them. Returns true if the terminals below `/dev/pts` are
/// its own too. `Err`: the profile requires mounts that cannot be had.
pub(super) fn apply(profile: &Profile) -> Result<bool, String> {
    let mut exceptions = profile.hide_inside.iter().chain(&profile.read_only).chain(&profile.pinned);
    let Some(about) = exceptions.next() else { return optional(profile) };
    let says = |what: &str, error: &dyn std::fmt::Display| {
        format!(
            "{} lies where the command may write and must not be {}, which takes a mount namespace, and {what}: \
             {error}; allow user namespaces, which another sandbox around this one may forbid, or take it out of \
             sandbox.write, sandbox.hide or [protect]",
            about.display(),
            if profile.hide_inside.is_empty() { "changed" } else { "read" }
        )
    };
    own_namespace().map_err(|(what, error)| says(what, &error))?;
    kept(profile).map_err(|error| says("what must not be written cannot be made read-only", &error))?;
    excepted(profile).map_err(|(what, error)| says(what, &error))?;
    entered(profile)?;
    Ok(own_terminals())
}

/// Makes the namespace of a profile that does not require one.
fn optional(profile: &Profile) -> Result<bool, String> {
    // Root without its powers could make one and not fill it.
    let users = !rustix::process::geteuid().is_root();
    let Some(own) = can_settle().then(|| separate(users).ok()).flatten() else { return Ok(false) };
    let says = |what: &str, error: &dyn std::fmt::Display| format!("a mount namespace was made, but {what}: {error}");
    settle(own).map_err(|(what, error)| says(what, &error))?;
    kept(profile).map_err(|error| says("what must not be written cannot be made read-only", &error))?;
    entered(profile)?;
    Ok(own_terminals())
}

/// Opens the working directory again: it is still the one of the mounts before.
fn entered(profile: &Profile) -> Result<(), String> {
    let gone = |error| format!("{}: the working directory is gone: {error}", profile.cwd.display());
    std::env::set_current_dir(&profile.cwd).map_err(gone)
}

/// Covers what the profile takes away below what it grants.
fn excepted(profile: &Profile) -> Result<(), (&'static str, std::io::Error)> {
    for path in &profile.pinned {
        bound(path).map_err(|error| ("it cannot be bound", error))?;
    }
    for path in &profile.read_only {
        let made = bound(path).and_then(|()| remount(path, MountFlags::RDONLY));
        made.map_err(|error| ("it cannot be bound", error))?;
    }
    for path in &profile.hide_inside {
        covered(path).map_err(|error| ("it cannot be covered", error))?;
    }
    Ok(())
}

/// Mounts an empty set of terminals; those that are open stay open.
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

/// Makes the mounts of this machine read-only outside of what may be written, and shared memory its own: landlock
/// has no right for modes, owners, times and attributes, and an agent that cannot read its configuration starts
/// without hooks.
fn kept(profile: &Profile) -> std::io::Result<()> {
    let home = profile.home.as_ref().and_then(|home| profile.mounts.by_name(home)).map(|mount| &mount.point);
    let is_local = |kind: &str| !LEFT.split(' ').any(|left| left == kind) && !kind.starts_with("fuse.");
    let may_write = |path: &Path| profile.write.iter().any(|root| path.starts_with(root));
    let roots: Vec<_> = profile.write.iter().map(|root| (root, is_read_only(root))).collect();
    let used = profile.write.iter().chain([&profile.cwd]).chain(&profile.read_only).chain(&profile.hide_inside);
    let is_shared = used.into_iter().any(|path| path.starts_with(SHARED));
    let points = profile.mounts.iter().filter(|mount| is_local(&mount.kind) || home == Some(&mount.point));
    let points = points.filter(|mount| !mount.is_read_only && !may_write(&mount.point)).map(|mount| &mount.point);
    let (covered, points): (Vec<_>, Vec<_>) =
        points.partition(|point| !is_shared && home != Some(*point) && point.starts_with(SHARED));
    // It fails where another mount is on top, or in a folder that this user cannot open.
    let make_read_only = |point: &PathBuf| drop(remount(point, MountFlags::RDONLY));
    points.into_iter().for_each(make_read_only);
    if let Some(home) = profile.home.as_ref().filter(|home| home.is_dir() && !may_write(home) && !is_read_only(home)) {
        return Err(std::io::Error::other(format!("{} is not read-only", home.display())));
    }
    for (root, was_read_only) in roots {
        if !was_read_only && is_read_only(root) {
            bound(root).and_then(|()| remount(root, MountFlags::empty()))?;
        }
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    if !is_shared && rustix::mount::mount("tmpfs", SHARED, "tmpfs", flags, c"mode=1777").is_err() {
        // It stays the one of all programs.
        covered.into_iter().for_each(make_read_only);
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

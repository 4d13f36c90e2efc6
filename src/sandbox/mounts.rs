//! The mount namespace of the launcher `landlock`. It covers what landlock cannot restrict: paths below a granted
//! folder, modes and owners of files, and terminals that are opened later. Without root, it needs a user namespace.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::profile::Profile;

/// The file system for shared memory.
pub(super) const SHARED: &str = "/dev/shm";

/// File systems that are not remounted: those of the kernel, which landlock restricts, and network file systems, which
/// may not respond.
const LEFT: &str = "9p afs autofs bpf cgroup cgroup2 ceph cifs configfs debugfs devpts devtmpfs fuse hugetlbfs mqueue nfs \
                    nfs4 nsfs proc pstore securityfs smb3 sysfs tracefs";

/// Creates a mount namespace for this process, if possible. Returns true if `/dev/pts` has only its own terminals.
/// Fails if the profile requires mounts that cannot be created.
pub(super) fn apply(profile: &Profile) -> Result<bool, String> {
    let mut exceptions = profile.hide_inside.iter().chain(&profile.read_only).chain(&profile.pinned);
    let Some(about) = exceptions.next() else { return optional(profile) };
    let says = |what: &str, error: &dyn std::fmt::Display| {
        format!(
            "{} is in a writable folder and must not be {}, which requires a mount namespace, and {what}: {error}; \
             allow user namespaces, which an outer sandbox may forbid, or remove the path from sandbox.write, \
             sandbox.hide or [protect]",
            about.display(),
            if profile.hide_inside.is_empty() { "changed" } else { "read" }
        )
    };
    own_namespace().map_err(|(what, error)| says(what, &error))?;
    kept(profile).map_err(|error| says("the other folders cannot be made read-only", &error))?;
    excepted(profile).map_err(|(what, error)| says(what, &error))?;
    entered(profile)?;
    Ok(own_terminals())
}

/// Creates the namespace of a profile that does not require one.
fn optional(profile: &Profile) -> Result<bool, String> {
    // Root without capabilities could create a namespace but not mount in it.
    let users = !rustix::process::geteuid().is_root();
    let Some(own) = can_settle().then(|| separate(users).ok()).flatten() else { return Ok(false) };
    let says =
        |what: &str, error: &dyn std::fmt::Display| format!("a mount namespace was created, but {what}: {error}");
    settle(own).map_err(|(what, error)| says(what, &error))?;
    kept(profile).map_err(|error| says("the other folders cannot be made read-only", &error))?;
    entered(profile)?;
    Ok(own_terminals())
}

/// Reopens the working directory, which still refers to the old mounts.
fn entered(profile: &Profile) -> Result<(), String> {
    let gone = |error| format!("{}: the working directory is gone: {error}", profile.cwd.display());
    std::env::set_current_dir(&profile.cwd).map_err(gone)
}

/// Covers the hidden and read-only paths below writable folders.
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

/// Mounts a new set of terminals. Open terminals stay open.
fn own_terminals() -> bool {
    let (options, flags) = (c"newinstance,ptmxmode=0666,mode=620", MountFlags::NOSUID | MountFlags::NOEXEC);
    rustix::mount::mount("devpts", "/dev/pts", "devpts", flags, options).is_ok()
}

fn own_namespace() -> Result<(), (&'static str, std::io::Error)> {
    settle(separate(true).map_err(|error| ("none can be made", error))?)
}

/// Creates a mount namespace, and a user namespace if needed. Returns the ids of the user and group to map.
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

/// Returns true if this process could mount in a new namespace. Landlock and AppArmor may forbid it, and a process
/// cannot leave a namespace that it has created.
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

/// Makes all mounts read-only except for the writable folders, and replaces the shared memory. Landlock does not
/// restrict modes, owners, times and attributes, and an agent that cannot read its configuration starts without hooks.
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
    // Fails for a mount that is covered by another one, or is in a folder that this user cannot open.
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
        // If shared memory cannot be replaced, it becomes read-only.
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

/// Adds flags to a mount and keeps the existing ones, which the kernel does not allow to remove.
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

/// Covers a file or folder with an empty one.
fn covered(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        return Ok(rustix::mount::mount("tmpfs", path, "tmpfs", flags, c"mode=0555,size=4k")?);
    }
    rustix::mount::mount_bind("/dev/null", path)?;
    // A device that cannot be opened, so that reads fail, and writes fail instead of being lost.
    remount(path, MountFlags::RDONLY | MountFlags::NODEV)
}

//! What landlock cannot do: take something away below a folder that was granted. A view of the file
//! system of its own can; it takes a user namespace where the process is not root.

use std::path::Path;

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::profile::Profile;

/// Whether the profile takes away something below what it grants.
pub(super) fn needed(profile: &Profile) -> bool {
    !profile.hide_inside.is_empty() || !profile.read_only.is_empty() || !profile.pinned.is_empty()
}

/// Gives this process its own view, in which the profile's exceptions hold.
pub(super) fn apply(profile: &Profile) -> Result<(), String> {
    let about = profile.hide_inside.iter().chain(&profile.read_only).chain(&profile.pinned).next();
    let about = about.map(|path| path.display().to_string()).unwrap_or_default();
    let says = |what: &str, error: &dyn std::fmt::Display| {
        format!(
            "{about} lies where the command may write and must not be {}, which takes a mount namespace, and {what}: \
             {error}; allow user namespaces, or take it out of sandbox.write, sandbox.hide or [protect]",
            if profile.hide_inside.is_empty() { "changed" } else { "read" }
        )
    };
    own_namespace().map_err(|(what, error)| says(what, &error))?;
    let bound = |path: &Path| -> std::io::Result<()> { Ok(rustix::mount::mount_bind_recursive(path, path)?) };
    for path in &profile.pinned {
        bound(path).map_err(|error| says("it cannot be bound", &error))?;
    }
    for path in &profile.read_only {
        bound(path).and_then(|()| read_only(path)).map_err(|error| says("it cannot be bound", &error))?;
    }
    for path in &profile.hide_inside {
        covered(path).map_err(|error| says("it cannot be covered", &error))?;
    }
    std::env::set_current_dir(&profile.cwd).map_err(|error| says("the working directory is gone", &error))
}

fn own_namespace() -> Result<(), (&'static str, std::io::Error)> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    if user != 0 || unshare(UnshareFlags::NEWNS).is_err() {
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS).map_err(|error| ("none can be made", error))?;
        let write = |file: &str, text: String| std::fs::write(Path::new("/proc/self").join(file), text);
        write("setgroups", "deny".to_owned())
            .and_then(|()| write("uid_map", format!("{user} {user} 1")))
            .and_then(|()| write("gid_map", format!("{group} {group} 1")))
            .map_err(|error| ("its users cannot be set", error))?;
    }
    rustix::mount::mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)
        .map_err(|error| ("it cannot be separated", error.into()))
}

#[expect(
    deprecated,
    reason = "this process has one thread, and the other form is unsafe code, which is forbidden here"
)]
fn unshare(flags: UnshareFlags) -> std::io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Makes a mount read-only and keeps what else is set of it: the kernel refuses to loosen that.
fn read_only(path: &Path) -> std::io::Result<()> {
    let set = rustix::fs::statvfs(path)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
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
    read_only(path)
}

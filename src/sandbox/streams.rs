//! The standard streams that a command inherits. Path rules do not apply to them.

use std::fs::File;
use std::io::{Stdin, copy, stdin};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::process::Stdio;

use rustix::fs::{FileType, OFlags};

use super::descriptors::kind;
use super::profile::Profile;

/// Copies the command's stdin through a pipe if it is a file that the command may not write to. Otherwise the
/// command could reopen it with the access rights from before the sandbox was set up.
pub(super) fn through_pipe(profile: &Profile) -> std::io::Result<Option<Stdio>> {
    let input = stdin();
    let is_file = matches!(kind(&input), Some(FileType::RegularFile | FileType::BlockDevice));
    if !is_file || path(&input).is_some_and(|path| profile.may_write(&path)) {
        return Ok(None);
    }
    let mut from = File::from(input.as_fd().try_clone_to_owned()?);
    let (out, mut into) = std::io::pipe()?;
    std::thread::spawn(move || copy(&mut from, &mut into));
    Ok(Some(out.into()))
}

/// A standard stream that is a file or terminal and can be reopened.
pub(super) struct OpenStream {
    pub(super) path: &'static str,
    pub(super) read: bool,
    pub(super) write: bool,
}

/// Returns the standard streams that are files or terminals.
pub(super) fn open() -> impl Iterator<Item = OpenStream> {
    let all = [
        ("/proc/self/fd/0", way(stdin())),
        ("/proc/self/fd/1", way(std::io::stdout())),
        ("/proc/self/fd/2", way(std::io::stderr())),
    ];
    all.into_iter().filter_map(|(path, way)| {
        let (read, write) = way?;
        Some(OpenStream { path, read, write })
    })
}

/// Returns the read and write access of a file or terminal.
fn way(fd: impl AsFd) -> Option<(bool, bool)> {
    if !matches!(kind(&fd)?, FileType::RegularFile | FileType::CharacterDevice) {
        return None;
    }
    let mode = rustix::fs::fcntl_getfl(fd).ok()? & OFlags::RWMODE;
    Some((mode != OFlags::WRONLY, mode != OFlags::RDONLY))
}

fn path(input: &Stdin) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", input.as_raw_fd())).ok()
}

//! What a command is handed already open: no rule about paths holds for that.

use std::fs::File;
use std::io::{Stdin, copy, stdin};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::process::Stdio;

use rustix::fs::{FileType, OFlags, fstat};

use super::profile::Profile;

/// Keeps every descriptor but input, output and errors from the command, and refuses a folder among
/// these: through one that was open before leads a way around the profile.
pub(super) fn close_others() -> Result<(), String> {
    close_fds::set_fds_cloexec(3, &[]);
    let kinds = [("input", kind(stdin())), ("output", kind(std::io::stdout())), ("errors", kind(std::io::stderr()))];
    match kinds.into_iter().find(|(_, kind)| *kind == Some(FileType::Directory)) {
        Some((name, _)) => Err(format!("its {name} is a folder, which leads around what the policy says of paths")),
        None => Ok(()),
    }
}

/// The command's input through a pipe, where it is a file that the command may not write to: opened
/// anew from within a view of the file system that was made later, it would be as it was before.
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

/// Holds one of input, output and errors, as a file or terminal that can be opened anew.
pub(super) struct Open {
    pub(super) path: &'static str,
    pub(super) read: bool,
    pub(super) write: bool,
}

/// What of input, output and errors is a file or terminal.
pub(super) fn open() -> impl Iterator<Item = Open> {
    let all = [
        ("/proc/self/fd/0", way(stdin())),
        ("/proc/self/fd/1", way(std::io::stdout())),
        ("/proc/self/fd/2", way(std::io::stderr())),
    ];
    all.into_iter().filter_map(|(path, way)| {
        let (read, write) = way?;
        Some(Open { path, read, write })
    })
}

/// Whether it can be read and written, where it is a file or terminal.
fn way(fd: impl AsFd) -> Option<(bool, bool)> {
    if !matches!(kind(&fd)?, FileType::RegularFile | FileType::CharacterDevice) {
        return None;
    }
    let mode = rustix::fs::fcntl_getfl(fd).ok()? & OFlags::RWMODE;
    Some((mode != OFlags::WRONLY, mode != OFlags::RDONLY))
}

fn kind(fd: impl AsFd) -> Option<FileType> {
    Some(FileType::from_raw_mode(fstat(fd).ok()?.st_mode))
}

fn path(input: &Stdin) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", input.as_raw_fd())).ok()
}

//! Rights and identities of files.

use std::borrow::Cow;
use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use crate::files::FileRights;

/// The path of the system for a path as the policy writes it; the same here.
pub(crate) fn native(path: &Path) -> Cow<'_, Path> {
    Cow::Borrowed(path)
}

/// Sets that a created file belongs to the user alone.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Sets that opening a pipe, a device or a leased file does not block, and gives the process no terminal.
pub(crate) fn non_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default())
}

/// Creates a folder and its missing parents for the user alone.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates a temporary file with a random name in a folder, with these rights.
pub(crate) fn temporary(prefix: &str, folder: &Path, rights: FileRights) -> io::Result<NamedTempFile> {
    let mode = Permissions::from_mode(match rights {
        FileRights::Private => 0o600,
        FileRights::Usual => 0o666,
        FileRights::Program => 0o777,
    });
    tempfile::Builder::new().prefix(prefix).permissions(mode).tempfile_in(folder)
}

/// Gives a file the owner, group and mode of another one.
pub(crate) fn take_rights(file: &File, like: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    // Only root may change the owner. For other users the owner is already right, or the change fails.
    if (now.uid(), now.gid()) != (like.uid(), like.gid()) {
        std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()))?;
    }
    file.set_permissions(Permissions::from_mode(like.permissions().mode()))
}

/// Returns true if the owner of a file may not write it.
pub(crate) fn is_write_protected(found: &Metadata) -> bool {
    found.permissions().mode() & 0o200 == 0
}

/// Returns true if a file belongs to the user.
pub(crate) fn is_of_user(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// The policy of the administrator.
pub(crate) fn managed_policy() -> &'static str {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/snaphook/policy.toml"
    } else {
        "/etc/snaphook/policy.toml"
    }
}

/// Returns true if a file belongs to root and no other user can write it.
pub(crate) fn is_of_root_alone(found: &Metadata) -> bool {
    found.uid() == 0 && found.mode() & 0o022 == 0
}

/// Returns true if a file belongs to the user or to root.
pub(crate) fn is_of_user_or_root(found: &Metadata) -> bool {
    found.uid() == 0 || is_of_user(found)
}

/// Returns true if the user may execute a file.
pub(crate) fn is_executable(file: &Path) -> bool {
    rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file()
}

/// The device and the number of a file, by which two paths of one file are recognised.
pub(crate) fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// The time of the last change of a file or of its metadata, which no program can set.
pub(crate) fn changed(found: &Metadata) -> (i64, i64) {
    (found.ctime(), found.ctime_nsec())
}

/// Returns true if a file is a pipe or a socket.
pub(crate) fn is_pipe(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Reads from an offset, at most as much as there is.
pub(crate) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(into, at)
}

/// Fills a buffer from an offset.
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(into, at)
}

/// A pipe reader that fails if nothing is written for three seconds.
pub(crate) struct TimedPipe(pub(crate) File);

impl Read for TimedPipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut polled = [PollFd::new(&self.0, PollFlags::IN)];
        match poll(&mut polled, Some(&PIPE_WAIT)) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::TimedOut, "nothing was written to this pipe for 3 s")),
            Ok(_) => match self.0.read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::ErrorKind::Interrupted.into()),
                read => read,
            },
            Err(error) => Err(error.into()),
        }
    }
}

const PIPE_WAIT: Timespec = Timespec { tv_sec: 3, tv_nsec: 0 };

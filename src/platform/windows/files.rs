//! Rights and identities of files. New files get the rights of their folder, which below the user's profile are those
//! of the user.

use std::borrow::Cow;
use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::windows::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files::FileRights;

/// The path of the system for a path as the policy writes it: `/c/a` is `C:/a`.
pub(crate) fn native(path: &Path) -> Cow<'_, Path> {
    let drive = || {
        let (drive, rest) = path.to_str()?.strip_prefix('/')?.split_at_checked(1)?;
        let is_drive =
            drive.starts_with(|c: char| c.is_ascii_alphabetic()) && (rest.is_empty() || rest.starts_with('/'));
        is_drive.then(|| PathBuf::from(format!("{drive}:{}", if rest.is_empty() { "/" } else { rest })))
    };
    drive().map_or(Cow::Borrowed(path), Cow::Owned)
}

/// Returns the options as they are: a new file has the rights of its folder.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Returns the options as they are: opening a file does not wait for other programs.
pub(crate) fn non_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Creates a folder and its missing parents.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// Creates a temporary file with a random name in a folder.
pub(crate) fn temporary(prefix: &str, folder: &Path, _rights: FileRights) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(prefix).tempfile_in(folder)
}

/// Leaves the rights of a file as they are: it has those of its folder.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn take_rights(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns true if a file is marked as read-only.
pub(crate) fn is_write_protected(found: &Metadata) -> bool {
    found.permissions().readonly()
}

/// Returns true: the owner of a file is not read.
pub(crate) fn is_of_user(_: &Metadata) -> bool {
    true
}

/// The policy of the administrator. The folder is written out, because a user can set `%ProgramData%`.
pub(crate) fn managed_policy() -> &'static str {
    r"C:\ProgramData\snaphook\policy.toml"
}

/// Returns true: the owner of a file is not read.
pub(crate) fn is_of_root_alone(_: &Metadata) -> bool {
    true
}

/// Returns true: the owner of a file is not read.
pub(crate) fn is_of_user_or_root(_: &Metadata) -> bool {
    true
}

/// Returns true if a file exists: its extension says if it is a program.
pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// No identity is known; the log is opened for each record.
pub(crate) fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// No such time is known.
pub(crate) fn changed(_: &Metadata) -> (i64, i64) {
    (0, 0)
}

/// Returns false: pipes are not files.
pub(crate) fn is_pipe(_: FileType) -> bool {
    false
}

/// Reads from an offset, at most as much as there is.
pub(crate) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(into, at)
}

/// Fills a buffer from an offset.
pub(crate) fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        let count = read_at(file, into, at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += count as u64;
        into = into.get_mut(count..).unwrap_or_default();
    }
    Ok(())
}

/// A reader of a pipe.
pub(crate) struct TimedPipe(pub(crate) File);

impl Read for TimedPipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

//! Closes open descriptors, to which path rules do not apply.

use std::io::stdin;
use std::os::fd::AsFd;

use rustix::fs::{FileType, fstat};

/// Closes every descriptor except stdin, stdout and stderr when the command is executed. Refuses a folder among
/// these three: it would give access to paths outside the profile.
pub(super) fn close_others() -> Result<(), String> {
    close_fds::set_fds_cloexec(3, &[]);
    let kinds = [("input", kind(stdin())), ("output", kind(std::io::stdout())), ("stderr", kind(std::io::stderr()))];
    match kinds.into_iter().find(|(_, kind)| *kind == Some(FileType::Directory)) {
        Some((name, _)) => Err(format!("its {name} is a folder, which gives access to paths that the policy forbids")),
        None => Ok(()),
    }
}

/// The type of the file that a descriptor is open on.
pub(super) fn kind(fd: impl AsFd) -> Option<FileType> {
    Some(FileType::from_raw_mode(fstat(fd).ok()?.st_mode))
}

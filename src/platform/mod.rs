//! The operations that differ between Unix and Windows. Nothing else depends on the system, except for the sandbox
//! and `stall`, which need Linux, and the case of paths, which the policy compares.

mod hard_stop;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use hard_stop::HardStop;
#[cfg(unix)]
pub(crate) use unix::{files, groups, pipes, processes, serving, terminal};
#[cfg(windows)]
pub(crate) use windows::{files, groups, pipes, processes, serving, terminal};

/// The users who can write a file, besides root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "the rights of files are not read on Windows"))]
pub(crate) enum Writers {
    /// Its owner, who is the user or root.
    User,
    /// Its owner and a group that has only the user. This is usual with the umask 002.
    PrivateGroup,
    /// Other users, because they own it.
    Owner,
    /// Other users, because of its mode.
    Mode,
}

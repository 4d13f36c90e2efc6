//! Processes and their groups.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::SigSet;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::serving::stop_signals;

/// The process group of a started program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group(Pid);

impl Group {
    /// Starts a program as the leader of a new group.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = spawn(command.process_group(0))?;
        let group = Self(Pid::from_child(&child));
        Ok((child, group))
    }

    /// Kills the group, and also its leader in case it has left the group.
    pub(crate) fn kill(&self) {
        let _ = kill_process_group(self.0, Signal::KILL);
        let _ = kill_process(self.0, Signal::KILL);
    }
}

/// True if a program can be started that outlives this process.
pub(crate) const DETACHES: bool = true;

/// Starts a program that outlives this process, without its files and standard streams.
pub(crate) fn start_detached(command: &mut Command) -> io::Result<Child> {
    // What the agent left open for this process would stay open for as long as the program runs.
    #[cfg(target_os = "linux")]
    close_fds::set_fds_cloexec(3, &[]);
    spawn(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))
}

/// Starts a program in which the stop signals are not blocked, although they may be in this thread.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let before = SigSet::thread_get_mask()?;
    stop_signals().thread_unblock()?;
    let child = command.spawn();
    before.thread_set_mask()?;
    child
}

/// Leaves the session and the process group of the parent.
pub(crate) fn leave_session() {
    let _ = rustix::process::setsid();
}

/// The name of this machine.
pub(crate) fn machine_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    (!name.is_empty()).then_some(name)
}

/// Replaces this process by a program. Returns only if that fails.
pub(crate) fn replace(command: &mut Command) -> io::Error {
    command.exec()
}

/// Quotes words for a POSIX shell and puts them between two texts.
pub(crate) fn quoted_between(before: &str, words: &[OsString], after: &str) -> Result<OsString, &'static str> {
    let command = shlex::bytes::try_join(words.iter().map(|word| word.as_bytes()));
    let command = command.map_err(|_| "a NUL cannot be quoted")?;
    Ok(OsString::from_vec([before.as_bytes(), &command, after.as_bytes()].concat()))
}

/// Prevents other processes of the user from writing to this one through `/proc`, where the system allows that.
pub(crate) fn close_to_others() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The login shell of the user.
pub(crate) fn login_shell() -> Option<String> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(&user))?;
    line.rsplit(':').next().filter(|shell| shell.starts_with('/')).map(str::to_owned)
}

//! The programs we started: each in a process group of its own, none of which outlives its call.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Knows every handler that is running, so that all can be ended at once; clones share the list.
///
/// A program holds one. On its way out, on SIGTERM too, it calls [`Children::end_all`].
#[derive(Debug, Clone, Default)]
pub struct Children(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Not one of them is reaped yet, so no other process can have its id.
    running: Vec<Pid>,
    ended: bool,
}

impl Children {
    /// Knows no child yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Kills every child and what it started; from now on none can be started.
    ///
    /// Takes a lock: call it from a thread, not from inside a signal handler. Where another thread hangs while it
    /// starts a program, nothing can be ended, and this returns after a moment.
    pub fn end_all(&self) {
        let until = Instant::now() + Duration::from_millis(50);
        let mut state = loop {
            match self.0.try_lock() {
                Ok(state) => break state,
                Err(TryLockError::Poisoned(state)) => break state.into_inner(),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        state.ended = true;
        for &pid in &state.running {
            kill(pid);
        }
    }

    /// Starts a program at the head of its own process group.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<Running> {
        let mut state = self.state();
        if state.ended {
            return Err(io::Error::other("snaphook is ending"));
        }
        let child = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&child);
        state.running.push(pid);
        Ok(Running { child, pid, children: self.clone(), ended: false })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Holds a running child; when it is dropped, the child and its process group are killed and reaped.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) child: Child,
    pub(super) pid: Pid,
    children: Children,
    ended: bool,
}

impl Running {
    /// Kills what is left of the process group and reaps the child.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.ended {
            self.ended = true;
            let mut state = self.children.state();
            kill(self.pid);
            state.running.retain(|pid| *pid != self.pid);
        }
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody is left to tell that a killed child could not be waited for.
        let _ = self.end();
    }
}

/// Kills the group, and the child itself should it have left its group.
fn kill(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    let _ = kill_process(pid, Signal::KILL);
}

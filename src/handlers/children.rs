//! Started handler processes, each in a separate process group, which is killed when the call ends.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::platform::processes::Group;

/// The list of running handlers, so that all of them can be killed at once. Clones share the list.
///
/// A program has one list. Before it exits, also on SIGTERM, it calls [`Children::end_all`].
#[derive(Debug, Clone, Default)]
pub struct Children(Arc<Mutex<ChildrenState>>);

#[derive(Debug, Default)]
struct ChildrenState {
    /// None of them is reaped yet, so their process ids cannot be reused.
    running: Vec<Group>,
    ended: bool,
}

impl Children {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Kills every child and its process group, and refuses to start new ones.
    ///
    /// Takes a lock: call it from a thread, not from a signal handler. If another thread hangs while it starts a
    /// program, this returns after 50 ms without killing anything.
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
        for group in &state.running {
            group.kill();
        }
    }

    /// Starts a program as the leader of a new process group.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<RunningChild> {
        let mut state = self.state();
        if state.ended {
            return Err(io::Error::other("snaphook is shutting down"));
        }
        let (child, group) = Group::start(command)?;
        state.running.push(group.clone());
        Ok(RunningChild { child, group, children: self.clone(), ended: false })
    }

    fn state(&self) -> MutexGuard<'_, ChildrenState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running child. When dropped, kills its process group and reaps it.
#[derive(Debug)]
pub(super) struct RunningChild {
    pub(super) child: Child,
    group: Group,
    children: Children,
    ended: bool,
}

impl RunningChild {
    /// Kills the rest of the process group and reaps the child.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.ended {
            self.ended = true;
            let mut state = self.children.state();
            self.group.kill();
            state.running.retain(|group| *group != self.group);
        }
        self.child.wait()
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        // There is no caller to report a failed wait to.
        let _ = self.end();
    }
}

//! Processes and their jobs.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};

use win32job::{ExtendedLimitInfo, Job};

/// The job of a started program. The system ends all of its processes when the job is closed.
#[derive(Debug, Clone)]
pub(crate) struct Group(Arc<Mutex<Option<Job>>>);

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Group {}

impl Group {
    /// Starts a program in a new job.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
            let _ = child.kill();
            return Err(io::Error::other(error));
        }
        Ok((child, Self(Arc::new(Mutex::new(Some(job))))))
    }

    /// Ends all processes of the job.
    pub(crate) fn kill(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// False: a started program inherits the pipes of the agent, which would then wait for its end. No creation flag prevents
/// that, and `inherit_handles` of `CommandExt` is not stable yet.
pub(crate) const DETACHES: bool = false;

/// Fails, see [`DETACHES`].
pub(crate) fn start_detached(_: &mut Command) -> io::Result<Child> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing: there are no sessions of processes.
pub(crate) fn leave_session() {}

/// The name of this machine.
pub(crate) fn machine_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok().filter(|name| !name.is_empty())
}

/// Does nothing: a process has no files through which others could write to it.
pub(crate) fn close_to_others() {}

/// Returns no shell: users have no login shell.
pub(crate) fn login_shell() -> Option<String> {
    None
}

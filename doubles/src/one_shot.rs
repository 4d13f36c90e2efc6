//! Hosts that start their hook anew for each event.

use std::time::Duration;

use snaphook_hosts::cases::{Cases, Report, Start};

use crate::start::{Registered, Surroundings, run};

/// Plays one version of an agent that starts a process for each event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OneShot<'a> {
    cases: &'a Cases,
    host: &'a str,
    start: &'a Start,
    /// The shell, the working directory, the variables and the time limit of the host.
    pub around: Surroundings,
    /// True if the time limit is the default of the host for each event.
    usual_time: bool,
}

impl<'a> OneShot<'a> {
    /// Plays a host of an agent. Returns `None` for an agent that keeps one hook running.
    pub fn new(cases: &'a Cases, host: &'a str) -> Option<Self> {
        let start = cases.start.as_ref()?;
        Some(Self { cases, host, start, around: Surroundings::new(Duration::ZERO), usual_time: true })
    }

    /// Sets the time limit, as an entry of the registration can.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.around.timeout = timeout;
        self.usual_time = false;
        self
    }

    /// Sets the user's shell.
    #[must_use]
    pub fn shell(mut self, shell: impl Into<std::path::PathBuf>) -> Self {
        self.around.shell = shell.into();
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<std::path::PathBuf>) -> Self {
        self.around.cwd = Some(cwd.into());
        self
    }

    /// Gives the host a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<std::ffi::OsString>) -> Self {
        self.around.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Sends one event to the hook and says what the host does then.
    pub fn send(&self, event: &str, message: &str, registered: &Registered) -> Report {
        let mut around = self.around.clone();
        if let Some(limit) = self.start.limit(event).filter(|_| self.usual_time) {
            around.timeout = limit;
        }
        let variables = self.start.variables(event);
        around.environment.extend(variables.map(|(name, value)| (name.to_owned(), Some(value.into()))));
        let message = self.cases.speaks.spelled(message);
        self.cases.judge(event, self.host, run(registered, self.start, &around, &message))
    }
}

//! Hosts that start a hook process for each event.

use std::time::Duration;

use snaphook_hosts::cases::{Cases, HookStart, Report};

use crate::start::{HookEnvironment, Registered, run};

/// Plays one version of an agent that starts a process for each event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OneShot<'a> {
    cases: &'a Cases,
    host: &'a str,
    start: &'a HookStart,
    /// The shell, the working directory, the variables and the time limit of the host.
    pub environment: HookEnvironment,
    /// True if the time limit is the default of the host for each event.
    usual_time: bool,
}

impl<'a> OneShot<'a> {
    /// Plays a host of an agent. Returns `None` for an agent that keeps one hook running.
    pub fn new(cases: &'a Cases, host: &'a str) -> Option<Self> {
        let start = cases.start.as_ref()?;
        Some(Self { cases, host, start, environment: HookEnvironment::new(Duration::ZERO), usual_time: true })
    }

    /// Sets the time limit, as an entry of the registration can.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.environment.timeout = timeout;
        self.usual_time = false;
        self
    }

    /// Sets the user's shell.
    #[must_use]
    pub fn shell(mut self, shell: impl Into<std::path::PathBuf>) -> Self {
        self.environment.shell = shell.into();
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<std::path::PathBuf>) -> Self {
        self.environment.cwd = Some(cwd.into());
        self
    }

    /// Sets an environment variable of the host.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<std::ffi::OsString>) -> Self {
        self.environment.variables.push((name.into(), Some(value.into())));
        self
    }

    /// Sends one event to the hook and returns what the host does with the answer.
    pub fn send(&self, event: &str, message: &str, registered: &Registered) -> Report {
        let mut environment = self.environment.clone();
        if let Some(limit) = self.start.limit(event).filter(|_| self.usual_time) {
            environment.timeout = limit;
        }
        let variables = self.start.variables(event);
        environment.variables.extend(variables.map(|(name, value)| (name.to_owned(), Some(value.into()))));
        let message = self.cases.speaks.spelled(message);
        self.cases.judge(event, self.host, run(registered, self.start, &environment, &message))
    }
}

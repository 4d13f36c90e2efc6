//! Hosts that start a hook process for each event.

use std::time::Duration;

use snaphook_hosts::cases::{Cases, Report};

use crate::start::{HookEnvironment, Registered, Shell, SpawnRules, run};

/// Plays one version of an agent that starts a process for each event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OneShot<'a> {
    cases: &'a Cases,
    host: &'a str,
    rules: SpawnRules,
    /// The environment in which the hook is started.
    pub environment: HookEnvironment,
    /// True if the host's default time limits apply.
    usual_time: bool,
}

impl<'a> OneShot<'a> {
    /// Plays a host of an agent; `None` if the agent does not start a process for each event.
    pub fn new(cases: &'a Cases, host: &'a str) -> Option<Self> {
        let rules = rules(&cases.agent)?;
        Some(Self { cases, host, rules, environment: HookEnvironment::new(Duration::ZERO), usual_time: true })
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
        if self.usual_time {
            environment.timeout = timeout(&self.cases.agent, event);
        }
        for (name, value) in extras(&self.cases.agent, event) {
            environment.variables.push((name.to_owned(), Some(value.into())));
        }
        let message = self.cases.speaks.spelled(message);
        self.cases.judge(event, self.host, run(registered, &self.rules, &environment, &message))
    }
}

/// How an agent starts its hooks.
fn rules(agent: &str) -> Option<SpawnRules> {
    let usual = SpawnRules {
        shell: Shell::Users,
        newline: false,
        inherited: None,
        own_process_group: false,
        output_grace: None,
    };
    Some(match agent {
        "claude-code" => SpawnRules { shell: Shell::Sh, newline: true, own_process_group: true, ..usual },
        "codex" => SpawnRules { own_process_group: true, ..usual },
        "docker-agent" => usual,
        "hygge" => SpawnRules {
            shell: Shell::None,
            inherited: Some(&["PATH", "HOME", "LANG", "USER", "TERM", "LC_ALL", "LC_CTYPE"]),
            output_grace: Some(Duration::from_secs(5)),
            ..usual
        },
        _ => return None,
    })
}

/// The default time limit of an event, for an entry that sets none.
pub fn timeout(agent: &str, event: &str) -> Duration {
    Duration::from_millis(match (agent, event) {
        ("claude-code", "UserPromptSubmit") => 30_000,
        ("claude-code", "MessageDisplay") => 10_000,
        ("claude-code", "SessionEnd") => 1_500,
        ("codex", "SessionEnd" | "Interrupt") => 1_000,
        ("docker-agent", _) => 60_000,
        ("hygge", _) => 5_000,
        _ => 600_000,
    })
}

/// The variables that an agent adds to the environment of a hook.
fn extras(agent: &str, event: &str) -> Vec<(&'static str, &'static str)> {
    if agent != "claude-code" {
        return Vec::new();
    }
    let mut extras =
        vec![("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CLAUDE_PROJECT_DIR", "/home/user/project")];
    if event == "SessionStart" {
        extras.push(("CLAUDE_ENV_FILE", "/dev/null"));
    }
    extras
}

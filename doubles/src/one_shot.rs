//! Hosts that start their hook anew for each event.

use std::time::Duration;

use snaphook_hosts::cases::{Cases, Report};

use crate::start::{Manner, Registered, Shell, Surroundings, run};

/// Plays one version of an agent that starts a process for each event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OneShot<'a> {
    cases: &'a Cases,
    host: &'a str,
    manner: Manner,
    /// What the hook is started with.
    pub around: Surroundings,
    /// Whether the time limit is the host's own for each event.
    usual_time: bool,
}

impl<'a> OneShot<'a> {
    /// Plays a host of an agent; `None` for one that is not of this kind.
    pub fn new(cases: &'a Cases, host: &'a str) -> Option<Self> {
        let manner = manner(&cases.agent)?;
        Some(Self { cases, host, manner, around: Surroundings::new(Duration::ZERO), usual_time: true })
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
        if self.usual_time {
            around.timeout = timeout(&self.cases.agent, event);
        }
        for (name, value) in extras(&self.cases.agent, event) {
            around.environment.push((name.to_owned(), Some(value.into())));
        }
        let message = self.cases.speaks.spelled(message);
        self.cases.judge(event, self.host, run(registered, &self.manner, &around, &message))
    }
}

/// How an agent starts its hooks, from section 2 of its page.
fn manner(agent: &str) -> Option<Manner> {
    let usual = Manner { shell: Shell::Users, newline: false, environment: None, own_session: false, stragglers: None };
    Some(match agent {
        "claude-code" => Manner { shell: Shell::Sh, newline: true, own_session: true, ..usual },
        "codex" => Manner { own_session: true, ..usual },
        "docker-agent" => usual,
        "hygge" => Manner {
            shell: Shell::None,
            environment: Some(&["PATH", "HOME", "LANG", "USER", "TERM", "LC_ALL", "LC_CTYPE"]),
            stragglers: Some(Duration::from_secs(5)),
            ..usual
        },
        _ => return None,
    })
}

/// The time an entry without a limit of its own gets.
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

/// What an agent adds to the environment of a hook.
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

//! The handlers of a policy, and the events that they are asked about.

use std::path::PathBuf;

use snaphook_adapters::model::EventKind;

/// The command of a `[[handler]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handler {
    /// The name; argv\[0\] if the policy does not set one.
    pub name: String,
    /// The argv, which is started without a shell; empty for a service.
    pub command: Vec<String>,
    /// The service that decides; `None` for a program.
    pub service: Option<DecisionService>,
    /// The time limit in milliseconds. The remaining time of the call may be shorter.
    pub deadline_ms: u64,
    /// The agent for which the program was written; `None` if it reads the event of snaphook.
    pub speaks: Option<Speaks>,
}

/// The agent for which a handler was written, and the registration of the handler there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Speaks {
    /// The id of the agent.
    pub agent: String,
    /// The agent's names of the events; empty: those of `match`.
    pub events: Vec<String>,
    /// The matcher, in the agent's syntax; `None`: every tool.
    pub matcher: Option<String>,
}

impl Speaks {
    /// Creates the registration of a handler for every event of an agent.
    pub fn new(agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), events: Vec::new(), matcher: None }
    }
}

impl Handler {
    /// The time limit of a handler that may use the rest of the call's time.
    pub const REST_OF_CALL: u64 = u64::MAX;

    /// Creates a handler with a name, an argv and a time limit in milliseconds.
    pub fn new(name: impl Into<String>, command: Vec<String>, deadline_ms: u64) -> Self {
        Self { name: name.into(), command, service: None, deadline_ms, speaks: None }
    }

    /// Creates a handler that asks a service, with a name and a time limit in milliseconds.
    pub fn service(name: impl Into<String>, service: DecisionService, deadline_ms: u64) -> Self {
        Self { service: Some(service), ..Self::new(name, Vec::new(), deadline_ms) }
    }
}

/// A service that decides over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecisionService {
    /// The address to which events are sent.
    pub url: String,
    /// The form of requests and answers.
    pub form: ServiceForm,
    /// The source of the bearer token; `None` for no token.
    pub token: Option<TokenSource>,
    /// The file with the only certificate authorities that are trusted; `None` for those of the system.
    pub ca: Option<PathBuf>,
}

impl DecisionService {
    /// Creates a service without a token, with the certificate authorities of the system.
    pub fn new(url: impl Into<String>, form: ServiceForm) -> Self {
        Self { url: url.into(), form, token: None, ca: None }
    }

    /// The name of the machine in the address.
    pub(crate) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        authority.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(authority, |(host, _)| host)
    }
}

/// The form of requests to a service and of its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceForm {
    /// The event, and the decision.
    Plain,
    /// The same as `input` and `result` of the data API of Open Policy Agent.
    Opa,
}

/// The source of a bearer token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenSource {
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

/// The event kinds that `match` of a handler accepts.
pub const KINDS: &[&str] = &[
    "PreTool",
    "PermissionRequest",
    "PostTool",
    "Prompt",
    "SessionStart",
    "SessionEnd",
    "PreModel",
    "PostModel",
    "Compact",
    "Notification",
    "TurnEnd",
    "SubagentStart",
    "Question",
    "Setup",
    "Observed",
];

/// The words that select an event kind. All gates of a call are selected together (V2).
pub fn words_of(kind: EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::PreTool => &["PreTool"],
        EventKind::Permission => &["PreTool", "PermissionRequest"],
        EventKind::PostTool | EventKind::ToolOutput => &["PostTool"],
        EventKind::Prompt => &["Prompt"],
        EventKind::SessionStart => &["SessionStart"],
        EventKind::SessionEnd => &["SessionEnd"],
        EventKind::PreModel => &["PreModel"],
        EventKind::PostModel => &["PostModel"],
        EventKind::PreCompact | EventKind::PostCompact => &["Compact"],
        EventKind::Notification => &["Notification"],
        EventKind::TurnEnd | EventKind::SubagentEnd => &["TurnEnd"],
        EventKind::SubagentStart => &["SubagentStart"],
        EventKind::Question => &["Question"],
        EventKind::Setup => &["Setup"],
        EventKind::Error | EventKind::Observed => &["Observed"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::registry::Registry;

    use super::{KINDS, words_of};

    #[test]
    fn a_handler_can_match_every_event_of_every_agent() {
        for agent in Registry::standard().iter().map(snaphook_adapters::protocol::HookProtocol::agent) {
            for row in agent.events {
                let words = words_of(row.kind);
                assert!(!words.is_empty(), "{}: {}", agent.id, row.key());
                assert!(words.iter().all(|word| KINDS.contains(word)), "{words:?}");
            }
        }
    }
}

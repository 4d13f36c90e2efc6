//! The handlers of a policy, and the events that they are asked about.

use snaphook_adapters::model::EventKind;

use crate::endpoint::HttpEndpoint;

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
    pub endpoint: HttpEndpoint,
    /// The form of requests and answers.
    pub form: ServiceForm,
}

impl DecisionService {
    /// Creates a service at an address.
    pub fn new(endpoint: HttpEndpoint, form: ServiceForm) -> Self {
        Self { endpoint, form }
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

//! Translates events of one agent to messages of another, and the answers to them back to decisions.
//!
//! A hook that was written for one agent can so judge the calls of every agent. The hook gets the message that its own agent
//! would send, and its answer has the effect that it would have there.

mod answer;
mod call;
mod edits;
mod result;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, EventKind, HookEvent, Incoming, ToolResult};
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Native, RegisteredLine};

use crate::Account;
pub use answer::ReadAnswer;
use call::SpokenCall;

/// The largest number of messages for one event. A call that reads many files is one message for each of them.
const MAX_MESSAGES: usize = 64;

/// Members of events without a tool that are copied from a message, because their meaning is the same everywhere.
const COMMON: [&str; 9] = [
    "source",
    "reason",
    "trigger",
    "custom_instructions",
    "last_assistant_message",
    "agent_id",
    "agent_type",
    "message",
    "notification_type",
];

/// Translates events to the messages of one agent.
#[derive(Clone, Copy)]
pub struct Translator {
    protocol: &'static dyn HookProtocol,
    account: &'static Account,
}

impl std::fmt::Debug for Translator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Translator").field(&self.agent().id).finish()
    }
}

/// A message in the form of another agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpokenMessage {
    /// The message.
    pub text: String,
    /// The event of the message.
    pub event: HookEvent,
    call: Option<SpokenCall>,
}

impl SpokenMessage {
    /// Returns the text that a matcher of the agent is about: the name of the tool, or what began or ended. Returns `None` if
    /// there is no such text.
    pub fn subject(&self) -> Option<String> {
        const MEMBERS: [&str; 5] = ["source", "reason", "trigger", "agent_type", "notification_type"];
        match &self.call {
            Some(call) => Some(call.call.name.clone()),
            None if matches!(self.event.kind(), EventKind::Prompt | EventKind::TurnEnd) => None,
            None => MEMBERS.iter().find_map(|key| Some(self.event.raw.at(&format!("/{key}"))?.text()?.value)),
        }
    }
}

/// The events of the other agent for which a hook is registered, and the tools that its matcher accepts.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Subscription<'a> {
    /// The names of the events; empty: all.
    pub events: &'a [String],
    /// Returns true if the hook is registered for a tool.
    pub accepts: &'a dyn Fn(&str) -> bool,
}

impl<'a> Subscription<'a> {
    /// Creates a subscription from the names of events and a matcher of tools.
    pub fn new(events: &'a [String], accepts: &'a dyn Fn(&str) -> bool) -> Self {
        Self { events, accepts }
    }

    fn includes(&self, row: &EventRow) -> bool {
        let names = || [row.native, row.registered_name()];
        self.events.is_empty() || self.events.iter().any(|event| names().contains(&event.as_str()))
    }
}

/// The reason why an event has no message in the form of an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Untranslatable {
    /// The agent has no event of this kind, or its message would lack what the event is about.
    #[error("{agent} has no event like `{event}`")]
    NoSuchEvent {
        /// The agent of the message.
        agent: &'static str,
        /// The event.
        event: String,
    },
    /// The call would be too many calls of the other agent.
    #[error("the call is more than {MAX_MESSAGES} calls of {agent}")]
    TooMany {
        /// The agent of the messages.
        agent: &'static str,
    },
    /// The agent's own adapter does not accept the message.
    #[error("no message of {agent} for this event: {why}")]
    Message {
        /// The agent of the message.
        agent: &'static str,
        /// The error of the adapter.
        why: String,
    },
}

impl Untranslatable {
    /// Returns true if the other agent cannot express the event, so that no hook of the agent can judge it.
    pub fn is_loss(&self) -> bool {
        matches!(self, Self::NoSuchEvent { .. })
    }
}

impl Translator {
    /// Creates the translator to an agent, or returns `None` if no data file describes the agent.
    pub fn to(protocol: &'static dyn HookProtocol) -> Option<Self> {
        Some(Self { protocol, account: crate::account(protocol.agent().id)? })
    }

    /// Returns the agent of the messages.
    pub fn agent(&self) -> &'static Agent {
        self.protocol.agent()
    }

    /// Writes the messages that the agent would send for an event. A call that takes several actions may be several calls
    /// of the agent. An empty list means that the hook is not registered for the event.
    ///
    /// # Errors
    /// The agent cannot express the event.
    pub fn messages(
        &self,
        event: &HookEvent,
        subscription: Subscription<'_>,
    ) -> Result<Vec<SpokenMessage>, Untranslatable> {
        let rows = self.rows(event, subscription)?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let Some(call) = event.call() else {
            return Ok(vec![self.first(&rows, event, &event.detail, None)?]);
        };
        let folder = event.cwd.as_deref().or(event.project.as_deref());
        let calls = call::calls(event.agent, call, self.agent(), folder, subscription.accepts);
        if calls.len() > MAX_MESSAGES {
            return Err(Untranslatable::TooMany { agent: self.agent().id });
        }
        let message = |spoken: SpokenCall| {
            let detail = match &event.detail {
                Detail::ToolDone { result, .. } => {
                    let raw = self.result(event, result, &spoken);
                    Detail::ToolDone {
                        call: spoken.call.clone(),
                        result: ToolResult::new(raw).is_error(result.is_error),
                    }
                }
                _ if event.kind() == EventKind::PostTool => {
                    let nothing = ToolResult::new(Raw::string(""));
                    let raw = self.result(event, &nothing, &spoken);
                    Detail::ToolDone { call: spoken.call.clone(), result: ToolResult::new(raw) }
                }
                _ => Detail::Tool(spoken.call.clone()),
            };
            self.first(&rows, event, &detail, Some(spoken))
        };
        let messages = calls.into_iter().map(message);
        messages.filter(|message| message.as_ref().map_or(true, |it| subscription.includes(it.event.row))).collect()
    }

    /// Returns the rows of the agent that may express an event, best first.
    fn rows(
        &self,
        event: &HookEvent,
        subscription: Subscription<'_>,
    ) -> Result<Vec<&'static EventRow>, Untranslatable> {
        let own = event.agent.id == self.agent().id;
        let kinds: &[EventKind] = match event.kind() {
            _ if own => &[],
            // The message lacks what the event is about.
            EventKind::PreTool | EventKind::Permission | EventKind::PostTool if event.call().is_none() => &[],
            // A gate that asks for permission is a gate of the call: a hook before a tool judges it as well.
            EventKind::Permission if subscription.events.is_empty() => &[EventKind::PreTool, EventKind::Permission],
            EventKind::Permission => &[EventKind::Permission, EventKind::PreTool],
            EventKind::PreTool
            | EventKind::PostTool
            | EventKind::Prompt
            | EventKind::SessionStart
            | EventKind::SessionEnd
            | EventKind::TurnEnd
            | EventKind::SubagentStart
            | EventKind::SubagentEnd
            | EventKind::PreCompact
            | EventKind::PostCompact
            | EventKind::Notification => &[event.kind()],
            _ => &[],
        };
        let all = || self.agent().events.iter().filter(|row| !Self::host(row).is_empty());
        let mut rows: Vec<_> = if own {
            vec![event.row]
        } else {
            kinds.iter().flat_map(|kind| all().filter(|row| row.kind == *kind)).collect()
        };
        if rows.is_empty() {
            let event = event.native.clone();
            return Err(Untranslatable::NoSuchEvent { agent: self.agent().id, event });
        }
        // A failed call may be another event of the agent.
        rows.retain(|row| event.kind() == EventKind::PostTool || subscription.includes(row));
        rows.sort_by_key(|row| (kinds.iter().position(|kind| *kind == row.kind), !self.agent().is_registered_for(row)));
        Ok(rows)
    }

    /// Returns the newest host of a row; empty: no host has the row.
    fn host(row: &EventRow) -> &'static str {
        row.hosts.last().copied().unwrap_or_default()
    }

    /// Writes the message of the first row that the agent's adapter reads as the same event.
    fn first(
        &self,
        rows: &[&'static EventRow],
        event: &HookEvent,
        detail: &Detail,
        call: Option<SpokenCall>,
    ) -> Result<SpokenMessage, Untranslatable> {
        if event.agent.id == self.agent().id {
            return Ok(SpokenMessage { text: self.own_text(event), event: event.clone(), call });
        }
        let is_about = |row: &&&EventRow| call.as_ref().is_none_or(|call| row.is_about(&call.call.name));
        let rows: Vec<_> = rows.iter().filter(is_about).collect();
        if rows.is_empty() {
            return Err(Untranslatable::NoSuchEvent { agent: self.agent().id, event: event.native.clone() });
        }
        let mut fault = String::new();
        let mut second = None;
        for row in rows {
            let text = self.text(row, event, detail, call.as_ref());
            let native = Native::new(text).line(line_of(row));
            match self.protocol.parse(&native) {
                Ok(Incoming::Event(read) | Incoming::Observed(read)) if std::ptr::eq(read.row, *row) => {
                    let message = |event: HookEvent| SpokenMessage {
                        text: native.body.as_str().to_owned(),
                        event,
                        call: call.clone(),
                    };
                    let is_error = |result: Option<&ToolResult>| result.is_some_and(|it| it.is_error == Some(true));
                    let has_call = read.call().is_some() == event.call().is_some();
                    if has_call && is_error(read.result()) == is_error(event.result()) {
                        return Ok(message(*read));
                    }
                    second = second.or_else(|| has_call.then(|| message(*read)));
                }
                Ok(_) => fault = format!("`{}` is not read as this event", row.key()),
                Err(error) => fault = error.to_string(),
            }
        }
        second.ok_or(Untranslatable::Message { agent: self.agent().id, why: fault })
    }

    fn text(&self, row: &'static EventRow, event: &HookEvent, detail: &Detail, call: Option<&SpokenCall>) -> String {
        let agent = self.agent();
        let mut spoken = HookEvent::new(agent, row, Raw::document("{}"));
        spoken.dialect = row.selector.dialects.last().copied();
        spoken.session = Some(event.session.clone().unwrap_or_else(|| "unknown".to_owned()));
        spoken.cwd = event.cwd.clone().or_else(|| event.project.clone());
        spoken.mode = event.mode.clone().filter(|_| event.agent.fields.mode == agent.fields.mode);
        if agent.fields.mode.is_some() && spoken.mode.is_none() {
            spoken.mode = Some("default".to_owned());
        }
        if let Some(cwd) = call.and_then(|call| call.cwd.as_deref()) {
            spoken.cwd = spoken.cwd.map(|folder| call::absolute(&folder, cwd));
        }
        spoken.detail = match detail {
            Detail::Other if row.kind.ends_turn() => Detail::TurnEnd { again: false },
            detail => detail.clone(),
        };
        let mut message = Raw::document(self.account.present(&spoken));
        if event.call().is_none() && row.kind != EventKind::Prompt {
            for (key, value) in COMMON.iter().filter_map(|key| Some((key, event.raw.at(&format!("/{key}"))?))) {
                if let Ok(object) = message.object() {
                    message = object.with(key, value.as_str());
                }
            }
        }
        message.as_str().to_owned()
    }

    /// Returns the message of the agent's own event, as it was sent but for what another handler changed.
    fn own_text(&self, event: &HookEvent) -> String {
        let native = Native::new(event.raw.as_str()).line(line_of(event.row));
        let sent = self.protocol.parse(&native).ok().and_then(|incoming| match incoming {
            Incoming::Event(sent) | Incoming::Observed(sent) => Some(sent),
            _ => None,
        });
        let Some(sent) = sent else { return event.raw.as_str().to_owned() };
        let changed = match (&sent.detail, &event.detail) {
            (Detail::Tool(before), Detail::Tool(now)) => Some((before.input.clone(), now.input.clone())),
            (Detail::ToolDone { result: before, .. }, Detail::ToolDone { result: now, .. }) => {
                Some((before.raw.clone(), now.raw.clone()))
            }
            (Detail::Prompt { text: before }, Detail::Prompt { text: now }) if before != now => {
                let key = self.agent().fields.prompt;
                return native.object().map_or_else(
                    |_| event.raw.as_str().to_owned(),
                    |object| object.with(key, Raw::string(now).as_str()).as_str().to_owned(),
                );
            }
            _ => None,
        };
        let replaced = changed
            .filter(|(before, now)| before != now)
            .and_then(|(before, now)| sent.raw.replace(&before, now.as_str()));
        replaced.unwrap_or(event.raw.clone()).as_str().to_owned()
    }
}

/// Returns a registered line that brings the events of a row.
fn line_of(row: &EventRow) -> RegisteredLine {
    let role = row.selector.roles.first().copied().unwrap_or_default();
    RegisteredLine::default().event(row.registered_name()).role(role)
}

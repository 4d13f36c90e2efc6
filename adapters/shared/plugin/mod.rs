#![doc = include_str!("docs.md")]

use super::json::JsonBuilder;
use super::json_rpc::{self, answer};
use crate::fit::Fitted;
use crate::model::{Change, EventKind, HookEvent, Incoming, Reply, Target, VerdictKind};
use crate::protocol::{
    Agent, Body, EntryForm, EventRow, Field, Fields, HookProtocol, Native, ParseError, Power, Problem, SessionFolder,
};

/// The program part that all plug-ins share: it starts snaphook, sends calls and waits for the answers.
pub const CLIENT: &str = include_str!("client.js");

/// The adapter of an agent that calls snaphook from a plug-in.
#[derive(Debug, Clone, Copy)]
pub struct Plugin(&'static Agent);

impl Plugin {
    /// Creates an adapter from its table, which begins with [`agent`].
    pub const fn new(agent: &'static Agent) -> Self {
        Self(agent)
    }
}

/// Describes an agent whose messages have the form of this protocol.
pub const fn agent(id: &'static str, name: &'static str) -> Agent {
    Agent::new(id, name)
        .lines()
        .event_at("/method")
        .fields(FIELDS)
        .session_folder(SessionFolder::Message)
        .unknown(&UNKNOWN_CALL, &UNKNOWN)
}

const FIELDS: Fields = Fields::new("tool", "input")
    .call_id("call")
    .session("session")
    .cwd("directory")
    .result("result")
    .result_members("text", "is_error")
    .again("again");

/// The settings that an installation puts at the start of a plug-in.
pub const SETTINGS: EntryForm =
    &[("command", Field::Words), ("events", Field::Events), ("timeout", Field::Milliseconds)];

/// The first message of a connection.
pub const HELLO: &str = "hello";
/// The version of this protocol. Plug-in and program refuse to work together if theirs differ.
const VERSION: &str = "1";

/// A message with an unknown method is refused by an error, so this row never judges a call.
static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown method with a tool call", EventKind::PreTool, reply).gate().can_do(&[Power::Deny]);
static UNKNOWN: EventRow = EventRow::new("an unknown method", EventKind::Observed, reply);

/// Creates the row of the first message.
pub const fn hello(hosts: &'static [&'static str]) -> EventRow {
    EventRow::new(HELLO, EventKind::Observed, reply).hosts(hosts).fails_closed()
}

/// Creates the row of an event. The plug-in gives up after the registered time limit.
pub const fn row(native: &'static str, kind: EventKind, powers: &'static [Power]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).timeout_ms(TIMEOUT_MS).rejects(rejects)
}

/// The time that a plug-in waits for an answer.
const TIMEOUT_MS: u64 = 20_000;

/// A result has one text, whatever form the agent gives to it.
fn rejects(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let is_text = || change.value.at("/text").is_some_and(|text| text.is_string());
    (change.target == Target::Result && !is_text()).then_some("the agent accepts a result only with the string `text`")
}

impl HookProtocol for Plugin {
    fn agent(&self) -> &'static Agent {
        self.0
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let body = Body::new(self.0, native)?;
        let id = json_rpc::id(body.object()).map_err(|problem| body.fault("id", problem))?;
        if body.name() == HELLO {
            let reply = json_rpc::result(id.as_ref(), &JsonBuilder::new().text("protocol", VERSION).finish());
            return Ok(Incoming::Handshake { reply, modes: Some(Vec::new()) });
        }
        if !self.0.events.iter().any(|row| row.native == body.name()) {
            return match id {
                Some(_) => Err(ParseError::Method { agent: self.0.id, method: body.name().to_owned() }),
                None => Ok(Incoming::Observed(Box::new(body.event(crate::model::Detail::Other)?))),
            };
        }
        let mut params = body.part("params")?;
        let detail = params.detail()?;
        let not_an_object = params.fault(FIELDS.input, Problem::NotA("an object"));
        let mut event = params.event(detail)?;
        if event.call().is_some_and(|call| !call.input.as_str().starts_with('{')) {
            return Err(not_an_object);
        }
        event.reply_to.clone_from(&id);
        Ok(if id.is_some() { event.into() } else { Incoming::Observed(Box::new(event)) })
    }

    fn emergency(&self, native: &Native, reason: &str) -> Reply {
        json_rpc::emergency(self, native, reason, |reason| said("deny", reason))
    }
}

/// Writes the answer: a verdict in one word, its reason, new values and texts.
fn reply(event: &HookEvent, fitted: &Fitted) -> Reply {
    let verdict = match fitted.verdict().kind() {
        VerdictKind::Allow if event.row.can(Power::Allow) => "allow",
        VerdictKind::Pass | VerdictKind::Allow => "pass",
        VerdictKind::Ask => "ask",
        VerdictKind::Deny | VerdictKind::Respond => "deny",
        VerdictKind::Abort | VerdictKind::HardAbort => "abort",
        VerdictKind::KeepGoing => "continue",
    };
    let members = said(verdict, fitted.verdict().reason()).changes(fitted, CHANGES);
    answer(event, members.maybe("context", fitted.context()).maybe("notice", fitted.notice()))
}

const CHANGES: &[(Target, &str)] = &[(Target::Input, "input"), (Target::Result, "result"), (Target::Prompt, "prompt")];

fn said(verdict: &str, reason: &str) -> JsonBuilder {
    JsonBuilder::new().text("verdict", verdict).maybe("reason", Some(reason).filter(|reason| !reason.is_empty()))
}

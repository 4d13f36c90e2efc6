//! Acme, an invented agent: a table and two methods. `register.rs` says where its hooks are registered.

mod register;

use snaphook_adapters::fit::Fitted;
use snaphook_adapters::model::{Detail, EventKind, HookEvent, Incoming, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::ActionKind::Shell;
use snaphook_adapters::protocol::{
    Agent, Body, EventRow, Fields, HookProtocol, Native, ParseError, Power, Slot, ToolRow,
};
use snaphook_adapters::shared::json::JsonBuilder;

const POWERS: &[Power] = &[Power::Allow, Power::Ask, Power::Deny, Power::Change(Target::Input)];
static TOOL: EventRow = EventRow::new("tool_wanted", EventKind::PreTool, answer).gate().can_do(POWERS).timeout_ms(5000);
static OVER: EventRow = EventRow::new("turn_over", EventKind::TurnEnd, answer).can_do(&[Power::KeepGoing]);
static EVENTS: [EventRow; 2] = [TOOL, OVER];
static TOOLS: [ToolRow; 1] = [ToolRow::new("terminal", &[Shell.on(Slot::key(&["line"]))])];
static AGENT: Agent = Agent::new("acme", "Acme")
    .event_at("/event")
    .fields(Fields::new("tool", "args").session("session").cwd("folder"))
    .events(&EVENTS)
    .tools(&TOOLS)
    .registration(register::REGISTRATION);

/// Reads and answers Acme, which takes one JSON object on stdin for each event.
#[derive(Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it holds nothing")]
pub struct Acme;

impl HookProtocol for Acme {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let gate = body.kind() == EventKind::PreTool;
        let detail = if gate { Detail::Tool(body.call()?) } else { Detail::Other };
        Ok(body.event(detail)?.into())
    }
}

/// Acme takes `say` and `why`, and new arguments beside any of them; silence is no opinion.
fn answer(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.is_silent() {
        return Reply::silent();
    }
    let verdict = fitted.verdict();
    let word = match verdict.kind() {
        VerdictKind::Pass => None,
        VerdictKind::Allow => Some("go"),
        VerdictKind::Ask => Some("check"),
        VerdictKind::KeepGoing => Some("more"),
        _ => Some("no"),
    };
    let why = Some(verdict.reason()).filter(|why| !why.is_empty());
    let said = JsonBuilder::new().maybe("say", word).maybe("why", why);
    Reply::document(fitted.change(Target::Input).map_or(said.clone(), |args| said.raw("args", args)).finish())
}

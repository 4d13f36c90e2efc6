#![doc = include_str!("docs.md")]

mod drops;
mod effects;
mod events;
mod memory;
mod present;
mod register;
mod reply;
mod rpc;
#[cfg(test)]
mod tests;
mod tools;

use crate::Raw;
use crate::fit::Fitted;
use crate::host::{HostSide, Outcome};
use crate::model::{Action, Detail, EventKind, HookEvent, Incoming, Reply, Target, ToolCall, ToolResult};
use crate::protocol::{
    Agent, Body, Connection, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Problem, Role, SessionFolder,
    Wrapping,
};
use crate::raw::{Keys, Object};

/// Speaks with PicoClaw.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "an adapter keeps nothing")]
pub struct PicoClaw;

static AGENT: Agent = Agent::new("picoclaw", "PicoClaw", &events::STRAY_CALL, &events::STRAY)
    .lines()
    .event_at("/method")
    .session_folder(SessionFolder::Setting(register::WORKSPACE))
    .hosts(&[
        Host::new("v0.2.4", "v0.2.4 and v0.2.5").between("0.2.4", "0.2.6").gates(BOTH),
        Host::new("v0.2.6", "v0.2.6").between("0.2.6", "0.2.7").gates(BOTH),
        Host::new("v0.2.8", "v0.2.7 and v0.2.8").between("0.2.7", "0.2.9").gates(BOTH),
        Host::new("head", "v0.2.9 and later, measured at commit cf67dd3").between("0.2.9", "").gates(BOTH),
    ])
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .answer_keys(Keys::Folded)
    .wrapping(Wrapping::new(HostShell::Named("sh")).bare().shows())
    .mcp(McpNames::Joined { prefix: "mcp_" })
    .max_reply(MAX_REPLY)
    .emergency(rpc::emergency)
    .registration(register::REGISTRATION);

const BOTH: &[(&str, Role)] = &[(events::BEFORE_TOOL, Role::Alone), ("hook.approve_tool", Role::Alone)];
/// A line of 1,048,576 bytes stops the host's reader for good; this leaves room to be sure.
const MAX_REPLY: usize = 1_000_000;

/// The payload has no `context`: v0.2.4 to v0.2.6, and some side questions of later versions.
const OLD: &str = "v0.2.4";
/// The payload has a `context`.
const NEW: &str = "v0.2.7";

impl HookProtocol for PicoClaw {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let body = Body::new(&AGENT, native, "method")?;
        let id = rpc::id(body.object()).map_err(|problem| body.fault("id", problem))?;
        if body.event() == events::HELLO {
            return Ok(hello(&body, id.as_ref()));
        }
        if !AGENT.events.iter().any(|row| row.native == body.event()) {
            return match id {
                Some(_) => Err(ParseError::Method { agent: AGENT.id, method: body.event().to_owned() }),
                None => Ok(Incoming::Observed(Box::new(body.event_of(native, &events::STRAY, "", Detail::Other)))),
            };
        }
        let mut params = body.inner("params")?;
        let event = event(native, &mut params)?;
        Ok(if id.is_some() { event.into() } else { Incoming::Observed(Box::new(event)) })
    }

    fn remember(&self, connection: &mut Connection, event: &HookEvent, fitted: &Fitted) {
        memory::remember(connection, event, fitted);
    }

    fn host(&self) -> Option<&dyn HostSide> {
        Some(self)
    }
}

impl HostSide for PicoClaw {
    fn present(&self, event: &HookEvent) -> String {
        present::present(event)
    }

    /// A request always comes back whole; it is a change of it only where more than its messages differs.
    /// What an answer leaves out of it becomes empty, which is a difference too.
    fn interpret(&self, event: &HookEvent, host: &str, reply: &Reply) -> Outcome {
        let mut outcome = crate::host::interpret(event, host, reply);
        let sent = rpc::params(event);
        let differs = |request: &Object, other: &Object| {
            request.members().any(|(key, value)| key != "messages" && other.last(key) != Some(value))
        };
        outcome.changes.retain(|(target, value)| match (target, value.object(), &sent) {
            (Target::Request, Ok(request), Some(sent)) => differs(&request, sent) || differs(sent, &request),
            (Target::Request, ..) => false,
            _ => true,
        });
        outcome
    }
}

/// The greeting always succeeds, whatever is in it: an error would keep the agent from starting, and
/// on a hot reload make it go on without any hook.
fn hello(body: &Body, id: Option<&Raw>) -> Incoming {
    let modes = body.object().last("params").and_then(|params| params.object().ok()?.last("modes")?.array().ok());
    let modes = modes.map(|modes| modes.iter().filter_map(|mode| Some(mode.text()?.value)).collect());
    Incoming::Handshake { reply: rpc::result(id, reply::HELLO), modes }
}

fn event(native: &Native, params: &mut Body) -> Result<HookEvent, ParseError> {
    let dialect = if params.has("context") { NEW } else { OLD };
    let case = match params.event() {
        events::BEFORE_TOOL if dialect == OLD && !approves(&native.connection) => events::UNGUARDED,
        _ => "",
    };
    let row = params.row(native, dialect, case, "tool");
    let detail = match row.kind {
        EventKind::PreTool => Detail::Tool(call(params)?),
        EventKind::Permission => {
            let call = call(params)?;
            match native.connection.answered.get(&memory::Key::of(params.object(), &call).text()) {
                Some(text) => Detail::Answered { call, text: text.clone() },
                None => Detail::Tool(call),
            }
        }
        EventKind::PostTool => Detail::ToolDone { call: call(params)?, result: result(params)? },
        EventKind::PreModel => Detail::Request { request: params.object().raw().clone() },
        EventKind::PostModel => response(params)?,
        _ => Detail::Other,
    };
    let mut event = params.event_of(native, row, dialect, detail);
    event.session = session(params);
    Ok(event)
}

fn call(params: &mut Body) -> Result<ToolCall, ParseError> {
    let mut call = params.tool_call_or_empty("tool", "arguments")?;
    if !call.input.as_str().starts_with('{') {
        return Err(params.fault("arguments", Problem::NotA("an object")));
    }
    if call.name == "exec" {
        // v0.2.4 calls it so; every version refuses the name that it does not know.
        let old = Body::part(&AGENT, &call.input, params.event())?.maybe("working_dir")?;
        for action in &mut call.actions {
            if let Action::Shell { cwd: cwd @ None, .. } = action {
                cwd.clone_from(&old);
            }
        }
    }
    Ok(call)
}

fn result(params: &Body) -> Result<ToolResult, ParseError> {
    let inner = params.inner("result")?;
    let text = inner.raw("for_llm")?;
    Ok(ToolResult::new(inner.object().raw().clone()).text(text).is_error(inner.bool("is_error")?))
}

fn response(params: &Body) -> Result<Detail, ParseError> {
    let response = params.raw("response")?.unwrap_or_else(|| Raw::document("{}"));
    let calls_tools = drops::calls_tools(&response);
    Ok(Detail::Response { response, calls_tools })
}

/// Each form of message keeps it elsewhere.
fn session(params: &Body) -> Option<String> {
    [("meta", "SessionKey"), ("Meta", "SessionKey"), ("scope", "session_key")].into_iter().find_map(|(at, key)| {
        let text = params.object().last(at)?.object().ok()?.last(key)?.text()?.value;
        Some(text).filter(|text| !text.is_empty())
    })
}

/// Whether the agent said in its greeting that it will ask before each call runs.
fn approves(connection: &Connection) -> bool {
    connection.modes.as_ref().is_some_and(|modes| modes.iter().any(|mode| mode == "approve"))
}

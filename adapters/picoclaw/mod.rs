#![doc = include_str!("docs.md")]

mod answered_calls;
mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Action, Detail, EventKind, HookEvent, Incoming, Reply, ToolCall};
use crate::protocol::{
    Agent, Body, Connection, Fields, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Problem, Role,
    SessionFolder, Wrapping,
};
use crate::raw::Keys;
use crate::shared::json::JsonBuilder;
use crate::shared::json_rpc;

/// The adapter of PicoClaw.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct PicoClaw;

static AGENT: Agent = Agent::new("picoclaw", "PicoClaw")
    .unknown(&events::UNKNOWN_CALL, &events::UNKNOWN)
    .fields(Fields::new("tool", "arguments").omits_empty_input().result_members("for_llm", "is_error"))
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
    .reply_keys(Keys::Folded)
    .wrapping(Wrapping::new(HostShell::Named("sh")).bare().shows())
    .mcp(McpNames::Joined { prefix: "mcp_" })
    .max_reply(MAX_REPLY)
    .registration(register::REGISTRATION);

const BOTH: &[(&str, Role)] = &[(events::BEFORE_TOOL, Role::Alone), ("hook.approve_tool", Role::Alone)];
/// A line of 1,048,576 bytes stops the host's reader permanently; this limit leaves a reserve.
const MAX_REPLY: usize = 1_000_000;

/// The message has no `context`: v0.2.4 to v0.2.6, and some side questions of later versions.
const OLD: &str = "v0.2.4";
/// The message has a `context`.
const NEW: &str = "v0.2.7";

impl HookProtocol for PicoClaw {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let body = Body::new(&AGENT, native)?;
        let id = json_rpc::id(body.object()).map_err(|problem| body.fault("id", problem))?;
        if body.name() == events::HELLO {
            return Ok(hello(&body, id.as_ref()));
        }
        let is_known = AGENT.events.iter().any(|row| row.native == body.name());
        if is_known {
            let mut event = event(native, body.part("params")?)?;
            event.reply_to.clone_from(&id);
            return Ok(if id.is_some() { event.into() } else { Incoming::Observed(Box::new(event)) });
        }
        match id {
            Some(_) => Err(ParseError::Method { agent: AGENT.id, method: body.name().to_owned() }),
            None => Ok(Incoming::Observed(Box::new(body.event(Detail::Other)?))),
        }
    }

    fn emergency(&self, native: &Native, reason: &str) -> Reply {
        // Blocks at every gate.
        let blocks = |reason: &str| {
            JsonBuilder::new().text("action", "deny_tool").bool("approved", false).text("reason", reason)
        };
        json_rpc::emergency(self, native, reason, blocks)
    }

    fn remember(&self, connection: &mut Connection, event: &HookEvent, fitted: &Fitted) {
        answered_calls::remember(connection, event, fitted);
    }
}

/// The handshake always succeeds, regardless of its contents. An error would prevent the agent from starting, and would
/// make it continue without hooks on a hot reload.
fn hello(body: &Body, id: Option<&Raw>) -> Incoming {
    let modes = body.object().last("params").and_then(|params| params.object().ok()?.last("modes")?.array().ok());
    let modes = modes.map(|modes| modes.iter().filter_map(|mode| Some(mode.text()?.value)).collect());
    Incoming::Handshake { reply: json_rpc::result(id, reply::HELLO), modes }
}

fn event(native: &Native, params: Body) -> Result<HookEvent, ParseError> {
    let dialect = if params.has("context") { NEW } else { OLD };
    let mut params = params.dialect(dialect);
    if params.name() == events::BEFORE_TOOL && dialect == OLD && !approves(&native.connection) {
        params = params.case(events::UNGUARDED);
    }
    let detail = match params.kind() {
        EventKind::PreTool => Detail::Tool(call(&mut params)?),
        EventKind::Permission => {
            let call = call(&mut params)?;
            match native.connection.answered.get(&answered_calls::Key::of(params.object(), &call).text()) {
                Some(text) => Detail::Answered { call, text: text.clone() },
                None => Detail::Tool(call),
            }
        }
        EventKind::PostTool => {
            let call = call(&mut params)?;
            let result = params.result(&call, "result")?;
            Detail::ToolDone { call, result }
        }
        EventKind::PreModel => Detail::Request { request: params.object().raw().clone() },
        EventKind::PostModel => response(&params)?,
        _ => Detail::Other,
    };
    let (session, payload) = (session(&params), params.object().raw().clone());
    let mut event = params.event(detail)?;
    // No notification has a `context`; their methods differ instead.
    event.dialect = event.dialect.filter(|_| event.kind() != EventKind::Observed);
    event.session = session;
    event.payload = Some(payload);
    Ok(event)
}

fn call(params: &mut Body) -> Result<ToolCall, ParseError> {
    let mut call = params.call()?;
    if !call.input.as_str().starts_with('{') {
        return Err(params.fault("arguments", Problem::NotA("an object")));
    }
    if call.name == "exec" && params.has("arguments") {
        // The name in v0.2.4; every version rejects an unknown name.
        let old = params.part("arguments")?.maybe("working_dir")?;
        for action in &mut call.actions {
            if let Action::Shell { cwd: cwd @ None, .. } = action {
                cwd.clone_from(&old);
            }
        }
    }
    Ok(call)
}

fn response(params: &Body) -> Result<Detail, ParseError> {
    let response = params.raw("response")?.unwrap_or_else(|| Raw::document("{}"));
    let calls_tools = reply::calls_tools(&response);
    Ok(Detail::Response { response, calls_tools })
}

/// The position of the session id differs between the messages.
fn session(params: &Body) -> Option<String> {
    [("meta", "SessionKey"), ("Meta", "SessionKey"), ("scope", "session_key")].into_iter().find_map(|(at, key)| {
        let text = params.object().last(at)?.object().ok()?.last(key)?.text()?.value;
        Some(text).filter(|text| !text.is_empty())
    })
}

/// Returns true if the agent announced in its handshake that it asks before each call.
fn approves(connection: &Connection) -> bool {
    connection.modes.as_ref().is_some_and(|modes| modes.iter().any(|mode| mode == "approve"))
}

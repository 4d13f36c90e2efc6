#![doc = include_str!("docs.md")]

mod effects;
mod events;
mod present;
mod register;
mod reply;
mod tools;

#[cfg(test)]
mod tests;

use crate::host::HostSide;
use crate::model::{Action, Detail, EventKind, HookEvent, Incoming, McpName, ToolCall};
use crate::protocol::{
    Agent, Body, EventRow, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Problem, Role, SessionFolder,
    Stranger, Wrapping,
};
use crate::raw::Keys;

/// Speaks docker-agent's hook protocol, versions 1.32 to 1.141.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "it has no state and never will")]
pub struct DockerAgent;

/// The dialect of a tool payload without `agent_name` and `safety_policy`: before June 2026. There
/// a question is answered by running the tool, in the older half of the versions.
const OLD: &str = "old";
/// The dialect of every other tool payload.
const NEW: &str = "new";

static AGENT: Agent = Agent::new("docker-agent", "docker-agent", &events::STRAY_CALL, &events::STRAY)
    .hosts(&[
        Host::new("a", "dialect A, before v1.53").between("", "1.53.0").gates(&[("pre_tool_use", Role::Alone)]),
        Host::new("b", "early dialect B, v1.53 to v1.88")
            .between("1.53.0", "1.89.0")
            .gates(&[("pre_tool_use", Role::Alone)]),
        Host::new("b2", "late dialect B, v1.89 to v1.137")
            .between("1.89.0", "1.138.0")
            .gates(&[("pre_tool_use", Role::Preempt), ("pre_tool_use", Role::Alone)]),
        Host::new("b2-preempt", "late dialect B, preempt_yolo lane of pre_tool_use").between("1.89.0", "1.138.0"),
        Host::new("c", "dialect C, v1.138 and later").between("1.138.0", "").gates(&[
            ("tool_input_transform", Role::Guarded),
            ("tool_guard", Role::Alone),
            ("pre_tool_use", Role::Alone),
        ]),
        Host::new("c-preempt", "dialect C, preempt_yolo lane of pre_tool_use").between("1.138.0", ""),
    ])
    .session_folder(SessionFolder::Message)
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::User { only: &[], fallback: &["/bin/sh"] }).shows())
    .keys(Keys::Folded)
    .keeps_nulls()
    .answer_keys(Keys::Folded)
    .mcp(McpNames::Bare)
    .strangers(&[
        Stranger::new("codex", "turn_id"),
        Stranger::new("claude-code", "transcript_path"),
        Stranger::new("claude-code", "permission_mode"),
    ])
    .emergency(reply::emergency)
    .registration(register::REGISTRATION);

impl HookProtocol for DockerAgent {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let body = Body::new(&AGENT, native, "hook_event_name")?;
        let dialect = if body.has("agent_name") || body.has("safety_policy") { NEW } else { OLD };
        let row = row(&body, native, dialect);
        let mut body = if row.gates() { body } else { body.has_run() };
        let session = body.maybe("session_id")?.filter(|id| !id.is_empty());
        let cwd = body.maybe("cwd")?.filter(|cwd| !cwd.is_empty());
        let detail = detail(&mut body, native, row)?;
        let told = matches!(detail, Detail::Tool(_) | Detail::ToolDone { .. });
        let mut event = body.event_of(native, row, if told { dialect } else { "" }, detail);
        event.session = session;
        event.cwd = cwd;
        Ok(event.into())
    }

    fn host(&self) -> Option<&dyn HostSide> {
        Some(self)
    }
}

impl HostSide for DockerAgent {
    fn present(&self, event: &HookEvent) -> String {
        present::present(event)
    }
}

/// The row of a message. An unknown event with a tool call in it is refused in the form of the lane
/// that the line stands in, since that lane would not hear an exit code.
fn row(body: &Body, native: &Native, dialect: &str) -> &'static EventRow {
    let done_without_response = body.event() == "post_tool_use" && !body.has("tool_response");
    let case = if done_without_response { events::NO_RESPONSE } else { "" };
    let row = body.row(native, dialect, case, "tool_name");
    match native.line.role {
        Role::Preempt if std::ptr::eq(row, AGENT.stray_call) => {
            AGENT.row("pre_tool_use", dialect, Role::Preempt, "").unwrap_or(row)
        }
        _ => row,
    }
}

fn detail(body: &mut Body, native: &Native, row: &EventRow) -> Result<Detail, ParseError> {
    Ok(match row.kind {
        EventKind::PreTool | EventKind::Permission => Detail::Tool(call(body)?),
        EventKind::Observed if body.has("tool_name") => Detail::Tool(call(body)?),
        EventKind::PostTool if row.case == events::NO_RESPONSE => Detail::Tool(call(body)?),
        EventKind::PostTool => {
            let call = call(body)?;
            let result = body.tool_result(&call, "tool_response")?.is_error(body.bool("tool_error")?);
            Detail::ToolDone { call, result }
        }
        EventKind::Prompt => Detail::Prompt { text: prompt(body)? },
        EventKind::PreModel => Detail::Request { request: native.body.clone() },
        EventKind::PostModel => {
            let response = body.raw("stop_response")?.unwrap_or_else(|| crate::Raw::string(""));
            Detail::Response { response, calls_tools: false }
        }
        EventKind::TurnEnd | EventKind::SubagentEnd => Detail::TurnEnd { again: false },
        _ => Detail::Other,
    })
}

/// The agent leaves out an empty text, and sends queued messages as a list.
fn prompt(body: &mut Body) -> Result<String, ParseError> {
    let Some(list) = body.raw("steering_messages")? else {
        return Ok(body.prose("prompt")?.unwrap_or_default());
    };
    let fault = || body.fault("steering_messages", Problem::NotA("a list of texts"));
    let items = list.array().map_err(|_| fault())?;
    let texts = items.iter().map(|item| item.text().map(|text| text.value).ok_or_else(fault));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// A tool call. Empty arguments, and such as are not JSON, are left out by the agent.
///
/// Tools of MCP servers look like any other but for their category, which only some events send:
/// where it is absent, a tool without arguments that we watch may be one.
fn call(body: &mut Body) -> Result<ToolCall, ParseError> {
    let category = body.maybe("tool_category")?;
    let id = body.maybe("tool_use_id")?;
    let is_mcp = category.as_deref() == Some("mcp");
    let mut call = match body.tool_call_or_empty("tool_name", "tool_input") {
        Err(ParseError::Field { problem: Problem::Missing | Problem::Blank, .. }) if is_mcp => {
            let name = body.text("tool_name")?;
            let input = body.raw("tool_input")?.unwrap_or_else(|| crate::Raw::document("{}"));
            let fault = || body.fault("tool_input", Problem::NotA("arguments that mean one thing"));
            ToolCall::unknown(&AGENT, name, input, vec![Action::Other]).ok_or_else(fault)?
        }
        call => call?,
    };
    let mcp = || Action::Mcp(McpName::Bare(call.name.clone()));
    let watched = call.row.is_some_and(|row| !row.acts.is_empty());
    call.actions = match category {
        _ if watched && is_mcp => std::mem::take(&mut call.actions).into_iter().chain([mcp()]).collect(),
        _ if watched => std::mem::take(&mut call.actions),
        Some(_) if !is_mcp => vec![Action::Other],
        _ => vec![mcp(), Action::Other],
    };
    call.id = id;
    Ok(call)
}

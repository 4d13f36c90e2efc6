#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
mod tools;

#[cfg(test)]
mod tests;

use crate::model::{Action, Detail, EventKind, Incoming, McpName, ToolCall};
use crate::protocol::{
    Agent, Body, Fields, ForeignField, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Problem, Role,
    SessionFolder, Wrapping,
};

/// The adapter of docker-agent, for the hook protocol of versions 1.32 to 1.141.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct DockerAgent;

/// The dialect of a tool message without `agent_name` and `safety_policy`, used before June 2026. The older half of
/// these versions treats `ask` as an approval.
const OLD: &str = "old";
/// The dialect of such a message on a line that is registered with v1.53 or later. A version before sends no folder.
const EARLY_B: &str = "early-b";
/// The dialect of every other tool message.
const NEW: &str = "new";

static AGENT: Agent = Agent::new("docker-agent", "docker-agent")
    .aliases(&["cagent"])
    .unknown(&events::UNKNOWN_CALL, &events::UNKNOWN)
    .fields(Fields::CLAUDE.omits_empty_input())
    .hosts(&[
        Host::new("a", "dialect A, before v1.53").between("", "1.53.0").gates(&[("pre_tool_use", Role::Alone)]),
        Host::new("b", "early dialect B, v1.53 to v1.88")
            .between("1.53.0", "1.89.0")
            .gates(&[("pre_tool_use", Role::Asks)]),
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
    .decodes_like_go()
    .mcp(McpNames::Bare)
    .foreign_fields(&[
        ForeignField::new("codex", "turn_id"),
        ForeignField::new("claude-code", "transcript_path"),
        ForeignField::new("claude-code", "permission_mode"),
    ])
    .emergency(reply::emergency)
    .registration(register::REGISTRATION);

impl HookProtocol for DockerAgent {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let dialect = dialect(&mut body, native.line.role)?;
        let mut body = select(body.dialect(dialect), native);
        let detail = detail(&mut body)?;
        let has_dialect = matches!(detail, Detail::Tool(_) | Detail::ToolDone { .. });
        let mut event = body.event(detail)?;
        event.dialect = event.dialect.filter(|_| has_dialect);
        Ok(event.into())
    }
}

fn dialect(body: &mut Body, role: Role) -> Result<&'static str, ParseError> {
    if body.has("agent_name") || body.has("safety_policy") {
        return Ok(NEW);
    }
    let has_folder = body.maybe("cwd")?.is_some_and(|folder| !folder.is_empty());
    Ok(if role == Role::Asks && has_folder { EARLY_B } else { OLD })
}

/// Selects the row of a message. An unknown event with a tool call is refused in the form of the lane in which the line
/// is registered, because that lane ignores an exit code.
fn select(body: Body, native: &Native) -> Body {
    match native.line.role {
        Role::Preempt if std::ptr::eq(body.row(), AGENT.unknown_call) => body.answered_as("pre_tool_use"),
        _ => body,
    }
}

fn detail(body: &mut Body) -> Result<Detail, ParseError> {
    Ok(match body.kind() {
        EventKind::PreTool | EventKind::Permission => Detail::Tool(call(body)?),
        EventKind::Observed if body.has("tool_name") => Detail::Tool(call(body)?),
        EventKind::PostTool if body.row().selector.case.is_some() => Detail::Tool(call(body)?),
        EventKind::PostTool => {
            let call = call(body)?;
            let result = body.tool_result(&call, "tool_response")?.is_error(body.bool("tool_error")?);
            Detail::ToolDone { call, result }
        }
        EventKind::Prompt => Detail::Prompt { text: prompt(body)? },
        EventKind::PreModel => Detail::Request { request: body.object().raw().clone() },
        EventKind::PostModel => {
            let response = body.raw("stop_response")?.unwrap_or_else(|| crate::Raw::string(""));
            Detail::Response { response, calls_tools: false }
        }
        EventKind::TurnEnd | EventKind::SubagentEnd => Detail::TurnEnd { again: false },
        _ => Detail::Other,
    })
}

/// The agent omits an empty text, and sends queued messages as an array.
fn prompt(body: &mut Body) -> Result<String, ParseError> {
    let Some(list) = body.raw("steering_messages")? else {
        return Ok(body.prose("prompt")?.unwrap_or_default());
    };
    let fault = || body.fault("steering_messages", Problem::NotA("an array of strings"));
    let items = list.array().map_err(|_| fault())?;
    let texts = items.iter().map(|item| item.text().map(|text| text.value).ok_or_else(fault));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// Reads a tool call. The agent omits arguments that are empty or not valid JSON.
///
/// Tools of MCP servers differ from other tools only in their category, which not every event contains. Without a
/// category, a tool without watched arguments may be an MCP tool.
fn call(body: &mut Body) -> Result<ToolCall, ParseError> {
    let category = body.maybe("tool_category")?;
    let is_mcp = category.as_deref() == Some("mcp");
    let mut call = match body.call() {
        Err(ParseError::Field { problem: Problem::Missing | Problem::Blank, .. }) if is_mcp => {
            let name = body.text("tool_name")?;
            let input = body.raw("tool_input")?.unwrap_or_else(|| crate::Raw::document("{}"));
            let fault = || body.fault("tool_input", Problem::NotA("unambiguous"));
            let call = ToolCall::unknown(&AGENT, name, input, vec![Action::Other]).ok_or_else(fault)?;
            ToolCall { id: body.maybe("tool_use_id")?, ..call }
        }
        call => call?,
    };
    let mcp = || Action::Mcp(McpName::Bare(call.name.clone()));
    let watched = call.row.is_some_and(|row| !row.actions.is_empty());
    call.actions = match category {
        _ if watched && is_mcp => std::mem::take(&mut call.actions).into_iter().chain([mcp()]).collect(),
        _ if watched => std::mem::take(&mut call.actions),
        Some(_) if !is_mcp => vec![Action::Other],
        _ => vec![mcp(), Action::Other],
    };
    Ok(call)
}

//! The family that Claude Code began: one JSON object on stdin with `hook_event_name`, an answer by
//! exit code or as one JSON object on stdout.
//!
//! Its members agree on the shape of a message and on little else: each names the functions that
//! hold for it, and writes what differs.

mod answer;
#[cfg(test)]
pub(crate) mod laws;
mod present;

pub use answer::Answer;
pub use present::present;

use crate::Raw;
use crate::model::{Detail, HookEvent, ToolCall, ToolResult};
use crate::protocol::{Agent, Body, EventRow, Native, ParseError, Problem, Stranger};

/// The key of the event's name.
pub const EVENT: &str = "hook_event_name";

/// The keys by which messages of other agents are told apart; a member's own marks do not count
/// against it. Claude Code sends a `turn_id` too, with MessageDisplay.
pub static STRANGERS: &[Stranger] = &[
    Stranger::new("claude-code", "prompt_id"),
    Stranger::new("claude-code", "mcp_server"),
    Stranger::new("codex", "turn_id").on(&[
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
    ]),
    Stranger::new("picoclaw", "jsonrpc"),
    Stranger::new("hygge", "hook_name"),
    Stranger::new("docker-agent", "agent_name"),
    Stranger::new("docker-agent", "safety_policy"),
    Stranger::new("qwen-code", "tool_call_id"),
    Stranger::new("copilot", "sessionId"),
    Stranger::new("copilot", "tool_result"),
    Stranger::new("cursor", "cursor_version"),
    Stranger::new("windsurf", "agent_action_name"),
    Stranger::new("cline", "clineVersion"),
    Stranger::new("kimi", "client_type"),
    Stranger::new("openhands", "event_type"),
];

/// Splits a message.
///
/// # Errors
/// As [`Body::new`].
pub fn open(agent: &'static Agent, native: &Native) -> Result<Body, ParseError> {
    Body::new(agent, native, EVENT)
}

/// Finishes an event with the fields that every message has: session, working directory, mode.
///
/// # Errors
/// One of them is not a text, or ambiguous.
pub fn finish(
    mut body: Body,
    native: &Native,
    row: &'static EventRow,
    detail: Detail,
) -> Result<HookEvent, ParseError> {
    let session = body.maybe("session_id")?;
    let cwd = body.maybe("cwd")?.filter(|cwd| !cwd.is_empty());
    let mode = body.maybe("permission_mode")?;
    let mut event = body.event_of(native, row, "", detail);
    event.session = session;
    event.cwd = cwd;
    event.mode = mode;
    Ok(event)
}

/// The tool call of a message.
///
/// # Errors
/// Name or arguments are missing, or do not fit the tool's row.
pub fn call(body: &mut Body) -> Result<ToolCall, ParseError> {
    let mut call = body.tool_call("tool_name", "tool_input")?;
    call.id = body.maybe("tool_use_id")?;
    Ok(call)
}

/// A tool call and its result, `null` included; where the tool's row does not say where its text
/// stands, the first text of an MCP content array is taken.
///
/// # Errors
/// As [`call`], or there is no result.
pub fn done(body: &mut Body, key: &str) -> Result<Detail, ParseError> {
    let call = call(body)?;
    let result = match body.raw(key)? {
        None if body.object().has(key) => ToolResult::new(Raw::document("null")),
        None => return Err(body.fault(key, Problem::Missing)),
        Some(_) => body.tool_result(&call, key)?,
    };
    let content = || ["/0/text", "/content/0/text"].iter().find_map(|at| result.raw.at(at));
    let text = result.text.clone().or_else(content);
    let result = result.text(text);
    Ok(Detail::ToolDone { call, result })
}

/// What the user said; required.
///
/// # Errors
/// It is missing or not a text.
pub fn prompt(body: &mut Body) -> Result<Detail, ParseError> {
    let text = body.prose("prompt")?.ok_or_else(|| body.fault("prompt", Problem::Missing))?;
    Ok(Detail::Prompt { text })
}

/// The end of a turn; whether the agent already went on is required.
///
/// # Errors
/// `stop_hook_active` is missing or not a truth value.
pub fn turn_end(body: &Body) -> Result<Detail, ParseError> {
    let again = body.bool("stop_hook_active")?.ok_or_else(|| body.fault("stop_hook_active", Problem::Missing))?;
    Ok(Detail::TurnEnd { again })
}

/// Whether a tool's name is that of an MCP tool in this family.
pub fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp__")
}

//! The wire form that Claude Code introduced: one JSON object on stdin with `hook_event_name`, and a reply in the exit
//! code or as one JSON object on stdout.
//!
//! The agents of this family share the shape of a message and little else. Each agent names the functions that apply to
//! it, and implements the differences.

#[cfg(test)]
pub(crate) mod fixtures;
mod reply;

pub use reply::ReplyBuilder;

use crate::Raw;
use crate::model::{Detail, ToolResult};
use crate::protocol::{Body, ForeignField, ParseError, Problem};

/// The key of the event's name.
pub const EVENT: &str = "hook_event_name";

/// The keys by which messages of other agents are recognised; an agent's own keys are ignored. Claude Code also sends a
/// `turn_id` with `MessageDisplay`.
pub static FOREIGN_FIELDS: &[ForeignField] = &[
    ForeignField::new("claude-code", "prompt_id"),
    ForeignField::new("claude-code", "mcp_server"),
    ForeignField::new("codex", "turn_id").on(&[
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
    ForeignField::new("picoclaw", "jsonrpc"),
    ForeignField::new("hygge", "hook_name"),
    ForeignField::new("docker-agent", "agent_name"),
    ForeignField::new("docker-agent", "safety_policy"),
    ForeignField::new("qwen-code", "tool_call_id"),
    ForeignField::new("copilot", "sessionId"),
    ForeignField::new("copilot", "tool_result"),
    ForeignField::new("cursor", "cursor_version"),
    ForeignField::new("windsurf", "agent_action_name"),
    ForeignField::new("cline", "clineVersion"),
    ForeignField::new("kimi", "client_type"),
    ForeignField::new("openhands", "event_type"),
];

/// Reads a tool call and its result, which may be `null`. If the tool's row does not name the text of the result, the
/// text is the first one of an MCP content array.
///
/// # Errors
/// Those of [`Body::call`], or the result is missing.
pub fn done(body: &mut Body, key: &str) -> Result<Detail, ParseError> {
    let call = body.call()?;
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

/// Reads the required prompt of the user.
///
/// # Errors
/// The prompt is missing or not a string.
pub fn prompt(body: &mut Body) -> Result<Detail, ParseError> {
    let text = body.prose("prompt")?.ok_or_else(|| body.fault("prompt", Problem::Missing))?;
    Ok(Detail::Prompt { text })
}

/// Reads the end of a turn with the required flag that a hook already made the agent continue.
///
/// # Errors
/// `stop_hook_active` is missing or not a boolean.
pub fn turn_end(body: &Body) -> Result<Detail, ParseError> {
    let again = body.bool("stop_hook_active")?.ok_or_else(|| body.fault("stop_hook_active", Problem::Missing))?;
    Ok(Detail::TurnEnd { again })
}

/// Returns true if a tool name is that of an MCP tool in this family.
pub fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp__")
}

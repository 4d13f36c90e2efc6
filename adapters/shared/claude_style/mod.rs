//! The wire form that Claude Code introduced: one JSON object on stdin with `hook_event_name`, and a reply in the exit
//! code or as one JSON object on stdout.
//!
//! The agents of this family share the shape of a message and little else. Each agent names the functions that apply to
//! it, and implements the differences.

#[cfg(test)]
pub(crate) mod fixtures;
mod reply;
mod writers;

pub use reply::ReplyBuilder;
pub use writers::{
    additions, block, by_exit, by_exit_only, permission, permission_decision, post_tool, pre_tool, rejects_input,
    rejects_merged_input, silent,
};

use crate::protocol::{EntryForm, Field, ForeignField};

/// The key of the event's name.
pub const EVENT: &str = "hook_event_name";

/// The form of an entry: a matcher, and one command with a time limit in seconds.
pub const ENTRY: EntryForm = &[
    ("matcher", Field::Matcher),
    (
        "hooks",
        Field::List(&[("type", Field::Text("command")), ("command", Field::ShellText), ("timeout", Field::Seconds)]),
    ),
];

/// The same form, with the time limit in milliseconds.
pub const ENTRY_MS: EntryForm = &[
    ("matcher", Field::Matcher),
    (
        "hooks",
        Field::List(&[
            ("type", Field::Text("command")),
            ("command", Field::ShellText),
            ("timeout", Field::Milliseconds),
        ]),
    ),
];

/// The keys by which messages of other agents are recognised; an agent's own keys are ignored. Claude Code also sends a
/// `turn_id` with `MessageDisplay`.
pub static FOREIGN_FIELDS: &[ForeignField] = &[
    ForeignField::new("claude-code", "prompt_id").also(&["kimi", "qwen-code"]),
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
    ForeignField::new("docker-agent", "agent_name").also(&["kimi"]),
    ForeignField::new("docker-agent", "safety_policy"),
    ForeignField::new("qwen-code", "tool_call_id").also(&["kimi", "mistral-vibe"]),
    ForeignField::new("copilot", "sessionId"),
    ForeignField::new("copilot", "tool_result"),
    ForeignField::new("copilot", "timestamp").without("transcript_path"),
    ForeignField::new("cursor", "cursor_version"),
    ForeignField::new("windsurf", "agent_action_name"),
    ForeignField::new("cline", "clineVersion"),
    ForeignField::new("kimi", "client_type"),
    ForeignField::new("openhands", "event_type"),
];

/// Returns true if a tool name is that of an MCP tool in this family.
pub fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp__")
}

#![doc = include_str!("docs.md")]

mod register;

use crate::prelude::ActionKind::{Edit, Mcp, Read, Shell};
use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of Windsurf's agent Cascade, up to version 3.9.18.
pub static WINDSURF: &Agent = &Agent::new("windsurf", "Windsurf")
    .event_at("/agent_action_name")
    .fields(FIELDS)
    .hosts(&[Host::new("3.9.18", "1.12.31 to 3.9.18").between("1.12.31", "3.9.19").gates(&[
        ("pre_run_command", Role::Alone),
        ("pre_read_code", Role::Alone),
        ("pre_write_code", Role::Alone),
        ("pre_mcp_tool_use", Role::Alone),
    ])])
    .events(EVENTS)
    .tools(TOOLS)
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_info")
    .session("trajectory_id")
    .call_id("execution_id")
    .prompt("user_prompt")
    .within("tool_info");

static EVENTS: &[EventRow] = &[
    gate("pre_run_command", K::PreTool).of_tool("run_command"),
    gate("pre_read_code", K::PreTool).of_tool("read_code"),
    gate("pre_write_code", K::PreTool).of_tool("write_code"),
    gate("pre_mcp_tool_use", K::PreTool).of_tool("mcp_tool_use"),
    gate("pre_user_prompt", K::Prompt),
    row("post_run_command", K::Observed),
    row("post_read_code", K::Observed),
    row("post_write_code", K::Observed),
    row("post_mcp_tool_use", K::Observed),
    row("post_cascade_response", K::Observed),
    row("post_cascade_response_with_transcript", K::Observed),
    row("post_setup_worktree", K::Setup),
];

static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_command", &[Shell.on(Slot::key(&["command_line"])).with("cwd")]),
    ToolRow::new("read_code", &[Read.on(Slot::key(&["file_path"]))]),
    ToolRow::new("write_code", &[Edit.on(Slot::key(&["file_path"]))])
        .sample(r#"{"file_path":"","edits":[{"old_string":"old","new_string":"new"}]}"#),
    ToolRow::new("mcp_tool_use", &[Mcp.on(Slot::key(&["mcp_server_name"])).with("mcp_tool_name")])
        .sample(r#"{"mcp_tool_name":"","mcp_tool_arguments":{}}"#),
];

const fn gate(native: &'static str, kind: K) -> EventRow {
    row(native, kind).gate().can_do(&[P::Deny]).timeout_ms(60_000).known_limits(&[FAILS_OPEN])
}

const fn row(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, claude_style::by_exit_only).hosts(&["3.9.18"])
}

const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that crashes does not block, and it is not known what happens if it takes too long; no setting changes this.",
);

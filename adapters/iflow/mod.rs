#![doc = include_str!("docs.md")]

mod register;

use crate::prelude::ActionKind::{Edit, Fetch, List, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of iFlow CLI.
pub static IFLOW: &Agent = &Agent::new("iflow", "iFlow CLI")
    .aliases(&["iflow-cli"])
    .fields(Fields::new("tool_name", "tool_input").session("session_id").cwd("cwd"))
    .hosts(&[Host::new("2026-03", "the documentation of March 2026").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(TOOLS)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    gate("PreToolUse", K::PreTool),
    gate("UserPromptSubmit", K::Prompt),
    row("PostToolUse", K::PostTool),
    row("SetUpEnvironment", K::Setup),
    row("Stop", K::Observed),
    row("SubagentStop", K::Observed),
    row("SessionStart", K::SessionStart),
    row("SessionEnd", K::SessionEnd),
    row("Notification", K::Notification),
];

static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_shell_command", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("write_file", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("replace", &[Edit.on(PATH)]).sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("multi_edit", &[Edit.on(PATH)]),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]),
    ToolRow::new("search_file_content", &[Search.on(HERE)]),
    ToolRow::new("list_directory", &[List.on(HERE)]),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::any(&["url", "prompt"]))]),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]).absent(Absent::As("")))]),
    ToolRow::new("task", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))]),
];

const PATH: Slot = Slot::any(&["file_path", "absolute_path"]);
/// An absent path means the folder of the session.
const HERE: Slot = Slot::any(&["path", "dir_path"]).absent(Absent::As("."));

const fn gate(native: &'static str, kind: K) -> EventRow {
    row(native, kind).gate().can_do(&[P::Deny]).fails_closed().known_limits(&[TIMEOUT])
}

const fn row(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, claude_style::by_exit_only).hosts(&["2026-03"]).timeout_ms(60_000)
}

const TIMEOUT: KnownLimit = KnownLimit::new("It is not known what happens if a hook takes too long.");

#![doc = include_str!("docs.md")]

mod register;
mod reply;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of Goose.
pub static GOOSE: &Agent = &Agent::new("goose", "Goose")
    .event_at("/event")
    .fields(FIELDS)
    .hosts(&[Host::new("1.38", "v1.34 to v1.38, from the source").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "", between: "__" })
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input")
    .call_id("tool_call_id")
    .session("session_id")
    .cwd("working_dir")
    .omits_empty_input()
    .prompt("message");

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool).gate().can_do(&[P::Deny]).known_limits(&[FAILS_OPEN]),
    row("Stop", K::TurnEnd).can_do(&[P::KeepGoing]),
    row("UserPromptSubmit", K::Prompt),
    row("SessionStart", K::SessionStart),
    row("SessionEnd", K::SessionEnd),
    row("PreToolUseResult", K::Observed),
    row("PostToolUse", K::Observed),
    row("PostToolUseFailure", K::Observed),
    row("BeforeReadFile", K::Observed),
    row("AfterFileEdit", K::Observed),
    row("BeforeShellExecution", K::Observed),
    row("AfterShellExecution", K::Observed),
];

const fn row(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, reply::reply).hosts(&["1.38"]).timeout_ms(30_000)
}

const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that is killed, times out or fails does not block, unless its entry sets on_failure to \"block\".",
);

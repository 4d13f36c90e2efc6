#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::ReplyWriter;
use claude_style::{by_exit, silent};

/// The adapter of OpenHands.
pub static OPENHANDS: &Agent = &Agent::new("openhands", "OpenHands")
    .event_at("/event_type")
    .fields(
        Fields::new("tool_name", "tool_input")
            .session("session_id")
            .cwd("working_dir")
            .result_text("/content")
            .prompt("message"),
    )
    .hosts(&[Host::new("1.16.0", "CLI 1.16.0 with SDK 1.21.0, `--headless`").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, by_exit, &[P::Deny]).gate().known_limits(&[FAILS_OPEN, SUB_AGENTS]),
    row("UserPromptSubmit", K::Prompt, prompt, &[P::Deny, P::Context]).gate().known_limits(&[FAILS_OPEN]),
    row("Stop", K::TurnEnd, by_exit, &[P::KeepGoing]),
    row("PostToolUse", K::PostTool, silent, &[]),
    row("SessionStart", K::SessionStart, silent, &[]),
    row("SessionEnd", K::SessionEnd, silent, &[]),
];

const fn row(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["1.16.0"]).timeout_ms(60_000)
}

fn prompt(_: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => JsonBuilder::new().maybe("additionalContext", fitted.context()).reply(),
    }
}

const SUB_AGENTS: KnownLimit =
    KnownLimit::new("The tool calls of sub-agents, which `task` starts, reach no hook: decide about that call itself.");
const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or is missing does not block; no setting changes this.");

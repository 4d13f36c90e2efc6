#![doc = include_str!("docs.md")]

mod register;
mod reply;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::ReplyWriter;
use crate::shared::result_text::{rejects_result, withheld_result};

/// The adapter of Qwen Code.
pub static QWEN_CODE: &Agent = &Agent::new("qwen-code", "Qwen Code")
    .aliases(&["qwen"])
    .fields(Fields::CLAUDE.result_text("/llmContent"))
    .hosts(&[Host::new("0.24.4", "0.24.4, driven without a terminal")
        .gates(&[("PreToolUse", Role::Alone), ("PermissionRequest", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, reply::pre_tool, &[P::Deny, P::Ask]).gate().known_limits(&[FAILS_OPEN, OTHERS_ASK]),
    row("PermissionRequest", K::Permission, claude_style::permission, &[P::Allow, P::SilenceAsks, P::Deny, P::Abort])
        .gate()
        .known_limits(&[FAILS_OPEN]),
    row("PostToolUse", K::PostTool, reply::post_tool, &[P::Change(Target::Result), P::ContextWithoutChange])
        .rejects(rejects_result)
        .withheld_result(withheld_result),
    row("PostToolUseFailure", K::PostTool, claude_style::additions, &[P::Context]).error("error"),
    row("UserPromptSubmit", K::Prompt, claude_style::block, &[P::Deny, P::Context]).gate().known_limits(&[FAILS_OPEN]),
    row("UserPromptExpansion", K::Prompt, claude_style::block, &[P::Deny, P::Context])
        .gate()
        .known_limits(&[FAILS_OPEN]),
    row("SessionStart", K::SessionStart, claude_style::additions, &[P::Context]),
    row("Stop", K::TurnEnd, claude_style::block, &[P::KeepGoing]),
    row("SubagentStop", K::SubagentEnd, claude_style::block, &[P::KeepGoing]),
    row("SubagentStart", K::SubagentStart, claude_style::additions, &[P::Context]),
    row("PreCompact", K::PreCompact, claude_style::additions, &[P::Context]),
    row("PostToolBatch", K::Observed, claude_style::additions, &[P::Context]),
    row("TodoCreated", K::Observed, claude_style::block, &[P::Deny]).known_limits(&[WRITTEN]),
    row("TodoCompleted", K::Observed, claude_style::block, &[P::Deny]).known_limits(&[WRITTEN]),
    observed("SessionEnd", K::SessionEnd),
    observed("SessionDelete", K::SessionEnd),
    observed("PermissionDenied", K::Observed),
    observed("StopFailure", K::Error),
    observed("PostCompact", K::PostCompact),
    observed("Notification", K::Notification),
    observed("InstructionsLoaded", K::Observed),
    observed("MessageDisplay", K::Observed),
];

const fn row(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["0.24.4"]).timeout_ms(60_000)
}

const fn observed(native: &'static str, kind: K) -> EventRow {
    row(native, kind, claude_style::silent, &[])
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or is missing does not block; no setting changes this.");
const OTHERS_ASK: KnownLimit = KnownLimit::new(
    "If a hook of another program that is listed later asks about the same call, a denial becomes a question.",
);
const WRITTEN: KnownLimit =
    KnownLimit::new("A denial has no effect in the phase `postWrite`, after the list was written.");

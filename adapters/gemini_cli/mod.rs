#![doc = include_str!("docs.md")]

mod register;
mod reply;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::result_text::{rejects_result, withheld_result};

/// The adapter of Gemini CLI.
pub static GEMINI_CLI: &Agent = &Agent::new("gemini-cli", "Gemini CLI")
    .aliases(&["gemini"])
    .fields(FIELDS)
    .hosts(&[Host::new("0.61.0", "0.61.0").gates(&[("BeforeTool", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("bash")).hides().shows())
    .mcp(McpNames::Joined { prefix: "mcp_" })
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input")
    .session("session_id")
    .cwd("cwd")
    .result("tool_response")
    .result_members("llmContent", "error")
    .prompt("prompt");

static EVENTS: &[EventRow] = &[
    row("BeforeTool", K::PreTool, &[P::Deny, P::Abort, P::Change(Target::Input)]).gate().known_limits(&[FAILS_OPEN]),
    row("AfterTool", K::PostTool, &[P::Change(Target::Result), P::Context, P::Abort])
        .rejects(rejects_result)
        .withheld_result(withheld_result),
    row("BeforeAgent", K::Prompt, &[P::Deny, P::Abort, P::Context]).gate().known_limits(&[FAILS_OPEN]),
    row("AfterAgent", K::TurnEnd, &[P::KeepGoing, P::Abort]),
    row("SessionStart", K::SessionStart, &[P::Context]),
    row("BeforeModel", K::PreModel, &[P::Deny, P::Abort]).gate().known_limits(&[FAILS_OPEN]),
    row("AfterModel", K::PostModel, &[]),
    row("BeforeToolSelection", K::Observed, &[]),
    row("SessionEnd", K::SessionEnd, &[]),
    row("PreCompress", K::PreCompact, &[]),
    row("Notification", K::Notification, &[]),
];

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply::reply).can_do(powers).hosts(&["0.61.0"]).timeout_ms(60_000)
}

const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that is killed, times out or fails without a text does not block; no setting changes this.",
);

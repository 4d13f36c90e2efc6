#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::ReplyWriter;
use claude_style::{additions, block, by_exit, silent};

/// The adapter of Factory Droid.
pub static DROID: &Agent = &Agent::new("droid", "Factory Droid")
    .aliases(&["factory", "factory-droid"])
    .hosts(&[Host::new("0.225.2", "0.225.2, `droid exec`").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("bash")).hides().shows())
    .mcp(McpNames::Split { prefix: "", between: "___" })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, by_exit, &[P::Deny, P::Abort, P::Change(Target::Input)])
        .gate()
        .rejects(claude_style::rejects_merged_input)
        .known_limits(&[FAILS_OPEN, FIRST_REWRITE]),
    row("PostToolUse", K::PostTool, block, &[P::Context, P::Abort, P::Notice]).known_limits(&[FAILED_TOOL]),
    row("UserPromptSubmit", K::Prompt, by_exit, &[P::Deny, P::Change(Target::Prompt), P::Context])
        .gate()
        .known_limits(&[FAILS_OPEN, NO_PROMPT]),
    row("Stop", K::TurnEnd, block, &[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock]),
    row("PreCompact", K::PreCompact, by_exit, &[P::Deny]).gate().known_limits(&[FAILS_OPEN]),
    row("SessionStart", K::SessionStart, additions, &[P::Context]),
    row("SubagentStop", K::SubagentEnd, silent, &[]),
    row("SessionEnd", K::SessionEnd, silent, &[]),
    row("Notification", K::Notification, silent, &[]),
];

const fn row(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["0.225.2"]).timeout_ms(60_000)
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or is missing does not block; no setting changes this.");
const FIRST_REWRITE: KnownLimit = KnownLimit::new(
    "If a hook of another program approves the call with new arguments, or is listed before and changes them, its arguments are used.",
);
const FAILED_TOOL: KnownLimit = KnownLimit::new("The event does not follow a tool that failed.");
const NO_PROMPT: KnownLimit = KnownLimit::new("`droid exec` calls this event for the prompts of sub-agents only.");

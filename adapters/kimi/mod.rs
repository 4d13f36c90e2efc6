#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::ReplyWriter;
use claude_style::{by_exit, silent};

/// The adapter of Kimi Code.
pub static KIMI: &Agent = &Agent::new("kimi", "Kimi Code")
    .aliases(&["kimi-cli", "kimi-code"])
    .fields(
        Fields::new("tool_name", "tool_input")
            .call_id("tool_call_id")
            .session("session_id")
            .cwd("cwd")
            .result("tool_output")
            .prompt_parts()
            .again("stop_hook_active"),
    )
    .hosts(&[Host::new("2.1.0", "2.1.0, driven with `-p`").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, by_exit, &[P::Deny]).gate().known_limits(&[FAILS_OPEN]),
    row("UserPromptSubmit", K::Prompt, prompt, &[P::Deny, P::Context]).gate().known_limits(&[FAILS_OPEN]),
    row("Stop", K::TurnEnd, by_exit, &[P::KeepGoing]).known_limits(&[ONCE]),
    observed("PostToolUse", K::PostTool),
    observed("PostToolUseFailure", K::PostTool).error("error"),
    observed("SessionStart", K::SessionStart),
    observed("SessionEnd", K::SessionEnd),
    observed("SubagentStart", K::SubagentStart),
    observed("SubagentStop", K::Observed),
    observed("StopFailure", K::Error),
    observed("PreCompact", K::PreCompact),
    observed("PostCompact", K::PostCompact),
    observed("Notification", K::Notification),
    observed("PermissionRequest", K::Observed),
    observed("PermissionResult", K::Observed),
    observed("UserPromptQueued", K::Observed),
    observed("TurnStarted", K::Observed),
    observed("Interrupt", K::Observed),
    observed("SessionHeartbeat", K::Observed),
    observed("TaskStarted", K::Observed),
];

const fn row(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["2.1.0"]).timeout_ms(30_000)
}

const fn observed(native: &'static str, kind: K) -> EventRow {
    row(native, kind, silent, &[])
}

/// Everything on stdout goes to the model; of an object with this member, only its text.
fn prompt(_: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => JsonBuilder::new().maybe("message", fitted.context()).reply(),
    }
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or is missing does not block; no setting changes this.");
const ONCE: KnownLimit = KnownLimit::new("A hook can make the agent go on once per turn.");

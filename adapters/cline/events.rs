//! The events of Cline, with the powers of a reply and the limits: those of the CLI and the SDK, then the extension's.

use super::reply::{rejects_input, reply};
use crate::prelude::{EventKind as K, Power as P, *};

pub(super) static EVENTS: &[EventRow] = &[
    cli("tool_call", PRE, K::PreTool)
        .gate()
        .can_do(&[P::Abort, P::Change(Target::Input), P::Context])
        .rejects(rejects_input)
        .timeout_ms(120_000)
        .known_limits(&[FAILS_OPEN]),
    cli("tool_result", "PostToolUse", K::PostTool).can_do(&[P::Abort, P::Context]).timeout_ms(120_000),
    cli("prompt_submit", "UserPromptSubmit", K::Observed),
    cli("agent_start", "TaskStart", K::SessionStart),
    cli("agent_resume", "TaskResume", K::SessionStart),
    cli("agent_end", "TaskComplete", K::Observed),
    cli("agent_abort", "TaskCancel", K::Observed),
    cli("agent_error", "TaskError", K::Error),
    cli("session_shutdown", "SessionShutdown", K::SessionEnd),
    cli("pre_compact", "PreCompact", K::PreCompact),
    extension(PRE, K::PreTool).gate().can_do(&[P::Abort, P::Context]).known_limits(&[FAILS_OPEN]),
    extension("PostToolUse", K::PostTool).can_do(&[P::Abort, P::Context]),
    extension("UserPromptSubmit", K::Prompt).gate().can_do(&[P::Abort, P::Context]).known_limits(&[FAILS_OPEN]),
    extension("TaskStart", K::SessionStart).can_do(&[P::Abort, P::Context]),
    extension("TaskResume", K::SessionStart),
    extension("TaskComplete", K::Observed),
    extension("TaskCancel", K::Observed),
    extension("PreCompact", K::PreCompact),
    extension("Notification", K::Notification),
];

/// An unlisted event with a tool call.
pub(super) static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown event with a tool call", K::PreTool, reply).gate().can_do(&[P::Abort]);
/// Any other unlisted event.
pub(super) static UNKNOWN: EventRow = EventRow::new("an unknown event", K::Observed, reply);

const PRE: &str = "PreToolUse";
const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or prints no answer does not block; no setting changes this.");

/// An event of the CLI and the SDK, and the name of its hook file.
const fn cli(native: &'static str, file: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, reply).subscribed_as(file).hosts(&["cli"])
}

const fn extension(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, reply).hosts(&["extension"]).timeout_ms(30_000)
}

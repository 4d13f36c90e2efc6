//! The events of Hermes Agent, with the powers of a reply and the limits.

use super::reply::reply;
use crate::prelude::{EventKind as K, Power as P, *};

pub(super) static EVENTS: &[EventRow] = &[
    row("pre_tool_call", K::PreTool).gate().can_do(&[P::Deny]).known_limits(&[
        KnownLimit::new(
            "A hook that is killed, times out or prints no answer does not block; no setting changes this.",
        ),
        KnownLimit::new(
            "If a plug-in asks about the same call, a denial has no effect: the call runs if the person approves it, and always with `-z` or `--yolo`.",
        ),
        KnownLimit::new(
            "A call with a lone surrogate in any argument runs without a hook, because Hermes cannot write its message.",
        ),
        KnownLimit::new("Code of `execute_code` runs without a hook, except where it calls tools of Hermes."),
        KnownLimit::new(
            "Hermes skips a hook silently until it is approved, and with `--safe-mode`; a run without a terminal goes on without it.",
        ),
        KnownLimit::new(
            "After a command has changed the folder of the shell, relative paths are judged as if it had not: no message names that folder.",
        ),
    ]),
    row("post_tool_call", K::PostTool),
    row("pre_llm_call", K::Prompt).can_do(&[P::Context]),
    row("pre_verify", K::TurnEnd).can_do(&[P::KeepGoing]),
    row("on_session_start", K::SessionStart),
    row("on_session_end", K::SessionEnd),
    row("on_session_finalize", K::SessionEnd),
    row("on_session_reset", K::Observed),
    row("subagent_start", K::SubagentStart),
    row("subagent_stop", K::Observed),
    row("pre_api_request", K::Observed),
    row("post_api_request", K::Observed),
    row("api_request_error", K::Error),
    row("post_llm_call", K::Observed),
    row("transform_terminal_output", K::Observed),
    row("transform_tool_result", K::Observed),
    row("transform_llm_output", K::Observed),
    row("pre_gateway_dispatch", K::Observed),
    row("pre_approval_request", K::Observed),
    row("post_approval_response", K::Observed),
    row("kanban_task_claimed", K::Observed),
    row("kanban_task_completed", K::Observed),
    row("kanban_task_blocked", K::Observed),
];

pub(super) static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown event with a tool call", K::PreTool, reply).gate().can_do(&[P::Deny]);
pub(super) static UNKNOWN: EventRow = EventRow::new("an unknown event", K::Observed, reply);

const fn row(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, reply).hosts(&["0.19.0"]).timeout_ms(60_000)
}

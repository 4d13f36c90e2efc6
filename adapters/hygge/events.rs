//! The events of hygge, with the powers of a reply and the limits.

use super::reply::reply;
use crate::prelude::{EventKind as K, Power as P, *};

pub(super) static EVENTS: &[EventRow] = &[
    row("pre_tool", K::PreTool, &[P::Deny, P::Change(Target::Input)]).gate().fails_closed().known_limits(&[SUBAGENTS]),
    row("post_tool", K::PostTool, &[P::Change(Target::Result)]).known_limits(&[SUBAGENTS]),
    row("pre_message", K::Prompt, &[P::Deny, P::Change(Target::Prompt), P::Context])
        .gate()
        .fails_closed()
        .repeats_session_context(),
    row("pre_message", K::Prompt, &[P::Context])
        .case_without("mode_switch", "message")
        .hosts(&["0.17.5-mode"])
        .known_limits(&[MODE_SWITCH]),
    row("post_message", K::Observed, &[]),
];

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["0.17.5"]).timeout_ms(5000)
}

const SUBAGENTS: KnownLimit = KnownLimit::new(
    "Sub-agents that the `subagent` tool starts run without hooks: decide about the `subagent` call itself.",
);
const MODE_SWITCH: KnownLimit =
    KnownLimit::new("A switch of the mode cannot be denied, and a message without text looks the same as a switch.");

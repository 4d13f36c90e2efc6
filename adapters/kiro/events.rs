//! The events of Kiro, by the two spellings of its hook files.

use super::reply::{block, context};
use crate::prelude::{EventKind as K, Power as P, *};

pub(super) static EVENTS: &[EventRow] = &[
    v1("PreToolUse", K::PreTool).can_do(&[P::Deny]).gate().known_limits(&[FAILS_OPEN]),
    text(&v1("UserPromptSubmit", K::Prompt)),
    text(&v1("SessionStart", K::SessionStart)),
    v1("PostToolUse", K::Observed),
    v1("Stop", K::TurnEnd),
    v1("PreTaskExec", K::Observed),
    v1("PostTaskExec", K::Observed),
    cli("preToolUse", K::PreTool).can_do(&[P::Deny]).gate().known_limits(&[FAILS_OPEN]),
    text(&cli("userPromptSubmit", K::Prompt)),
    text(&cli("agentSpawn", K::SessionStart)),
    cli("postToolUse", K::PostTool),
    cli("stop", K::TurnEnd),
];

const fn v1(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, block).hosts(&["v1"]).timeout_ms(60_000)
}

const fn cli(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, block).hosts(&["cli"]).timeout_ms(30_000)
}

/// The reply is text for the model.
const fn text(row: &EventRow) -> EventRow {
    EventRow { reply: context, ..*row }.can_do(&[P::Context]).plain_text()
}

const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that exceeds its time limit, or fails with another exit code than 2, does not block; no setting changes this.",
);

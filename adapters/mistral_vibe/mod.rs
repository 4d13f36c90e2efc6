#![doc = include_str!("docs.md")]

mod register;
mod reply;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::result_text::{rejects_result, withheld_result};
use reply::reply;

/// The adapter of Mistral Vibe.
pub static MISTRAL_VIBE: &Agent = &Agent::new("mistral-vibe", "Mistral Vibe")
    .aliases(&["vibe"])
    .fields(
        Fields::new("tool_name", "tool_input")
            .call_id("tool_call_id")
            .session("session_id")
            .cwd("cwd")
            .result("tool_output_text"),
    )
    .hosts(&[Host::new("3.0.2", "3.0.2, driven with `-p`").gates(&[("pre_tool", Role::Alone)])])
    .events(EVENTS)
    .unknown(&UNKNOWN_CALL, &UNKNOWN)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::First(&["zsh", "bash", "sh"])).shows())
    .mcp(McpNames::Split { prefix: "mcp_", between: "." })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .emergency(|_, reason| reply::denied(reason).reply())
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[
    row("pre_tool", K::PreTool, &[P::Deny, P::Change(Target::Input), P::Notice])
        .gate()
        .rejects(claude_style::rejects_input)
        .known_limits(&[FAILS_OPEN, NO_REASON]),
    row("post_tool", K::PostTool, &[P::Change(Target::Result), P::Context, P::Notice])
        .rejects(rejects_result)
        .withheld_result(withheld_result),
    row("post_agent", K::TurnEnd, &[P::KeepGoing, P::Notice, P::NoticeOnBlock]).known_limits(&[ROUNDS]),
];
static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown event with a tool call", K::PreTool, reply).gate().can_do(&[P::Deny]);
static UNKNOWN: EventRow = EventRow::new("an unknown event", K::Observed, reply);

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["3.0.2"]).timeout_ms(60_000)
}

pub(super) const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that is killed, times out, fails or prints something else than one object does not block, unless its entry has `strict`.",
);
const NO_REASON: KnownLimit = KnownLimit::new(
    "If the code of `run_typescript` makes a call that is denied, the model is told that it was skipped, but not why.",
);
const ROUNDS: KnownLimit = KnownLimit::new("After three rounds the agent ends its turn regardless of the hook.");

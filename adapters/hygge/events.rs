//! The events of hygge, with the powers and the effects of a reply.

use super::reply;
use crate::model::{Change, EventKind, HookEvent, Target};
use crate::protocol::{EventRow, KnownLimit, Power};

pub(super) const HOST: &str = "0.17.5";
/// The same program when `pre_message` fires for a switch of the mode.
pub(super) const MODE_HOST: &str = "0.17.5-mode";
pub(super) const MODE_SWITCH: &str = "mode_switch";

pub(super) static EVENTS: &[EventRow] = &[
    EventRow::new("pre_tool", EventKind::PreTool, reply)
        .gate()
        .can_do(&[Power::Deny, Power::Change(Target::Input)])
        .hosts(&[HOST])
        .fails_closed()
        .timeout_ms(TIMEOUT_MS)
        .known_limits(&[SUBAGENTS]),
    EventRow::new("post_tool", EventKind::PostTool, reply)
        .can_do(&[Power::Change(Target::Result)])
        .hosts(&[HOST])
        .timeout_ms(TIMEOUT_MS)
        .rejects(rejects_result)
        .known_limits(&[SUBAGENTS]),
    EventRow::new("pre_message", EventKind::Prompt, reply)
        .gate()
        .can_do(&[Power::Deny, Power::Change(Target::Prompt), Power::Context])
        .hosts(&[HOST])
        .fails_closed()
        .timeout_ms(TIMEOUT_MS)
        .rejects(rejects_prompt),
    EventRow::new("pre_message", EventKind::Prompt, reply)
        .case(MODE_SWITCH)
        .can_do(&[Power::Context])
        .hosts(&[MODE_HOST])
        .timeout_ms(TIMEOUT_MS)
        .known_limits(&[KnownLimit::new(
            "A switch of the mode cannot be denied, and a message without text looks the same as a switch.",
        )]),
    EventRow::new("post_message", EventKind::Observed, reply).hosts(&[HOST]).timeout_ms(TIMEOUT_MS),
];

const TIMEOUT_MS: u64 = 5000;
const SUBAGENTS: KnownLimit = KnownLimit::new(
    "Sub-agents that the `subagent` tool starts run without hooks: decide about the `subagent` call itself.",
);

/// A result of another form makes the whole reply unreadable, which counts as no reply.
fn rejects_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let object = change.value.object().ok();
    let content = object.as_ref().and_then(|object| object.last("content"));
    let is_error = object.as_ref().and_then(|object| object.last("is_error"));
    match (content.and_then(|content| content.text()), is_error) {
        (Some(_), None) => None,
        (Some(_), Some(flag)) if flag.bool().is_some() => None,
        _ => Some("hygge expects a result with the string `content` and an optional boolean `is_error`"),
    }
}

fn rejects_prompt(_: &HookEvent, change: &Change) -> Option<&'static str> {
    match change.value.text() {
        Some(text) if !text.value.is_empty() => None,
        Some(_) => Some("hygge treats an empty message as unchanged"),
        None => Some("hygge expects a string as the message"),
    }
}

//! What happens at hygge, and what an answer can do there.

use super::reply;
use crate::host::{Carry, Does, Effect, Exit, Mark, Rider, Want};
use crate::model::{Change, EventKind, HookEvent, Target};
use crate::protocol::{EventRow, Fails, Power};

pub(super) const HOST: &str = "0.17.5";
/// The same program when `pre_message` fires for a switch of the mode.
pub(super) const MODE_HOST: &str = "0.17.5-mode";
pub(super) const MODE_SWITCH: &str = "mode_switch";

pub(super) static EVENTS: &[EventRow] = &[
    EventRow::new("pre_tool", EventKind::PreTool, reply)
        .gate()
        .can_do(&[Power::Deny, Power::Change(Target::Input)])
        .hosts(&[HOST])
        .fails(Fails::Closed)
        .timeout_ms(TIMEOUT_MS)
        .open(&[SUBAGENTS])
        .effects(
            GATE,
            &[
                Carry::new("/modified_tool_input", Rider::Change(Target::Input)).with(Exit::Zero).only(MODIFY),
                STDERR,
                REASON,
            ],
        ),
    EventRow::new("post_tool", EventKind::PostTool, reply)
        .can_do(&[Power::Change(Target::Result)])
        .hosts(&[HOST])
        .timeout_ms(TIMEOUT_MS)
        .drops(drops_result)
        .open(&[SUBAGENTS])
        .effects(
            IGNORED,
            &[Carry::new("/modified_tool_result", Rider::Change(Target::Result)).with(Exit::Zero).only(MODIFY_RESULT)],
        ),
    EventRow::new("pre_message", EventKind::Prompt, reply)
        .gate()
        .can_do(&[Power::Deny, Power::Change(Target::Prompt), Power::Context])
        .hosts(&[HOST])
        .fails(Fails::Closed)
        .timeout_ms(TIMEOUT_MS)
        .drops(drops_prompt)
        .effects(
            GATE,
            &[
                Carry::new("/modified_message", Rider::Change(Target::Prompt)).with(Exit::Zero).only(MODIFY_MESSAGE),
                APPEND,
                STDERR,
                REASON,
            ],
        ),
    EventRow::new("pre_message", EventKind::Prompt, reply)
        .case(MODE_SWITCH)
        .can_do(&[Power::Context])
        .hosts(&[MODE_HOST])
        .timeout_ms(TIMEOUT_MS)
        .open(&["The switch of a mode cannot be refused, and a message without any text looks the same."])
        .effects(&[Effect::otherwise(Does::Flow, Mark::Src)], &[APPEND]),
    EventRow::new("post_message", EventKind::Observed, reply)
        .hosts(&[HOST])
        .timeout_ms(TIMEOUT_MS)
        .effects(&[Effect::otherwise(Does::Flow, Mark::Run)], &[]),
];

/// An event of a later version with a tool call in it. Any exit but 0 is a deny on every event that
/// can deny.
pub(super) static STRAY_CALL: EventRow = EventRow::new("an unknown event with a tool call", EventKind::PreTool, reply)
    .gate()
    .can_do(&[Power::Deny])
    .fails(Fails::Closed)
    .timeout_ms(TIMEOUT_MS);

pub(super) static STRAY: EventRow =
    EventRow::new("an unknown event", EventKind::Observed, reply).timeout_ms(TIMEOUT_MS);

const TIMEOUT_MS: u32 = 5000;
const SUBAGENTS: &str =
    "Sub-agents that the `subagent` tool starts run without any hook: decide about the `subagent` call itself.";

/// Where the chain of hooks can end it: any exit but 0 denies, whatever stdout says.
const GATE: &[Effect] = &[
    Effect::says(&[("/decision", Want::Word("deny")), ("/reason", Want::Text)], Does::Blocks, Mark::Prog),
    Effect::says(&[("/decision", Want::Word("deny")), ("/reason", Want::Nothing)], Does::Blocks, Mark::Src),
    Effect::says(
        &[("/decision", Want::Word("modify")), ("/modified_tool_input", Want::Misfit)],
        Does::Blocks,
        Mark::Prog,
    ),
    Effect::says(&[], Does::Flow, Mark::Prog),
    Effect::otherwise(Does::Blocks, Mark::Prog),
];
const IGNORED: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Prog)];
const MODIFY: &[(&str, Want)] = &[("/decision", Want::Word("modify"))];
/// A result of another shape makes the answer unreadable; an empty message is no change.
const MODIFY_RESULT: &[(&str, Want)] = &[("/decision", Want::Word("modify")), ("/modified_tool_result", Want::Object)];
const MODIFY_MESSAGE: &[(&str, Want)] = &[("/decision", Want::Word("modify")), ("/modified_message", Want::Text)];
/// Beside a denial it is dropped; every other word counts as an approval.
const APPEND: Carry = Carry::new("/system_prompt_append", Rider::Context)
    .with(Exit::Zero)
    .only(&[("/decision", Want::Not(&Want::Word("deny")))]);
const STDERR: Carry = Carry::new("stderr", Rider::Reason).with(Exit::Failing);
const REASON: Carry = Carry::new("/reason", Rider::Reason).with(Exit::Zero).only(&[("/decision", Want::Word("deny"))]);

/// A result of another shape makes the whole answer unreadable, which counts as no answer.
fn drops_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let object = change.value.object().ok();
    let content = object.as_ref().and_then(|object| object.last("content"));
    let is_error = object.as_ref().and_then(|object| object.last("is_error"));
    match (content.and_then(|content| content.text()), is_error) {
        (Some(_), None) => None,
        (Some(_), Some(flag)) if flag.bool().is_some() => None,
        _ => Some("a result of hygge is an object with the text `content` and the truth value `is_error`"),
    }
}

fn drops_prompt(_: &HookEvent, change: &Change) -> Option<&'static str> {
    match change.value.text() {
        Some(text) if !text.value.is_empty() => None,
        Some(_) => Some("hygge takes an empty message as no change"),
        None => Some("a message of hygge is a text"),
    }
}

//! What PicoClaw was seen to do with answers. An answer under another id counts as none.

use crate::host::{Carry, Does, Effect, Mark, Rider, Want};
use crate::model::Target;

type Says = (&'static str, Want);

const ID: Says = ("/id", Want::SameId);
const DENY: Says = ("/result/action", Want::Word("deny_tool"));
const RESPOND: Says = ("/result/action", Want::Word("respond"));
const ABORT: Says = ("/result/action", Want::Word("abort_turn"));
const HARD: Says = ("/result/action", Want::Word("hard_abort"));
/// `continue`, and no word at all, take over what stands beside them, as `modify` does.
const GOES_ON: Says =
    ("/result/action", Want::Any(&[Want::Word("modify"), Want::Word("continue"), Want::Word(""), Want::Nothing]));
const TEXT: Says = ("/result/reason", Want::Text);
const BARE: Says = ("/result/reason", Want::Nothing);
const RESULT_THERE: Says = ("/result/result", Want::Object);
const CALL_THERE: Says = ("/result/call", Want::Object);
const NO_TOOL: Says = ("/result/call/tool", Want::Nothing);
const TOOL: Says = ("/result/call/tool", Want::Text);
const ARGUMENTS: Says = ("/result/call/arguments", Want::Object);
const NO_ARGUMENTS: Says = ("/result/call/arguments", Want::Nothing);

const DENIED: Effect = Effect::says(&[ID, DENY, TEXT], Does::Blocks, Mark::Prog);
const DENIED_BARE: Effect = Effect::says(&[ID, DENY, BARE], Does::Blocks, Mark::Src);
const ABORTED: Effect = Effect::says(&[ID, ABORT], Does::Stops, Mark::Prog);
const ABORTED_HARD: Effect = Effect::says(&[ID, HARD], Does::StopsHard, Mark::Prog);
const RESPONDED: Effect = Effect::says(&[ID, RESPOND, RESULT_THERE], Does::Responds, Mark::Prog);
/// A call without a tool is not found, one of `exec` without arguments is an error.
const NOT_FOUND: Effect = Effect::says(&[ID, GOES_ON, CALL_THERE, NO_TOOL], Does::Blocks, Mark::Prog);
const EMPTIED: Effect = Effect::says(&[ID, GOES_ON, CALL_THERE, NO_ARGUMENTS], Does::Blocks, Mark::Prog);
/// The names and arguments of tool calls are not in the message, so that a call sent back is not found.
const CALLS_LOST: Effect =
    Effect::says(&[ID, GOES_ON, ("/result/response/response/tool_calls", Want::Filled)], Does::Blocks, Mark::Run);
/// Everything else is no opinion: other words, errors, an empty result, another id, no JSON, silence.
const OPEN: Effect = Effect::otherwise(Does::Flow, Mark::Prog);

pub(super) const BEFORE_TOOL: &[Effect] =
    &[DENIED, DENIED_BARE, RESPONDED, ABORTED, ABORTED_HARD, NOT_FOUND, EMPTIED, OPEN];

/// v0.2.4 goes on to `approve_tool`, where the same call is refused with the text.
pub(super) const BEFORE_TOOL_GUARDED: &[Effect] = &[
    DENIED,
    DENIED_BARE,
    Effect::says(&[ID, RESPOND, RESULT_THERE], Does::Blocks, Mark::Prog).on(&["v0.2.4"]),
    RESPONDED,
    ABORTED,
    ABORTED_HARD,
    NOT_FOUND,
    EMPTIED,
    OPEN,
];

/// v0.2.4 does not know the word, and the tool runs.
pub(super) const BEFORE_TOOL_ALONE: &[Effect] =
    &[DENIED, DENIED_BARE, RESPONDED.on(&["v0.2.6"]), ABORTED, ABORTED_HARD, NOT_FOUND, EMPTIED, OPEN];

pub(super) const APPROVE_TOOL: &[Effect] = &[
    Effect::says(&[ID, ("/result/approved", Want::Bool(true))], Does::Flow, Mark::Prog),
    Effect::otherwise(Does::Blocks, Mark::Prog),
];

/// Where something can be changed or the turn ended, and nothing else.
pub(super) const STAGE: &[Effect] = &[ABORTED, ABORTED_HARD, OPEN];
pub(super) const ANSWER: &[Effect] = &[ABORTED, ABORTED_HARD, CALLS_LOST, OPEN];
pub(super) const NONE: &[Effect] = &[OPEN];

pub(super) const HELLO: &[Effect] = &[
    Effect::says(&[ID, ("/error", Want::Nothing), ("/result", Want::Object)], Does::Flow, Mark::Prog),
    Effect::says(&[ID, ("/error", Want::Nothing), ("/result", Want::Nothing)], Does::Flow, Mark::Run),
    Effect::otherwise(Does::RefusesStart, Mark::Prog),
];

/// Since v0.2.7 it is told to nobody, and that of a hard abort never was.
const ABORT_REASON: Carry = Carry::new("/result/reason", Rider::Reason).only(&[ID, ABORT]).on(&["v0.2.4", "v0.2.6"]);

pub(super) const CALL: &[Carry] = &[
    Carry::new("/result/call/arguments", Rider::Change(Target::Input)).only(&[ID, GOES_ON, TOOL, ARGUMENTS]),
    Carry::new("/result/reason", Rider::Reason).only(&[ID, DENY]),
    ABORT_REASON,
    Carry::new("/result/result", Rider::Change(Target::Result))
        .only(&[ID, RESPOND, ("/result/result/for_llm", Want::Some)])
        .on(&["v0.2.6", "v0.2.8", "head"]),
    Carry::new("/result/result/for_llm", Rider::Reason).only(&[ID, RESPOND]).on(&["v0.2.4"]),
];
pub(super) const APPROVAL: &[Carry] = &[Carry::new("/result/reason", Rider::Reason)
    .only(&[ID, ("/result/approved", Want::Any(&[Want::Bool(false), Want::Nothing]))])];
pub(super) const GREETING: &[Carry] = &[Carry::new("/error/message", Rider::Reason).only(&[ID])];
pub(super) const RESULT: &[Carry] =
    &[Carry::new("/result/result/result", Rider::Change(Target::Result)).only(&[ID, GOES_ON]), ABORT_REASON];
pub(super) const RESPONSE: &[Carry] =
    &[Carry::new("/result/response/response", Rider::Change(Target::Result)).only(&[ID, GOES_ON]), ABORT_REASON];
pub(super) const REQUEST: &[Carry] = &[
    Carry::new("/result/request/messages", Rider::Change(Target::Messages)).only(&[ID, GOES_ON]),
    Carry::new("/result/request", Rider::Change(Target::Request)).only(&[
        ID,
        GOES_ON,
        ("/result/request", Want::Object),
    ]),
    ABORT_REASON,
];

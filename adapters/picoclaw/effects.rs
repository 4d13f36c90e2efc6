//! What PicoClaw was seen to do with answers. An answer under another id counts as none.

use crate::host::{Carry, Does, Effect, Mark, Rider, Want};
use crate::model::Target;

type Says = (&'static str, Want);

const ID: Says = ("/id", Want::SameId);
const DENY: Says = ("/result/action", Want::Word("deny_tool"));
const RESPOND: Says = ("/result/action", Want::Word("respond"));
const ABORT: Says = ("/result/action", Want::Word("abort_turn"));
const HARD: Says = ("/result/action", Want::Word("hard_abort"));
const MODIFY: Says = ("/result/action", Want::Word("modify"));
const CONTINUE: Says = ("/result/action", Want::Word("continue"));
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
const NOT_FOUND: Effect = Effect::says(&[ID, MODIFY, CALL_THERE, NO_TOOL], Does::Blocks, Mark::Prog);
const NOT_FOUND_CONTINUE: Effect = Effect::says(&[ID, CONTINUE, CALL_THERE, NO_TOOL], Does::Blocks, Mark::Run);
const EMPTIED: Effect = Effect::says(&[ID, MODIFY, CALL_THERE, NO_ARGUMENTS], Does::Blocks, Mark::Prog);
const EMPTIED_CONTINUE: Effect = Effect::says(&[ID, CONTINUE, CALL_THERE, NO_ARGUMENTS], Does::Blocks, Mark::Run);
/// Everything else is no opinion: other words, errors, an empty result, another id, no JSON, silence.
const OPEN: Effect = Effect::otherwise(Does::Flow, Mark::Prog);

pub(super) const BEFORE_TOOL: &[Effect] = &[
    DENIED,
    DENIED_BARE,
    RESPONDED,
    ABORTED,
    ABORTED_HARD,
    NOT_FOUND,
    NOT_FOUND_CONTINUE,
    EMPTIED,
    EMPTIED_CONTINUE,
    OPEN,
];

/// v0.2.4 goes on to `approve_tool`, where the same call is refused with the text.
pub(super) const BEFORE_TOOL_GUARDED: &[Effect] = &[
    DENIED,
    DENIED_BARE,
    Effect::says(&[ID, RESPOND, RESULT_THERE], Does::Blocks, Mark::Prog).on(&["v0.2.4"]),
    RESPONDED,
    ABORTED,
    ABORTED_HARD,
    NOT_FOUND,
    NOT_FOUND_CONTINUE,
    EMPTIED,
    EMPTIED_CONTINUE,
    OPEN,
];

/// v0.2.4 does not know the word, and the tool runs.
pub(super) const BEFORE_TOOL_ALONE: &[Effect] = &[
    DENIED,
    DENIED_BARE,
    RESPONDED.on(&["v0.2.6"]),
    ABORTED,
    ABORTED_HARD,
    NOT_FOUND,
    NOT_FOUND_CONTINUE,
    EMPTIED,
    EMPTIED_CONTINUE,
    OPEN,
];

pub(super) const APPROVE_TOOL: &[Effect] = &[
    Effect::says(&[ID, ("/result/approved", Want::Bool(true))], Does::Flow, Mark::Prog),
    Effect::otherwise(Does::Blocks, Mark::Prog),
];

/// Where something can be changed or the turn ended, and nothing else.
pub(super) const STAGE: &[Effect] = &[ABORTED, ABORTED_HARD, OPEN];
pub(super) const NONE: &[Effect] = &[OPEN];

pub(super) const HELLO: &[Effect] = &[
    Effect::says(&[ID, ("/error", Want::Nothing), ("/result", Want::Object)], Does::Flow, Mark::Prog),
    Effect::says(&[ID, ("/error", Want::Nothing), ("/result", Want::Nothing)], Does::Flow, Mark::Run),
    Effect::otherwise(Does::RefusesStart, Mark::Prog),
];

pub(super) const CALL: &[Carry] = &[
    Carry::new("/result/call/arguments", Rider::Change(Target::Input)).only(&[ID, MODIFY, TOOL, ARGUMENTS]),
    Carry::new("/result/call/arguments", Rider::Change(Target::Input)).only(&[ID, CONTINUE, TOOL, ARGUMENTS]),
    Carry::new("/result/reason", Rider::Reason).only(&[ID, DENY]),
    Carry::new("/result/result/for_llm", Rider::Reason).only(&[ID, RESPOND]),
    Carry::new("/result/result/for_user", Rider::Notice).only(&[
        ID,
        RESPOND,
        ("/result/result/silent", Want::Bool(false)),
    ]),
];

pub(super) const REASON: &[Carry] =
    &[Carry::new("/result/reason", Rider::Reason).only(&[ID, ("/result/approved", Want::Bool(false))])];

pub(super) const RESULT: &[Carry] =
    &[Carry::new("/result/result/result", Rider::Change(Target::Result)).only(&[ID, MODIFY])];

pub(super) const RESPONSE: &[Carry] =
    &[Carry::new("/result/response/response", Rider::Change(Target::Result)).only(&[ID, MODIFY])];

pub(super) const REQUEST: &[Carry] = &[
    Carry::new("/result/request/messages", Rider::Change(Target::Messages)).only(&[ID, MODIFY]),
    Carry::new("/result/request", Rider::Change(Target::Request)).only(&[
        ID,
        MODIFY,
        ("/result/request", Want::Object),
    ]),
];

//! What docker-agent does with an answer, per measured host, most specific first.

use crate::host::{Carry, Does, Effect, Exit, Mark, Rider, Want};
use crate::model::Target;

use Does::{Approves, Asks, Blocks, Flow, Stops};
use Mark::{Guess, Prog, RunT, Src};

/// Dialect A.
const A: &[&str] = &["a"];
/// Both halves of dialect B, in the default lane.
const B: &[&str] = &["b", "b2"];
/// Everything that was driven, in the default lane.
const DRIVEN: &[&str] = &["a", "b", "b2"];
/// Everything later.
const FROM_B: &[&str] = &["b", "b2", "c"];
const C: &[&str] = &["c"];
const B2_PREEMPT: &[&str] = &["b2-preempt"];
const C_PREEMPT: &[&str] = &["c-preempt"];

type Says = &'static [(&'static str, Want)];

const DECISION: &str = "/hook_specific_output/permission_decision";
const INPUT_AT: &str = "/hook_specific_output/updated_input";
const DENIES: Says = &[(DECISION, Want::Word("deny"))];
const ASKS: Says = &[(DECISION, Want::Word("ask"))];
const ALLOWS: Says = &[(DECISION, Want::Word("allow"))];
/// A and B put the new arguments in the place of all old ones.
const MISFIT: Says = &[(INPUT_AT, Want::Object), (INPUT_AT, Want::Misfit)];
const ALLOWS_MISFIT: Says = &[(DECISION, Want::Word("allow")), (INPUT_AT, Want::Misfit)];
/// An input of another type than C reads.
const WRONG_INPUT: Says = &[(INPUT_AT, Want::Some), (INPUT_AT, Want::Not(&Want::Object))];
const DECIDES_ODDLY: Says = &[(DECISION, Want::Some)];
const BLOCKS: Says = &[("/decision", Want::Word("block"))];
const SAYS_ODDLY: Says = &[("/decision", Want::Some)];
const STOPS: Says = &[("/continue", Want::Bool(false))];
const BROKEN: Says = &[("stdout", Want::Broken)];
const ANYTHING: Says = &[];

/// `pre_tool_use` in the default lane.
pub(super) const DEFAULT_LANE: &[Effect] = &[
    Effect::exit(2, ANYTHING, Blocks, Prog).on(DRIVEN),
    Effect::exit(2, ANYTHING, Blocks, RunT).on(C),
    Effect::says(WRONG_INPUT, Blocks, RunT).void().on(C),
    Effect::says(STOPS, Blocks, Prog).on(DRIVEN),
    Effect::says(STOPS, Blocks, RunT).on(C),
    Effect::says(BLOCKS, Blocks, Prog).on(DRIVEN),
    Effect::says(BLOCKS, Blocks, RunT).on(C),
    Effect::says(SAYS_ODDLY, Blocks, RunT).void().on(C),
    Effect::says(DENIES, Blocks, Prog).on(DRIVEN),
    Effect::says(DENIES, Blocks, RunT).on(C),
    Effect::says(MISFIT, Blocks, Prog).on(A),
    Effect::says(ASKS, Asks, Prog).on(B),
    Effect::says(ASKS, Asks, Src).on(C),
    Effect::says(ALLOWS_MISFIT, Blocks, Prog).on(B),
    Effect::says(ALLOWS, Flow, Prog).on(A),
    Effect::says(ALLOWS, Approves, Prog).on(B),
    Effect::says(ALLOWS, Approves, Src).on(C),
    Effect::says(ALLOWS, Flow, Prog).on(A),
    Effect::says(ASKS, Flow, Prog).on(A),
    Effect::says(DECIDES_ODDLY, Flow, Prog).void().on(DRIVEN),
    Effect::says(DECIDES_ODDLY, Blocks, RunT).void().on(C),
    Effect::says(BROKEN, Blocks, RunT).void().on(C),
    Effect::says(ANYTHING, Flow, Prog).on(DRIVEN),
    Effect::says(ANYTHING, Flow, RunT).on(C),
    Effect::otherwise(Flow, Prog).on(DRIVEN),
    Effect::otherwise(Blocks, RunT).on(C),
];

/// `pre_tool_use` with `preempt_yolo`.
pub(super) const PREEMPT_LANE: &[Effect] = &[
    Effect::says(DENIES, Blocks, Prog).on(B2_PREEMPT),
    Effect::says(ASKS, Asks, Prog).on(B2_PREEMPT),
    Effect::otherwise(Flow, Prog).on(B2_PREEMPT),
    Effect::exit(2, ANYTHING, Blocks, RunT).on(C_PREEMPT),
    Effect::says(WRONG_INPUT, Blocks, RunT).void().on(C_PREEMPT),
    Effect::says(STOPS, Blocks, RunT).on(C_PREEMPT),
    Effect::says(BLOCKS, Blocks, RunT).on(C_PREEMPT),
    Effect::says(SAYS_ODDLY, Blocks, RunT).void().on(C_PREEMPT),
    Effect::says(DENIES, Blocks, RunT).on(C_PREEMPT),
    Effect::says(ASKS, Asks, Src).on(C_PREEMPT),
    Effect::says(ALLOWS, Flow, Src).on(C_PREEMPT),
    Effect::says(DECIDES_ODDLY, Blocks, RunT).void().on(C_PREEMPT),
    Effect::says(BROKEN, Blocks, RunT).void().on(C_PREEMPT),
    Effect::says(ANYTHING, Flow, RunT).on(C_PREEMPT),
    Effect::otherwise(Blocks, RunT).on(C_PREEMPT),
];

/// `tool_guard`: an approval is advisory, so that it skips nothing.
pub(super) const GUARD: &[Effect] = &[
    Effect::exit(2, ANYTHING, Blocks, RunT),
    Effect::says(WRONG_INPUT, Blocks, RunT).void(),
    Effect::says(STOPS, Blocks, RunT),
    Effect::says(BLOCKS, Blocks, RunT),
    Effect::says(SAYS_ODDLY, Blocks, RunT).void(),
    Effect::says(DENIES, Blocks, RunT),
    Effect::says(ASKS, Asks, Src),
    Effect::says(ALLOWS, Flow, Src),
    Effect::says(DECIDES_ODDLY, Blocks, RunT).void(),
    Effect::says(BROKEN, Blocks, RunT).void(),
    Effect::says(ANYTHING, Flow, RunT),
    Effect::otherwise(Blocks, RunT),
];

/// `tool_input_transform`, whose failures only warn where the entry does not say `on_error: block`.
pub(super) const TRANSFORM: &[Effect] = &[
    Effect::exit(2, ANYTHING, Blocks, RunT),
    Effect::says(STOPS, Blocks, RunT),
    Effect::says(BLOCKS, Blocks, RunT),
    Effect::otherwise(Flow, RunT),
];

/// `permission_request`: whatever says nothing leaves the question to the person.
pub(super) const REQUEST: &[Effect] = &[
    Effect::exit(2, ANYTHING, Blocks, Src),
    Effect::says(STOPS, Blocks, Src),
    Effect::says(BLOCKS, Blocks, Src),
    Effect::says(DENIES, Blocks, Prog).on(B),
    Effect::says(DENIES, Blocks, Src).on(C),
    Effect::says(ALLOWS, Approves, Prog).on(B),
    Effect::says(ALLOWS, Approves, Src).on(C),
    Effect::otherwise(Asks, Src),
];

/// Events on which a block ends the run, as driven: prompts and the tool that is done.
pub(super) const RUN_ENDS: &[Effect] = &[
    Effect::exit(2, ANYTHING, Stops, Prog).on(B),
    Effect::exit(2, ANYTHING, Stops, Src).on(C),
    Effect::says(BLOCKS, Stops, Prog).on(B),
    Effect::says(BLOCKS, Stops, Src).on(C),
    Effect::says(STOPS, Stops, Src),
    Effect::says(ANYTHING, Flow, Prog).on(B),
    Effect::otherwise(Flow, Src),
];

/// The same where only the source was read.
pub(super) const RUN_ENDS_READ: &[Effect] = &[
    Effect::exit(2, ANYTHING, Stops, Src),
    Effect::says(BLOCKS, Stops, Src),
    Effect::says(STOPS, Stops, Src),
    Effect::otherwise(Flow, Src),
];

/// `before_llm_call`: the block was driven, the rest read.
pub(super) const MODEL_CALL: &[Effect] = &[
    Effect::says(BLOCKS, Stops, Prog).on(B),
    Effect::says(BLOCKS, Stops, Src).on(C),
    Effect::exit(2, ANYTHING, Stops, Src),
    Effect::says(STOPS, Stops, Src),
    Effect::otherwise(Flow, Src),
];

/// Compactions: a block cancels them.
pub(super) const CANCELS: &[Effect] = &[
    Effect::exit(2, ANYTHING, Blocks, Src),
    Effect::says(BLOCKS, Blocks, Src),
    Effect::says(STOPS, Blocks, Src),
    Effect::otherwise(Flow, Src),
];

/// Events whose answer decides nothing, as driven.
pub(super) const NOTHING: &[Effect] = &[Effect::says(ANYTHING, Flow, Prog).on(B), Effect::otherwise(Flow, Src)];

/// Events whose answer decides nothing, as read.
pub(super) const NOTHING_READ: &[Effect] = &[Effect::otherwise(Flow, Src)];

/// `post_tool_use` of dialect A.
pub(super) const NOTHING_A: &[Effect] = &[Effect::otherwise(Flow, Prog).on(A)];

/// An event that nobody has seen.
pub(super) const UNSEEN: &[Effect] = &[Effect::exit(2, ANYTHING, Blocks, Guess), Effect::otherwise(Flow, Guess)];

/// What neither blocks nor ends anything.
const HARMLESS: Says = &[
    ("/decision", Want::Not(&Want::Word("block"))),
    ("/continue", Want::Not(&Want::Bool(false))),
    (DECISION, Want::Not(&Want::Word("deny"))),
];
const WARNING: Carry = Carry::new("/system_message", Rider::Notice).with(Exit::Zero);
/// A shows nothing beside a block.
const WARNING_A: Carry = WARNING.only(HARMLESS).on(A);
const REASON: Carry = Carry::new("/reason", Rider::Reason).with(Exit::Zero).only(BLOCKS);
const STOP_REASON: Carry = Carry::new("/stop_reason", Rider::Reason).with(Exit::Zero).only(STOPS);
const STDERR: Carry = Carry::new("stderr", Rider::Reason).with(Exit::Is(2));
/// The reason of a question is shown by nobody.
const DENY_REASON: Carry =
    Carry::new("/hook_specific_output/permission_decision_reason", Rider::Reason).with(Exit::Zero).only(DENIES);
const INPUT: Carry =
    Carry::new(INPUT_AT, Rider::Change(Target::Input)).with(Exit::Zero).only(&[(INPUT_AT, Want::Object)]);
const RESULT: Carry =
    Carry::new("/hook_specific_output/updated_tool_response", Rider::Change(Target::Result)).with(Exit::Zero);
/// An empty list is no change.
const MESSAGES: Carry = Carry::new("/hook_specific_output/updated_messages", Rider::Change(Target::Messages))
    .with(Exit::Zero)
    .only(&[("/hook_specific_output/updated_messages", Want::Filled)]);
const CONTEXT: Carry = Carry::new("/hook_specific_output/additional_context", Rider::Context).with(Exit::Zero);
/// What does not happen gets no context.
const CONTEXT_OF_GATE: Carry = CONTEXT.only(HARMLESS);
const PLAIN: Carry = Carry::new("stdout", Rider::Context).with(Exit::Zero).only(&[("stdout", Want::Plain)]);
/// C takes broken JSON as a failure, B as text.
const BROKEN_TEXT: Carry = Carry::new("stdout", Rider::Context).with(Exit::Zero).only(BROKEN).on(B);
const SHOWN: Carry = Carry::new("/hook_specific_output/additional_context", Rider::Notice).with(Exit::Zero);
const SHOWN_PLAIN: Carry = Carry::new("stdout", Rider::Notice).with(Exit::Zero).only(&[("stdout", Want::Plain)]);
const SHOWN_BROKEN: Carry = Carry::new("stdout", Rider::Notice).with(Exit::Zero).only(BROKEN).on(&["b2"]);
const SUMMARY: Carry = Carry::new("/hook_specific_output/summary", Rider::Summary).with(Exit::Zero);

pub(super) const WITH_INPUT: &[Carry] =
    &[INPUT, WARNING.on(FROM_B), WARNING_A, REASON, STOP_REASON, DENY_REASON, STDERR];
pub(super) const WITH_VERDICT: &[Carry] = &[WARNING, DENY_REASON, REASON, STOP_REASON, STDERR];
pub(super) const IN_PREEMPT_LANE: &[Carry] =
    &[WARNING, DENY_REASON, REASON.on(C_PREEMPT), STOP_REASON.on(C_PREEMPT), STDERR.on(C_PREEMPT)];
pub(super) const WITH_RESULT: &[Carry] = &[RESULT, WARNING];
pub(super) const WITH_MESSAGES: &[Carry] = &[MESSAGES, REASON, STOP_REASON, STDERR];
pub(super) const WITH_CONTEXT: &[Carry] = &[CONTEXT, PLAIN, BROKEN_TEXT, WARNING];
pub(super) const GATE_WITH_CONTEXT: &[Carry] =
    &[CONTEXT_OF_GATE, PLAIN, BROKEN_TEXT, WARNING, REASON, STOP_REASON, STDERR];
/// Why a compaction does not happen is told to nobody.
pub(super) const WITH_SUMMARY: &[Carry] = &[SUMMARY, WARNING];
pub(super) const WITH_REASON: &[Carry] = &[WARNING, REASON, STOP_REASON, STDERR];
pub(super) const SHOWN_TO_USER: &[Carry] = &[WARNING, SHOWN, SHOWN_PLAIN, SHOWN_BROKEN, REASON, STOP_REASON, STDERR];
pub(super) const WARNINGS: &[Carry] = &[WARNING];

//! What Claude Code does with an answer, most specific first.

use crate::host::{Carry, Does, Effect, Mark, Rider, Want};
use crate::model::Target;

type Says = (&'static str, Want);

const HSO: &str = "/hookSpecificOutput";
const NAME: &str = "/hookSpecificOutput/hookEventName";
const VERDICT: &str = "/hookSpecificOutput/permissionDecision";
const REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
const INPUT: &str = "/hookSpecificOutput/updatedInput";
const BEHAVIOR: &str = "/hookSpecificOutput/decision/behavior";
const MESSAGE: &str = "/hookSpecificOutput/decision/message";
const PERMITTED: &str = "/hookSpecificOutput/decision/updatedInput";
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const OUTPUT: &str = "/hookSpecificOutput/updatedToolOutput";
const MCP_OUTPUT: &str = "/hookSpecificOutput/updatedMCPToolOutput";
const ACTION: &str = "/hookSpecificOutput/action";

const NAMED: Says = (NAME, Want::EventName);
const BLOCK: Says = ("/decision", Want::Word("block"));
const STOP: Says = ("/continue", Want::Bool(false));

/// `hookSpecificOutput` without the right event name, and a `decision` that is neither `approve` nor
/// `block`, void the whole answer.
const UNNAMED: &[Says] = &[(HSO, Want::Some), (NAME, Want::Not(&Want::EventName))];
const ODD_DECISION: &[Says] = &[
    ("/decision", Want::Some),
    ("/decision", Want::Not(&Want::Word("approve"))),
    ("/decision", Want::Not(&Want::Word("block"))),
];
const ODD_VERDICT: &[Says] = &[
    (VERDICT, Want::Some),
    (VERDICT, Want::Not(&Want::Word("allow"))),
    (VERDICT, Want::Not(&Want::Word("ask"))),
    (VERDICT, Want::Not(&Want::Word("deny"))),
    (VERDICT, Want::Not(&Want::Word("defer"))),
];

pub(super) static PRE_TOOL: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Prog).void(),
    Effect::any(ODD_DECISION, Does::Flow, Mark::Run).void(),
    Effect::any(ODD_VERDICT, Does::Flow, Mark::Prog).void(),
    Effect::any(&[(VERDICT, Want::Word("deny")), STOP], Does::Stops, Mark::Run),
    Effect::any(&[(VERDICT, Want::Word("deny"))], Does::Blocks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("defer"))], Does::Stops, Mark::Prog).void(),
    Effect::any(&[(INPUT, Want::Some), (INPUT, Want::Not(&Want::Object))], Does::Flow, Mark::Guess).void(),
    Effect::any(&[(INPUT, Want::Misfit)], Does::Blocks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("ask"))], Does::Asks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Nothing), BLOCK], Does::Blocks, Mark::Prog),
    Effect::any(&[STOP], Does::RunsThenStops, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("allow"))], Does::Approves, Mark::Prog),
    Effect::any(&[("/decision", Want::Word("approve"))], Does::Approves, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static PRE_TOOL_CARRIES: &[Carry] = &[
    Carry::new(INPUT, Rider::Change(Target::Input)).only(&[NAMED, (INPUT, Want::Object)]),
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new(REASON, Rider::Reason).only(&[NAMED]),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Reason),
];

/// The event fires because the person is about to be asked: whatever is no answer leaves it at that,
/// exit 2 included. `interrupt` beside a denial ended the run once and another time did not.
pub(super) static PERMISSION: &[Effect] = &[
    Effect::any(UNNAMED, Does::Asks, Mark::Run).void(),
    Effect::any(&[(BEHAVIOR, Want::Word("deny"))], Does::Blocks, Mark::Prog),
    Effect::any(&[(BEHAVIOR, Want::Word("allow"))], Does::Approves, Mark::Prog),
    Effect::otherwise(Does::Asks, Mark::Prog),
];

pub(super) static PERMISSION_CARRIES: &[Carry] = &[
    Carry::new(PERMITTED, Rider::Change(Target::Input)).only(&[NAMED, (BEHAVIOR, Want::Word("allow"))]),
    Carry::new(MESSAGE, Rider::Reason).only(&[NAMED]),
    Carry::new("/systemMessage", Rider::Notice),
];

/// A block keeps the result and adds its reason beside it; only a new result takes something away.
pub(super) static POST_TOOL: &[Effect] = &[
    Effect::exit(2, &[], Does::Flow, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::any(&[STOP], Does::RunsThenStops, Mark::Run),
    Effect::any(&[BLOCK], Does::Flow, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static POST_TOOL_CARRIES: &[Carry] = &[
    Carry::new(OUTPUT, Rider::Change(Target::Result)).only(&[NAMED, (OUTPUT, Want::Object)]),
    Carry::new(MCP_OUTPUT, Rider::Change(Target::Result)).only(&[NAMED]),
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/reason", Rider::Context).only(&[BLOCK]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Context),
    Carry::new("/systemMessage", Rider::Notice),
];

/// After a batch a block ends the loop before the model is called again.
pub(super) static BATCH: &[Effect] = &[
    Effect::exit(2, &[], Does::RunsThenStops, Mark::Doc),
    Effect::any(UNNAMED, Does::Flow, Mark::Doc).void(),
    Effect::any(&[BLOCK], Does::RunsThenStops, Mark::Doc),
    Effect::any(&[STOP], Does::RunsThenStops, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// A refused prompt ends the turn before the model is called.
pub(super) static PROMPT: &[Effect] = &[
    Effect::exit(2, &[], Does::Stops, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::any(&[BLOCK], Does::Stops, Mark::Prog),
    Effect::any(&[STOP], Does::Stops, Mark::Run),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// A block without a way to stop the run: compaction, settings.
pub(super) static BLOCKS: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

pub(super) static EXPANSION: &[Effect] = &[
    Effect::exit(2, &[], Does::Stops, Mark::Doc),
    Effect::any(UNNAMED, Does::Flow, Mark::Doc).void(),
    Effect::any(&[BLOCK], Does::Stops, Mark::Doc),
    Effect::any(&[STOP], Does::Stops, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

/// Texts that reach somebody on events without, or beside, a decision. What is printed plainly where
/// a session starts or a prompt comes in is context as well.
pub(super) static TEXTS: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("stdout", Rider::Context).only(&[("", Want::Not(&Want::Object))]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Reason),
];

/// The same without plain output.
pub(super) static SPOKEN: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new(REASON, Rider::Reason).only(&[NAMED]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Reason),
];

/// Texts on events where no reason is heard.
pub(super) static QUIET: &[Carry] =
    &[Carry::new(CONTEXT, Rider::Context).only(&[NAMED]), Carry::new("/systemMessage", Rider::Notice)];

/// The same where plain output is context too.
pub(super) static QUIET_PLAIN: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("stdout", Rider::Context).only(&[("", Want::Not(&Want::Object))]),
    Carry::new("/systemMessage", Rider::Notice),
];

/// Notices are discarded here.
pub(super) static UNSEEN: &[Carry] = &[Carry::new(CONTEXT, Rider::Context).only(&[NAMED])];

/// A notice, and words beside exit 2; an answer in the person's place is the verdict itself.
pub(super) static ANSWERS: &[Carry] =
    &[Carry::new("/systemMessage", Rider::Notice), Carry::new("stderr", Rider::Reason)];

/// Nothing that is answered decides anything.
pub(super) static NOTHING: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Prog)];
/// The same, as the documentation has it.
pub(super) static NOTHING_DOC: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Doc)];

/// Context at the end of a turn makes the agent go on, as a block does.
pub(super) static TURN_END: &[Effect] = &[
    Effect::any(&[STOP], Does::Stops, Mark::Run),
    Effect::exit(2, &[], Does::Continues, Mark::Run),
    Effect::any(&[BLOCK], Does::Continues, Mark::Prog),
    Effect::any(&[NAMED, (CONTEXT, Want::Text)], Does::Continues, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static IDLE: &[Effect] = &[
    Effect::exit(2, &[], Does::Continues, Mark::Doc),
    Effect::any(&[STOP], Does::Stops, Mark::Doc),
    Effect::any(&[BLOCK], Does::Continues, Mark::Guess),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

/// Exit 2 undoes it; `continue: false` is ignored.
pub(super) static TASK_CREATED: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

/// `continue: false` stops a teammate, but is ignored where the agent's own tool completed the task.
pub(super) static TASK_COMPLETED: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(&[STOP], Does::Stops, Mark::Doc),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Guess),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

pub(super) static MODEL_SWITCH: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(UNNAMED, Does::Flow, Mark::Src).void(),
    Effect::any(&[(VERDICT, Want::Word("deny"))], Does::Blocks, Mark::Src),
    Effect::any(&[(VERDICT, Want::Word("ask"))], Does::Asks, Mark::Src),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Doc),
    Effect::any(&[(VERDICT, Want::Word("allow"))], Does::Approves, Mark::Src),
    Effect::otherwise(Does::Flow, Mark::Src),
];

/// Without an answer the person fills the form in.
pub(super) static ELICITATION: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(UNNAMED, Does::Asks, Mark::Src).void(),
    Effect::any(&[(ACTION, Want::Word("accept"))], Does::Responds, Mark::Src),
    Effect::any(&[(ACTION, Want::Word("decline"))], Does::Blocks, Mark::Src),
    Effect::any(&[(ACTION, Want::Word("cancel"))], Does::Blocks, Mark::Src),
    Effect::otherwise(Does::Asks, Mark::Src),
];

pub(super) static ELICITATION_RESULT: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(UNNAMED, Does::Flow, Mark::Src).void(),
    Effect::any(&[(ACTION, Want::Word("accept"))], Does::Responds, Mark::Src),
    Effect::any(&[(ACTION, Want::Word("decline"))], Does::Blocks, Mark::Src),
    Effect::any(&[(ACTION, Want::Word("cancel"))], Does::Blocks, Mark::Src),
    Effect::otherwise(Does::Flow, Mark::Src),
];

/// A path makes the worktree; a failure, or no path, makes none. A document is no path.
pub(super) static WORKTREE: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::says(&[("", Want::Object)], Does::Blocks, Mark::Doc).void(),
    Effect::says(&[("stdout", Want::Text)], Does::Responds, Mark::Doc),
    Effect::otherwise(Does::Blocks, Mark::Doc),
];

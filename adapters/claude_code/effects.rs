//! What Claude Code does with an answer, most specific first.

use crate::host::{Carry, Does, Effect, Exit, Mark, Rider, Want};
use crate::model::Target;

type Says = (&'static str, Want);

const HSO: &str = "/hookSpecificOutput";
const NAME: &str = "/hookSpecificOutput/hookEventName";
const VERDICT: &str = "/hookSpecificOutput/permissionDecision";
const REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
const INPUT: &str = "/hookSpecificOutput/updatedInput";
const BEHAVIOR: &str = "/hookSpecificOutput/decision/behavior";
const MESSAGE: &str = "/hookSpecificOutput/decision/message";
const RULES: &str = "/hookSpecificOutput/decision/updatedPermissions";
const PERMITTED: &str = "/hookSpecificOutput/decision/updatedInput";
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const OUTPUT: &str = "/hookSpecificOutput/updatedToolOutput";
const MCP_OUTPUT: &str = "/hookSpecificOutput/updatedMCPToolOutput";
const ACTION: &str = "/hookSpecificOutput/action";
const CONTENT: &str = "/hookSpecificOutput/content";

const NAMED: Says = (NAME, Want::EventName);
const BLOCK: Says = ("/decision", Want::Word("block"));
const STOP: Says = ("/continue", Want::Bool(false));
const UNBLOCKED: Says = ("/decision", Want::Not(&Want::Word("block")));
const GOES_ON: Says = ("/continue", Want::Not(&Want::Bool(false)));
const DENY: Says = (VERDICT, Want::Word("deny"));
const INTERRUPT: Says = ("/hookSpecificOutput/decision/interrupt", Want::Bool(true));
const REASONED: Says = (VERDICT, Want::Not(&Want::Any(&[Want::Word("allow"), Want::Word("defer")])));
const ACCEPT: Says = (ACTION, Want::Word("accept"));

const TITLE: &str = "/hookSpecificOutput/sessionTitle";
const UNSHOWN: &str = "/hookSpecificOutput/suppressOriginalPrompt";
const WATCH: &str = "/hookSpecificOutput/watchPaths";
const NO_FORM: &[Says] = &[(CONTENT, Want::Not(&Want::Any(&[Want::Nothing, Want::Object])))];
const NO_DOCUMENT: Says = ("", Want::Not(&Want::Object));

/// `hookSpecificOutput` without the right event name, and a `decision` that is neither `approve` nor
/// `block`, void the whole answer.
const UNNAMED: &[Says] = &[(HSO, Want::Some), (NAME, Want::Not(&Want::EventName))];
const ODD_DECISION: &[Says] =
    &[("/decision", Want::Not(&Want::Any(&[Want::Nothing, Want::Word("approve"), Want::Word("block")])))];
const ODD_VERDICT: &[Says] = &[(
    VERDICT,
    Want::Not(&Want::Any(&[
        Want::Nothing,
        Want::Word("allow"),
        Want::Word("ask"),
        Want::Word("deny"),
        Want::Word("defer"),
    ])),
)];
/// A text or a truth value of another type voids the whole answer.
const NO_TEXT: Want = Want::Not(&Want::Any(&[Want::Nothing, Want::Text, Want::Word("")]));
const NO_TRUTH: Want = Want::Not(&Want::Any(&[Want::Nothing, Want::Bool(true), Want::Bool(false)]));

pub(super) static PRE_TOOL: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Prog).void(),
    Effect::any(ODD_DECISION, Does::Flow, Mark::Run).void(),
    Effect::any(ODD_VERDICT, Does::Flow, Mark::Prog).void(),
    Effect::any(&[("/systemMessage", NO_TEXT)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[("/terminalSequence", NO_TEXT)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[("/suppressOutput", NO_TRUTH)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[(INPUT, Want::Not(&Want::Any(&[Want::Nothing, Want::Object])))], Does::Flow, Mark::Prog).void(),
    Effect::any(&[DENY, STOP], Does::Stops, Mark::Prog),
    Effect::any(&[DENY], Does::Blocks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("defer"))], Does::Stops, Mark::Prog),
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
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED, (VERDICT, Want::Not(&Want::Word("defer")))]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new(REASON, Rider::Reason).only(&[NAMED, REASONED]),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP, REASONED]),
    Carry::new("stderr", Rider::Reason).with(Exit::Is(2)),
];

/// The event fires because the person is about to be asked: whatever is no answer leaves it at that,
/// exit 2 included. `interrupt` beside a denial ends the run.
pub(super) static PERMISSION: &[Effect] = &[
    Effect::any(UNNAMED, Does::Asks, Mark::Run).void(),
    Effect::any(&[(BEHAVIOR, Want::Word("deny")), INTERRUPT], Does::Stops, Mark::Prog),
    Effect::any(&[(BEHAVIOR, Want::Word("deny"))], Does::Blocks, Mark::Prog),
    Effect::any(&[(RULES, Want::Not(&Want::Any(&[Want::Nothing, Want::Each(&Want::Object)])))], Does::Asks, Mark::Prog)
        .void(),
    Effect::any(&[(BEHAVIOR, Want::Word("allow"))], Does::Approves, Mark::Prog),
    Effect::any(&[(BEHAVIOR, Want::Some)], Does::Asks, Mark::Run).void(),
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
    Effect::any(&[STOP], Does::RunsThenStops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static POST_TOOL_CARRIES: &[Carry] = &[
    Carry::new(OUTPUT, Rider::Change(Target::Result)).only(&[NAMED, (OUTPUT, Want::Object)]),
    Carry::new(OUTPUT, Rider::Change(Target::Result)).only(&[NAMED, (OUTPUT, Want::Filled)]),
    Carry::new(MCP_OUTPUT, Rider::Change(Target::Result)).only(&[NAMED, (OUTPUT, Want::Nothing)]),
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/reason", Rider::Context).only(&[BLOCK, GOES_ON]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Context).with(Exit::Is(2)),
    Carry::new("/systemMessage", Rider::Notice).only(&[GOES_ON]),
];

/// After a failure nothing is taken away, and `continue: false` is not heard.
pub(super) static POST_FAILURE: &[Effect] = &[
    Effect::exit(2, &[], Does::Flow, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static POST_FAILURE_CARRIES: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/reason", Rider::Context).only(&[BLOCK]),
    Carry::new("stderr", Rider::Context).with(Exit::Is(2)),
    Carry::new("/systemMessage", Rider::Notice),
];

/// After a batch a block ends the loop before the model is called again.
pub(super) static BATCH: &[Effect] = &[
    Effect::exit(2, &[], Does::RunsThenStops, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Doc).void(),
    Effect::any(&[BLOCK], Does::RunsThenStops, Mark::Prog),
    Effect::any(&[STOP], Does::RunsThenStops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// A refused prompt ends the turn before the model is called.
pub(super) static PROMPT: &[Effect] = &[
    Effect::exit(2, &[], Does::Stops, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::any(&[(TITLE, NO_TEXT)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[(UNSHOWN, NO_TRUTH)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[BLOCK], Does::Stops, Mark::Prog),
    Effect::any(&[STOP], Does::Stops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// A block without a way to stop the run: settings.
pub(super) static BLOCKS: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Doc),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Doc),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

/// The same for a compaction; `continue: false` is not heard, and `hookSpecificOutput` voids the answer.
pub(super) static COMPACT: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(&[(HSO, Want::Some)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static EXPANSION: &[Effect] = &[
    Effect::exit(2, &[], Does::Stops, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Doc).void(),
    Effect::any(&[BLOCK], Does::Stops, Mark::Prog),
    Effect::any(&[STOP], Does::Stops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// Texts that reach somebody unless the prompt is refused. What is printed where a
/// session starts or a prompt comes in, and is no document, is context as well.
pub(super) static TEXTS: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED, UNBLOCKED]),
    Carry::new("stdout", Rider::Context).with(Exit::Zero).only(&[NO_DOCUMENT]),
    Carry::new("/systemMessage", Rider::Notice).only(&[UNBLOCKED, GOES_ON]),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Reason).with(Exit::Is(2)),
];

/// The same without plain output.
pub(super) static SPOKEN: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new(REASON, Rider::Reason).only(&[NAMED]),
    Carry::new("/stopReason", Rider::Reason).only(&[STOP]),
    Carry::new("stderr", Rider::Reason).with(Exit::Is(2)),
];

/// Texts on events where no reason is heard.
pub(super) static QUIET: &[Carry] =
    &[Carry::new(CONTEXT, Rider::Context).only(&[NAMED]), Carry::new("/systemMessage", Rider::Notice)];

/// The same where plain output is context too.
pub(super) static QUIET_PLAIN: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("stdout", Rider::Context).with(Exit::Zero).only(&[NO_DOCUMENT]),
    Carry::new("/systemMessage", Rider::Notice),
];

/// Where a session starts: its first words can be ours.
pub(super) static START: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[NAMED]),
    Carry::new("stdout", Rider::Context).with(Exit::Zero).only(&[NO_DOCUMENT]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/hookSpecificOutput/initialUserMessage", Rider::Change(Target::Prompt)).only(&[NAMED]),
];

pub(super) static BEGIN: &[Effect] = &[
    Effect::any(&[(WATCH, Want::Not(&Want::Any(&[Want::Nothing, Want::Each(&Want::Text)])))], Does::Flow, Mark::Prog)
        .void(),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// What is shown in place of a message.
pub(super) static DISPLAY: &[Carry] = &[
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/hookSpecificOutput/displayContent", Rider::Change(Target::Result)).only(&[NAMED]),
];

/// Nothing but a notice is heard.
pub(super) static NOTED: &[Carry] = &[Carry::new("/systemMessage", Rider::Notice)];

/// Notices are discarded here.
pub(super) static UNSEEN: &[Carry] = &[Carry::new(CONTEXT, Rider::Context).only(&[NAMED])];

/// A notice, and a form that was filled in; a server is not told why it gets none.
pub(super) static ANSWERS: &[Carry] = &[
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new(CONTENT, Rider::Change(Target::Result)).with(Exit::Zero).only(&[NAMED, ACCEPT]),
];

/// Nothing that is answered decides anything.
pub(super) static NOTHING: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Prog)];
/// The same, as the documentation has it.
pub(super) static NOTHING_DOC: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Doc)];

/// Context at the end of a turn makes the agent go on, as a block does.
pub(super) static TURN_END: &[Effect] = &[
    Effect::any(&[STOP], Does::Stops, Mark::Prog),
    Effect::exit(2, &[], Does::Continues, Mark::Prog),
    Effect::any(&[BLOCK], Does::Continues, Mark::Prog),
    Effect::any(&[NAMED, (CONTEXT, Want::Text)], Does::Continues, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static IDLE: &[Effect] = &[
    Effect::exit(2, &[], Does::Continues, Mark::Doc),
    Effect::any(&[STOP], Does::Stops, Mark::Doc),
    Effect::any(&[BLOCK], Does::Continues, Mark::Guess),
    Effect::otherwise(Does::Flow, Mark::Doc),
];

/// A block undoes it; `continue: false` is ignored, and `hookSpecificOutput` voids the answer.
pub(super) static TASK: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(&[(HSO, Want::Some)], Does::Flow, Mark::Prog).void(),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static TASK_CARRIES: &[Carry] = &[
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new("stderr", Rider::Reason).with(Exit::Is(2)),
];

pub(super) static SWITCH_CARRIES: &[Carry] = &[
    Carry::new("/systemMessage", Rider::Notice).only(&[UNBLOCKED, (VERDICT, Want::Not(&Want::Word("deny")))]),
    Carry::new("/reason", Rider::Reason).only(&[BLOCK]),
    Carry::new(REASON, Rider::Reason).only(&[NAMED]),
    Carry::new("stderr", Rider::Reason).with(Exit::Is(2)),
];

/// Asked for by a parent process, the switch is refused where the person would have to be asked.
pub(super) static MODEL_SWITCH: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Src).void(),
    Effect::any(&[DENY], Does::Blocks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("ask"))], Does::Asks, Mark::Prog),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Prog),
    Effect::any(&[(VERDICT, Want::Word("allow"))], Does::Approves, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// Without an answer the person fills the form in; content that is no object voids the answer.
pub(super) static ELICITATION: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(UNNAMED, Does::Asks, Mark::Src).void(),
    Effect::any(NO_FORM, Does::Asks, Mark::Prog).void(),
    Effect::any(&[ACCEPT], Does::Responds, Mark::Prog),
    Effect::any(&[(ACTION, Want::Word("decline"))], Does::Blocks, Mark::Prog),
    Effect::any(&[(ACTION, Want::Word("cancel"))], Does::Blocks, Mark::Prog),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Prog),
    Effect::otherwise(Does::Asks, Mark::Prog),
];

pub(super) static ELICITATION_RESULT: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::any(UNNAMED, Does::Flow, Mark::Src).void(),
    Effect::any(NO_FORM, Does::Flow, Mark::Prog).void(),
    Effect::any(&[ACCEPT], Does::Responds, Mark::Prog),
    Effect::any(&[(ACTION, Want::Word("decline"))], Does::Blocks, Mark::Prog),
    Effect::any(&[(ACTION, Want::Word("cancel"))], Does::Blocks, Mark::Src),
    Effect::any(&[BLOCK], Does::Blocks, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// A path makes the worktree; a failure, or no path, makes none. A document is no path.
pub(super) static WORKTREE: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::says(&[("", Want::Object)], Does::Blocks, Mark::Prog).void(),
    Effect::says(&[("stdout", Want::Text)], Does::Responds, Mark::Prog),
    Effect::otherwise(Does::Blocks, Mark::Prog),
];

pub(super) static WORKTREE_CARRIES: &[Carry] = &[
    Carry::new("stdout", Rider::Change(Target::Result)).with(Exit::Zero),
    Carry::new("stderr", Rider::Reason).with(Exit::Failing),
];

/// A worktree that a hook made is kept where the hook fails.
pub(super) static REMOVE: &[Effect] = &[
    Effect::exit(2, &[], Does::Blocks, Mark::Prog),
    Effect::exit(1, &[], Does::Blocks, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

//! What Codex does with an answer, most specific first, and every member it accepts: one more, at
//! any level, and the answer is void.

use crate::host::{Carry, Does, Effect, Exit, Mark, Rider, Want};
use crate::model::Target;

type Says = (&'static str, Want);

const HSO: &str = "/hookSpecificOutput";
const NAME: &str = "/hookSpecificOutput/hookEventName";
const VERDICT: &str = "/hookSpecificOutput/permissionDecision";
const REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
const INPUT: &str = "/hookSpecificOutput/updatedInput";
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const DECISION: &str = "/hookSpecificOutput/decision";
const BEHAVIOR: &str = "/hookSpecificOutput/decision/behavior";

const STOP: Says = ("/continue", Want::Bool(false));
const SAID: Says = ("stderr", Want::Text);
const ALLOW: Says = (VERDICT, Want::Word("allow"));
const BLOCK: &[Says] = &[("/decision", Want::Word("block")), ("/reason", Want::Text)];
/// Any event's name will do, but one must be there.
const UNNAMED: &[Says] = &[(HSO, Want::Some), (NAME, Want::Not(&Want::Any(EVENTS)))];
const EVENTS: &[Want] = &[
    Want::Word("PreToolUse"),
    Want::Word("PermissionRequest"),
    Want::Word("PostToolUse"),
    Want::Word("UserPromptSubmit"),
    Want::Word("SessionStart"),
    Want::Word("SessionEnd"),
    Want::Word("SubagentStart"),
    Want::Word("SubagentStop"),
    Want::Word("Stop"),
    Want::Word("PreCompact"),
    Want::Word("PostCompact"),
    Want::Word("PreModelRequest"),
    Want::Word("PostModelRequest"),
    Want::Word("Interrupt"),
];
const ODD_DECISION: &[Says] =
    &[("/decision", Want::Not(&Want::Any(&[Want::Nothing, Want::Word("approve"), Want::Word("block")])))];
const UNREASONED: &[Says] = &[("/decision", Want::Word("block")), ("/reason", Want::Not(&Want::Text))];
const SUPPRESSED: &[Says] = &[("/suppressOutput", Want::Bool(true))];

/// An approval takes the new input over and skips nothing: the agent still asks where it would have.
pub(super) static PRE_TOOL: &[Effect] = &[
    Effect::exit(2, &[SAID], Does::Blocks, Mark::Prog),
    Effect::says(UNNAMED, Does::Flow, Mark::Prog).void(),
    Effect::says(ODD_DECISION, Does::Flow, Mark::Run).void(),
    Effect::says(&[STOP], Does::Flow, Mark::Prog).void(),
    Effect::says(&[("/stopReason", Want::Some)], Does::Flow, Mark::Run).void(),
    Effect::says(SUPPRESSED, Does::Flow, Mark::Prog).void(),
    Effect::says(&[(INPUT, Want::Some), (VERDICT, Want::Not(&Want::Word("allow")))], Does::Flow, Mark::Prog).void(),
    Effect::says(&[(VERDICT, Want::Word("deny")), (REASON, Want::Text)], Does::Blocks, Mark::Prog),
    Effect::says(&[ALLOW, (INPUT, Want::Misfit)], Does::Blocks, Mark::Prog),
    Effect::says(&[ALLOW, (INPUT, Want::Object)], Does::Flow, Mark::Prog),
    Effect::says(
        &[
            (VERDICT, Want::Nothing),
            (REASON, Want::Nothing),
            ("/decision", Want::Word("block")),
            ("/reason", Want::Text),
        ],
        Does::Blocks,
        Mark::Prog,
    ),
    Effect::says(&[(VERDICT, Want::Some)], Does::Flow, Mark::Prog).void(),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static PRE_TOOL_CARRIES: &[Carry] = &[
    Carry::new(INPUT, Rider::Change(Target::Input)).only(&[ALLOW, (INPUT, Want::Object)]),
    Carry::new(CONTEXT, Rider::Context).only(&[(NAME, Want::Text)]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new(REASON, Rider::Reason).only(&[(VERDICT, Want::Word("deny"))]),
    Carry::new("/reason", Rider::Reason),
    Carry::new("stderr", Rider::Reason),
];

pub(super) const PRE_TOOL_KNOWS: &[&str] = &[
    "/continue",
    "/stopReason",
    "/suppressOutput",
    "/systemMessage",
    "/decision",
    "/reason",
    NAME,
    VERDICT,
    REASON,
    INPUT,
    CONTEXT,
];

/// What is no answer goes to whoever approves: the person, or a reviewing model.
pub(super) static PERMISSION: &[Effect] = &[
    Effect::exit(2, &[SAID], Does::Blocks, Mark::Prog),
    Effect::says(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::says(&[STOP], Does::Flow, Mark::Src).void(),
    Effect::says(&[("/stopReason", Want::Some)], Does::Flow, Mark::Src).void(),
    Effect::says(SUPPRESSED, Does::Flow, Mark::Src).void(),
    Effect::says(&[("/hookSpecificOutput/decision/interrupt", Want::Bool(true))], Does::Flow, Mark::Prog).void(),
    Effect::says(&[("/hookSpecificOutput/decision/updatedInput", Want::Some)], Does::Flow, Mark::Prog).void(),
    Effect::says(&[("/hookSpecificOutput/decision/updatedPermissions", Want::Some)], Does::Flow, Mark::Run).void(),
    Effect::says(&[(BEHAVIOR, Want::Word("deny"))], Does::Blocks, Mark::Prog),
    Effect::says(&[(BEHAVIOR, Want::Word("allow"))], Does::Approves, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static PERMISSION_CARRIES: &[Carry] = &[
    Carry::new("/hookSpecificOutput/decision/message", Rider::Reason),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("stderr", Rider::Reason),
];

pub(super) const PERMISSION_KNOWS: &[&str] =
    &["/continue", "/stopReason", "/suppressOutput", "/systemMessage", NAME, DECISION];

/// The call has run. A block, or exit 2, puts its reason in the place of the output.
pub(super) static POST_TOOL: &[Effect] = &[
    Effect::exit(2, &[SAID], Does::Flow, Mark::Prog),
    Effect::says(SUPPRESSED, Does::Flow, Mark::Src).void(),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

pub(super) static POST_TOOL_CARRIES: &[Carry] = &[
    Carry::new("/reason", Rider::Change(Target::Result)).only(BLOCK),
    Carry::new("stderr", Rider::Change(Target::Result)).with(Exit::Is(2)).only(&[SAID]),
    Carry::new("/stopReason", Rider::Change(Target::Result)).only(&[STOP]),
    Carry::new("/reason", Rider::Change(Target::Result)).only(&[STOP]),
    Carry::new(CONTEXT, Rider::Context).only(&[(NAME, Want::Text)]),
    Carry::new("/systemMessage", Rider::Notice),
];

/// Events with a block and texts.
pub(super) const TALKS: &[&str] =
    &["/continue", "/stopReason", "/suppressOutput", "/systemMessage", "/decision", "/reason", NAME, CONTEXT];

pub(super) static PROMPT: &[Effect] = &[
    Effect::exit(2, &[SAID], Does::Stops, Mark::Prog),
    Effect::says(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::says(ODD_DECISION, Does::Flow, Mark::Src).void(),
    Effect::says(&[STOP], Does::Stops, Mark::Prog),
    Effect::says(UNREASONED, Does::Flow, Mark::Prog).void(),
    Effect::says(BLOCK, Does::Stops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// Plain output is context where a session starts and where a prompt comes in; what begins as JSON is
/// a failed answer.
pub(super) static TEXTS: &[Carry] = &[
    Carry::new(CONTEXT, Rider::Context).only(&[(NAME, Want::Text)]),
    Carry::new("stdout", Rider::Context)
        .with(Exit::Zero)
        .only(&[("stdout", Want::Plain), ("", Want::Not(&Want::Each(&Want::Some)))]),
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/reason", Rider::Reason),
    Carry::new("/stopReason", Rider::Reason),
    Carry::new("stderr", Rider::Reason),
];

/// Exit 2 is only a failure where a session starts; `continue: false` ends the turn.
pub(super) static SESSION: &[Effect] = &[
    Effect::says(UNNAMED, Does::Flow, Mark::Run).void(),
    Effect::says(&[STOP], Does::Stops, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Prog),
];

/// Events with texts and a stop.
pub(super) const STARTS: &[&str] = &["/continue", "/stopReason", "/suppressOutput", "/systemMessage", NAME, CONTEXT];

/// A sub-agent that starts takes context alone: `continue: false` and exit 2 stop nothing.
pub(super) static SUBAGENT: &[Effect] =
    &[Effect::says(UNNAMED, Does::Flow, Mark::Src).void(), Effect::otherwise(Does::Flow, Mark::Prog)];

pub(super) static TURN_END: &[Effect] = &[
    Effect::exit(2, &[SAID], Does::Continues, Mark::Run),
    Effect::says(&[STOP], Does::Stops, Mark::Prog),
    Effect::says(BLOCK, Does::Continues, Mark::Prog),
    Effect::otherwise(Does::Flow, Mark::Run),
];

/// `hookSpecificOutput` voids the answer at the end of a turn.
pub(super) const ENDS: &[&str] =
    &["/continue", "/stopReason", "/suppressOutput", "/systemMessage", "/decision", "/reason"];

/// The run is interrupted; a block and exit 2 stop nothing.
pub(super) static COMPACT: &[Effect] =
    &[Effect::says(&[STOP], Does::Stops, Mark::Prog), Effect::otherwise(Does::Flow, Mark::Prog)];

/// Events with a stop and a notice.
pub(super) const STOPS: &[&str] = &["/continue", "/stopReason", "/suppressOutput", "/systemMessage"];

/// A notice, the reason of a stop or of going on.
pub(super) static SPOKEN: &[Carry] = &[
    Carry::new("/systemMessage", Rider::Notice),
    Carry::new("/stopReason", Rider::Reason),
    Carry::new("/reason", Rider::Reason),
    Carry::new("stderr", Rider::Reason),
];

/// Nothing that is answered decides anything.
pub(super) static NOTHING: &[Effect] = &[Effect::otherwise(Does::Flow, Mark::Run)];

//! The events, what an answer can do on each, and what stays open.

use super::{effects as fx, reply};
use crate::host::Want;
use crate::model::{EventKind as K, Target, VerdictKind as V};
use crate::protocol::{EventRow, Extra, Power as P, ReplyWriter};

const HOSTS: &[&str] = &["2.1.329"];
const HOUR_SIXTH: u32 = 600_000;

pub(super) const FAILS_OPEN: &str =
    "A hook that is killed, too slow or missing lets it through, unless it is registered with onFailure \"block\".";
const PLAIN_OPEN: &str = "Output that is no JSON object lets it through even so.";
const PROMPT_OPEN: &str = "A hook that is killed, too slow or missing lets it through.";
const RACE: &str =
    "The person is asked at the same time and the first answer wins, so this event is never the only gate.";
const DOCUMENT_ONLY: &str = "Only the document of a denial blocks: a hook that fails, and one whose stdout is broken, leaves the question to the person.";
const ROUNDS: &str = "After eight rounds in a row the agent ends its turn all the same.";
const RULES: &str = "Its own permission rules see the new input, not the one that policy judged.";

const fn row(native: &'static str, kind: K, reply: ReplyWriter) -> EventRow {
    EventRow::new(native, kind, reply).hosts(HOSTS).timeout_ms(HOUR_SIXTH).extra(&[UNIVERSAL])
}

const NOTICE: &[P] = &[P::Notice];
const SPEAKS: &[P] = &[P::Context, P::Notice];
const BLOCKS: &[P] = &[P::Deny, P::Notice, P::NoticeOnBlock];
const TURN_END: &[P] = &[P::KeepGoing, P::Abort, P::ContextOnKeepGoing, P::Notice, P::NoticeOnBlock];

const TRUTH: Want = Want::Any(&[Want::Bool(true), Want::Bool(false)]);
const PATHS: Want = Want::Each(&Want::Text);

/// Taken on every event whose answer is a document; `suppressOutput` has no effect that was seen.
const UNIVERSAL: &[Extra] =
    &[Extra::new("/terminalSequence", Want::Text).with(&V::ALL), Extra::new("/suppressOutput", TRUTH).with(&V::ALL)];
/// Heard only without a terminal and where it is the turn's only call; the rest of such an answer is
/// ignored there.
const DEFER: Extra = Extra::new("/hookSpecificOutput/permissionDecision", Want::Word("defer")).with(&[V::Pass]).alone();
const RULE_CHANGES: Extra =
    Extra::new("/hookSpecificOutput/decision/updatedPermissions", Want::Each(&Want::Object)).with(&[V::Allow]);
/// A result that stays, with a complaint beside it.
const FEEDBACK: &[Extra] = &[Extra::new("/decision", Want::Word("block")), Extra::new("/reason", Want::Text)];
const TITLE: Extra = Extra::new("/hookSpecificOutput/sessionTitle", Want::Text);
const WATCH: Extra = Extra::new("/hookSpecificOutput/watchPaths", PATHS);
/// The prompt is left out of the message that says why it was refused.
const UNSHOWN: Extra = Extra::new("/hookSpecificOutput/suppressOriginalPrompt", TRUTH).with(&[V::Deny]);
const BEGIN: &[Extra] = &[
    TITLE,
    WATCH,
    Extra::new("/hookSpecificOutput/initialUserMessage", Want::Text),
    Extra::new("/hookSpecificOutput/reloadSkills", TRUTH),
];
const FORM: &[Extra] = &[
    Extra::new(
        "/hookSpecificOutput/action",
        Want::Any(&[Want::Word("accept"), Want::Word("decline"), Want::Word("cancel")]),
    )
    .with(&[V::Pass]),
    Extra::new("/hookSpecificOutput/content", Want::Object).with(&[V::Pass]),
];

pub(super) static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, reply::pre_tool)
        .gate()
        .can_do(&[
            P::Allow,
            P::Ask,
            P::Deny,
            P::Abort,
            P::Change(Target::Input),
            P::Context,
            P::ContextOnBlock,
            P::Notice,
            P::NoticeOnBlock,
        ])
        .extra(&[UNIVERSAL, &[DEFER]])
        .drops(reply::drops_input)
        .open(&[FAILS_OPEN, PLAIN_OPEN, RULES])
        .effects(fx::PRE_TOOL, fx::PRE_TOOL_CARRIES),
    row("PermissionRequest", K::Permission, reply::permission)
        .gate()
        .can_do(&[
            P::Allow,
            P::SilenceAsks,
            P::Deny,
            P::Abort,
            P::Change(Target::Input),
            P::ChangeNeedsAllow,
            P::Notice,
            P::NoticeOnBlock,
        ])
        .extra(&[UNIVERSAL, &[RULE_CHANGES]])
        .drops(reply::drops_input)
        .open(&[RACE, DOCUMENT_ONLY])
        .effects(fx::PERMISSION, fx::PERMISSION_CARRIES),
    row("PermissionDenied", K::Observed, reply::riders)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[Extra::new("/hookSpecificOutput/retry", TRUTH)]])
        .effects(fx::NOTHING_DOC, fx::QUIET),
    row("PostToolUse", K::PostTool, reply::post_tool)
        .can_do(&[P::Change(Target::Result), P::Abort, P::Context, P::Notice])
        .extra(&[UNIVERSAL, FEEDBACK])
        .drops(reply::drops_result)
        .withhold(reply::withhold)
        .open(&[
            "A result without a text in it, such as that of Write, can only be kept from the model by ending the turn.",
        ])
        .effects(fx::POST_TOOL, fx::POST_TOOL_CARRIES),
    row("PostToolUseFailure", K::PostTool, reply::post_tool)
        .can_do(SPEAKS)
        .extra(&[UNIVERSAL, FEEDBACK])
        .open(&[
            "What a failed tool printed cannot be replaced, and the turn does not end here; PostToolBatch, which follows, can end it.",
        ])
        .effects(fx::POST_FAILURE, fx::POST_FAILURE_CARRIES),
    row("PostToolBatch", K::PostTool, reply::block)
        .can_do(&[P::Deny, P::Abort, P::Context, P::ContextOnBlock, P::Notice, P::NoticeOnBlock])
        .effects(fx::BATCH, fx::SPOKEN),
    row("UserPromptSubmit", K::Prompt, reply::block)
        .gate()
        .timeout_ms(30_000)
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .extra(&[UNIVERSAL, &[TITLE, UNSHOWN]])
        .open(&[PROMPT_OPEN])
        .effects(fx::PROMPT, fx::TEXTS),
    row("UserPromptExpansion", K::Prompt, reply::block)
        .gate()
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .open(&[PROMPT_OPEN])
        .effects(fx::EXPANSION, fx::TEXTS),
    row("SessionStart", K::SessionStart, reply::riders)
        .can_do(SPEAKS)
        .extra(&[UNIVERSAL, BEGIN])
        .effects(fx::BEGIN, fx::START),
    row("SessionEnd", K::SessionEnd, reply::riders)
        .timeout_ms(1_500)
        .can_do(NOTICE)
        .effects(fx::NOTHING, fx::QUIET),
    row("Setup", K::Setup, reply::riders).can_do(NOTICE).effects(fx::NOTHING, fx::NOTED),
    row("Stop", K::TurnEnd, reply::block).can_do(TURN_END).open(&[ROUNDS]).effects(fx::TURN_END, fx::SPOKEN),
    row("SubagentStop", K::SubagentEnd, reply::block)
        .can_do(TURN_END)
        .open(&[ROUNDS])
        .effects(fx::TURN_END, fx::SPOKEN),
    row("StopFailure", K::Error, reply::silent).extra(&[]).effects(fx::NOTHING_DOC, &[]),
    row("SubagentStart", K::SubagentStart, reply::riders).can_do(SPEAKS).effects(fx::NOTHING, fx::QUIET),
    row("PreCompact", K::PreCompact, reply::block)
        .gate()
        .can_do(BLOCKS)
        .open(&[PROMPT_OPEN])
        .effects(fx::COMPACT, fx::SPOKEN),
    row("PostCompact", K::PostCompact, reply::riders).can_do(NOTICE).effects(fx::NOTHING_DOC, fx::QUIET),
    row("PreModelSwitch", K::Observed, reply::model_switch)
        .can_do(&[P::Allow, P::Ask, P::Deny, P::Notice])
        .effects(fx::MODEL_SWITCH, fx::SWITCH_CARRIES),
    row("PostModelSwitch", K::Observed, reply::riders).can_do(SPEAKS).effects(fx::NOTHING, fx::QUIET_PLAIN),
    row("Notification", K::Notification, reply::riders).can_do(&[P::Context]).effects(fx::NOTHING_DOC, fx::UNSEEN),
    row("MessageDisplay", K::Observed, reply::riders)
        .timeout_ms(10_000)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[Extra::new("/hookSpecificOutput/displayContent", Want::Text)]])
        .effects(fx::NOTHING, fx::DISPLAY),
    row("TaskCreated", K::Observed, reply::block).can_do(BLOCKS).effects(fx::TASK, fx::TASK_CARRIES),
    row("TaskCompleted", K::Observed, reply::block).can_do(BLOCKS).effects(fx::TASK, fx::TASK_CARRIES),
    row("TeammateIdle", K::TurnEnd, reply::by_exit)
        .can_do(&[P::KeepGoing, P::Abort])
        .extra(&[])
        .effects(fx::IDLE, fx::SPOKEN),
    row("Elicitation", K::Question, reply::elicitation)
        .can_do(&[P::SilenceAsks, P::Respond, P::Deny, P::Notice])
        .answers(reply::fills)
        .extra(&[UNIVERSAL, FORM])
        .effects(fx::ELICITATION, fx::ANSWERS),
    row("ElicitationResult", K::Question, reply::elicitation)
        .can_do(&[P::Respond, P::Deny, P::Notice])
        .answers(reply::fills)
        .extra(&[UNIVERSAL, FORM])
        .effects(fx::ELICITATION_RESULT, fx::ANSWERS),
    row("ConfigChange", K::Observed, reply::block).can_do(BLOCKS).effects(fx::BLOCKS, fx::SPOKEN),
    row("ConfigChange", K::Observed, reply::riders)
        .case("policy_settings")
        .can_do(NOTICE)
        .open(&["A change of an organisation's settings cannot be blocked."])
        .effects(fx::NOTHING_DOC, fx::QUIET),
    row("InstructionsLoaded", K::Observed, reply::riders).can_do(NOTICE).effects(fx::NOTHING, fx::QUIET),
    row("CwdChanged", K::Observed, reply::riders)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[WATCH]])
        .effects(fx::NOTHING, fx::QUIET),
    row("FileChanged", K::Observed, reply::riders)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[WATCH]])
        .effects(fx::NOTHING, fx::QUIET),
    row("DirectoryAdded", K::Observed, reply::riders).can_do(NOTICE).effects(fx::NOTHING_DOC, fx::QUIET),
    row("WorktreeCreate", K::Setup, reply::worktree_create)
        .plain()
        .can_do(&[P::Respond, P::Deny])
        .extra(&[])
        .open(&["Whoever is registered here makes the worktree: no opinion is no path, and none is made."])
        .effects(fx::WORKTREE, fx::WORKTREE_CARRIES),
    row("WorktreeRemove", K::Observed, reply::by_exit)
        .can_do(&[P::Deny, P::Notice])
        .extra(&[])
        .effects(fx::REMOVE, fx::QUIET),
];

/// An event that is new to us, with a tool call in it: exit 2 is the block that every event knows.
pub(super) static STRAY_CALL: EventRow = EventRow::new("", K::PreTool, reply::by_exit).gate().can_do(&[P::Deny]);
/// Any other event that is new to us.
pub(super) static STRAY: EventRow = EventRow::new("", K::Observed, reply::silent);

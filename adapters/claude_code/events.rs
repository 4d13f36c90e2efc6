//! The events, what an answer can do on each, and what stays open.

use super::{effects as fx, reply};
use crate::model::{EventKind as K, Target};
use crate::protocol::{EventRow, Power as P, ReplyWriter};

const HOSTS: &[&str] = &["2.1.329"];
const HOUR_SIXTH: u32 = 600_000;

const FAILS_OPEN: &str =
    "A hook that is killed, too slow or missing lets it through, unless it is registered with onFailure \"block\".";
const PLAIN_OPEN: &str = "Output that is no JSON object lets it through even so.";
const PROMPT_OPEN: &str = "A hook that is killed, too slow or missing lets it through.";
const RACE: &str =
    "The person is asked at the same time and the first answer wins, so this event is never the only gate.";
const RULES: &str = "Its own permission rules see the new input, not the one that policy judged.";

const fn row(native: &'static str, kind: K, reply: ReplyWriter) -> EventRow {
    EventRow::new(native, kind, reply).hosts(HOSTS).timeout_ms(HOUR_SIXTH)
}

const SPEAKS: &[P] = &[P::Context, P::Notice];
const BLOCKS: &[P] = &[P::Deny, P::Notice, P::NoticeOnBlock];

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
        .drops(reply::drops_input)
        .open(&[FAILS_OPEN, PLAIN_OPEN, RULES])
        .effects(fx::PRE_TOOL, fx::PRE_TOOL_CARRIES),
    row("PermissionRequest", K::Permission, reply::permission)
        .gate()
        .can_do(&[
            P::Allow,
            P::SilenceAsks,
            P::Deny,
            P::Change(Target::Input),
            P::ChangeNeedsAllow,
            P::ExtraNeedsAllow,
            P::Notice,
            P::NoticeOnBlock,
        ])
        .extra(&["/hookSpecificOutput/decision/updatedPermissions"])
        .drops(reply::drops_input)
        .open(&[RACE, "A hook that fails leaves the question to the person."])
        .effects(fx::PERMISSION, fx::PERMISSION_CARRIES),
    row("PermissionDenied", K::Observed, reply::riders)
        .extra(&["/hookSpecificOutput/retry"])
        .effects(fx::NOTHING_DOC, fx::QUIET),
    row("PostToolUse", K::PostTool, reply::post_tool)
        .can_do(&[P::Change(Target::Result), P::Abort, P::Context, P::Notice, P::NoticeOnBlock])
        .drops(reply::drops_result)
        .withhold(reply::withhold)
        .open(&[
            "A result without a text in it, such as that of Write, can only be kept from the model by ending the turn.",
        ])
        .effects(fx::POST_TOOL, fx::POST_TOOL_CARRIES),
    row("PostToolUseFailure", K::PostTool, reply::post_tool)
        .can_do(&[P::Abort, P::Context, P::Notice, P::NoticeOnBlock])
        .open(&[
            "What a failed tool printed cannot be replaced; only ending the turn keeps the model from working on it.",
        ])
        .effects(fx::POST_TOOL, fx::POST_TOOL_CARRIES),
    row("PostToolBatch", K::PostTool, reply::block)
        .can_do(&[P::Deny, P::Abort, P::Context, P::ContextOnBlock, P::Notice, P::NoticeOnBlock])
        .effects(fx::BATCH, fx::SPOKEN),
    row("UserPromptSubmit", K::Prompt, reply::block)
        .gate()
        .timeout_ms(30_000)
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice, P::NoticeOnBlock])
        .extra(&["/hookSpecificOutput/sessionTitle", "/hookSpecificOutput/suppressOriginalPrompt"])
        .open(&[PROMPT_OPEN])
        .effects(fx::PROMPT, fx::TEXTS),
    row("UserPromptExpansion", K::Prompt, reply::block)
        .gate()
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice, P::NoticeOnBlock])
        .open(&[PROMPT_OPEN])
        .effects(fx::EXPANSION, fx::TEXTS),
    row("SessionStart", K::SessionStart, reply::riders)
        .can_do(SPEAKS)
        .extra(&[
            "/hookSpecificOutput/sessionTitle",
            "/hookSpecificOutput/watchPaths",
            "/hookSpecificOutput/initialUserMessage",
            "/hookSpecificOutput/reloadSkills",
        ])
        .effects(fx::NOTHING, fx::QUIET_PLAIN),
    row("SessionEnd", K::SessionEnd, reply::silent).timeout_ms(1_500).effects(fx::NOTHING, fx::QUIET),
    row("Setup", K::Setup, reply::riders).can_do(SPEAKS).effects(fx::NOTHING, fx::QUIET),
    row("Stop", K::TurnEnd, reply::block)
        .can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock])
        .open(&["After eight rounds in a row the agent ends its turn all the same."])
        .effects(fx::TURN_END, fx::SPOKEN),
    row("SubagentStop", K::SubagentEnd, reply::block)
        .can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock])
        .open(&["After eight rounds in a row the agent ends its turn all the same."])
        .effects(fx::TURN_END, fx::SPOKEN),
    row("StopFailure", K::Error, reply::silent).effects(fx::NOTHING_DOC, &[]),
    row("SubagentStart", K::SubagentStart, reply::riders).can_do(&[P::Context]).effects(fx::NOTHING, fx::QUIET),
    row("PreCompact", K::PreCompact, reply::block)
        .gate()
        .can_do(BLOCKS)
        .open(&[PROMPT_OPEN])
        .effects(fx::BLOCKS, fx::SPOKEN),
    row("PostCompact", K::PostCompact, reply::silent).effects(fx::NOTHING_DOC, fx::QUIET),
    row("PreModelSwitch", K::Observed, reply::model_switch)
        .can_do(&[P::Allow, P::Ask, P::Deny])
        .effects(fx::MODEL_SWITCH, fx::SPOKEN),
    row("PostModelSwitch", K::Observed, reply::riders).can_do(&[P::Context]).effects(fx::NOTHING_DOC, fx::QUIET_PLAIN),
    row("Notification", K::Notification, reply::riders).can_do(&[P::Context]).effects(fx::NOTHING_DOC, fx::UNSEEN),
    row("MessageDisplay", K::Observed, reply::riders)
        .timeout_ms(10_000)
        .extra(&["/hookSpecificOutput/displayContent"])
        .effects(fx::NOTHING, fx::QUIET),
    row("TaskCreated", K::Observed, reply::by_exit).can_do(&[P::Deny]).effects(fx::TASK_CREATED, fx::SPOKEN),
    row("TaskCompleted", K::Observed, reply::by_exit).can_do(&[P::Deny]).effects(fx::TASK_COMPLETED, fx::SPOKEN),
    row("TeammateIdle", K::TurnEnd, reply::by_exit).can_do(&[P::KeepGoing, P::Abort]).effects(fx::IDLE, fx::SPOKEN),
    row("Elicitation", K::Question, reply::elicitation)
        .can_do(&[P::SilenceAsks, P::Deny])
        .extra(&["/hookSpecificOutput/action", "/hookSpecificOutput/content"])
        .effects(fx::ELICITATION, fx::ANSWERS),
    row("Elicitation", K::Question, reply::elicitation)
        .case("one_field")
        .can_do(&[P::SilenceAsks, P::Respond, P::Deny])
        .extra(&["/hookSpecificOutput/action", "/hookSpecificOutput/content"])
        .effects(fx::ELICITATION, fx::ANSWERS),
    row("ElicitationResult", K::Question, reply::elicitation)
        .can_do(&[P::Deny])
        .extra(&["/hookSpecificOutput/action", "/hookSpecificOutput/content"])
        .effects(fx::ELICITATION_RESULT, fx::ANSWERS),
    row("ConfigChange", K::Observed, reply::block).can_do(BLOCKS).effects(fx::BLOCKS, fx::SPOKEN),
    row("ConfigChange", K::Observed, reply::silent)
        .case("policy_settings")
        .open(&["A change of an organisation's settings cannot be blocked."])
        .effects(fx::NOTHING_DOC, &[]),
    row("InstructionsLoaded", K::Observed, reply::silent).effects(fx::NOTHING, fx::QUIET),
    row("CwdChanged", K::Observed, reply::riders)
        .extra(&["/hookSpecificOutput/watchPaths"])
        .effects(fx::NOTHING, fx::QUIET),
    row("FileChanged", K::Observed, reply::riders)
        .extra(&["/hookSpecificOutput/watchPaths"])
        .effects(fx::NOTHING, fx::QUIET),
    row("DirectoryAdded", K::Observed, reply::silent).effects(fx::NOTHING_DOC, fx::QUIET),
    row("WorktreeCreate", K::Setup, reply::worktree_create)
        .plain()
        .can_do(&[P::Respond, P::Deny])
        .open(&["Whoever is registered here makes the worktree: no opinion is no path, and none is made."])
        .effects(fx::WORKTREE, fx::ANSWERS),
    row("WorktreeRemove", K::Observed, reply::silent).effects(fx::NOTHING_DOC, fx::QUIET),
];

/// An event that is new to us, with a tool call in it: exit 2 is the block that every event knows.
pub(super) static STRAY_CALL: EventRow = EventRow::new("", K::PreTool, reply::by_exit).gate().can_do(&[P::Deny]);
/// Any other event that is new to us.
pub(super) static STRAY: EventRow = EventRow::new("", K::Observed, reply::silent);

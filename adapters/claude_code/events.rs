//! The events of Claude Code, with the powers of a reply and the limits.

use super::reply;
use crate::model::{EventKind as K, Target, VerdictKind as V};
use crate::protocol::{EventRow, Extra, KnownLimit, Power as P, ReplyWriter, Want};
use crate::shared::claude_style;

const HOSTS: &[&str] = &["2.1.329"];
const TIMEOUT_MS: u64 = 600_000;

pub(super) const FAILS_OPEN: KnownLimit = KnownLimit::new(
    "A hook that is killed, times out or is missing does not block, unless its entry sets onFailure to \"block\".",
);
const PLAIN_OPEN: KnownLimit =
    KnownLimit::new("Output that is not a JSON object does not block, regardless of onFailure.");
const PROMPT_OPEN: KnownLimit = KnownLimit::new("A hook that is killed, times out or is missing does not block.");
const RACE: KnownLimit = KnownLimit::new(
    "The user is asked at the same time and the first answer wins, so this event is never the only gate.",
);
const DOCUMENT_ONLY: KnownLimit = KnownLimit::new(
    "Only a document with a denial blocks: if the hook fails or its stdout is invalid, the user decides.",
);
const ROUNDS: KnownLimit =
    KnownLimit::new("After eight consecutive rounds the agent ends its turn regardless of the hook.");
const RULES: KnownLimit =
    KnownLimit::new("The agent's own permission rules apply to the new input, not to the one that policy judged.");
const NO_TEXT: KnownLimit = KnownLimit::new(
    "A result without text, such as that of Write, can be withheld from the model only by ending the turn.",
);
const FAILED_OUTPUT: KnownLimit = KnownLimit::new(
    "The output of a failed tool cannot be replaced, and this event cannot end the turn; PostToolBatch, which follows, can.",
);
const MANAGED_SETTINGS: KnownLimit = KnownLimit::new("A change of managed settings cannot be blocked.");
const CREATES_WORKTREE: KnownLimit =
    KnownLimit::new("The hook creates the worktree: if it prints no path, no worktree is created.");

const fn row(native: &'static str, kind: K, reply: ReplyWriter) -> EventRow {
    EventRow::new(native, kind, reply).hosts(HOSTS).timeout_ms(TIMEOUT_MS).extra(&[UNIVERSAL])
}

const NOTICE: &[P] = &[P::Notice];
const SPEAKS: &[P] = &[P::Context, P::Notice];
const BLOCKS: &[P] = &[P::Deny, P::Notice, P::NoticeOnBlock];
const TURN_END: &[P] = &[P::KeepGoing, P::Abort, P::ContextOnKeepGoing, P::Notice, P::NoticeOnBlock];

const TRUTH: Want = Want::Any(&[Want::Bool(true), Want::Bool(false)]);
const PATHS: Want = Want::Each(&Want::Text);

/// Accepted on every event whose reply is a document. No effect of `suppressOutput` was observed.
const UNIVERSAL: &[Extra] =
    &[Extra::new("/terminalSequence", Want::Text).with(&V::ALL), Extra::new("/suppressOutput", TRUTH).with(&V::ALL)];
/// Has an effect only without a terminal and on the only call of a turn, where the agent ignores the rest of the reply.
const DEFER: Extra =
    Extra::new("/hookSpecificOutput/permissionDecision", Want::Word("defer")).with(&[V::Pass]).exclusive();
const RULE_CHANGES: Extra =
    Extra::new("/hookSpecificOutput/decision/updatedPermissions", Want::Each(&Want::Object)).with(&[V::Allow]);
/// Keeps the result and adds a remark for the model.
const FEEDBACK: &[Extra] = &[Extra::new("/decision", Want::Word("block")), Extra::new("/reason", Want::Text)];
const TITLE: Extra = Extra::new("/hookSpecificOutput/sessionTitle", Want::Text);
const WATCH: Extra = Extra::new("/hookSpecificOutput/watchPaths", PATHS);
/// Omits the prompt from the message with the reason of the denial.
const HIDDEN_PROMPT: Extra = Extra::new("/hookSpecificOutput/suppressOriginalPrompt", TRUTH).with(&[V::Deny]);
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
    row("PreToolUse", K::PreTool, claude_style::pre_tool)
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
        .rejects(claude_style::rejects_input)
        .known_limits(&[FAILS_OPEN, PLAIN_OPEN, RULES]),
    row("PermissionRequest", K::Permission, claude_style::permission)
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
        .rejects(claude_style::rejects_input)
        .known_limits(&[RACE, DOCUMENT_ONLY]),
    row("PermissionDenied", K::Observed, claude_style::additions)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[Extra::new("/hookSpecificOutput/retry", TRUTH)]]),
    row("PostToolUse", K::PostTool, claude_style::post_tool)
        .can_do(&[P::Change(Target::Result), P::Abort, P::Context, P::Notice])
        .extra(&[UNIVERSAL, FEEDBACK])
        .rejects(reply::rejects_result)
        .withheld_result(reply::withheld_result)
        .known_limits(&[NO_TEXT]),
    row("PostToolUseFailure", K::PostTool, claude_style::post_tool)
        .error("error")
        .can_do(SPEAKS)
        .extra(&[UNIVERSAL, FEEDBACK])
        .known_limits(&[FAILED_OUTPUT]),
    row("PostToolBatch", K::PostTool, claude_style::block).can_do(&[
        P::Deny,
        P::Abort,
        P::Context,
        P::ContextOnBlock,
        P::Notice,
        P::NoticeOnBlock,
    ]),
    row("UserPromptSubmit", K::Prompt, claude_style::block)
        .gate()
        .timeout_ms(30_000)
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .extra(&[UNIVERSAL, &[TITLE, HIDDEN_PROMPT]])
        .known_limits(&[PROMPT_OPEN]),
    row("UserPromptExpansion", K::Prompt, claude_style::block)
        .gate()
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .known_limits(&[PROMPT_OPEN]),
    row("SessionStart", K::SessionStart, claude_style::additions).can_do(SPEAKS).extra(&[UNIVERSAL, BEGIN]),
    row("SessionEnd", K::SessionEnd, claude_style::additions).timeout_ms(1_500).can_do(NOTICE),
    row("Setup", K::Setup, claude_style::additions).can_do(NOTICE),
    row("Stop", K::TurnEnd, claude_style::block).can_do(TURN_END).known_limits(&[ROUNDS]),
    row("SubagentStop", K::SubagentEnd, claude_style::block).can_do(TURN_END).known_limits(&[ROUNDS]),
    row("StopFailure", K::Error, claude_style::silent).extra(&[]),
    row("SubagentStart", K::SubagentStart, claude_style::additions).can_do(SPEAKS),
    row("PreCompact", K::PreCompact, claude_style::block).gate().can_do(BLOCKS).known_limits(&[PROMPT_OPEN]),
    row("PostCompact", K::PostCompact, claude_style::additions).can_do(NOTICE),
    row("PreModelSwitch", K::Observed, reply::model_switch).can_do(&[P::Allow, P::Ask, P::Deny, P::Notice]),
    row("PostModelSwitch", K::Observed, claude_style::additions).can_do(SPEAKS),
    row("Notification", K::Notification, claude_style::additions).can_do(&[P::Context]),
    row("MessageDisplay", K::Observed, claude_style::additions)
        .timeout_ms(10_000)
        .can_do(NOTICE)
        .extra(&[UNIVERSAL, &[Extra::new("/hookSpecificOutput/displayContent", Want::Text)]]),
    row("TaskCreated", K::Observed, claude_style::block).can_do(BLOCKS),
    row("TaskCompleted", K::Observed, claude_style::block).can_do(BLOCKS),
    row("TeammateIdle", K::TurnEnd, claude_style::by_exit).can_do(&[P::KeepGoing, P::Abort]).extra(&[]),
    row("Elicitation", K::Question, reply::elicitation)
        .can_do(&[P::SilenceAsks, P::Respond, P::Deny, P::Notice])
        .accepts_response(reply::fills)
        .extra(&[UNIVERSAL, FORM]),
    row("ElicitationResult", K::Question, reply::elicitation)
        .can_do(&[P::Respond, P::Deny, P::Notice])
        .accepts_response(reply::fills)
        .extra(&[UNIVERSAL, FORM]),
    row("ConfigChange", K::Observed, claude_style::block).can_do(BLOCKS),
    row("ConfigChange", K::Observed, claude_style::additions)
        .case("policy_settings")
        .can_do(NOTICE)
        .known_limits(&[MANAGED_SETTINGS]),
    row("InstructionsLoaded", K::Observed, claude_style::additions).can_do(NOTICE),
    row("CwdChanged", K::Observed, claude_style::additions).can_do(NOTICE).extra(&[UNIVERSAL, &[WATCH]]),
    row("FileChanged", K::Observed, claude_style::additions).can_do(NOTICE).extra(&[UNIVERSAL, &[WATCH]]),
    row("DirectoryAdded", K::Observed, claude_style::additions).can_do(NOTICE),
    row("WorktreeCreate", K::Setup, reply::worktree_create)
        .plain_text()
        .can_do(&[P::Respond, P::Deny])
        .extra(&[])
        .known_limits(&[CREATES_WORKTREE]),
    row("WorktreeRemove", K::Observed, claude_style::by_exit).can_do(&[P::Deny, P::Notice]).extra(&[]),
];

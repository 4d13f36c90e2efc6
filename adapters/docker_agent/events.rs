//! The events of docker-agent, with the powers of a reply and the limits.

use super::reply::{block, permission, rejects_patch, rejects_result, unknown};
use super::{EARLY_B, NEW, OLD};
use crate::model::{EventKind as Kind, Target};
use crate::protocol::{EventRow, Extra, KnownLimit, Power, Role, Want};

const ALL: &[&str] = &["a", "b", "b2", "c"];
const A: &[&str] = &["a"];
const FROM_B: &[&str] = &["b", "b2", "c"];
const FROM_LATE_B: &[&str] = &["b2", "c"];
const C: &[&str] = &["c"];

/// The time limit of an entry without `timeout`.
const TIMEOUT_MS: u64 = 60_000;

/// The members that the agent shows with the question to the user.
const METADATA: &[Extra] = &[
    Extra::new("/hook_specific_output/metadata/safety_label", Want::Some),
    Extra::new("/hook_specific_output/metadata/blast_radius", Want::Some),
    Extra::new("/hook_specific_output/metadata/category", Want::Some),
    Extra::new("/hook_specific_output/metadata/reason", Want::Some),
];

const CODE_MODE: KnownLimit = KnownLimit::new(
    "In code mode no hook runs for the calls inside run_tools_with_javascript: write a deny or ask rule for Tool(run_tools_with_javascript).",
);
pub(super) const UNSEEN_FAILURE: KnownLimit =
    KnownLimit::new("A hook that crashes or times out does not block, unless its entry sets on_error: block.");
const DOCUMENT_ONLY: KnownLimit = KnownLimit::on(
    &["b2-preempt"],
    "v1.89 to v1.137: in this lane only a document with deny or ask at exit code 0 has an effect; after a crash, a timeout or an invalid stdout the call runs.",
);
const NO_REWRITE: KnownLimit =
    KnownLimit::new("The agent ignores rewrites in this lane, so a call that must be changed is denied.");
const NOT_ASKED: KnownLimit = KnownLimit::new("The user is not asked if the session always allows the tool.");
const SKIPPED_LANE: KnownLimit = KnownLimit::on(
    FROM_LATE_B,
    "Under --yolo, with an allow rule and in auto-approving modes the agent runs no hooks of this lane: the call runs.",
);
const LOOSE_EXIT: KnownLimit = KnownLimit::on(
    &["b2"],
    "Before v1.138 a hook that exits with a code other than 0 or 2, or prints invalid JSON, does not block.",
);
const YOLO: KnownLimit =
    KnownLimit::on(&["b"], "v1.53 and later: under --yolo no hook runs before a tool, so a hook cannot stop the call.");
const APPROVED: KnownLimit = KnownLimit::on(
    &["b"],
    "v1.53 to v1.88: a call that an allow rule covers, or that the user approved for the session, reaches no hook before it runs.",
);
const OLD_FAILURE: KnownLimit =
    KnownLimit::on(&["a"], "Before v1.53: after a crash, a timeout or an exit code other than 2 the call runs.");
const ASKED_ONLY: KnownLimit = KnownLimit::new(
    "The event fires only if the agent is about to ask: calls that are approved otherwise do not reach the hook.",
);
const SUB_SESSIONS: KnownLimit = KnownLimit::new("Prompts of sub-sessions do not reach the hook.");
const STREAMED: KnownLimit =
    KnownLimit::new("Output is streamed in pieces: text that is split between two pieces is not recognised.");
const INTERNAL_TOOLS: KnownLimit =
    KnownLimit::new("Internal tools of the agent, such as transfer_task and handoff, do not reach the hook.");

pub(super) static EVENTS: &[EventRow] = &[
    gate("tool_input_transform", Kind::PreTool, C)
        .roles(&[Role::Guarded])
        .can_do(&[Power::AskLater, Power::Deny, Power::Change(Target::Input), Power::Notice, Power::NoticeOnBlock])
        .rejects(rejects_patch)
        .known_limits(&[CODE_MODE, UNSEEN_FAILURE]),
    gate("tool_input_transform", Kind::PreTool, C)
        .roles(&[Role::Alone, Role::Preempt, Role::Asks])
        .can_do(&[Power::Deny, Power::Change(Target::Input), Power::Notice, Power::NoticeOnBlock])
        .rejects(rejects_patch)
        .known_limits(&[CODE_MODE, UNSEEN_FAILURE]),
    verdict("tool_guard", Kind::PreTool, C)
        .can_do(&[Power::Ask, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .fails_closed()
        .extra(&[METADATA])
        .known_limits(&[CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, &["b2-preempt", "c-preempt"])
        .roles(&[Role::Preempt])
        .can_do(&[Power::Ask, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .extra(&[METADATA])
        .known_limits(&[DOCUMENT_ONLY, NO_REWRITE, NOT_ASKED, CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, FROM_LATE_B)
        .dialects(&[NEW])
        .roles(&[Role::Alone, Role::Guarded, Role::Asks])
        .can_do(CALL)
        .rejects(rejects_patch)
        .known_limits(&[SKIPPED_LANE, LOOSE_EXIT, CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, &["b"])
        .dialects(&[EARLY_B])
        .roles(&[Role::Asks])
        .can_do(CALL)
        .known_limits(&[YOLO, APPROVED, CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, &["a", "b"])
        .dialects(&[OLD])
        .roles(&[Role::Alone, Role::Guarded, Role::Asks])
        .can_do(&[Power::Allow, Power::Deny, Power::Change(Target::Input), Power::Notice])
        .known_limits(&[YOLO, APPROVED, OLD_FAILURE, CODE_MODE]),
    verdict("permission_request", Kind::Permission, FROM_B)
        .can_do(&[Power::Allow, Power::SilenceAsks, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .extra(&[METADATA])
        .known_limits(&[ASKED_ONLY]),
    gate("user_prompt_submit", Kind::Prompt, FROM_B).can_do(PROMPT).known_limits(&[SUB_SESSIONS, UNSEEN_FAILURE]),
    gate("user_steering_messages_submit", Kind::Prompt, FROM_LATE_B).can_do(PROMPT).known_limits(&[UNSEEN_FAILURE]),
    gate("user_followup_submit", Kind::Prompt, FROM_LATE_B).can_do(PROMPT).known_limits(&[UNSEEN_FAILURE]),
    gate("before_llm_call", Kind::PreModel, FROM_B)
        .can_do(&[Power::Abort, Power::Change(Target::Messages)])
        .known_limits(&[UNSEEN_FAILURE]),
    gate("pre_compact", Kind::PreCompact, FROM_B)
        .can_do(&[Power::Deny, Power::Context, Power::Notice, Power::NoticeOnBlock])
        .known_limits(&[UNSEEN_FAILURE]),
    gate("before_compaction", Kind::PreCompact, FROM_B)
        .can_do(&[Power::Deny, Power::Summary, Power::Notice, Power::NoticeOnBlock])
        .known_limits(&[UNSEEN_FAILURE]),
    event("tool_response_transform", Kind::PostTool, FROM_B)
        .can_do(&[Power::Change(Target::Result), Power::Notice])
        .rejects(rejects_result)
        .did_not_run()
        .known_limits(&[STREAMED]),
    // In dialect A no reply stops a run.
    event("post_tool_use", Kind::PostTool, A).case_without("no_response", "tool_response").can_do(&[Power::Notice]),
    event("post_tool_use", Kind::PostTool, FROM_B)
        .can_do(&[Power::Abort, Power::Notice, Power::NoticeOnBlock])
        .known_limits(&[INTERNAL_TOOLS]),
    event("session_start", Kind::SessionStart, FROM_B).can_do(&[Power::Context, Power::Notice]),
    event("turn_start", Kind::Observed, FROM_B).can_do(&[Power::Context, Power::Notice]),
    event("worktree_create", Kind::Setup, FROM_LATE_B).can_do(&[Power::Abort, Power::Notice, Power::NoticeOnBlock]),
    event("on_tool_approval_decision", Kind::Observed, FROM_B),
    event("session_end", Kind::SessionEnd, FROM_B),
    event("turn_end", Kind::Observed, FROM_B).can_do(&[Power::Notice]),
    event("after_llm_call", Kind::PostModel, FROM_B),
    event("stop", Kind::TurnEnd, FROM_B).can_do(&[Power::Notice]),
    event("subagent_stop", Kind::SubagentEnd, FROM_B),
    event("after_compaction", Kind::PostCompact, FROM_B).can_do(&[Power::Notice]),
    event("on_user_input", Kind::Notification, ALL),
    event("notification", Kind::Notification, FROM_B),
    event("on_error", Kind::Error, FROM_B),
    event("on_max_iterations", Kind::Notification, FROM_B),
    event("on_session_resume", Kind::Observed, FROM_B),
    event("on_agent_switch", Kind::Observed, FROM_B),
];

/// An unlisted event with a tool call.
pub(super) static UNKNOWN_CALL: EventRow = EventRow::new("an unknown event with a tool call", Kind::PreTool, unknown)
    .gate()
    .can_do(&[Power::Deny])
    .timeout_ms(TIMEOUT_MS)
    .known_limits(&[KnownLimit::new(
        "It is not known if an unlisted event can be blocked: the refusal is exit code 2.",
    )]);

/// An unlisted event without a tool call.
pub(super) static UNKNOWN: EventRow = EventRow::new("an unknown event", Kind::Observed, unknown).timeout_ms(TIMEOUT_MS);

const CALL: &[Power] =
    &[Power::Allow, Power::Ask, Power::Deny, Power::Change(Target::Input), Power::Notice, Power::NoticeOnBlock];
const PROMPT: &[Power] = &[Power::Abort, Power::Context, Power::Notice, Power::NoticeOnBlock];

const fn event(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    EventRow::new(native, kind, block).hosts(hosts).timeout_ms(TIMEOUT_MS)
}

const fn gate(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    event(native, kind, hosts).gate()
}

/// A gate that accepts a `permission_decision`.
const fn verdict(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    EventRow::new(native, kind, permission).hosts(hosts).timeout_ms(TIMEOUT_MS).gate()
}

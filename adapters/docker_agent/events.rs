//! Every event of docker-agent: what an answer can do, and what stays open.

use std::collections::HashSet;

use super::effects as does;
use super::reply::{block, permission, unknown};
use super::{NEW, OLD};
use crate::host::Want;
use crate::model::{Change, EventKind as Kind, HookEvent, Target};
use crate::protocol::{EventRow, Extra, Fails, Power, Role};

/// The case of a `post_tool_use` without the tool's response: dialect A, where nothing stops a run.
pub(super) const NO_RESPONSE: &str = "no_response";

const ALL: &[&str] = &["a", "b", "b2", "c"];
const A: &[&str] = &["a"];
const FROM_B: &[&str] = &["b", "b2", "c"];
const FROM_LATE_B: &[&str] = &["b2", "c"];
const C: &[&str] = &["c"];

/// The time an entry without `timeout` gets.
const TIMEOUT_MS: u32 = 60_000;

/// What the agent renders beside the question to the person.
const METADATA: &[Extra] = &[
    Extra::new("/hook_specific_output/metadata/safety_label", Want::Some),
    Extra::new("/hook_specific_output/metadata/blast_radius", Want::Some),
    Extra::new("/hook_specific_output/metadata/category", Want::Some),
    Extra::new("/hook_specific_output/metadata/reason", Want::Some),
];

const CODE_MODE: &str = "In code mode the calls inside run_tools_with_javascript reach no hook: deny or ask on Tool(run_tools_with_javascript).";
pub(super) const UNSEEN_FAILURE: &str =
    "A crash or a timeout of the hook lets the event pass unless the entry says on_error: block.";

pub(super) static EVENTS: &[EventRow] = &[
    gate("tool_input_transform", Kind::PreTool, C)
        .roles(&[Role::Guarded])
        .can_do(&[Power::AskLater, Power::Deny, Power::Change(Target::Input), Power::Notice, Power::NoticeOnBlock])
        .effects(does::TRANSFORM, does::WITH_INPUT)
        .drops(drops_patch)
        .open(&[CODE_MODE, UNSEEN_FAILURE]),
    gate("tool_input_transform", Kind::PreTool, C)
        .roles(&[Role::Alone, Role::Preempt])
        .can_do(&[Power::Deny, Power::Change(Target::Input), Power::Notice, Power::NoticeOnBlock])
        .effects(does::TRANSFORM, does::WITH_INPUT)
        .drops(drops_patch)
        .open(&[CODE_MODE, UNSEEN_FAILURE]),
    verdict("tool_guard", Kind::PreTool, C)
        .can_do(&[Power::Ask, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .fails(Fails::Closed)
        .extra(&[METADATA])
        .effects(does::GUARD, does::WITH_VERDICT)
        .open(&[CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, &["b2-preempt", "c-preempt"])
        .roles(&[Role::Preempt])
        .can_do(&[Power::Ask, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .extra(&[METADATA])
        .effects(does::PREEMPT_LANE, does::IN_PREEMPT_LANE)
        .open_on(&[(&["b2-preempt"], "v1.89 to v1.137: this lane obeys nothing but the document of a denial or a question at exit 0; a crash, a timeout or a broken stdout lets the call run.")])
        .open(&[
            "It drops rewrites, so that a call which must be changed is denied.",
            "A question is not asked where the session always allows the tool.",
            CODE_MODE,
        ]),
    verdict("pre_tool_use", Kind::PreTool, FROM_LATE_B)
        .dialects(&[NEW])
        .roles(&[Role::Alone, Role::Guarded])
        .can_do(&[
            Power::Allow,
            Power::Ask,
            Power::Deny,
            Power::Change(Target::Input),
            Power::Notice,
            Power::NoticeOnBlock,
        ])
        .effects(does::DEFAULT_LANE, does::WITH_INPUT)
        .drops(drops_patch)
        .open_on(&[
            (FROM_LATE_B, "Under --yolo, by an allow rule and in auto-approving modes this lane is not called at all: the call runs."),
            (&["b2"], "Before v1.138 a hook that exits with another code than 0 or 2, or prints broken JSON, counts as no opinion."),
        ])
        .open(&[CODE_MODE]),
    verdict("pre_tool_use", Kind::PreTool, &["a", "b"])
        .dialects(&[OLD])
        .roles(&[Role::Alone, Role::Guarded])
        .can_do(&[Power::Allow, Power::Deny, Power::Change(Target::Input), Power::Notice])
        .effects(does::DEFAULT_LANE, does::WITH_INPUT)
        .drops(drops_replacement)
        .open_on(&[
            (&["b"], "v1.53 and later: under --yolo no hook is called before a tool, so that nothing can stop the call."),
            (&["a"], "Before v1.53: a crash, a timeout and every exit code but 2 let the call run."),
        ])
        .open(&[CODE_MODE]),
    verdict("permission_request", Kind::Permission, FROM_B)
        .can_do(&[Power::Allow, Power::SilenceAsks, Power::Deny, Power::Notice, Power::NoticeOnBlock])
        .extra(&[METADATA])
        .effects(does::REQUEST, does::WITH_VERDICT)
        .open(&["It fires only where the agent is about to ask: calls that are approved otherwise do not reach it."]),
    gate("user_prompt_submit", Kind::Prompt, FROM_B)
        .can_do(PROMPT)
        .effects(does::RUN_ENDS, does::GATE_WITH_CONTEXT)
        .open(&["Prompts of sub-sessions do not reach it.", UNSEEN_FAILURE]),
    gate("user_steering_messages_submit", Kind::Prompt, FROM_LATE_B)
        .can_do(PROMPT)
        .effects(does::RUN_ENDS_READ, does::GATE_WITH_CONTEXT)
        .open(&[UNSEEN_FAILURE]),
    gate("user_followup_submit", Kind::Prompt, FROM_LATE_B)
        .can_do(PROMPT)
        .effects(does::RUN_ENDS_READ, does::GATE_WITH_CONTEXT)
        .open(&[UNSEEN_FAILURE]),
    gate("before_llm_call", Kind::PreModel, FROM_B)
        .can_do(&[Power::Abort, Power::Change(Target::Messages)])
        .effects(does::MODEL_CALL, does::WITH_MESSAGES)
        .drops(drops_messages)
        .open(&[UNSEEN_FAILURE]),
    gate("pre_compact", Kind::PreCompact, FROM_B)
        .can_do(&[Power::Deny, Power::Context, Power::Notice, Power::NoticeOnBlock])
        .effects(does::CANCELS, does::GATE_WITH_CONTEXT)
        .open(&[UNSEEN_FAILURE]),
    gate("before_compaction", Kind::PreCompact, FROM_B)
        .can_do(&[Power::Deny, Power::Summary, Power::Notice, Power::NoticeOnBlock])
        .effects(does::CANCELS, does::WITH_SUMMARY)
        .open(&[UNSEEN_FAILURE]),
    event("tool_response_transform", Kind::PostTool, FROM_B)
        .can_do(&[Power::Change(Target::Result), Power::Notice])
        .effects(does::NOTHING, does::WITH_RESULT)
        .drops(drops_result)
        .unrun()
        .open(&["Streamed output comes in pieces: what is cut in two by them is recognised in neither."]),
    event("post_tool_use", Kind::PostTool, A)
        .case(NO_RESPONSE)
        .can_do(&[Power::Notice])
        .effects(does::NOTHING_A, does::WARNINGS),
    event("post_tool_use", Kind::PostTool, FROM_B)
        .can_do(&[Power::Abort, Power::Notice, Power::NoticeOnBlock])
        .effects(does::RUN_ENDS, does::WITH_REASON)
        .open(&["Tools inside the agent, such as transfer_task and handoff, do not reach it."]),
    event("session_start", Kind::SessionStart, FROM_B)
        .can_do(&[Power::Context, Power::Notice])
        .effects(does::NOTHING, does::WITH_CONTEXT),
    event("turn_start", Kind::Observed, FROM_B)
        .can_do(&[Power::Context, Power::Notice])
        .effects(does::NOTHING, does::WITH_CONTEXT),
    event("worktree_create", Kind::Setup, FROM_LATE_B)
        .can_do(&[Power::Abort, Power::Notice, Power::NoticeOnBlock])
        .effects(does::RUN_ENDS_READ, does::SHOWN_TO_USER),
    event("on_tool_approval_decision", Kind::Observed, FROM_B),
    event("session_end", Kind::SessionEnd, FROM_B),
    event("turn_end", Kind::Observed, FROM_B).can_do(&[Power::Notice]).effects(does::NOTHING_READ, does::WARNINGS),
    event("after_llm_call", Kind::PostModel, FROM_B),
    event("stop", Kind::TurnEnd, FROM_B).can_do(&[Power::Notice]).effects(does::NOTHING, does::WARNINGS),
    event("subagent_stop", Kind::SubagentEnd, FROM_B),
    event("after_compaction", Kind::PostCompact, FROM_B)
        .can_do(&[Power::Notice])
        .effects(does::NOTHING_READ, does::WARNINGS),
    event("on_user_input", Kind::Notification, ALL),
    event("notification", Kind::Notification, FROM_B),
    event("on_error", Kind::Error, FROM_B),
    event("on_max_iterations", Kind::Notification, FROM_B),
    event("on_session_resume", Kind::Observed, FROM_B),
    event("on_agent_switch", Kind::Observed, FROM_B),
];

/// An event of a version we have not seen, with a tool call in it.
pub(super) static STRAY_CALL: EventRow = EventRow::new("", Kind::PreTool, unknown)
    .gate()
    .can_do(&[Power::Deny])
    .timeout_ms(TIMEOUT_MS)
    .effects(does::UNSEEN, &[])
    .open(&["Whether an event that is not in the table can be blocked is not known: the refusal is exit code 2."]);

/// An event of a version we have not seen, without one.
pub(super) static STRAY: EventRow =
    EventRow::new("", Kind::Observed, unknown).timeout_ms(TIMEOUT_MS).effects(does::UNSEEN, &[]);

const PROMPT: &[Power] = &[Power::Abort, Power::Context, Power::Notice, Power::NoticeOnBlock];

const fn event(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    EventRow::new(native, kind, block).hosts(hosts).timeout_ms(TIMEOUT_MS).effects(does::NOTHING_READ, &[])
}

const fn gate(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    event(native, kind, hosts).gate()
}

/// A gate that takes a `permission_decision`.
const fn verdict(native: &'static str, kind: Kind, hosts: &'static [&'static str]) -> EventRow {
    EventRow::new(native, kind, permission).hosts(hosts).timeout_ms(TIMEOUT_MS).gate()
}

/// From v1.137 on a new input is a patch of the top level, so that an argument cannot be taken away.
fn drops_patch(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if change.target != Target::Input {
        return None;
    }
    let Ok(new) = change.value.object() else { return Some("the new input is not an object") };
    let kept: HashSet<&str> = new.members().map(|(key, _)| key).collect();
    let old = event.call()?.input.object().ok()?;
    old.members()
        .any(|(key, _)| !kept.contains(key))
        .then_some("the agent keeps arguments that the new input leaves out")
}

fn drops_replacement(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let lost = change.target == Target::Input && change.value.object().is_err();
    lost.then_some("the new input is not an object")
}

fn drops_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let lost = change.target == Target::Result && change.value.text().is_none();
    lost.then_some("the agent takes a text as the new result")
}

fn drops_messages(_: &HookEvent, change: &Change) -> Option<&'static str> {
    if change.target != Target::Messages {
        return None;
    }
    match change.value.array() {
        Ok(items) if items.is_empty() => Some("the agent takes an empty list of messages as no change"),
        Ok(items) if items.iter().all(|item| item.object().is_ok()) => None,
        _ => Some("the new messages are not a list of objects"),
    }
}

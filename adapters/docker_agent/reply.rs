//! Writes the replies of docker-agent.

use std::collections::HashSet;

use crate::fit::{Fitted, one_paragraph};
use crate::model::{Change, HookEvent, Reply, Target, Verdict};
use crate::protocol::{Native, Role};
use crate::shared::json::JsonBuilder;

/// The event name of the lane that obeys only a denial, for messages without an event name.
const PRE_TOOL_USE: &str = "pre_tool_use";

/// Replies to an event that accepts a `permission_decision`, the one form of a denial that every dialect and both lanes
/// obey.
///
/// The agent does not show the reason of a question, so the reason is also sent as the warning to the user.
pub(super) fn permission(event: &HookEvent, fitted: &Fitted) -> Reply {
    let specific = JsonBuilder::new();
    let specific = match fitted.verdict() {
        Verdict::Pass | Verdict::KeepGoing { .. } => specific,
        Verdict::Allow { reason } if reason.is_empty() => specific.text("permission_decision", "allow"),
        Verdict::Allow { reason } => decided(specific, "allow", reason),
        Verdict::Ask { reason } => decided(specific, "ask", reason),
        Verdict::Deny { .. } | Verdict::Respond(_) | Verdict::Abort { .. } | Verdict::HardAbort { .. } => {
            decided(specific, "deny", fitted.verdict().reason())
        }
    };
    let asked = match fitted.verdict() {
        Verdict::Ask { reason } => Some(reason.as_str()),
        _ => None,
    };
    let warning: Vec<&str> = asked.into_iter().chain(fitted.notice()).collect();
    let top =
        JsonBuilder::new().maybe("system_message", Some(warning.join("\n")).as_deref().filter(|text| !text.is_empty()));
    document(event, fitted, top, specific)
}

/// Replies to every other event: a block is at the top level, next to the texts and native members of the event.
pub(super) fn block(event: &HookEvent, fitted: &Fitted) -> Reply {
    let top = match fitted.verdict() {
        verdict if verdict.kind().blocks() => {
            JsonBuilder::new().text("decision", "block").text("reason", verdict.reason())
        }
        _ => JsonBuilder::new(),
    };
    document(event, fitted, top.maybe("system_message", fitted.notice()), JsonBuilder::new())
}

/// Refuses an unlisted event by exit code, because no document for it is known.
pub(super) fn unknown(_: &HookEvent, fitted: &Fitted) -> Reply {
    let verdict = fitted.verdict();
    if verdict.kind().blocks() { Reply::blocked(verdict.reason()) } else { Reply::silent() }
}

/// Refuses a message without a known event. The lane of a `--preempt` line runs the call on every reply other than the
/// document of a denial.
pub(super) fn emergency(native: &Native, reason: &str) -> Reply {
    let reason = one_paragraph(reason, 1024);
    match native.line.role {
        Role::Preempt => Reply::document(denial(&reason)),
        Role::Alone | Role::Guarded | Role::Asks => Reply::blocked(&reason),
    }
}

/// Returns the document of a denial in the lane of a `--preempt` line.
pub(super) fn denial(reason: &str) -> String {
    let specific = decided(JsonBuilder::new().text("hook_event_name", PRE_TOOL_USE), "deny", reason);
    JsonBuilder::new().object("hook_specific_output", specific).finish()
}

fn decided(members: JsonBuilder, word: &str, reason: &str) -> JsonBuilder {
    members.text("permission_decision", word).text("permission_decision_reason", reason)
}

fn document(event: &HookEvent, fitted: &Fitted, top: JsonBuilder, verdict: JsonBuilder) -> Reply {
    let specific = additions(fitted, verdict);
    if specific.is_empty() {
        return top.reply();
    }
    let named = format!("{{\"hook_event_name\":{},", crate::raw::json_string(&event.native));
    let specific = specific.finish().replacen('{', &named, 1);
    Reply::document(top.json("hook_specific_output", &specific).finish())
}

const CHANGES: &[(Target, &str)] = &[
    (Target::Input, "updated_input"),
    (Target::Result, "updated_tool_response"),
    (Target::Messages, "updated_messages"),
];

fn additions(fitted: &Fitted, members: JsonBuilder) -> JsonBuilder {
    let members = members.changes(fitted, CHANGES);
    let members = members.maybe("additional_context", fitted.context()).maybe("summary", fitted.summary());
    members.object("metadata", metadata(fitted))
}

/// Returns the metadata. A value that is not a string would invalidate the whole reply.
fn metadata(fitted: &Fitted) -> JsonBuilder {
    fitted.extra().iter().fold(JsonBuilder::new(), |members, (at, value)| {
        let key = at.rsplit('/').next().unwrap_or_default();
        let text = value.text().map_or_else(|| value.as_str().to_owned(), |text| text.value);
        members.text(key, &text)
    })
}

/// Since v1.137 a new input is a patch of the top level, so an argument cannot be removed.
pub(super) fn rejects_patch(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let new = change.value.object().ok()?;
    let kept: HashSet<&str> = new.members().map(|(key, _)| key).collect();
    let old = event.call()?.input.object().ok()?;
    old.members().any(|(key, _)| !kept.contains(key)).then_some("the agent keeps arguments that the new input omits")
}

pub(super) fn rejects_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    (!change.value.is_string()).then_some("the agent expects a string as the new result")
}

//! Writes the replies of Copilot, in the flat form that both dialects of its command line program accept.

use crate::prelude::{VerdictKind as V, *};
use crate::shared::claude_style::ReplyBuilder;

const CHANGES: &[(Target, &str)] =
    &[(Target::Input, "modifiedArgs"), (Target::Result, "modifiedResult"), (Target::Prompt, "modifiedPrompt")];

/// A denial is a document: exit code 2 blocks as well, but its text does not reach the model.
pub(super) fn call(event: &HookEvent, fitted: &Fitted) -> Reply {
    let word = match fitted.verdict().kind() {
        V::Allow => "allow",
        V::Ask => "ask",
        V::Deny => "deny",
        _ => return additions(JsonBuilder::new(), fitted),
    };
    let reason = Some(fitted.verdict().reason()).filter(|reason| !reason.is_empty());
    let decision = JsonBuilder::new().text("permissionDecision", word).maybe("permissionDecisionReason", reason);
    let reply = additions(decision, fitted);
    if fitted.verdict().kind() == V::Deny && may_be_vs_code(event) {
        return Reply { stdout: reply.stdout, ..Reply::blocked(fitted.verdict().reason()) };
    }
    reply
}

/// A block of a prompt, and one at the end of a turn, which makes the agent continue, have the same form.
pub(super) fn texts(event: &HookEvent, fitted: &Fitted) -> Reply {
    let block = |reason: &str| JsonBuilder::new().text("decision", "block").text("reason", reason);
    let answer = match fitted.verdict() {
        Verdict::Deny { reason } if may_be_vs_code(event) => {
            block(reason).bool("continue", false).text("stopReason", reason)
        }
        Verdict::Deny { reason } | Verdict::KeepGoing { reason } => block(reason),
        _ => JsonBuilder::new(),
    };
    additions(answer, fitted)
}

/// Returns true for a message that could not be read. It may come from Visual Studio Code, which is registered for under
/// the same names: the answer has to block in both.
fn may_be_vs_code(event: &HookEvent) -> bool {
    event.dialect.is_none()
}

fn additions(answer: JsonBuilder, fitted: &Fitted) -> Reply {
    answer.changes(fitted, CHANGES).maybe("additionalContext", fitted.context()).reply()
}

/// A result without its text could keep the real one.
pub(super) fn rejects_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let has_text = change.value.at("/textResultForLlm").is_some_and(|text| text.is_string());
    (change.target == Target::Result && !has_text).then_some("the agent expects an object with `textResultForLlm`")
}

pub(super) fn permission(_: &HookEvent, fitted: &Fitted) -> Reply {
    let deny = |reason: &str| JsonBuilder::new().text("behavior", "deny").text("message", reason);
    match fitted.verdict() {
        Verdict::Allow { .. } => JsonBuilder::new().text("behavior", "allow").reply(),
        Verdict::Deny { reason } => deny(reason).reply(),
        Verdict::Abort { reason } => deny(reason).bool("interrupt", true).reply(),
        _ => Reply::silent(),
    }
}

/// Visual Studio Code has the agent go on by members of `hookSpecificOutput`.
pub(super) fn keep_going(event: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::KeepGoing { reason } => {
            ReplyBuilder::to(event).text("decision", "block").text("reason", reason).reply()
        }
        _ => Reply::silent(),
    }
}

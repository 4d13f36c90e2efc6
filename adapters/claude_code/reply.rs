//! Writes the replies: one document with exit code 0, unless only the exit code blocks.

use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Change, HookEvent, Reply, Response, Verdict};
use crate::raw::json_string;
use crate::shared::claude_style::{self, ReplyBuilder, is_mcp};
use crate::shared::json::JsonBuilder;

/// Replies to a change of the model, with the members of a tool call.
pub(super) fn model_switch(event: &HookEvent, fitted: &Fitted) -> Reply {
    claude_style::permission_decision(event, fitted).reply()
}

/// The reply to an MCP server has no member for a reason, so the reason is shown to the user.
pub(super) fn elicitation(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } => answer.text("action", "decline").top("systemMessage", reason).reply(),
        Verdict::Respond(response) => {
            let content = form_content(event, &response.text).unwrap_or_else(|| Raw::document("{}"));
            answer.text("action", "accept").raw("content", &content).reply()
        }
        _ => answer.reply(),
    }
}

/// Returns true if a response fills in the form of the event.
pub(super) fn fills(event: &HookEvent, response: &Response) -> bool {
    form_content(event, &response.text).is_some()
}

/// The hook replaces `git worktree`: it prints the path of the worktree, and an empty path is a failure.
pub(super) fn worktree_create(_: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Respond(response) => Reply::document(response.text.trim()),
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => Reply::silent(),
    }
}

/// The agent ignores a result in another form than the tool's own, or without one of its members.
pub(super) fn rejects_result(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let same = || {
        let (call, result) = (event.call()?, event.result()?);
        if is_mcp(&call.name) {
            return change.value.array().ok().map(|_| ());
        }
        let (old, new) = (result.raw.object().ok()?, change.value.object().ok()?);
        let kept = old.members().all(|(key, value)| new.last(key).is_some_and(|other| kind(&value) == kind(&other)));
        let text = call.row.and_then(|row| row.result_text).filter(|at| result.raw.at(at).is_some());
        (kept && text.is_none_or(|at| change.value.at(at).is_some_and(|part| part.is_string()))).then_some(())
    };
    same().is_none().then_some("the agent accepts a result only in the tool's own form")
}

fn kind(value: &Raw) -> Option<char> {
    let first = value.as_str().chars().next()?;
    Some(match first {
        '-' | '0'..='9' => '0',
        't' | 'f' => 't',
        other => other,
    })
}

/// Writes a result that contains only the reason: the content for an MCP tool, otherwise the tool's own form with the
/// text replaced, without stderr and further parts.
pub(super) fn withheld_result(event: &HookEvent, reason: &str) -> Option<Raw> {
    let item = JsonBuilder::new().text("type", "text").text("text", reason);
    let content = format!("[{}]", item.finish());
    if is_mcp(&event.call()?.name) {
        return Some(Raw::document(content));
    }
    let changed = event.result()?.with_text(reason)?;
    let object = changed.object().ok()?;
    if object.has("stderr") {
        Some(object.with("stderr", &json_string("")))
    } else if object.has("content") {
        Some(object.with("content", &content))
    } else {
        Some(changed)
    }
}

/// Returns the content of the event's form for a text: an object with the fields of the form, or the text of its only
/// field.
///
/// Returns `None` if the text is neither. The result of a question has no form, so any object is accepted.
fn form_content(event: &HookEvent, text: &str) -> Option<Raw> {
    let schema = event.raw.at("/requested_schema");
    let fields = schema.as_ref().and_then(|schema| schema.at("/properties")?.object().ok());
    let filled = Raw::checked(text.trim()).ok().filter(|value| {
        value.object().is_ok_and(|filled| {
            let known = |key: &str| fields.as_ref().is_none_or(|fields| fields.has(key));
            filled.members().all(|(key, _)| known(key))
        })
    });
    filled.filter(|_| fields.is_some() || event.raw.at("/action").is_some()).or_else(|| {
        let fields = fields.as_ref()?;
        let mut members = fields.members();
        let (name, field) = members.next()?;
        let is_text = field.at("/type").and_then(|kind| kind.text()).is_some_and(|kind| kind.value == "string");
        (is_text && members.next().is_none())
            .then(|| Raw::document(format!("{{{}:{}}}", json_string(name), json_string(text))))
    })
}

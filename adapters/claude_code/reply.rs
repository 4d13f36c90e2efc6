//! Writes the replies: one document with exit code 0, unless only the exit code blocks.

use super::form;
use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Change, HookEvent, Reply, Response, Target, Verdict, VerdictKind as V};
use crate::raw::json_string;
use crate::shared::claude_style::{ReplyBuilder, is_mcp};
use crate::shared::json::JsonBuilder;

/// Replies to events whose reply the agent ignores.
pub(super) fn silent(_: &HookEvent, _: &Fitted) -> Reply {
    Reply::silent()
}

/// Replies to events that accept texts and native members, but no decision.
pub(super) fn riders(event: &HookEvent, fitted: &Fitted) -> Reply {
    ReplyBuilder::riders(event, fitted).reply()
}

/// With `continue: false` alone the tool still runs first, so an abort is sent together with a denial.
pub(super) fn pre_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = permission_decision(event, fitted);
    let answer = match fitted.verdict().kind() {
        V::Abort | V::HardAbort => answer.stop(fitted.verdict().reason()),
        _ => answer,
    };
    match fitted.change(Target::Input) {
        Some(input) => answer.raw("updatedInput", input).reply(),
        None => answer.reply(),
    }
}

/// Replies to a change of the model, with the members of a tool call.
pub(super) fn model_switch(event: &HookEvent, fitted: &Fitted) -> Reply {
    permission_decision(event, fitted).reply()
}

fn permission_decision(event: &HookEvent, fitted: &Fitted) -> ReplyBuilder {
    let answer = ReplyBuilder::riders(event, fitted);
    let reason = fitted.verdict().reason();
    match fitted.verdict().kind() {
        V::Pass | V::KeepGoing => answer,
        V::Allow => answer.permission("allow", reason),
        V::Ask => answer.permission("ask", reason),
        V::Deny | V::Respond | V::Abort | V::HardAbort => answer.permission("deny", reason),
    }
}

const DECISION: &str = "/hookSpecificOutput/decision/";

/// Exit code 2 has no effect here. Only `behavior` decides, and the user decides if the reply is empty.
pub(super) fn permission(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::riders(event, fitted);
    let reason = fitted.verdict().reason();
    let decision = match fitted.verdict().kind() {
        V::Pass | V::Ask | V::KeepGoing => JsonBuilder::new(),
        V::Allow => {
            let allow = JsonBuilder::new().text("behavior", "allow");
            fitted.change(Target::Input).into_iter().fold(allow, |m, input| m.raw("updatedInput", input))
        }
        V::Deny | V::Respond => JsonBuilder::new().text("behavior", "deny").text("message", reason),
        V::Abort | V::HardAbort => {
            JsonBuilder::new().text("behavior", "deny").text("message", reason).bool("interrupt", true)
        }
    };
    let own = fitted.extra().iter().filter_map(|(at, value)| Some((at.strip_prefix(DECISION)?, value)));
    let decision = own.fold(decision, |members, (key, value)| members.raw(key, value));
    answer.object("decision", decision).reply()
}

/// A result is replaced in the tool's own form; results of MCP tools have a separate member.
pub(super) fn post_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let mut answer = ReplyBuilder::riders(event, fitted);
    if let Some(value) = fitted.change(Target::Result) {
        let mcp = event.call().is_some_and(|call| is_mcp(&call.name));
        answer = answer.raw(if mcp { "updatedMCPToolOutput" } else { "updatedToolOutput" }, value);
    }
    match fitted.verdict() {
        Verdict::Abort { reason } => answer.stop(reason).reply(),
        _ => answer.reply(),
    }
}

/// Sets `decision` to `block`, or `continue` to false for an abort.
pub(super) fn block(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::riders(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } | Verdict::KeepGoing { reason } => answer.block(reason).reply(),
        Verdict::Abort { reason } => answer.stop(reason).reply(),
        _ => answer.reply(),
    }
}

/// Blocks by exit code; an abort is a document.
pub(super) fn by_exit(event: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } | Verdict::KeepGoing { reason } => Reply::blocked(reason),
        Verdict::Abort { reason } => ReplyBuilder::riders(event, fitted).stop(reason).reply(),
        _ => riders(event, fitted),
    }
}

/// The reply to an MCP server has no member for a reason, so the reason is shown to the user.
pub(super) fn elicitation(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::riders(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } => answer.text("action", "decline").top("systemMessage", reason).reply(),
        Verdict::Respond(response) => {
            let content = form::content(event, &response.text).unwrap_or_else(|| Raw::document("{}"));
            answer.text("action", "accept").raw("content", &content).reply()
        }
        _ => answer.reply(),
    }
}

/// Returns true if a response fills in the form of the event.
pub(super) fn fills(event: &HookEvent, response: &Response) -> bool {
    form::content(event, &response.text).is_some()
}

/// The hook replaces `git worktree`: it prints the path of the worktree, and an empty path is a failure.
pub(super) fn worktree_create(_: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Respond(response) => Reply::document(response.text.trim()),
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => Reply::silent(),
    }
}

/// The schema of the tool rejects a partial or unknown `updatedInput`; the schema of the hook rejects one that is not
/// an object.
pub(super) fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if change.target != Target::Input {
        return None;
    }
    let fits = event.call().and_then(|call| call.with_input(event.agent, change.value.clone())).is_some();
    (!fits).then_some("the tool does not accept these arguments")
}

/// The agent ignores a result in another form than the tool's own, or without one of its members.
pub(super) fn rejects_result(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if change.target != Target::Result {
        return None;
    }
    let same = || {
        let (call, result) = (event.call()?, event.result()?);
        if is_mcp(&call.name) {
            return change.value.array().ok().map(|_| ());
        }
        let (old, new) = (result.raw.object().ok()?, change.value.object().ok()?);
        let kept = old.members().all(|(key, value)| new.last(key).is_some_and(|other| kind(&value) == kind(&other)));
        let text = call.row.and_then(|row| row.result_text).filter(|at| result.raw.at(at).is_some());
        (kept && text.is_none_or(|at| change.value.at(at).is_some_and(|part| part.text().is_some()))).then_some(())
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

//! The replies of Claude Code to the events that most agents of the family have.

use super::{ReplyBuilder, is_mcp};
use crate::fit::Fitted;
use crate::model::{Change, HookEvent, Reply, Target, Verdict, VerdictKind as V};
use crate::shared::json::JsonBuilder;

/// Replies to events whose reply the agent ignores.
pub fn silent(_: &HookEvent, _: &Fitted) -> Reply {
    Reply::silent()
}

/// Replies to events that accept texts and native members, but no decision.
pub fn additions(event: &HookEvent, fitted: &Fitted) -> Reply {
    ReplyBuilder::with_additions(event, fitted).reply()
}

/// With `continue: false` alone the tool still runs first, so an abort is sent together with a denial.
pub fn pre_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
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

/// Starts a reply to a call with the decision about it.
pub fn permission_decision(event: &HookEvent, fitted: &Fitted) -> ReplyBuilder {
    let answer = ReplyBuilder::with_additions(event, fitted);
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
pub fn permission(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
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
pub fn post_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let mut answer = ReplyBuilder::with_additions(event, fitted);
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
pub fn block(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } | Verdict::KeepGoing { reason } => answer.block(reason).reply(),
        Verdict::Abort { reason } => answer.stop(reason).reply(),
        _ => answer.reply(),
    }
}

/// Blocks by exit code; an abort, and new arguments or a new prompt, are a document.
pub fn by_exit(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match (fitted.verdict(), fitted.change(Target::Input), fitted.change(Target::Prompt)) {
        (Verdict::Deny { reason } | Verdict::KeepGoing { reason }, ..) => Reply::blocked(reason),
        (Verdict::Abort { reason }, ..) => answer.stop(reason).reply(),
        (_, Some(input), _) => answer.raw("updatedInput", input).reply(),
        (_, None, Some(prompt)) => answer.object("updatedInput", JsonBuilder::new().raw("prompt", prompt)).reply(),
        _ => answer.reply(),
    }
}

/// Rejects new arguments without one of the present ones: the agent merges both, so that the present one would remain.
pub fn rejects_merged_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let keeps = || {
        let (old, new) = (event.call()?.input.object().ok()?, change.value.object().ok()?);
        Some(old.members().all(|(key, _)| new.has(key)))
    };
    let why = (keeps() != Some(true)).then_some("the agent cannot remove an argument");
    rejects_input(event, change).or(why)
}

/// The schema of the tool rejects a partial or unknown `updatedInput`; the schema of the hook rejects one that is not
/// an object.
pub fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let fits = event.call().and_then(|call| call.with_input(event.agent, change.value.clone())).is_some();
    (!fits).then_some("the tool does not accept these arguments")
}

/// Blocks by exit code; nothing else can be said.
pub fn by_exit_only(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() { Reply::blocked(fitted.verdict().reason()) } else { Reply::silent() }
}

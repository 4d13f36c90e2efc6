//! Writes the replies: a denial is exit code 2 with its reason on stderr, which no parser error can invalidate. Every
//! other reply is one document without optional members.

use crate::fit::Fitted;
use crate::model::{Change, HookEvent, Reply, Target, Verdict};
use crate::shared::claude_style::{ReplyBuilder, is_mcp};
use crate::shared::json::JsonBuilder;
use crate::shared::result_text::text_of;
pub(super) use crate::shared::result_text::{rejects_result, withheld_result};

/// `fit` ensures that an approval has a new input and that a new input has an approval.
pub(super) fn pre_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match (fitted.verdict(), fitted.change(Target::Input)) {
        (Verdict::Deny { reason }, _) => Reply::blocked(reason),
        (Verdict::Allow { reason }, Some(input)) => {
            answer.permission("allow", reason).raw("updatedInput", input).reply()
        }
        _ => answer.reply(),
    }
}

/// `interrupt`, a new input or new rules in addition to `behavior` invalidate the reply.
pub(super) fn permission(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        Verdict::Allow { .. } => answer.object("decision", JsonBuilder::new().text("behavior", "allow")).reply(),
        _ => answer.reply(),
    }
}

/// The model receives the reason of a block in place of the output.
pub(super) fn post_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match fitted.change(Target::Result).and_then(text_of) {
        Some(text) => answer.block(&text).reply(),
        None => answer.reply(),
    }
}

/// Denies a prompt by exit code 2; an abort sets `continue` to false.
pub(super) fn prompt(event: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => stops(event, fitted),
    }
}

/// Ends the turn by `continue: false`; texts may be added.
pub(super) fn stops(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::with_additions(event, fitted);
    match fitted.verdict() {
        Verdict::Abort { reason } => answer.stop(reason).reply(),
        Verdict::KeepGoing { reason } => answer.block(reason).reply(),
        _ => answer.reply(),
    }
}

/// Shell and patch accept `command` as one string; any other type fails the call.
pub(super) fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let fits = event.call().is_some_and(|call| {
        let text = change.value.at("/command").is_some_and(|command| command.is_string());
        (is_mcp(&call.name) || text) && call.with_input(event.agent, change.value.clone()).is_some()
    });
    (!fits).then_some("the tool does not accept these arguments")
}

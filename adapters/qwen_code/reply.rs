//! Writes the replies of Qwen Code.

use crate::prelude::*;
use crate::shared::claude_style::ReplyBuilder;
use crate::shared::result_text::text_of;

/// Qwen Code merges the replies of all hooks: `permissionDecision` of the last hook replaces that of the others, while
/// `continue: false` of any hook blocks. A denial has both, so that an approval by another hook does not cancel it. A
/// question is a member that the merge drops, so that it does not cancel the denial of another hook.
pub(super) fn pre_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = ReplyBuilder::to(event);
    match fitted.verdict() {
        Verdict::Deny { reason } => answer.permission("deny", reason).stop(reason).reply(),
        Verdict::Ask { reason } => answer.top("decision", "ask").top("reason", reason).stop(reason).reply(),
        _ => Reply::silent(),
    }
}

/// After a tool, `continue: false` does not end the turn: the model receives the text as an error in place of the output.
pub(super) fn post_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.change(Target::Result).and_then(text_of) {
        Some(text) => ReplyBuilder::to(event).stop(&text).reply(),
        None => claude_style::additions(event, fitted),
    }
}

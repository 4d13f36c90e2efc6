//! Writes the replies of Mistral Vibe.

use crate::prelude::*;
use crate::shared::result_text::text_of;

/// Every non-zero exit code is a failure of the hook, so a denial is a document. After a tool, the reason of a denial takes
/// the place of the result; at the end of a turn, it is the next prompt.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let verdict = fitted.verdict();
    let blocks = verdict.kind().blocks() || verdict.kind() == VerdictKind::KeepGoing;
    let answer = match fitted.change(Target::Result).and_then(text_of) {
        Some(text) => denied(&text),
        None if blocks => denied(verdict.reason()),
        None => JsonBuilder::new(),
    };
    let own = JsonBuilder::new()
        .changes(fitted, &[(Target::Input, "tool_input")])
        .maybe("additional_context", fitted.context());
    answer.maybe("system_message", fitted.notice()).object("hook_specific_output", own).reply()
}

pub(super) fn denied(reason: &str) -> JsonBuilder {
    JsonBuilder::new().text("decision", "deny").text("reason", reason)
}

//! Writes the replies of Gemini CLI.

use crate::prelude::*;
use crate::shared::result_text::text_of;

/// A text on stderr with exit code 2 blocks, as long as stdout is empty and the text is no JSON object. Every other reply
/// is one document, for which the exit code does not count.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let reason = fitted.verdict().reason();
    let result = fitted.change(Target::Result).and_then(text_of);
    let answer = match fitted.verdict().kind() {
        VerdictKind::Deny => return Reply::blocked(reason),
        VerdictKind::Abort => JsonBuilder::new().bool("continue", false).text("stopReason", reason),
        VerdictKind::KeepGoing => JsonBuilder::new().text("decision", "deny").text("reason", reason),
        // The text takes the place of the output.
        _ => result
            .map_or_else(JsonBuilder::new, |text| JsonBuilder::new().text("decision", "deny").text("reason", &text)),
    };
    let more = JsonBuilder::new()
        .changes(fitted, &[(Target::Input, "tool_input")])
        .maybe("additionalContext", fitted.context());
    answer.object("hookSpecificOutput", more).reply()
}

//! Writes the replies of hygge.

use crate::prelude::*;

const CHANGES: &[(Target, &str)] = &[
    (Target::Input, "modified_tool_input"),
    (Target::Result, "modified_tool_result"),
    (Target::Prompt, "modified_message"),
];

/// hygge treats every exit code other than 0 as a denial with stderr as its reason, and an unreadable stdout as an
/// approval. A denial is therefore sent as an exit code, the one form that cannot be misread.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() {
        return Reply::blocked(fitted.verdict().reason());
    }
    let changes = JsonBuilder::new().changes(fitted, CHANGES);
    let decision = (!changes.is_empty()).then_some("modify");
    let members = JsonBuilder::new().maybe("decision", decision).then(changes);
    members.maybe("system_prompt_append", fitted.context()).reply()
}

/// A result of another form makes the whole reply unreadable, which counts as no reply.
pub(super) fn rejects(_: &HookEvent, change: &Change) -> Option<&'static str> {
    match (change.target, change.value.text()) {
        (Target::Result, _) => {
            let content = change.value.at("/content").and_then(|content| content.text());
            let is_error = change.value.at("/is_error").map_or(Some(false), |flag| flag.bool());
            (content.is_none() || is_error.is_none())
                .then_some("hygge expects a result with the string `content` and an optional boolean `is_error`")
        }
        (Target::Prompt, None) => Some("hygge expects a string as the message"),
        (Target::Prompt, Some(text)) if text.value.is_empty() => Some("hygge treats an empty message as unchanged"),
        _ => None,
    }
}

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

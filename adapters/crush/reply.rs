//! Writes the replies of Crush.

use crate::prelude::*;
use crate::raw::Object;

/// A denial is an exit code, the one form that cannot be misread: one member of a wrong type voids a document.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let reason = fitted.verdict().reason();
    let answer = match fitted.verdict().kind() {
        VerdictKind::Deny => return Reply::blocked(reason),
        VerdictKind::Abort => JsonBuilder::new().bool("halt", true).text("reason", reason),
        VerdictKind::Allow => JsonBuilder::new().text("decision", "allow"),
        _ => JsonBuilder::new(),
    };
    answer.changes(fitted, &[(Target::Input, "updated_input")]).maybe("context", fitted.context()).reply()
}

/// Crush merges the new arguments into the old ones, by keys that it reads as paths. Of equal keys it replaces the first
/// one, while the tool uses the last.
pub(super) fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let (Some(old), Ok(new)) = (event.call().and_then(|call| call.input.object().ok()), change.value.object()) else {
        return Some("the agent can only merge arguments that are an object");
    };
    let is_kept = |key: &str| !new.has(key);
    let is_path = |key: &str| !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if old.members().any(|(key, _)| is_kept(key)) {
        return Some("the agent keeps every argument that the new ones leave out");
    }
    if new.members().any(|(key, _)| is_path(key)) {
        return Some(
            "the agent reads an argument's name with other characters than letters, digits, _ and - as a path",
        );
    }
    (repeats(&old) || repeats(&new)).then_some("an argument is given twice, and the agent replaces only the first")
}

/// Returns true if two keys are equal or differ only in case.
fn repeats(object: &Object) -> bool {
    object.members().any(|(key, _)| object.spelled(key).nth(1).is_some())
}

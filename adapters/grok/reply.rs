//! Writes the replies of Grok Build.

use crate::prelude::*;

/// Exit code 2 blocks with the first line of stderr. Another word than `deny` or `allow` before a tool is a failure of
/// the hook, and `allow` grants nothing.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let reason = fitted.verdict().reason();
    if fitted.verdict().kind().blocks() {
        return Reply::blocked(reason);
    }
    if fitted.verdict().kind() == VerdictKind::KeepGoing {
        return JsonBuilder::new().text("decision", "block").text("reason", reason).reply();
    }
    let changes = JsonBuilder::new().changes(fitted, &[(Target::Input, "updatedInput")]);
    let decision = (!changes.is_empty()).then_some("allow");
    JsonBuilder::new().maybe("decision", decision).object("hookSpecificOutput", changes).reply()
}

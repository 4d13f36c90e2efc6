//! Writes the replies of Antigravity CLI.

use crate::prelude::*;

/// A missing or empty `decision` denies in some versions and approves in others, so there is always one. `ask` leaves the
/// call to the user's own permissions.
pub(super) fn reply(event: &HookEvent, fitted: &Fitted) -> Reply {
    if !event.row.gates() {
        return Reply::document("{}");
    }
    let decision = |word| JsonBuilder::new().text("decision", word);
    match fitted.verdict().kind() {
        VerdictKind::Allow => decision("allow").reply(),
        kind if kind.blocks() => decision("deny").text("reason", fitted.verdict().reason()).reply(),
        _ => decision("ask").reply(),
    }
}

//! Writes the replies of Hermes Agent: one document with exit code 0, because exit codes have no meaning.

use crate::prelude::*;

pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let reason = fitted.verdict().reason();
    match fitted.verdict().kind() {
        VerdictKind::Deny => blocked(reason),
        VerdictKind::KeepGoing => JsonBuilder::new().text("action", "continue").text("message", reason).reply(),
        _ => JsonBuilder::new().maybe("context", fitted.context()).reply(),
    }
}

/// Blocks the call.
pub(super) fn blocked(reason: &str) -> Reply {
    JsonBuilder::new().text("decision", "block").text("reason", reason).reply()
}

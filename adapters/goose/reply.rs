//! Writes the replies of Goose.

use crate::prelude::*;

/// Any text on stdout that Goose does not expect is a failure, `{}` too, so no opinion is nothing at all.
pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let reason = fitted.verdict().reason();
    match fitted.verdict().kind() {
        VerdictKind::Deny => Reply::blocked(reason),
        VerdictKind::KeepGoing => JsonBuilder::new().text("decision", "block").text("reason", reason).reply(),
        _ => Reply::silent(),
    }
}

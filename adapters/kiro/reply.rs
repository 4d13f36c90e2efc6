//! Writes the replies of Kiro: an exit code with a text on stderr, or a text for the model on stdout.

use crate::prelude::*;

/// Only exit code 2 blocks. Kiro does not read stdout as JSON.
pub(super) fn block(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() { Reply::blocked(fitted.verdict().reason()) } else { Reply::silent() }
}

/// All of stdout becomes text for the model.
pub(super) fn context(_: &HookEvent, fitted: &Fitted) -> Reply {
    fitted.context().map_or_else(Reply::silent, Reply::document)
}

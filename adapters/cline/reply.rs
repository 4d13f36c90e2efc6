//! Writes the replies of Cline: one document with exit code 0, because every other exit code may void it.

use crate::prelude::*;

pub(super) fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() {
        return cancelled(fitted.verdict().reason());
    }
    let changes = JsonBuilder::new().changes(fitted, &[(Target::Input, "overrideInput")]);
    changes.maybe("contextModification", fitted.context()).reply()
}

/// Stops the task.
pub(super) fn cancelled(reason: &str) -> Reply {
    JsonBuilder::new().bool("cancel", true).text("errorMessage", reason).reply()
}

/// The CLI passes new arguments to the tool, which fails with arguments of another form.
pub(super) fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let fits = event.call().is_some_and(|call| call.with_input(event.agent, change.value.clone()).is_some());
    (!fits).then_some("the tool does not accept these arguments")
}

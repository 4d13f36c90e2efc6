//! Windows. Hooks, set-up and the policy work here; there is no sandbox.

pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod pipes;
pub(crate) mod processes;
pub(crate) mod serving;
pub(crate) mod terminal;

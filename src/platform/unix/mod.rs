//! Unix.

pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod pipes;
pub(crate) mod processes;
pub(crate) mod serving;
pub(crate) mod terminal;

//! Registers snaphook with agents, according to the tables of the adapters.
//!
//! An adapter lists [entries](snaphook_adapters::protocol::Entry). [`target`] finds the file, [`render`] writes the
//! entries with our [command line](command_line) as nodes of that file, [`compare`] compares them with the existing
//! nodes, [`edit`] changes the text, [`files`](crate::files) replaces the file atomically, and [`record`] stores which
//! entries are ours.

pub(crate) mod adopt;
pub(crate) mod approval;
pub(crate) mod command_line;
pub(crate) mod compare;
pub(crate) mod conflicts;
pub(crate) mod edit;
pub(crate) mod guard;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod install;
pub(crate) mod names;
pub(crate) mod off;
pub(crate) mod ours;
pub(crate) mod plan;
pub(crate) mod purge;
pub(crate) mod record;
pub(crate) mod render;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod target;
pub(crate) mod twice;
pub(crate) mod uninstall;

#[cfg(test)]
mod tests;

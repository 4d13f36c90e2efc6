//! Registers us with agents: one engine for all of them, which reads their tables.
//!
//! An adapter lists [entries](snaphook_adapters::protocol::Entry). [`target`] finds the file, [`render`] writes the
//! entries with our [command line](command_line) as nodes of that file, [`look`] compares them with the nodes that
//! are there, [`edit`] changes the text, [`files`](crate::files) replaces it in one step, and [`record`] remembers
//! what is ours.

pub(crate) mod approval;
pub(crate) mod bench;
pub(crate) mod command_line;
pub(crate) mod edit;
pub(crate) mod guard;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod install;
pub(crate) mod look;
pub(crate) mod names;
pub(crate) mod off;
pub(crate) mod ours;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod render;
pub(crate) mod rivals;
pub(crate) mod run;
pub(crate) mod target;
pub(crate) mod uninstall;

#[cfg(test)]
mod tests;

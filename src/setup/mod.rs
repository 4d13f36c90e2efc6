//! Registering with agents: one engine for all of them, driven by their rows.
//!
//! [`target`] finds the file, [`look`] compares what stands in it with what should, [`edit`] changes
//! its text, [`files`](crate::files) replaces it in one step, and [`record`] remembers what is ours.

pub(crate) mod approval;
pub(crate) mod bench;
pub(crate) mod change;
pub(crate) mod edit;
pub(crate) mod import;
pub(crate) mod lines;
pub(crate) mod look;
pub(crate) mod names;
pub(crate) mod off;
pub(crate) mod record;
pub(crate) mod rivals;
pub(crate) mod run;
pub(crate) mod target;

#[cfg(test)]
mod tests;

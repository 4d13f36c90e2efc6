//! `snaphook run` as a real process: the possible and impossible operations of a sandboxed command.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::string_slice, clippy::print_stdout, reason = "tests")]

mod agents;
mod aliases;
mod calls;
mod descriptors;
mod escapes;
mod isolation;
mod kept;
mod later;
mod links;
mod nested;
#[path = "../common/no_handlers.rs"]
mod no_handlers;
mod outsiders;
mod place;
mod project;
mod quoting;
mod refused;
mod shapes;
#[path = "../common/skipped.rs"]
mod skipped;
mod terminals;
mod told;

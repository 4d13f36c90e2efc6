//! Handlers: what they read, what they may answer, and what they may do while they run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

mod agents;
mod examples;
mod invented;
mod processes;
mod schemas;

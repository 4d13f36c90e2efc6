//! Handlers: the events that they read, the answers that they may give, and the limits of their processes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

mod agents;
mod examples;
#[path = "../common/http.rs"]
mod http;
mod invented;
mod processes;
mod schemas;
mod services;
#[path = "../common/skipped.rs"]
mod skipped;
mod spoken;

//! Failure injection: the real program, started as each agent starts it, with every component broken in turn. On a
//! gate every failure blocks according to the agent's measured behaviour; on other events none does.
//!
//! No agent is named here. Command lines and messages come from the rows and fixtures of the registered agents, and
//! the measured effects of each agent decide if an answer blocks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod commands;
mod harmless;
mod input;
mod lines;
mod output;
mod policies;
mod process;
mod quiet;
mod senders;
mod signals;
#[path = "../common/skipped.rs"]
mod skipped;
mod subject;

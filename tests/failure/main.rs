//! Failure injection: the real program, started as each agent starts it, with everything broken that
//! can break. On a gate every failure blocks in the agent's own eyes; elsewhere none does.
//!
//! No agent is known here by name: lines and messages come from the registered agents' rows and
//! fixtures, and whether an answer blocks is said by the agent's measured effects.
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
mod signals;
mod subject;

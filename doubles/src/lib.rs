//! Stand-ins for coding agents, for tests that drive the real hook program.
//!
//! What this is for: a double starts a registered hook as its agent would, talks to it as the agent
//! would, and says what the agent would do with the answer. What it is not: a judge of its own. Each
//! effect is looked up in `tests/outcomes`, where it was written down from runs, source or
//! documentation of the agent, and the crate links neither package of the project, so that no
//! mistake in an adapter can hide in its test.

pub mod answer;
pub mod lines;
pub mod one_shot;
pub mod registration;
mod spelling;
pub mod start;
pub mod tables;
pub mod turn;

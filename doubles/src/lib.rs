//! Stand-ins for coding agents, for tests that drive the real hook program.
//!
//! What this is for: a double starts a registered hook as its agent would, talks to it as the agent
//! would, and says what the agent would do with the answer. What it is not: a judge. Each
//! effect is looked up in the recorded cases of `hosts/<agent>.toml`, and no adapter is called, so that no
//! mistake in an adapter can hide in its test.

pub mod lines;
pub mod one_shot;
pub mod registration;
pub mod start;
pub mod turn;

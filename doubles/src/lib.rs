//! Test doubles of coding agents, for tests that drive the real hook program.
//!
//! A double starts a registered hook as its agent would, sends it messages, and returns the effect of the answer.
//! It looks up each effect in the recorded cases of `hosts/<agent>.toml` and calls no adapter, so that a mistake in
//! an adapter cannot hide in its test.

pub mod lines;
pub mod one_shot;
pub mod registration;
pub mod start;
pub mod turn;

//! Test doubles of coding agents, for tests that drive the real hook program.
//!
//! A double starts a registered hook as its agent would, sends it the messages of the agent, and reports the effect of
//! the reply. It looks up each effect in the recorded cases of `hosts/<agent>.toml` and calls no adapter, so that an
//! error in an adapter cannot hide in its own test.

pub mod lines;
pub mod one_shot;
pub mod registration;
pub mod start;
pub mod turn;

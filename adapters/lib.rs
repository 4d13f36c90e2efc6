//! The hook protocols of coding agents, parsed into one model. The reply is written in each agent's own form.
//!
//! This crate is for programs that judge the tool calls of several agents. It contains neither a policy nor a program,
//! and uses no file, clock, environment variable, process or runtime. [`Native`](protocol::Native) holds the input and
//! [`Reply`](model::Reply) the output.
//!
//! ```text
//! bytes -> Native -> parse -> HookEvent -> (your decision) -> fit -> Fitted -> format -> Reply
//! ```
//!
//! A decision never becomes more permissive: [`fit::fit`] is the only function that may change it, and it reports the
//! losses.

pub mod claude_code;
pub mod codex;
pub mod docker_agent;
pub mod fit;
pub mod hygge;
pub mod model;
pub mod picoclaw;
pub mod protocol;
pub mod raw;
pub mod registry;
pub mod shared;
#[cfg(feature = "testing")]
pub mod testing;

pub use raw::Raw;

//! The hook protocols of coding agents, read into one model and answered in each agent's own form.
//!
//! What this is for: a program that wants to judge the tool calls of many agents, once. What it is
//! not: a policy, or a program. It touches no file, clock, environment, process or runtime: what it
//! needs comes in through [`Native`](protocol::Native), what it says goes out as
//! [`Reply`](model::Reply).
//!
//! ```text
//! bytes -> Native -> parse -> HookEvent -> (your decision) -> fit -> Fitted -> format -> Reply
//! ```
//!
//! A decision never becomes more permissive on its way out: [`fit::fit`] is the only place where it
//! may change, and it says what was lost.

pub mod claude_code;
pub mod codex;
pub mod docker_agent;
pub mod fit;
pub mod host;
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

//! The engine of the `snaphook` program, for programs that add agents.
//!
//! ```no_run
//! use snaphook_adapters::registry::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     snaphook::run(Registry::standard())
//! }
//! ```
//!
//! The stages of a call: `serve` reads the bytes, the agent's adapter parses them, [`policy`] and its
//! [`handlers`] decide, the adapter fits and formats the decision, [`audit`] records it, and `serve`
//! writes the reply.

pub mod audit;
mod cli;
mod disk;
pub mod engine;
mod files;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod handlers;
#[path = "../policy/lib.rs"]
pub mod policy;
mod sandbox;
mod serve;
mod setup;
mod stall;
mod visible;

pub use cli::run;

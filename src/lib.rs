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
//! The stages of a call: `serve` reads the bytes, the agent's adapter parses them, [`decide`] asks the rules of the [`policy`]
//! and the [`handlers`], the adapter fits and formats the decision, [`audit`] records it, and `serve`
//! writes the reply.

pub mod audit;
mod cli;
pub mod decide;
mod disk;
mod drift;
pub mod engine;
mod export;
mod files;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod handlers;
mod overrides;
mod platform;
pub mod policy;
mod sandbox;
mod serve;
mod setup;
#[cfg(test)]
#[path = "../tests/common/skipped.rs"]
mod skipped;
mod stall;
#[cfg(test)]
#[path = "../policy/testing/invented.rs"]
mod testing;
mod visible;
mod watchdog;

pub use cli::run;

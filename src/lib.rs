//! The engine behind the `snaphook` program, for programs that bring agents of their own.
//!
//! ```no_run
//! use snaphook_adapters::registry::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     snaphook::run(Registry::standard())
//! }
//! ```
//!
//! One straight line: bytes are read by `serve`, parsed by the agent's adapter, judged by
//! [`policy`] and its [`handlers`], fitted and formatted by the adapter, recorded in the [`audit`]
//! log, and written by `serve`.

pub mod audit;
mod cli;
mod disk;
pub mod engine;
mod files;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod handlers;
pub mod policy;
mod sandbox;
mod serve;
mod setup;
mod stall;
mod visible;

pub use cli::run;

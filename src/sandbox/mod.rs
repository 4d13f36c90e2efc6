//! Isolation: a command is wrapped in `snaphook run`, which runs it in a sandbox.
//!
//! [`confine`] puts the wrapper into a decision, [`wrap`] builds and parses its text, and [`run`] is the
//! launcher. The launcher reads the policy itself and applies it, or exits with 126 and runs nothing.

#[cfg(target_os = "linux")]
mod bwrap;
mod confine;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod descriptors;
#[cfg(target_os = "linux")]
mod filter;
#[cfg_attr(windows, path = "no_isolation.rs")]
mod isolate;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod mountinfo;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(unix)]
mod profile;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod promises;
pub(crate) mod run;
#[cfg(any(target_os = "macos", all(test, target_os = "linux")))]
mod sbpl;
#[cfg(target_os = "macos")]
mod seatbelt;
mod shell;
#[cfg(target_os = "linux")]
mod streams;
mod wrap;

pub(crate) use confine::Confinement;
#[cfg(target_os = "linux")]
pub(crate) use landlock::can_keep_signals;

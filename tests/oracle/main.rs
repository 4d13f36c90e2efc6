//! Compares the commands that shells really run with the verdicts of policy.
//!
//! Every case runs in a disposable sandbox under several shells, where denied programs leave a mark. The laws:
//! a case that ran a denied program was never understood and allowed; a case that was understood and ran one
//! was denied.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "helpers of a test fail like it"
)]

mod differential;
mod files;
mod fill;
mod generate;
mod judge;
mod labels;
mod laws;
#[path = "../common/no_handlers.rs"]
mod no_handlers;
mod protected;
mod sandbox;
#[path = "../common/skipped.rs"]
mod skipped;
mod truth;

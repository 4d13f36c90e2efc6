//! What commands really run, beside what policy says about them.
//!
//! Every case is run in a throw-away sandbox under several shells, where the denied programs leave a
//! mark. The laws: nothing that ran a denied program was understood and allowed; what was understood
//! and ran one was denied.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "helpers of a test fail like it"
)]

mod files;
mod fill;
mod generate;
mod judge;
mod labels;
mod laws;
#[path = "../common/nobody.rs"]
mod nobody;
mod protected;
mod sandbox;
mod truth;

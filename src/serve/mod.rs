//! The only place that reads messages from stdin and writes answers to stdout.

mod claim;
mod desk;
mod input;
mod lines;
mod one_shot;
mod output;
mod scan;
mod signals;

pub(crate) use desk::{AuditChoice, Invocation, default_audit};
pub(crate) use lines::serve as lines;
#[cfg(feature = "fuzzing")]
pub(crate) use lines::serve_on;
pub(crate) use one_shot::serve as one_shot;
pub(crate) use output::complain;

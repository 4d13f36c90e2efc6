//! Serves hook calls. The only module that reads messages from stdin and writes answers to stdout.

mod claim;
mod input;
mod invocation;
mod lines;
mod one_shot;
mod output;
mod records;
mod refusal;
mod scan;
mod service;
mod time_limit;

pub(crate) use invocation::{AuditChoice, Invocation};
#[cfg(feature = "fuzzing")]
pub(crate) use lines::on_sockets;
pub(crate) use lines::serve as lines;
pub(crate) use one_shot::serve as one_shot;
pub(crate) use output::print_error;
pub(crate) use records::default_audit;

/// The stack size of a judging thread, in bytes; the same as that of the main thread.
const STACK: usize = 8 << 20;

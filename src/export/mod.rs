//! Sends the records of the log to a collector of OpenTelemetry, after the answer to a call.
//!
//! The log is the queue: a file beside it says how much of each of its files was sent. A record is sent at least once; if
//! the sending process is killed, or the disk is full, a batch is sent again.

mod background;
mod otlp;
mod position;
mod send;

pub(crate) use background::{RecordSender, leave_agent};
pub(crate) use position::SendPosition;
pub(crate) use send::{SendError, SendUntil, send, unsent};

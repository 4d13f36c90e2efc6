//! The log of what was decided: one JSON object a line, appended before the answer is written (A1-A3).
//! Only a refusal because time ran out is written first: it may have no record.

mod file;
mod lines;
mod read;
mod record;
mod redact;

pub use file::{AuditFile, append};
pub use lines::{Line, Log};
pub use read::{Entry, find};
pub(crate) use record::hex;
pub use record::{Record, new_id};
pub use redact::{outline, redact, redact_json, with_input_redacted, without_input};

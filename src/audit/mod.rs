//! The audit log: one JSON object per line for each decision, appended before the reply is written (A1-A3).
//! The exception is a refusal at the deadline: its reply is written first, and its record may be missing.

mod file;
mod lines;
mod read;
mod record;
mod redact;
mod rotate;

pub use file::{AuditFile, append};
pub(crate) use file::{OpenLog, Unwritten, append_line, append_record, line_of};
pub use lines::{Log, LogLine};
pub use read::{AuditEntry, find};
pub(crate) use record::hex;
pub use record::{Record, new_id};
pub use redact::{outline, redact, redact_json, with_input_redacted, without_input, without_quoted};
pub(crate) use rotate::{log_of_refused, refused_file};

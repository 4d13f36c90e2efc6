//! Writes one answer, verifies that it was written, and determines the exit code (O4-O6).

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use snaphook_adapters::model::Reply;

use crate::platform::serving::{write_stderr, write_stdout};
use crate::visible::visible;

/// Writes an answer and returns the exit code. Waits for a reader until `until`; bytes that can be written
/// without waiting are written even after that.
///
/// If the answer needs stdout and stdout is closed or not read, a gate is blocked by exit code, with the reason
/// on stderr. Any other event ends as if the hook had no opinion.
pub(crate) fn write(reply: &Reply, gates: bool, until: Instant) -> u8 {
    let written = if reply.stdout.is_empty() { Ok(()) } else { write_stdout(reply.stdout.as_bytes(), until) };
    if let Err(error) = written {
        if gates {
            let error = match error.kind() {
                ErrorKind::TimedOut => "timed out: stdout is not being read".to_owned(),
                _ => error.to_string(),
            };
            print_error(&format!("snaphook: the answer cannot be written to stdout ({error}): denied"));
            return 2;
        }
        return 0;
    }
    if !reply.stderr.is_empty() {
        put_until(&reply.stderr, Instant::now() + BRIEF);
    }
    reply.exit
}

/// Prints an error to stderr, escaped for a terminal.
pub(crate) fn print_error(text: &str) {
    put_until(&visible(text), Instant::now() + BRIEF);
}

/// Writes a text to stderr if there is room before `until`. A failure is ignored, because there is no other
/// channel to report it.
pub(crate) fn put_until(text: &str, until: Instant) {
    let _ = write_stderr(format!("{text}\n").as_bytes(), until);
}

const BRIEF: Duration = Duration::from_millis(200);

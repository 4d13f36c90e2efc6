//! Splits the input of a long-lived process into lines.

use memchr::{memchr, memmem};

use crate::platform::serving::StdinStream;
use crate::serve::scan::BOM;

/// One input line.
pub(super) enum InputLine {
    /// A line that can be parsed.
    Text(String),
    /// A line that is too long or not UTF-8.
    Faulty {
        /// The members before the parameters, as an object; enough to answer the line.
        head: String,
        fault: LineFault,
    },
}

/// The reason why a line cannot be read.
#[derive(Debug)]
pub(super) struct LineFault {
    pub(super) what: String,
    pub(super) over_limit: bool,
}

/// Reads lines from the input.
pub(super) struct LineReader {
    input: StdinStream,
    buffer: Vec<u8>,
    /// The start of the next line.
    start: usize,
    /// The end of the bytes that contain no line end.
    seen: usize,
    limit: u64,
    /// True inside a line that was already answered as too long.
    skipping: bool,
    ended: bool,
}

impl LineReader {
    pub(super) fn new(input: StdinStream, limit: u64) -> Self {
        Self { input, buffer: Vec::new(), start: 0, seen: 0, limit, skipping: false, ended: false }
    }

    /// Returns true at the end of input. Lines that have arrived may be left.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns true if a read does not block.
    pub(super) fn is_ready(&mut self) -> bool {
        !self.ended && self.input.is_ready()
    }

    /// Waits for more input and reads it.
    pub(super) fn read(&mut self) {
        self.buffer.reserve(self.seen.clamp(PIECE, GROWTH));
        self.ended = !matches!(self.input.read(&mut self.buffer), Ok(1..));
    }

    /// Returns the next line that has arrived and is not blank.
    pub(super) fn next(&mut self) -> Option<InputLine> {
        if let Some(line) = self.next_ended() {
            return Some(line);
        }
        if self.skipping {
            self.start = self.seen;
        }
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        if self.seen as u64 > self.limit {
            self.skipping = true;
            return Some(self.too_long(&self.buffer));
        }
        if !self.ended {
            return None;
        }
        let last = std::mem::take(&mut self.buffer);
        self.seen = 0;
        Some(last).filter(|line| !line.trim_ascii().is_empty()).map(|line| self.line(line))
    }

    /// Returns the next line that is complete and not blank.
    fn next_ended(&mut self) -> Option<InputLine> {
        loop {
            let rest = self.buffer.get(self.seen..).unwrap_or_default();
            let Some(end) = memchr(b'\n', rest).map(|at| self.seen + at) else {
                self.seen = self.buffer.len();
                return None;
            };
            let line = self.take(end);
            if !std::mem::take(&mut self.skipping) && !line.trim_ascii().is_empty() {
                return Some(self.line(line));
            }
        }
    }

    /// Takes the line that ends there out of the buffer. A long one is not copied, so that it is in memory once.
    fn take(&mut self, end: usize) -> Vec<u8> {
        if end - self.start < PIECE {
            let line = self.buffer.get(self.start..end).map(<[u8]>::to_vec).unwrap_or_default();
            self.start = end + 1;
            self.seen = self.start;
            return line;
        }
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(end);
        line.drain(..self.start);
        self.start = 0;
        self.seen = 0;
        line
    }

    /// Converts a complete line, which may be too long even if it arrived in one read.
    fn line(&self, line: Vec<u8>) -> InputLine {
        if line.len() as u64 > self.limit { self.too_long(&line) } else { text(line) }
    }

    fn too_long(&self, line: &[u8]) -> InputLine {
        let what = format!("the line is over {} bytes (`[limits] input` of the policy)", self.limit);
        InputLine::Faulty { head: head(line), fault: LineFault { what, over_limit: true } }
    }
}

fn text(mut line: Vec<u8>) -> InputLine {
    if line.starts_with(BOM) {
        line.drain(..BOM.len());
    }
    String::from_utf8(line).map_or_else(
        |error| InputLine::Faulty {
            head: head(error.as_bytes()),
            fault: LineFault { what: "the line is not UTF-8".to_owned(), over_limit: false },
        },
        InputLine::Text,
    )
}

/// Returns the members before `"params"` as an object, which has the id and method of an unreadable line.
/// Returns an empty text if they do not come first.
fn head(line: &[u8]) -> String {
    let start = line.get(..line.len().min(HEAD)).unwrap_or_default();
    let Some(at) = memmem::find(start, b"\"params\":") else { return String::new() };
    let members = start.get(..at).and_then(|members| std::str::from_utf8(members).ok());
    members.map(|members| format!("{members}\"params\":null}}")).unwrap_or_default()
}

const PIECE: usize = 64 << 10;
const GROWTH: usize = 2 << 20;
/// The number of bytes that are searched for the members before the parameters.
const HEAD: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_and_method_of_an_unreadable_line_are_found() {
        let line = br#"{"jsonrpc":"2.0","id":7,"method":"hook.before_tool","params":{"x"#;
        assert_eq!(head(line), r#"{"jsonrpc":"2.0","id":7,"method":"hook.before_tool","params":null}"#);
        assert_eq!(head(b"{\"x\":1}"), "");
    }
}

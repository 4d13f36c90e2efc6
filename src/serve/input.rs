//! Reads one message from stdin (J1-J3, S2).

use super::scan::{BOM, ScanResult, Scanner};
use crate::platform::serving::{is_stdin_ready, read_stdin};
use crate::watchdog::before_waiting;

/// The reason why no message could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputFault {
    #[error("no input: the agent sent nothing")]
    Empty,
    #[error("the input is not a JSON object")]
    NotAnObject,
    #[error("the input ends in the middle of the message")]
    Truncated,
    #[error("the input is over {0} bytes (`[limits] input` of the policy)")]
    TooLarge(u64),
    #[error("the input is not UTF-8")]
    NotUtf8,
    #[error("unexpected input after the message; expected one JSON object")]
    Trailing,
    #[error("the input cannot be read: {0}")]
    Io(String),
}

/// Reads exactly the first JSON object. It blocks without a time limit, which is the task of the watchdog.
pub(crate) fn read(limit: u64) -> Result<String, InputFault> {
    let mut bytes: Vec<u8> = Vec::with_capacity(FIRST);
    let mut scanner = Scanner::default();
    loop {
        if bytes.capacity() - bytes.len() < FIRST / 2 {
            make_room(&mut bytes, limit);
        }
        if !is_stdin_ready() {
            before_waiting();
        }
        let count = read_stdin(&mut bytes).map_err(InputFault::io)?;
        let scan = scanner.feed(&bytes);
        if bytes.len() as u64 > limit {
            return Err(InputFault::TooLarge(limit));
        }
        match scan {
            ScanResult::End(end) => return finish(bytes, end),
            ScanResult::NotAnObject => return Err(InputFault::NotAnObject),
            ScanResult::More if count > 0 => {}
            ScanResult::More if bytes.iter().all(u8::is_ascii_whitespace) => return Err(InputFault::Empty),
            ScanResult::More => return Err(InputFault::Truncated),
        }
    }
}

impl InputFault {
    fn io(error: impl std::fmt::Display) -> Self {
        Self::Io(error.to_string())
    }
}

fn finish(mut bytes: Vec<u8>, end: usize) -> Result<String, InputFault> {
    if bytes.get(end..).is_some_and(|rest| !rest.iter().all(u8::is_ascii_whitespace)) {
        return Err(InputFault::Trailing);
    }
    bytes.truncate(end);
    if bytes.capacity() == FIRST {
        // The memory behind a short message is used for what follows.
        bytes.shrink_to_fit();
    }
    if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len());
    }
    String::from_utf8(bytes).map_err(|_| InputFault::NotUtf8)
}

/// Reserves memory for the whole of a longer message at once. Unused pages cost nothing, whereas a growing
/// buffer may exist twice while it is copied. If the reservation fails, the buffer grows step by step.
fn make_room(bytes: &mut Vec<u8>, limit: u64) {
    let whole = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(FIRST);
    if bytes.try_reserve_exact(whole.saturating_sub(bytes.len())).is_err() {
        bytes.reserve(bytes.len().clamp(PIECE, GROWTH));
    }
}

/// The initial size of the buffer, in bytes; most messages fit.
const FIRST: usize = 8 << 10;
/// The growth step of a buffer that could not be reserved as a whole, in bytes.
const PIECE: usize = 64 << 10;
const GROWTH: usize = 2 << 20;

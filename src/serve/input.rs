//! Reads one message from stdin by readiness, against a deadline (J1-J3, S1).

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::scan::{BOM, Scan, Scanner};

/// Says why no message could be read.
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
    #[error("the input was not complete within {0} ms")]
    Deadline(u128),
    #[error("the input is not UTF-8")]
    NotUtf8,
    #[error("something follows the message in the input")]
    Trailing,
    #[error("stopped by a signal before the message was complete")]
    Signal,
    #[error("the input cannot be read: {0}")]
    Io(String),
}

/// Reads the first JSON object, to its last byte and no further.
///
/// `signal` becomes readable when the process is told to stop.
pub(crate) fn read(
    stdin: BorrowedFd<'_>,
    signal: BorrowedFd<'_>,
    within: Duration,
    limit: u64,
) -> Result<String, InputFault> {
    let until = Instant::now() + within;
    let mut bytes: Vec<u8> = Vec::with_capacity(PIECE);
    let mut scanner = Scanner::default();
    loop {
        match wait([stdin, signal], until).map_err(|e| InputFault::Io(e.to_string()))? {
            Ready::Neither => return Err(InputFault::Deadline(within.as_millis())),
            Ready::Second => return Err(InputFault::Signal),
            Ready::First => {}
        }
        if bytes.capacity() - bytes.len() < PIECE / 2 {
            bytes.reserve(bytes.len().clamp(PIECE, GROWTH));
        }
        let count = match rustix::io::read(stdin, spare_capacity(&mut bytes)) {
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(error) => return Err(InputFault::Io(error.to_string())),
            Ok(count) => count,
        };
        let scan = scanner.feed(&bytes);
        if bytes.len() as u64 > limit {
            return Err(InputFault::TooLarge(limit));
        }
        match scan {
            Scan::End(end) => return finish(bytes, end),
            Scan::NotAnObject => return Err(InputFault::NotAnObject),
            Scan::More if count > 0 => {}
            Scan::More if bytes.iter().all(u8::is_ascii_whitespace) => return Err(InputFault::Empty),
            Scan::More => return Err(InputFault::Truncated),
        }
    }
}

/// Which of two descriptors is ready; neither when time is up.
pub(crate) enum Ready {
    First,
    Second,
    Neither,
}

/// Waits until one of two descriptors can be read; the second one counts first.
pub(crate) fn wait(fds: [BorrowedFd<'_>; 2], until: Instant) -> Result<Ready, Errno> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut polled = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut polled, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
            Ok(0) => return Ok(Ready::Neither),
            Ok(_) => {
                let [first, second] = polled.map(|fd| !fd.revents().is_empty());
                match (first, second) {
                    (_, true) => return Ok(Ready::Second),
                    (true, _) => return Ok(Ready::First),
                    _ => {}
                }
            }
        }
    }
}

/// Whether a person sits at the other end and nothing is coming.
pub(crate) fn is_terminal() -> bool {
    rustix::termios::isatty(std::io::stdin().as_fd())
}

fn finish(mut bytes: Vec<u8>, end: usize) -> Result<String, InputFault> {
    if bytes.get(end..).is_some_and(|rest| !rest.iter().all(u8::is_ascii_whitespace)) {
        return Err(InputFault::Trailing);
    }
    bytes.truncate(end);
    if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len());
    }
    String::from_utf8(bytes).map_err(|_| InputFault::NotUtf8)
}

/// What one read takes at the least, in bytes.
const PIECE: usize = 64 << 10;
/// By how much the buffer grows at the most, so that it is never much larger than the message.
const GROWTH: usize = 2 << 20;

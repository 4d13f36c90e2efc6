//! Writes one answer, verifies that it was written, and determines the exit code (O4-O6).

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use snaphook_adapters::model::Reply;

use crate::visible::visible;

/// Writes an answer and returns the exit code. Waits for a reader until `until`; bytes that can be written
/// without waiting are written even after that.
///
/// If the answer needs stdout and stdout is closed or not read, a gate is blocked by exit code, with the reason
/// on stderr. Any other event ends as if the hook had no opinion.
pub(crate) fn write(reply: &Reply, gates: bool, until: Instant) -> u8 {
    let stdout = std::io::stdout();
    let written = if reply.stdout.is_empty() { Ok(()) } else { all(stdout.as_fd(), reply.stdout.as_bytes(), until) };
    if let Err(error) = written {
        if gates {
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
    let stderr = std::io::stderr();
    let _ = all(stderr.as_fd(), format!("{text}\n").as_bytes(), until);
}

/// The reason why an answer was not written.
#[derive(Debug, thiserror::Error)]
enum WriteFault {
    #[error("{0}")]
    Broken(#[from] Errno),
    #[error("timed out: stdout is not being read")]
    Unread,
}

/// Writes in pieces: a pipe that is ready for writing accepts that many bytes without blocking.
fn all(fd: BorrowedFd<'_>, bytes: &[u8], until: Instant) -> Result<(), WriteFault> {
    if is_null(fd) {
        return Err(Errno::BADF.into());
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        wait_for_room(fd, until)?;
        let piece = rest.get(..PIECE).unwrap_or(rest);
        match rustix::io::write(fd, piece) {
            Ok(0) => return Err(Errno::IO.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A broken descriptor is detected by the write that follows.
fn wait_for_room(fd: BorrowedFd<'_>, until: Instant) -> Result<(), WriteFault> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut out = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
        match poll(&mut out, Timespec::try_from(left).ok().as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Err(WriteFault::Unread),
            Ok(_) => return Ok(()),
        }
    }
}

/// Returns true if a descriptor leads to the null device. The runtime opens it in place of a closed descriptor,
/// and an answer written there is lost.
pub(super) fn is_null(fd: BorrowedFd<'_>) -> bool {
    let Ok(stat) = rustix::fs::fstat(fd) else { return false };
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
        && rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}

/// The number of bytes that a writable pipe accepts without blocking.
const PIECE: usize = 4096;
const BRIEF: Duration = Duration::from_millis(200);

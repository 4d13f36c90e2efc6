//! Writes one finished answer, checked, and says how the process ends (O4-O6).

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use snaphook_adapters::model::Reply;

use crate::visible::visible;

/// Writes an answer and returns the exit code. It waits for a reader until `until`; what can be written at once
/// is written even then.
///
/// Where stdout is broken, or nobody reads it, and the answer has something to say there, a gate is
/// blocked by exit code with the reason on stderr; anything else ends as if it had no opinion.
pub(crate) fn write(reply: &Reply, gates: bool, until: Instant) -> u8 {
    let stdout = std::io::stdout();
    let written = if reply.stdout.is_empty() { Ok(()) } else { all(stdout.as_fd(), reply.stdout.as_bytes(), until) };
    if let Err(error) = written {
        if gates {
            complain(&format!("snaphook: the answer cannot be written to stdout ({error}): denied"));
            return 2;
        }
        return 0;
    }
    if !reply.stderr.is_empty() {
        put_until(&reply.stderr, Instant::now() + BRIEF);
    }
    reply.exit
}

/// Writes a message of our own to stderr, escaped for a terminal.
pub(crate) fn complain(text: &str) {
    put_until(&visible(text), Instant::now() + BRIEF);
}

/// Writes the text of an answer to stderr if there is room for it by then. If that fails, there is no other
/// place to report it.
pub(crate) fn put_until(text: &str, until: Instant) {
    let stderr = std::io::stderr();
    let _ = all(stderr.as_fd(), format!("{text}\n").as_bytes(), until);
}

/// Says why an answer did not go out.
#[derive(Debug, thiserror::Error)]
enum Unwritten {
    #[error("{0}")]
    Broken(#[from] Errno),
    #[error("nobody reads it")]
    Unread,
}

/// Writes piece by piece: a pipe that says it can be written takes that much without blocking.
fn all(fd: BorrowedFd<'_>, bytes: &[u8], until: Instant) -> Result<(), Unwritten> {
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

/// What is broken shows when it is written to.
fn wait_for_room(fd: BorrowedFd<'_>, until: Instant) -> Result<(), Unwritten> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut out = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
        match poll(&mut out, Timespec::try_from(left).ok().as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Err(Unwritten::Unread),
            Ok(_) => return Ok(()),
        }
    }
}

/// Whether a descriptor leads to the null device: the runtime puts it there where a host started us
/// with a closed one, and an answer written to it is lost.
pub(super) fn is_null(fd: BorrowedFd<'_>) -> bool {
    let Ok(stat) = rustix::fs::fstat(fd) else { return false };
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
        && rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}

/// What a pipe takes at once when it says that it can be written, in bytes.
const PIECE: usize = 4096;
const BRIEF: Duration = Duration::from_millis(200);

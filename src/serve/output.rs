//! Writes one finished answer, checked, and says how the process ends (O4-O6).

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use snaphook_adapters::model::Reply;

use super::input::is_ready;
use super::signals::Signals;

/// Says how long a write waits for a reader: until a time, or until a signal arrives.
///
/// What can be written at once is written even then.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    pub(crate) until: Instant,
    pub(crate) signals: Option<&'a Signals>,
}

impl Patience<'_> {
    /// For what may be lost.
    pub(crate) fn brief() -> Self {
        Self { until: Instant::now() + BRIEF, signals: None }
    }
}

/// Writes an answer and returns the exit code.
///
/// Where stdout is broken, or nobody reads it, and the answer has something to say there, a gate is
/// blocked by exit code with the reason on stderr; anything else ends as if it had no opinion.
pub(crate) fn write(reply: &Reply, gates: bool, patience: Patience<'_>) -> u8 {
    let stdout = std::io::stdout();
    let written = if reply.stdout.is_empty() { Ok(()) } else { all(stdout.as_fd(), reply.stdout.as_bytes(), patience) };
    if let Err(error) = written {
        if gates {
            complain(&format!("snaphook: the answer cannot be written to stdout ({error}): denied"));
            return 2;
        }
        return 0;
    }
    if !reply.stderr.is_empty() {
        complain(&reply.stderr);
    }
    reply.exit
}

/// Writes a line to stderr; where that is broken too, or full, nobody is listening.
pub(crate) fn complain(text: &str) {
    let stderr = std::io::stderr();
    let _ = all(stderr.as_fd(), format!("{text}\n").as_bytes(), Patience::brief());
}

/// Says why an answer did not go out.
#[derive(Debug, thiserror::Error)]
enum Unwritten {
    #[error("{0}")]
    Broken(#[from] Errno),
    #[error("nobody reads it")]
    Unread,
    #[error("stopped by a signal before anybody read it")]
    Stopped,
}

/// Writes piece by piece: a pipe that says it can be written takes that much without blocking.
fn all(fd: BorrowedFd<'_>, bytes: &[u8], patience: Patience<'_>) -> Result<(), Unwritten> {
    if is_null(fd) {
        return Err(Errno::BADF.into());
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        wait_for_room(fd, patience)?;
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

fn wait_for_room(fd: BorrowedFd<'_>, patience: Patience<'_>) -> Result<(), Unwritten> {
    // Nearly always there is room, and nothing has to wake us.
    if is_ready(fd, PollFlags::OUT)? {
        return Ok(());
    }
    let signal = patience.signals.and_then(|signals| signals.fd().ok());
    loop {
        let out = PollFd::from_borrowed_fd(fd, PollFlags::OUT);
        let stop = PollFd::from_borrowed_fd(signal.unwrap_or(fd), PollFlags::IN);
        let mut both = [out, stop];
        let (one, _) = both.split_at_mut(1);
        let polled = if signal.is_some() { both.as_mut_slice() } else { one };
        let left = patience.until.saturating_duration_since(Instant::now());
        match poll(polled, Timespec::try_from(left).ok().as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Err(Unwritten::Unread),
            // What is broken shows when it is written to.
            Ok(_) if polled.first().is_some_and(|out| !out.revents().is_empty()) => return Ok(()),
            Ok(_) => return Err(Unwritten::Stopped),
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

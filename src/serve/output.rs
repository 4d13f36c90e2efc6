//! Writes one finished answer, checked, and says how the process ends (O4-O6).

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::FileType;
use rustix::io::Errno;
use snaphook_adapters::model::Reply;

/// Writes an answer and returns the exit code.
///
/// Where stdout is broken and the answer has something to say there, a gate is blocked by exit code
/// with the reason on stderr; anything else ends as if it had no opinion.
pub(crate) fn write(reply: &Reply, gates: bool) -> u8 {
    let stdout = std::io::stdout();
    let written = if reply.stdout.is_empty() { Ok(()) } else { all(stdout.as_fd(), reply.stdout.as_bytes()) };
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

/// Writes a line to stderr; where that is broken too, nobody is listening.
pub(crate) fn complain(text: &str) {
    let stderr = std::io::stderr();
    let _ = all(stderr.as_fd(), format!("{text}\n").as_bytes());
}

fn all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    if is_null(fd) {
        return Err(Errno::BADF);
    }
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut writable = [rustix::event::PollFd::new(&fd, rustix::event::PollFlags::OUT)];
                rustix::event::poll(&mut writable, None)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether a descriptor leads to the null device: the runtime puts it there where a host started us
/// with a closed one, and an answer written to it is lost.
pub(super) fn is_null(fd: BorrowedFd<'_>) -> bool {
    let Ok(stat) = rustix::fs::fstat(fd) else { return false };
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
        && rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}

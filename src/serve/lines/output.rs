//! Writes the answers of a long-lived process.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::FileType;
use rustix::io::{Errno, ioctl_fionbio};
use snaphook_adapters::model::Reply;

use crate::serve::output::{is_null, put_until};

/// The progress of writing the queued answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteProgress {
    All,
    /// The pipe is full until the host reads.
    Part,
    /// Another thread is writing.
    ByAnother,
    Failed,
}

/// A queue of answers. No thread blocks on a host that does not read them.
pub(super) struct Answers {
    output: OwnedFd,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    /// True while a thread writes; other threads only queue their answers.
    is_writing: bool,
    error: Option<io::Error>,
}

impl Answers {
    /// Fails if stdout was closed when the process was started, because all answers would be lost.
    pub(super) fn open(output: OwnedFd) -> io::Result<Self> {
        if is_null(output.as_fd()) {
            return Err(unwritable(&Errno::BADF.into()));
        }
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&output)?.st_mode);
        if matches!(kind, FileType::Fifo | FileType::Socket) {
            ioctl_fionbio(&output, true)?;
        }
        Ok(Self { output, queue: Mutex::default() })
    }

    /// Queues an answer.
    pub(super) fn push(&self, reply: &Reply) {
        if !reply.stdout.is_empty() {
            let bytes = &mut self.queue().bytes;
            bytes.extend_from_slice(reply.stdout.as_bytes());
            bytes.push(b'\n');
        }
        if !reply.stderr.is_empty() {
            // Does not block.
            put_until(&reply.stderr, Instant::now());
        }
    }

    /// Writes the queued answers, with a single write if they fit.
    pub(super) fn write(&self) -> WriteProgress {
        let mut queue = self.queue();
        while !queue.is_writing && queue.error.is_none() && !queue.bytes.is_empty() {
            let mut bytes = std::mem::take(&mut queue.bytes);
            queue.is_writing = true;
            drop(queue);
            let (written, result) = self.write_now(&bytes);
            queue = self.queue();
            queue.is_writing = false;
            if written < bytes.len() {
                bytes.drain(..written);
                bytes.append(&mut queue.bytes);
                queue.bytes = bytes;
            }
            match result {
                Ok(()) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => queue.error = Some(unwritable(&error.into())),
            }
        }
        match *queue {
            Queue { error: Some(_), .. } => WriteProgress::Failed,
            Queue { is_writing: true, .. } => WriteProgress::ByAnother,
            Queue { ref bytes, .. } if bytes.is_empty() => WriteProgress::All,
            _ => WriteProgress::Part,
        }
    }

    /// Writes without blocking. Returns the number of bytes written and the error that stopped the write, if
    /// any.
    fn write_now(&self, bytes: &[u8]) -> (usize, Result<(), Errno>) {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            match rustix::io::write(&self.output, rest) {
                Ok(0) => return (written, Err(Errno::IO)),
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }

    /// The reason why answers can no longer be written.
    pub(super) fn error(&self) -> Option<io::Error> {
        self.queue().error.take()
    }

    /// Returns the descriptor to poll for writability.
    pub(super) fn room(&self) -> PollFd<'_> {
        PollFd::new(&self.output, PollFlags::OUT)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unwritable(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("answers cannot be written: {error}"))
}

//! Writes the answers of a long-lived process.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use snaphook_adapters::model::Reply;

use crate::platform::serving::StdoutStream;
use crate::serve::output::put_until;

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
    output: StdoutStream,
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
    pub(super) fn new(output: StdoutStream) -> Self {
        Self { output, queue: Mutex::default() }
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
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => queue.error = Some(unwritable(&error)),
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
    fn write_now(&self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            match self.output.write(rest) {
                Ok(count) => written += count,
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }

    /// The reason why answers can no longer be written.
    pub(super) fn error(&self) -> Option<io::Error> {
        self.queue().error.take()
    }

    /// Returns the output, to wait for room in it.
    pub(super) fn output(&self) -> &StdoutStream {
        &self.output
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn unwritable(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("answers cannot be written: {error}"))
}

//! The standard streams of a hook, and the waiting of the line server.
//!
//! No signal ends a process here: Ctrl-C ends it at once, which the guard of the registered line turns into a denial.

use std::io::{self, BufRead, Read, Write};
use std::os::windows::io::AsRawHandle;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The signals that end a process. There are none.
pub(crate) struct StopSignal;

impl StopSignal {
    /// Does nothing.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
    pub(crate) fn block() -> io::Result<()> {
        Ok(())
    }

    /// Returns the absent signals.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
    pub(crate) fn take_over() -> io::Result<Self> {
        Ok(Self)
    }

    /// Does nothing.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
    pub(crate) fn unblock() -> io::Result<()> {
        Ok(())
    }

    /// Waits for the time and returns false.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "it can fail on Unix")]
    pub(crate) fn wait(&self, time: Duration) -> io::Result<bool> {
        thread::sleep(time);
        Ok(false)
    }
}

/// Returns false: whether a message has arrived is not known.
pub(crate) fn is_stdin_ready() -> bool {
    false
}

/// Appends bytes of stdin that fit into the free capacity of the buffer. Returns their number, 0 at the end of input.
pub(crate) fn read_stdin(into: &mut Vec<u8>) -> io::Result<usize> {
    let mut stdin = io::stdin().lock();
    let room = into.capacity() - into.len();
    let available = stdin.fill_buf()?;
    let count = available.len().min(room);
    into.extend(available.iter().take(count));
    stdin.consume(count);
    Ok(count)
}

/// Writes to stdout until the time is up.
pub(crate) fn write_stdout(bytes: &[u8], until: Instant) -> io::Result<()> {
    write_until(io::stdout(), bytes, until)
}

/// Writes to stderr until the time is up.
pub(crate) fn write_stderr(bytes: &[u8], until: Instant) -> io::Result<()> {
    write_until(io::stderr(), bytes, until)
}

/// Writes on another thread, which is left behind if it blocks.
fn write_until(mut to: impl Write + AsRawHandle + Send + 'static, bytes: &[u8], until: Instant) -> io::Result<()> {
    is_open(&to)?;
    let (done, written) = channel();
    let bytes = bytes.to_vec();
    let write = move || drop(done.send(to.write_all(&bytes).and_then(|()| to.flush())));
    thread::Builder::new().name("write".to_owned()).spawn(write)?;
    let left = until.saturating_duration_since(Instant::now()).max(LEAST);
    written.recv_timeout(left).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The standard library discards what is written to a stream that is closed.
fn is_open(stream: &impl AsRawHandle) -> io::Result<()> {
    if stream.as_raw_handle().is_null() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
}

/// The time that a write has at least, even if the time is up.
const LEAST: Duration = Duration::from_millis(50);

/// The input of the line server, which a thread reads.
pub(crate) struct StdinStream {
    pieces: Receiver<Vec<u8>>,
    next: Vec<u8>,
    ended: bool,
}

impl StdinStream {
    /// Takes stdin.
    pub(crate) fn stdin() -> io::Result<Self> {
        let (tells, pieces) = channel();
        let read = move || {
            let mut piece = vec![0; PIECE];
            while let Ok(count @ 1..) = io::stdin().lock().read(&mut piece) {
                if tells.send(piece.iter().take(count).copied().collect()).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self { pieces, next: Vec::new(), ended: false })
    }

    /// Returns true if a read does not block.
    pub(crate) fn is_ready(&mut self) -> bool {
        if self.next.is_empty() && !self.ended {
            match self.pieces.try_recv() {
                Ok(piece) => self.next = piece,
                Err(TryRecvError::Disconnected) => self.ended = true,
                Err(TryRecvError::Empty) => return false,
            }
        }
        true
    }

    /// Waits for input and appends it to the buffer. Returns 0 at the end of input.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
    pub(crate) fn read(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        if self.next.is_empty() && !self.ended {
            self.next = self.pieces.recv().unwrap_or_default();
            self.ended = self.next.is_empty();
        }
        let count = self.next.len();
        into.append(&mut self.next);
        Ok(count)
    }
}

const PIECE: usize = 64 << 10;

/// The output of the line server. A write waits until the host reads.
pub(crate) struct StdoutStream;

impl StdoutStream {
    /// Takes stdout.
    pub(crate) fn stdout() -> io::Result<Self> {
        is_open(&io::stdout()).map(|()| Self)
    }

    /// Writes all bytes.
    #[expect(clippy::unused_self, reason = "it is a descriptor on Unix")]
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        Ok(bytes.len())
    }

    /// Returns at once: a write waits by itself.
    #[expect(clippy::unused_self, reason = "it is a descriptor on Unix")]
    pub(crate) fn wait_for_room(&self, _: Duration) {}
}

/// Wakes a thread that waits on a [`Waiter`].
pub(crate) struct Waker(Sender<()>);

/// Waits until it is woken.
pub(crate) struct Waiter(Receiver<()>);

/// Creates a connected pair.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn waiter() -> io::Result<(Waiter, Waker)> {
    let (wakes, woken) = channel();
    Ok((Waiter(woken), Waker(wakes)))
}

impl Waker {
    /// Wakes the other thread.
    pub(crate) fn wake(&self) {
        let _ = self.0.send(());
    }
}

impl Waiter {
    /// Waits for the waker or the given time, and returns false.
    pub(crate) fn wait(&self, _: Option<&StopSignal>, _: Option<&StdoutStream>, time: Option<Duration>) -> bool {
        let _ = match time {
            Some(time) => self.0.recv_timeout(time).is_ok(),
            None => self.0.recv().is_ok(),
        };
        // Several calls wake it once.
        while self.0.try_recv().is_ok() {}
        false
    }
}

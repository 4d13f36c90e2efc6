//! The standard streams of a hook, signals, and the waiting of the line server.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
#[cfg(feature = "fuzzing")]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::stdio::{stderr, stdin, stdout};
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

use crate::watchdog::before_waiting;

/// The signals that end a process, as a descriptor that can be polled (S3).
pub(crate) struct StopSignal(OwnedFd);

impl StopSignal {
    /// Blocks signals in this thread and in those that it starts. They stay pending until a thread unblocks them.
    ///
    /// SIGPIPE is already ignored by the runtime. While SIGXFSZ is blocked, a write fails instead.
    pub(crate) fn block() -> io::Result<()> {
        Ok(stop_signals().thread_block()?)
    }

    /// Handles SIGTERM and SIGINT.
    pub(crate) fn take_over() -> io::Result<Self> {
        let (woken, wakes) = io::pipe()?;
        for signal in [SIGTERM, SIGINT] {
            signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
        }
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(Self(woken.into()))
    }

    /// Unblocks the signals in this thread, which handles them from now on.
    pub(crate) fn unblock() -> io::Result<()> {
        Ok(stop_signals().thread_unblock()?)
    }

    /// Waits for a signal. Returns false after the time, or earlier without a signal.
    pub(crate) fn wait(&self, time: Duration) -> io::Result<bool> {
        let mut polled = [PollFd::new(&self.0, PollFlags::IN)];
        match poll(&mut polled, Timespec::try_from(time).ok().as_ref()) {
            Ok(0) | Err(Errno::INTR) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

/// The signals that end a process or a write.
pub(super) fn stop_signals() -> SigSet {
    SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT, Signal::SIGXFSZ])
}

#[cfg(feature = "fuzzing")]
impl From<UnixStream> for StopSignal {
    fn from(stop: UnixStream) -> Self {
        Self(stop.into())
    }
}

/// Returns true if a message has arrived, or its end.
pub(crate) fn is_stdin_ready() -> bool {
    matches!(poll(&mut [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)], Some(&Timespec::default())), Ok(1..))
}

/// Appends bytes of stdin that fit into the free capacity of the buffer. Returns their number, 0 at the end of input.
pub(crate) fn read_stdin(into: &mut Vec<u8>) -> io::Result<usize> {
    read(stdin(), into)
}

fn read(from: BorrowedFd<'_>, into: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        match rustix::io::read(from, spare_capacity(into)) {
            Err(Errno::INTR) => {}
            // The host made its end non-blocking, and that applies to this end too.
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::from_borrowed_fd(from, PollFlags::IN)], None)),
            read => return Ok(read?),
        }
    }
}

/// Writes to stdout until the time is up.
pub(crate) fn write_stdout(bytes: &[u8], until: Instant) -> io::Result<()> {
    write_until(stdout(), bytes, until)
}

/// Writes to stderr until the time is up.
pub(crate) fn write_stderr(bytes: &[u8], until: Instant) -> io::Result<()> {
    write_until(stderr(), bytes, until)
}

/// Writes in pieces: a pipe that is ready for writing accepts that many bytes without blocking. Bytes that can be
/// written without waiting are written even after the time is up.
fn write_until(fd: BorrowedFd<'_>, bytes: &[u8], until: Instant) -> io::Result<()> {
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
fn wait_for_room(fd: BorrowedFd<'_>, until: Instant) -> io::Result<()> {
    let mut left = Duration::ZERO;
    loop {
        let mut out = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
        match poll(&mut out, Timespec::try_from(left).ok().as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) if Instant::now() >= until => return Err(io::ErrorKind::TimedOut.into()),
            Ok(0) => before_waiting(),
            Ok(_) => return Ok(()),
        }
        left = until.saturating_duration_since(Instant::now());
    }
}

/// Returns true if a descriptor leads to the null device. The runtime opens it in place of a closed descriptor,
/// and an answer written there is lost.
fn is_null(fd: BorrowedFd<'_>) -> bool {
    let Ok(stat) = rustix::fs::fstat(fd) else { return false };
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
        && rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}

/// The number of bytes that a writable pipe accepts without blocking.
const PIECE: usize = 4096;

/// The input of the line server.
pub(crate) struct StdinStream {
    fd: OwnedFd,
    /// False for a regular file: a read may block although `poll` reports that it is ready.
    is_stream: bool,
}

impl StdinStream {
    /// Takes stdin.
    pub(crate) fn stdin() -> io::Result<Self> {
        Ok(stdin().try_clone_to_owned()?.into())
    }

    /// Returns true if a read does not block.
    pub(crate) fn is_ready(&mut self) -> bool {
        let mut polled = [PollFd::new(&self.fd, PollFlags::IN)];
        self.is_stream && matches!(poll(&mut polled, Some(&Timespec::default())), Ok(1..))
    }

    /// Waits for input and appends what fits into the free capacity of the buffer. Returns 0 at the end of input.
    pub(crate) fn read(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        read(self.fd.as_fd(), into)
    }
}

impl From<OwnedFd> for StdinStream {
    fn from(fd: OwnedFd) -> Self {
        let is_file = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let is_stream = !rustix::fs::fstat(&fd).is_ok_and(is_file);
        Self { fd, is_stream }
    }
}

/// The output of the line server. No write blocks.
pub(crate) struct StdoutStream(OwnedFd);

impl StdoutStream {
    /// Takes stdout.
    pub(crate) fn stdout() -> io::Result<Self> {
        stdout().try_clone_to_owned()?.try_into()
    }

    /// Writes bytes that there is room for. Without room, the error is [`io::ErrorKind::WouldBlock`].
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(&self.0, bytes) {
                Ok(0) => return Err(Errno::IO.into()),
                Err(Errno::INTR) => {}
                written => return Ok(written?),
            }
        }
    }

    /// Waits until there may be room.
    pub(crate) fn wait_for_room(&self, time: Duration) {
        let _ = poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], Timespec::try_from(time).ok().as_ref());
    }
}

impl TryFrom<OwnedFd> for StdoutStream {
    type Error = io::Error;

    /// Fails if stdout was closed when the process was started, because all answers would be lost.
    fn try_from(fd: OwnedFd) -> io::Result<Self> {
        if is_null(fd.as_fd()) {
            return Err(Errno::BADF.into());
        }
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
        if matches!(kind, FileType::Fifo | FileType::Socket) {
            ioctl_fionbio(&fd, true)?;
        }
        Ok(Self(fd))
    }
}

/// Wakes a thread that waits on a [`Waiter`].
pub(crate) struct Waker(PipeWriter);

/// Waits for several things at once.
pub(crate) struct Waiter(PipeReader);

/// Creates a connected pair.
pub(crate) fn waiter() -> io::Result<(Waiter, Waker)> {
    let (woken, wakes) = io::pipe()?;
    ioctl_fionbio(&woken, true)?;
    ioctl_fionbio(&wakes, true)?;
    Ok((Waiter(woken), Waker(wakes)))
}

impl Waker {
    /// Wakes the other thread.
    pub(crate) fn wake(&self) {
        // If the pipe is full, it is awake already.
        let _ = rustix::io::write(&self.0, &[0]);
    }
}

impl Waiter {
    /// Waits for the waker, a signal, room in the output, or the given time. Returns true if a signal arrived.
    pub(crate) fn wait(
        &self,
        stop: Option<&StopSignal>,
        output: Option<&StdoutStream>,
        time: Option<Duration>,
    ) -> bool {
        let mut polled = vec![PollFd::new(&self.0, PollFlags::IN)];
        polled.extend(stop.map(|stop| PollFd::new(&stop.0, PollFlags::IN)));
        polled.extend(output.map(|output| PollFd::new(&output.0, PollFlags::OUT)));
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let _ = poll(&mut polled, time.as_ref());
        let is_ready = |at: usize| polled.get(at).is_some_and(|polled| !polled.revents().is_empty());
        if is_ready(0) {
            let _ = rustix::io::read(&self.0, &mut [0; 64]);
        }
        stop.is_some() && is_ready(1)
    }
}

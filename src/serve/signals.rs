//! Tells the main thread when the process is to stop, without polling (S3).

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// Becomes readable when SIGTERM or SIGINT arrives.
#[derive(Debug)]
pub(crate) struct Signals {
    woken: UnixStream,
}

impl Signals {
    /// Takes the signals over. SIGPIPE is ignored already (the runtime does it); a handler on
    /// SIGXFSZ turns the kill into a write error.
    pub(crate) fn install() -> std::io::Result<Self> {
        let (woken, wakes) = UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT] {
            signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
        }
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(Self { woken })
    }

    /// The descriptor to wait on.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }

    /// The same for the runtime of the line server.
    pub(crate) fn stream(self) -> std::io::Result<tokio::net::UnixStream> {
        self.woken.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(self.woken)
    }

    /// Whether a signal has arrived.
    pub(crate) fn arrived(&self) -> bool {
        let mut polled = [rustix::event::PollFd::new(&self.woken, rustix::event::PollFlags::IN)];
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(rustix::event::poll(&mut polled, Some(&now)), Ok(1..))
    }
}

//! Tells the main thread when the process is to stop, without polling (S3).

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// The signals that end a process in good order.
const STOP: [i32; 2] = [SIGTERM, SIGINT];

/// Knows whether SIGTERM or SIGINT has arrived.
#[derive(Debug)]
pub(crate) struct Signals {
    arrived: Arc<AtomicBool>,
    waking: OnceLock<UnixStream>,
}

impl Signals {
    /// Takes the signals over. SIGPIPE is ignored already (the runtime does it); a handler on
    /// SIGXFSZ turns the kill into a write error.
    pub(crate) fn install() -> std::io::Result<Self> {
        let arrived = Arc::new(AtomicBool::new(false));
        for signal in STOP {
            signal_hook::flag::register(signal, Arc::clone(&arrived))?;
        }
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(Self { arrived, waking: OnceLock::new() })
    }

    /// Whether a signal has arrived.
    pub(crate) fn arrived(&self) -> bool {
        self.arrived.load(Ordering::SeqCst)
    }

    /// The descriptor to wait on beside another; it can be read as soon as a signal has arrived.
    pub(crate) fn fd(&self) -> std::io::Result<BorrowedFd<'_>> {
        if let Some(made) = self.waking.get() {
            return Ok(made.as_fd());
        }
        let made = self.waking()?;
        Ok(self.waking.get_or_init(|| made).as_fd())
    }

    /// The same for the runtime of the line server. It is made when somebody has to wait: most messages
    /// are there at once, and then nobody does.
    pub(crate) fn waking(&self) -> std::io::Result<UnixStream> {
        let (woken, wakes) = UnixStream::pair()?;
        for signal in STOP {
            signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
        }
        if self.arrived() {
            // Before anyone listened.
            std::io::Write::write(&mut &wakes, &[0])?;
        }
        Ok(woken)
    }
}

//! Turns the signals that end a process into something to wait for (S3).

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// Takes SIGTERM and SIGINT over. The socket can be read as soon as one of them has arrived.
///
/// SIGPIPE is ignored already (the runtime does it); a handler on SIGXFSZ turns the kill into a write error.
pub(crate) fn take_over() -> io::Result<UnixStream> {
    let (woken, wakes) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGINT] {
        signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
    }
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(woken)
}

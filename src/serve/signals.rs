//! Turns the signals that end a process into a pollable descriptor (S3).

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// Handles SIGTERM and SIGINT. The returned socket becomes readable when one of them arrives.
///
/// SIGPIPE is already ignored by the runtime. A handler on SIGXFSZ turns the kill into a write error.
pub(crate) fn take_over() -> io::Result<UnixStream> {
    let (woken, wakes) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGINT] {
        signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
    }
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(woken)
}

//! The controlling terminal.

use std::fs::{File, OpenOptions};

/// Opens the controlling terminal for reading and writing, if this process is in its foreground group. A background
/// process that reads from the terminal is stopped.
pub(crate) fn open() -> Option<(File, File)> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    let foreground = rustix::termios::tcgetpgrp(&terminal).ok()?;
    (foreground == rustix::process::getpgrp()).then_some(())?;
    Some((terminal.try_clone().ok()?, terminal))
}

/// Returns true if stdin is a terminal.
pub(crate) fn is_stdin() -> bool {
    rustix::termios::isatty(rustix::stdio::stdin())
}

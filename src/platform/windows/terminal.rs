//! The console.

use std::fs::{File, OpenOptions};
use std::io::IsTerminal;

/// Opens the console for reading and writing.
pub(crate) fn open() -> Option<(File, File)> {
    let open = |name| OpenOptions::new().read(true).write(true).open(name).ok();
    Some((open("CONIN$")?, open("CONOUT$")?))
}

/// Returns true if stdin is a console.
pub(crate) fn is_stdin() -> bool {
    std::io::stdin().is_terminal()
}

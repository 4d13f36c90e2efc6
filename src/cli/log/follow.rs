//! Waits for records that are appended to the log.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::platform::files as platform;

/// The lines that are appended to a log. Reading goes on with the new file after the log was moved, and never ends.
pub(super) struct NewLines {
    path: PathBuf,
    open: Option<File>,
    /// Bytes that were read but not yet returned. The last line may be incomplete.
    held: Vec<u8>,
}

impl NewLines {
    /// Starts in the newest file, behind what was read before.
    pub(super) fn after(path: &Path, newest: Option<File>) -> Self {
        Self { path: path.to_owned(), open: newest, held: Vec::new() }
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.held) {
                let mut line: Vec<u8> = self.held.drain(..=end).collect();
                line.pop();
                return Ok(line);
            }
            let is_at_end = match &mut self.open {
                Some(file) => file.take(PIECE).read_to_end(&mut self.held)? == 0,
                None => true,
            };
            if is_at_end && !self.is_moved()? {
                std::thread::sleep(POLL_INTERVAL);
            }
        }
    }

    /// Goes on with the new file, if the log was moved and the old file has been read.
    fn is_moved(&mut self) -> io::Result<bool> {
        let Some(newest) = self.current()? else { return Ok(false) };
        let identity = |file: &File| file.metadata().map(|found| platform::identity(&found));
        let old = self.open.as_ref().map(identity).transpose()?;
        if old == Some(identity(&newest)?) {
            return Ok(false);
        }
        self.open = Some(newest);
        Ok(true)
    }

    /// Opens the log; `None` if there is none now.
    fn current(&self) -> io::Result<Option<File>> {
        match platform::non_blocking(File::options().read(true)).open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }
}

const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The largest number of bytes that are read at once.
const PIECE: u64 = 1 << 20;

//! What was sent of a log, and what failed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use snaphook_policy::sending_folder;

use crate::files;
use crate::platform::files as platform;

/// What was sent of each file of a log.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SendPosition {
    #[serde(default)]
    files: Vec<SentFile>,
    /// The number of records that the collector has refused within a batch, and its last reason to refuse any.
    #[serde(default)]
    pub(crate) refused: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) refused_because: String,
    /// The failure of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<SendFailure>,
}

/// A file of the log. It keeps its first bytes when it is moved; they have the time and the id of its first record.
#[derive(Debug, Serialize, Deserialize)]
struct SentFile {
    first_bytes: String,
    sent: u64,
}

/// Attempts that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SendFailure {
    /// The time of the first attempt: RFC 3339 in UTC.
    pub(crate) since: String,
    pub(crate) attempts: u32,
    pub(crate) what: String,
}

impl SendPosition {
    /// Reads the position of a log. A file that is missing or damaged is a position before the first record.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(log: &Path) -> io::Result<Self> {
        let bytes = files::read(&position_file(log))?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub(super) fn write(&self, log: &Path) -> io::Result<()> {
        files::write_private(&position_file(log), &serde_json::to_vec_pretty(self)?)
    }

    /// The number of bytes of a file that were sent.
    pub(super) fn sent(&self, file: &File) -> io::Result<u64> {
        let first_bytes = first_bytes(file)?;
        let sent = self.files.iter().find(|known| known.first_bytes == first_bytes).map_or(0, |known| known.sent);
        Ok(if sent > file.metadata()?.len() { 0 } else { sent })
    }

    pub(super) fn set_sent(&mut self, file: &File, sent: u64) -> io::Result<()> {
        let first_bytes = first_bytes(file)?;
        match self.files.iter_mut().find(|known| known.first_bytes == first_bytes) {
            Some(known) => known.sent = sent,
            None => self.files.push(SentFile { first_bytes, sent }),
        }
        Ok(())
    }

    /// Forgets all files but these.
    pub(super) fn keep<'f>(&mut self, files: impl Iterator<Item = &'f File>) -> io::Result<()> {
        let left = files.map(first_bytes).collect::<io::Result<Vec<_>>>()?;
        self.files.retain(|known| left.contains(&known.first_bytes));
        Ok(())
    }
}

/// The file that is locked while records are sent. Its time says when the next process may be started.
pub(super) fn lock_file(log: &Path) -> PathBuf {
    sending_folder(log).join("lock")
}

fn position_file(log: &Path) -> PathBuf {
    sending_folder(log).join("position.json")
}

fn first_bytes(file: &File) -> io::Result<String> {
    let mut bytes = [0; FIRST];
    let read = platform::read_at(file, &mut bytes, 0)?;
    let bytes = bytes.get(..read).unwrap_or_default();
    // What follows the first line may not have been written yet.
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

/// The number of bytes that hold the time and the id of a record.
const FIRST: usize = 64;

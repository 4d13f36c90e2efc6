//! Records the entries that we put into files, so that they can be told from others' and taken out again.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::edit::Node;
use crate::audit::hex;
use crate::files;

/// Holds all records, and where they are kept.
#[derive(Debug, Default)]
pub(crate) struct Records {
    folder: PathBuf,
    pub(crate) files: Vec<FileRecord>,
}

/// The file as it stands on disk.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    schema: u8,
    files: Vec<FileRecord>,
}

/// Holds our changes to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) agent: String,
    pub(crate) path: PathBuf,
    /// The way back to the bytes from before; absent: somebody wrote to the file in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<Undo>,
    /// Our entries in it.
    pub(crate) entries: Vec<Owned>,
    /// The members that were made to hold it.
    pub(crate) made: Vec<Vec<String>>,
    /// The agent's records of approvals at the time when the entries were last changed. They are about an earlier
    /// form of the entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outdated: Vec<String>,
    /// The folders that were made for the file.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
}

/// Names the bytes before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// SHA-256 of the bytes before, which lie in the folder of backups; absent: there was no file.
    pub(crate) before: Option<String>,
    /// SHA-256 of the bytes that we wrote.
    pub(crate) after: String,
}

/// Names one entry by its place and content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owned {
    pub(crate) at: Vec<String>,
    pub(crate) sha256: String,
    /// It was there before the first install that is on record, so an uninstall leaves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) found: bool,
}

impl Owned {
    pub(crate) fn of(node: &Node) -> Self {
        Self { at: node.at.clone(), sha256: sha256_of(&node.identity()), found: false }
    }

    /// Returns true if an entry is as we put it there.
    pub(crate) fn is(&self, node: &Node) -> bool {
        self.at == node.at && self.sha256 == sha256_of(&node.identity())
    }
}

impl Records {
    /// Reads the records below the folder of our state; none is no error.
    pub(crate) fn read(state: &Path) -> io::Result<Self> {
        Ok(Self { folder: state.to_owned(), files: stored(state)? })
    }

    /// The record of an agent's file.
    pub(crate) fn of(&self, agent: &str, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.agent == agent && record.path == path)
    }

    /// Replaces the record of the same file; one without entries is removed.
    ///
    /// Records that another process wrote in the meantime stay.
    pub(crate) fn keep(&mut self, record: FileRecord) -> io::Result<()> {
        let _alone = files::lock_path(&self.folder.join(LOCK))?;
        self.files = stored(&self.folder)?;
        self.files.retain(|old| old.agent != record.agent || old.path != record.path);
        if !record.entries.is_empty() {
            self.files.push(record);
        }
        let stored = Stored { schema: 1, files: self.files.clone() };
        let mut text = serde_json::to_string_pretty(&stored)?;
        text.push('\n');
        files::write_private(&self.folder.join(NAME), text.as_bytes())
    }

    /// Puts bytes aside and returns their name.
    pub(crate) fn back_up(&self, bytes: &[u8]) -> io::Result<String> {
        let name = sha256(bytes);
        let path = self.folder.join(BACKUPS).join(&name);
        if files::read(&path).is_ok_and(|there| there.as_deref() == Some(bytes)) {
            return Ok(name);
        }
        files::write_private(&path, bytes)?;
        Ok(name)
    }

    /// The bytes that were put aside, if they are still the same.
    pub(crate) fn backup(&self, name: &str) -> Option<Vec<u8>> {
        files::read(&self.folder.join(BACKUPS).join(name)).ok().flatten().filter(|bytes| sha256(bytes) == name)
    }
}

fn stored(folder: &Path) -> io::Result<Vec<FileRecord>> {
    let path = folder.join(NAME);
    let Some(bytes) = files::read(&path)? else { return Ok(Vec::new()) };
    let stored = serde_json::from_slice::<Stored>(&bytes)
        .map_err(|error| io::Error::other(format!("{}: {error}; move it away to go on without it", path.display())))?;
    Ok(stored.files)
}

const NAME: &str = "installed.json";
const LOCK: &str = "installed.lock";
const BACKUPS: &str = "backups";

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes), 64)
}

/// SHA-256 of a value, whatever the order of its members.
pub(crate) fn sha256_of(value: &Value) -> String {
    sha256(sorted(value).to_string().as_bytes())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(members.into_iter().collect())
        }
        value => value.clone(),
    }
}

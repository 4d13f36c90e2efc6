//! Records the entries that snaphook wrote to files, so that they can be recognized and removed.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::edit::Node;
use crate::audit::hex;
use crate::files;

/// All records, and their folder.
#[derive(Debug, Default)]
pub(crate) struct Records {
    folder: PathBuf,
    pub(crate) files: Vec<FileRecord>,
}

/// The content of the file on disk.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    schema: u8,
    files: Vec<FileRecord>,
}

/// Our changes to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) agent: String,
    pub(crate) path: PathBuf,
    /// How to restore the original bytes; absent if another program changed the file in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<Undo>,
    /// Our entries in the file.
    pub(crate) entries: Vec<Owned>,
    /// The members that were created for our entries.
    pub(crate) made: Vec<Vec<String>>,
    /// The agent's approval records at the time when the entries were last changed. They are about an earlier form of
    /// the entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outdated: Vec<String>,
    /// The folders that were created for the file.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
}

/// The bytes before and after our changes, by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// SHA-256 of the original bytes, which are in the backup folder; absent if there was no file.
    pub(crate) before: Option<String>,
    /// SHA-256 of the bytes that we wrote.
    pub(crate) after: String,
}

/// One entry, by its path and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owned {
    pub(crate) at: Vec<String>,
    pub(crate) sha256: String,
    /// True if it existed before the first recorded install, so that an uninstall keeps it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) found: bool,
}

impl Owned {
    pub(crate) fn of(node: &Node) -> Self {
        Self { at: node.at.clone(), sha256: sha256_of(&node.identity()), found: false }
    }

    /// Returns true if an entry is unchanged.
    pub(crate) fn is(&self, node: &Node) -> bool {
        self.at == node.at && self.sha256 == sha256_of(&node.identity())
    }
}

impl Records {
    /// Reads the records from the state folder; missing records are empty.
    pub(crate) fn read(state: &Path) -> io::Result<Self> {
        Ok(Self { folder: state.to_owned(), files: stored(state)? })
    }

    /// Returns the record of an agent's file.
    pub(crate) fn of(&self, agent: &str, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.agent == agent && record.path == path)
    }

    /// The folders above a path that were created for other files of an agent, outermost first.
    pub(crate) fn folders_above(&self, agent: &str, path: &Path) -> Vec<PathBuf> {
        let others = self.files.iter().filter(|record| record.agent == agent && record.path != path);
        let mut folders: Vec<_> =
            others.flat_map(|record| &record.folders).filter(|folder| path.starts_with(folder)).cloned().collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Replaces the record of the same file, or removes it if the new one has no entries.
    ///
    /// Keeps records that another process wrote in the meantime.
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

    /// Stores a backup of bytes and returns its name.
    pub(crate) fn back_up(&self, bytes: &[u8]) -> io::Result<String> {
        let name = sha256(bytes);
        let path = self.folder.join(BACKUPS).join(&name);
        if files::read(&path).is_ok_and(|there| there.as_deref() == Some(bytes)) {
            return Ok(name);
        }
        files::write_private(&path, bytes)?;
        Ok(name)
    }

    /// Returns the bytes of a backup, if they are intact.
    pub(crate) fn backup(&self, name: &str) -> Option<Vec<u8>> {
        files::read(&self.folder.join(BACKUPS).join(name)).ok().flatten().filter(|bytes| sha256(bytes) == name)
    }
}

fn stored(folder: &Path) -> io::Result<Vec<FileRecord>> {
    let path = folder.join(NAME);
    let Some(bytes) = files::read(&path)? else { return Ok(Vec::new()) };
    let stored = serde_json::from_slice::<Stored>(&bytes).map_err(|error| {
        io::Error::other(format!("{}: {error}; move the file away to continue without it", path.display()))
    })?;
    Ok(stored.files)
}

const NAME: &str = "installed.json";
const LOCK: &str = "installed.lock";
const BACKUPS: &str = "backups";

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes), 64)
}

/// SHA-256 of a value, independent of the order of its members.
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

//! A planned change of one file, and its execution.

use std::path::{Path, PathBuf};

use super::edit::Node;
use super::record::{FileRecord, Records, sha256};
use crate::files;

/// Holds what an install or uninstall does to one file.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) agent: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
    /// Absent: the file is removed.
    pub(crate) after: Option<Vec<u8>>,
    /// The record of what is ours in it afterwards.
    pub(crate) record: FileRecord,
    /// Entries that call us and are left as they are.
    pub(crate) left: Vec<Left>,
    /// Entries that have the place of one of ours and do not call us, so that ours cannot be put in.
    pub(crate) taken: Vec<String>,
    /// The number that gives ours the last word, and the highest of others'.
    pub(crate) above: Option<(i64, i64)>,
    /// The number of entries that are put in, and of those that replace an earlier form.
    pub(crate) added: usize,
    pub(crate) renewed: usize,
}

/// Holds an entry that names us and that an install or uninstall does not touch.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) node: Node,
    /// It was there before the install. Otherwise somebody changed it or put it there since.
    pub(crate) found: bool,
}

impl Plan {
    /// Returns true if the bytes are different afterwards.
    pub(crate) fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Writes the file, and before it the record: an entry that is in a file but not on record would not be known as
    /// ours.
    pub(crate) fn carry_out(mut self, records: &mut Records) -> Result<(), String> {
        let shown = self.path.display().to_string();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        let first = |before: &&Vec<u8>| {
            let undo = self.record.undo.as_ref().and_then(|undo| undo.before.as_ref());
            undo.is_some_and(|name| *name == sha256(before))
        };
        if let Some(before) = self.before.as_ref().filter(first) {
            records.back_up(before).map_err(failed)?;
        }
        if self.changes() {
            if self.after.is_some() {
                self.record.folders.extend(missing_folders(&self.path));
            }
            let old = records.of(self.agent, &self.path).cloned();
            if !self.record.entries.is_empty() {
                records.keep(self.record.clone()).map_err(failed)?;
            }
            if let Err(error) = files::replace(&self.path, self.before.as_deref(), self.after.as_deref()) {
                if let Some(old) = old {
                    records.keep(old).map_err(failed)?;
                }
                return Err(failed(error));
            }
            if self.after.is_none() {
                // Only what is empty goes.
                self.record.folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
            }
        }
        records.keep(self.record).map_err(failed)
    }
}

/// The folders that have to be made for a file, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// The bytes of a file, and its text; a file that is not there is empty.
pub(super) fn text(path: &Path) -> Result<(Option<Vec<u8>>, String), String> {
    let bytes = files::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8(bytes.clone().unwrap_or_default())
        .map_err(|_| format!("{}: it is not UTF-8, so it is left as it is", path.display()))?;
    Ok((bytes, text))
}

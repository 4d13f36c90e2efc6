//! The planned change of one file, and its execution.

use std::path::{Path, PathBuf};

use super::edit::{Format, Node};
use super::record::{FileRecord, Records, sha256};
use crate::files;

/// The changes of an install or uninstall to one file.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) agent: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
    /// The new bytes; absent if the file is removed.
    pub(crate) after: Option<Vec<u8>>,
    /// The record of our entries after the change.
    pub(crate) record: FileRecord,
    /// Entries that call snaphook and are not changed.
    pub(crate) left: Vec<UntouchedEntry>,
    /// Entries that have the name of one of ours but do not call snaphook, so that ours cannot be inserted.
    pub(crate) taken: Vec<String>,
    /// The priority with which our entry runs last, and the highest priority of the other entries.
    pub(crate) above: Option<(i64, i64)>,
    /// The number of new entries, and of entries that replace an earlier form.
    pub(crate) added: usize,
    pub(crate) renewed: usize,
}

/// An entry that names snaphook and is not changed.
#[derive(Debug)]
pub(crate) struct UntouchedEntry {
    pub(crate) node: Node,
    /// True if it existed before the install. False if it was changed or added since.
    pub(crate) found: bool,
}

impl Plan {
    /// Returns true if the bytes of the file change.
    pub(crate) fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Writes the record and then the file: an entry without a record would not be recognized as ours.
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
            let is_program = Format::of(&shown) == Format::Script;
            let rights = if is_program { files::FileRights::Program } else { files::FileRights::Usual };
            if self.after.is_some() {
                // A folder that was created for several files is removed with the last one.
                let shared = records.folders_above(self.agent, &self.path);
                let folders = shared.into_iter().chain(missing_folders(&self.path));
                let folders: Vec<_> = folders.filter(|folder| !self.record.folders.contains(folder)).collect();
                self.record.folders.extend(folders);
            }
            let old = records.of(self.agent, &self.path).cloned();
            if !self.record.entries.is_empty() {
                records.keep(self.record.clone()).map_err(failed)?;
            }
            if let Err(error) = files::replace_as(&self.path, self.before.as_deref(), self.after.as_deref(), rights) {
                if let Some(old) = old {
                    records.keep(old).map_err(failed)?;
                }
                return Err(failed(error));
            }
            if self.after.is_none() {
                // `remove_dir` removes only empty folders.
                self.record.folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
            }
        }
        records.keep(self.record).map_err(failed)
    }
}

/// The missing parent folders of a file, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// The bytes of a file, and its text; a missing file is empty.
pub(super) fn text(path: &Path) -> Result<(Option<Vec<u8>>, String), String> {
    let bytes = files::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8(bytes.clone().unwrap_or_default())
        .map_err(|_| format!("{}: not valid UTF-8; the file is not changed", path.display()))?;
    Ok((bytes, text))
}

//! Removes snaphook's own files: the policy of the user and the state folder, with the log, the trust store and the records
//! of installs. No symbolic link is followed, and nothing else is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use snaphook_policy::text_of;

use super::ours::calls_us;
use super::plan::Plan;
use super::record::Records;
use crate::policy::Places;

/// The files that would be removed.
#[derive(Debug, Default)]
pub(crate) struct Purge {
    /// Files and links, which are removed one by one.
    files: Vec<PathBuf>,
    /// The folders of the state and of the overrides, which are removed with all that is in them.
    whole: Vec<PathBuf>,
    /// The folders of the user's policies, which are removed if nothing else is in them.
    folders: Vec<PathBuf>,
}

impl Purge {
    /// Finds the files.
    pub(crate) fn find(places: &Places) -> Self {
        let mut found = Self::default();
        for policy in places.user_files() {
            if fs::symlink_metadata(&policy).is_ok_and(|found| !found.is_dir()) {
                found.folders.extend(policy.parent().map(Path::to_owned));
                found.files.push(policy);
            }
        }
        for whole in places.override_folders().into_iter().chain(places.state_folder()) {
            if let Ok(kind) = fs::symlink_metadata(&whole) {
                if kind.is_dir() { found.whole.push(whole) } else { found.files.push(whole) }
            }
        }
        found
    }

    /// Names each file that would be removed.
    ///
    /// # Errors
    /// A folder cannot be read; the message names it.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut named = Vec::new();
        let mut folders = self.whole.clone();
        named.extend(self.files.iter().map(|file| name(file)));
        while let Some(folder) = folders.pop() {
            let unread = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
            let mut entries = fs::read_dir(&folder).map_err(unread)?.collect::<io::Result<Vec<_>>>().map_err(unread)?;
            entries.sort_by_key(fs::DirEntry::file_name);
            named.push(format!("{}/", text_of(&folder)));
            for entry in entries {
                let path = entry.path();
                if entry.file_type().map_err(unread)?.is_dir() { folders.push(path) } else { named.push(name(&path)) }
            }
        }
        Ok(named)
    }

    /// Removes the files. Goes on after an error, and returns all of them.
    pub(crate) fn carry_out(self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut done = |path: &Path, result: io::Result<()>| {
            let error = result.err().filter(|error| error.kind() != io::ErrorKind::NotFound);
            errors.extend(error.map(|error| format!("{}: not removed: {error}", path.display())));
        };
        for folder in &self.whole {
            // Links in it are removed and not followed, also if they are made in the meantime.
            done(folder, fs::remove_dir_all(folder));
        }
        for file in &self.files {
            done(file, fs::remove_file(file));
        }
        for folder in &self.folders {
            // Fails if something else is in it.
            let _ = fs::remove_dir(folder);
        }
        errors
    }
}

fn name(path: &Path) -> String {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let name = text_of(path);
    if is_link { format!("{name} (the link alone)") } else { name }
}

/// The files that would call snaphook after these plans. Without a policy, they would block every call.
pub(crate) fn still_calling(plans: &[Plan], records: &Records) -> Vec<PathBuf> {
    let left = plans.iter().filter(|plan| !plan.left.is_empty()).map(|plan| plan.path.clone());
    let planned = |path: &Path| plans.iter().any(|plan| plan.path == path);
    let recorded = records.files.iter().filter(|file| !planned(&file.path) && calls_us(&file.path, &file.agent));
    left.chain(recorded.map(|file| file.path.clone())).collect()
}

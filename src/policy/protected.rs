//! Which files `[protect]` speaks of (S10).

use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::Holds;

use super::Policy;
use super::load::PROJECT_FILE;
use super::settings::Guarding;

/// Holds a file, or a folder with all in it, that tools may not change without a word.
#[derive(Debug)]
pub(crate) struct Protected {
    /// One that is not absolute is protected in every folder.
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
    /// The key of the policy that says so.
    pub(crate) key: &'static str,
    /// Never off.
    pub(crate) says: Guarding,
}

impl Policy {
    /// The files that are protected, our own first. They need not exist.
    pub(crate) fn protected(&self) -> Vec<Protected> {
        let places = &self.places;
        let own = |path: PathBuf, is_folder| Protected {
            path,
            is_folder,
            key: "protect.snaphook",
            says: self.user.protect_own,
        };
        let mut all = vec![own(PathBuf::from(PROJECT_FILE), false)];
        let files =
            places.user_files().into_iter().chain(places.policy.clone()).chain(places.binary().map(Path::to_owned));
        let files =
            files.chain(places.trust_file()).chain(self.user.audit.file.clone()).chain(self.user.source.path.clone());
        all.extend(files.map(|file| own(file, false)));
        all.extend(places.own_folders().map(|folder| own(folder, true)));
        for holds in [Holds::Hooks, Holds::Settings] {
            let held =
                self.agents.iter().flat_map(|agent| agent.registration.files.iter().map(move |file| (agent, file)));
            for (agent, file) in held.filter(|(_, file)| file.holds == holds) {
                let (path, is_folder) = file.path.strip_suffix("/*").map_or((file.path, false), |path| (path, true));
                let home = path
                    .strip_prefix("~/")
                    .map(|rest| places.home.as_ref().map_or(PathBuf::from(rest), |home| home.join(rest)));
                let paths = [home.unwrap_or_else(|| PathBuf::from(path))].into_iter().chain(places.moved(agent, path));
                all.extend(paths.map(|path| match holds {
                    Holds::Hooks => own(path, is_folder),
                    Holds::Settings => {
                        Protected { path, is_folder, key: "protect.agents", says: self.user.protect_agents }
                    }
                }));
            }
        }
        let mut seen = std::collections::HashSet::new();
        all.retain(|file| file.says != Guarding::Off && seen.insert(file.path.clone()));
        all
    }

    /// The files that commands must not change, wherever they could be written. Those of a project are those in
    /// the folders given.
    pub(crate) fn protected_files(&self, folders: &[&Path]) -> Vec<PathBuf> {
        let in_folders = |Protected { path, .. }: Protected| {
            if path.is_absolute() { vec![path] } else { folders.iter().map(|folder| folder.join(&path)).collect() }
        };
        self.protected().into_iter().flat_map(in_folders).collect()
    }
}

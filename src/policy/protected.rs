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
    /// Whether it is ours, and not one in which an agent keeps hooks or permissions.
    is_ours: bool,
    /// The key of the policy that says so.
    pub(crate) key: &'static str,
    /// Never off.
    pub(crate) says: Guarding,
}

impl Policy {
    /// The files that are protected, our own first. They need not exist.
    pub(crate) fn protected(&self) -> Vec<Protected> {
        let places = &self.places;
        let (own, agents) = (("protect.snaphook", self.user.protect_own), ("protect.agents", self.user.protect_agents));
        let one = |path, is_folder, is_ours, (key, says)| Protected { path, is_folder, is_ours, key, says };
        let mut files = vec![PathBuf::from(PROJECT_FILE)];
        files.extend(places.user_files().into_iter().chain(places.policy.clone()));
        files.extend(places.binary().map(Path::to_owned).into_iter().chain(places.trust_file()));
        files.extend(self.user.audit.file.clone().into_iter().chain(self.user.source.path.clone()));
        let mut all: Vec<_> = files.into_iter().map(|file| one(file, false, true, own)).collect();
        all.extend(places.own_folders().map(|folder| one(folder, true, true, own)));
        for (holds, says) in [(Holds::Hooks, own), (Holds::Settings, agents)] {
            let held =
                self.agents.iter().flat_map(|agent| agent.registration.files.iter().map(move |file| (agent, file)));
            for (agent, file) in held.filter(|(_, file)| file.holds == holds) {
                let (path, is_folder) = file.path.strip_suffix("/*").map_or((file.path, false), |path| (path, true));
                let below_home = path.strip_prefix("~/");
                let here = match (below_home, &places.home) {
                    (Some(rest), Some(home)) => home.join(rest),
                    _ => PathBuf::from(below_home.unwrap_or(path)),
                };
                let paths = std::iter::once(here).chain(places.moved(agent, path));
                all.extend(paths.map(|path| one(path, is_folder, false, says)));
            }
        }
        let mut seen = std::collections::HashSet::new();
        all.retain(|file| file.says != Guarding::Off && seen.insert(file.path.clone()));
        all
    }

    /// The files that commands must not change, wherever they could be written, and whether they are our own.
    /// Those of a project are in the folders given.
    pub(crate) fn protected_files(&self, folders: &[&Path]) -> Vec<(PathBuf, bool)> {
        let in_folders = |Protected { path, is_ours, .. }: Protected| {
            let relative = !path.is_absolute();
            let each = folders.iter().filter(|_| relative).map(|folder| folder.join(&path)).collect::<Vec<_>>();
            each.into_iter().chain((!relative).then_some(path)).map(move |path| (path, is_ours))
        };
        self.protected().into_iter().flat_map(in_folders).collect()
    }
}

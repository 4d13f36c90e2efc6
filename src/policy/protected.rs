//! The files that `[protect]` covers (S10).

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;
use snaphook_adapters::protocol::{Agent, Holds};

use super::Policy;
use super::load::PROJECT_FILE;
use super::settings::Guarding;

/// A file or folder that tools may not change unasked.
#[derive(Debug)]
pub(crate) struct Protected {
    /// A relative path is protected in every folder.
    pub(crate) path: PathBuf,
    pub(crate) extent: Covers,
    /// True for snaphook's files, false for those of an agent.
    is_ours: bool,
    /// The key of the policy that protects it.
    pub(crate) key: &'static str,
    /// What the key says; never off.
    pub(crate) says: Guarding,
}

/// How much of a path is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Covers {
    /// One file.
    File,
    /// A folder with everything in it.
    Folder,
    /// The folder that holds a protected file, itself: whoever replaces it, or copies into it, may replace the
    /// file. Its other files are not protected.
    Holder,
}

impl Policy {
    /// Lists what is protected, our own files first. The files need not exist.
    pub(crate) fn protected(&self) -> Vec<Protected> {
        let places = &self.places;
        let own = ("protect.snaphook", self.user.protect_own);
        let agents = ("protect.agents", self.user.protect_agents);
        let one = |path, extent, is_ours, (key, says)| Protected { path, extent, is_ours, key, says };
        let mut all = vec![one(PathBuf::from(PROJECT_FILE), Covers::File, true, own)];
        let mut files = places.user_files();
        // Only these two folders are our own: a file that is named may be in any folder.
        let holders = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect::<Vec<_>>();
        files.extend(places.policy.clone());
        files.extend(places.binary().map(Path::to_owned).into_iter().chain(places.trust_file()));
        files.extend(self.user.audit.file.clone().into_iter().chain(self.user.source.path.clone()));
        all.extend(files.into_iter().map(|file| one(file, Covers::File, true, own)));
        all.extend(places.own_folders().map(|folder| one(folder, Covers::Folder, true, own)));
        all.extend(holders.into_iter().map(|folder| one(folder, Covers::Holder, true, own)));
        let shared = self.shared();
        for agent in &self.agents {
            let registration = &agent.registration;
            let files = registration.files.iter().map(|file| {
                let says = if file.holds == Holds::Hooks { own } else { agents };
                let folder = file.path.strip_suffix("/*");
                (folder.unwrap_or(file.path), folder.map_or(Covers::File, |_| Covers::Folder), says)
            });
            for (path, extent, says) in
                files.chain(registration.runs.iter().map(|path| (*path, Covers::Folder, agents)))
            {
                for (top, path) in self.of_agent(agent, path) {
                    let above = path.ancestors().skip(1);
                    let above =
                        above.take_while(|folder| folder.starts_with(&top) && !shared.contains(folder.as_os_str()));
                    all.extend(above.map(|folder| one(folder.to_owned(), Covers::Holder, false, says)));
                    all.push(one(path, extent, false, says));
                }
            }
        }
        // As texts: to compare paths step by step takes long.
        let mut seen: HashSet<_, FixedState> = HashSet::default();
        let one = |file: &Protected| (file.path.clone().into_os_string(), file.extent, file.key);
        all.retain(|file| file.says != Guarding::Off && seen.insert(one(file)));
        all
    }

    /// Returns the places of an agent's path, as its row has it and where a variable moves it, each after the
    /// highest folder that can be the agent's own.
    fn of_agent(&self, agent: &Agent, path: &str) -> Vec<(PathBuf, PathBuf)> {
        let below_home = path.strip_prefix("~/");
        let here = match (below_home, &self.places.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(below_home.unwrap_or(path)),
        };
        std::iter::once((PathBuf::new(), here)).chain(self.places.moved_below(agent, path)).collect()
    }

    /// Returns names of which each protected path has one as a step, links followed or not. Most words of a command
    /// have none of them, and are not compared with every path.
    pub(crate) fn protected_names(&self) -> HashSet<Cow<'static, str>, FixedState> {
        let places = &self.places;
        let mut names: HashSet<Cow<'static, str>, FixedState> = HashSet::default();
        names.extend([PROJECT_FILE, "snaphook"].map(Cow::Borrowed));
        for registration in self.agents.iter().copied().map(|agent| &agent.registration) {
            let paths = registration.files.iter().map(|file| file.path).chain(registration.runs.iter().copied());
            let steps = paths.flat_map(|path| path.split('/')).filter(|step| !matches!(*step, "" | "~" | "*"));
            names.extend(steps.map(Cow::Borrowed));
        }
        let own = places.user_files().into_iter().chain(places.policy.clone()).chain(places.trust_file());
        let own = own.chain(places.binary().map(Path::to_owned)).chain(places.own_folders());
        let own = own.chain(self.user.audit.file.clone()).chain(self.user.source.path.clone());
        let moved = self.agents.iter().flat_map(|agent| places.moves(agent));
        let last = |path: PathBuf| path.file_name().map(|name| Cow::Owned(name.to_string_lossy().into_owned()));
        names.extend(own.chain(moved).filter_map(last));
        names
    }

    /// Returns the folders that hold the files of many programs: naming one of them says nothing about a
    /// protected file in it.
    fn shared(&self) -> HashSet<OsString, FixedState> {
        let places = &self.places;
        let mut shared: HashSet<OsString, FixedState> = ["", "/", "/etc", "/Library", "/Library/Application Support"]
            .into_iter()
            .chain(places.temps.iter().map(String::as_str))
            .map(OsString::from)
            .collect();
        for base in places.home.iter().chain(&places.config).chain(&places.state) {
            shared.extend(base.ancestors().map(|folder| folder.as_os_str().to_owned()));
        }
        let below_home = [".config", ".local", ".local/state", ".local/share"];
        shared.extend(places.home.iter().flat_map(|home| below_home.map(|folder| home.join(folder).into_os_string())));
        shared
    }

    /// Lists the files that commands must not change, wherever they could be written, and whether they are our
    /// own. Those of a project are in the folders given.
    pub(crate) fn protected_files(&self, folders: &[&Path]) -> Vec<(PathBuf, bool)> {
        let in_folders = |Protected { path, is_ours, .. }: Protected| {
            let relative = !path.is_absolute();
            let each = folders.iter().filter(|_| relative).map(|folder| folder.join(&path)).collect::<Vec<_>>();
            each.into_iter().chain((!relative).then_some(path)).map(move |path| (path, is_ours))
        };
        let files = self.protected().into_iter().filter(|file| file.extent != Covers::Holder);
        files.flat_map(in_folders).collect()
    }
}

//! The files that `[protect]` covers (S10).

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;
use snaphook_adapters::protocol::{Agent, Holds};

use super::load::PROJECT_FILE;
use super::path::{Lookup, text_of};
use super::places::{OWN_FOLDER, POLICY_FILE, TRUST_FILE};
use super::settings::ProtectMode;
use super::{Places, Policy};

/// A file or folder that tools may not change unasked.
#[derive(Debug)]
pub(crate) struct Protected {
    pub(crate) location: Location,
    pub(crate) extent: Covers,
    /// True for snaphook's files, false for those of an agent.
    is_ours: bool,
    /// The key of the policy that protects it.
    pub(crate) key: &'static str,
    /// The value of the key; never off.
    pub(crate) says: ProtectMode,
}

/// Where a protected file is. Most paths are those of the agents' tables: a call may look at all of them, so they
/// are not copied.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    /// A path of a table. A relative path is protected in every folder.
    Listed(&'static str),
    /// A path of a table below the home folder.
    InHome(&'static str),
    At(PathBuf),
}

impl Location {
    pub(crate) fn path(&self, places: &Places) -> PathBuf {
        match (self, &places.home) {
            (Self::InHome(path), Some(home)) => home.join(path),
            (Self::InHome(path) | Self::Listed(path), _) => PathBuf::from(path),
            (Self::At(path), _) => path.clone(),
        }
    }
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
        self.list_protected(true)
    }

    /// Lists the same, with the folders that hold protected files or without.
    fn list_protected(&self, with_holders: bool) -> Vec<Protected> {
        let places = &self.places;
        let own = ("protect.snaphook", self.user.protect_own);
        let agents = ("protect.agents", self.user.protect_agents);
        let one = |location, extent, is_ours, (key, says)| Protected { location, extent, is_ours, key, says };
        let mut all = vec![one(Location::Listed(PROJECT_FILE), Covers::File, true, own)];
        let mut files = places.user_files();
        // Only these two folders are our own: a file that is named may be in any folder.
        let holders = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect::<Vec<_>>();
        files.extend(places.policy.clone());
        files.extend(places.binary().map(Path::to_owned).into_iter().chain(places.trust_file()));
        files.extend(self.user.audit.file.clone().into_iter().chain(self.user.source.path.clone()));
        let at = |path: PathBuf, extent| one(Location::At(path), extent, true, own);
        all.extend(files.into_iter().map(|file| at(file, Covers::File)));
        all.extend(places.state_folder().map(|folder| at(folder, Covers::Folder)));
        all.extend(holders.into_iter().map(|folder| at(folder, Covers::Holder)));
        let shared = SharedFolders::new(places);
        // A path may be listed by several agents, and a folder holds several of them.
        let mut seen: HashSet<_, FixedState> = HashSet::default();
        let mut is_new =
            |is_home: bool, path: &'static str, extent, key: &'static str| seen.insert((is_home, path, extent, key));
        for agent in &self.agents {
            let registration = &agent.registration;
            let files = registration.files.iter().map(|file| {
                let says = if file.holds == Holds::Hooks { own } else { agents };
                let folder = file.path.strip_suffix("/*");
                (folder.unwrap_or(file.path), folder.map_or(Covers::File, |_| Covers::Folder), says)
            });
            let runs = registration.runs.iter().map(|path| (*path, Covers::Folder, agents));
            let moves = places.moves(agent).next().is_some();
            for (path, extent, says) in files.chain(runs) {
                let below_home = path.strip_prefix("~/");
                let is_home = below_home.is_some() && shared.home.is_some();
                let location = if is_home { Location::InHome } else { Location::Listed };
                let listed = below_home.unwrap_or(path);
                let above = above(listed).take_while(|above| with_holders && !shared.has(is_home, above));
                for above in above {
                    if is_new(is_home, above, Covers::Holder, says.0) {
                        all.push(one(location(above), Covers::Holder, false, says));
                    }
                }
                if is_new(is_home, listed, extent, says.0) {
                    all.push(one(location(listed), extent, false, says));
                }
                let Some((top, path)) = moves.then(|| places.moved_below(agent, path)).flatten() else { continue };
                let above = path.ancestors().skip(1);
                let above = above.take_while(|folder| folder.starts_with(&top) && !shared.contains(folder));
                let above: Vec<_> = above.map(|folder| Location::At(folder.to_owned())).collect();
                all.extend(above.into_iter().map(|folder| one(folder, Covers::Holder, false, says)));
                all.push(one(Location::At(path), extent, false, says));
            }
        }
        all.retain(|file| file.says != ProtectMode::Off);
        all
    }

    /// Returns true if a protected path, or a folder on the way to it that is listed with it, may be a symbolic link. Then
    /// the file also has a name without any of those that [`Self::protected_names`] returns. `entry` reads a path as a link.
    pub(crate) fn may_link_protected(&self, entry: &dyn Fn(&str) -> Lookup) -> bool {
        let places = &self.places;
        if self.agents.iter().any(|agent| places.moves(agent).next().is_some()) {
            return true;
        }
        let is_link = |path: &str| matches!(entry(path), Lookup::Link(_));
        let own = places.user_files().into_iter().chain(places.state_folder()).chain(places.trust_file());
        let own = own.chain(self.user.audit.file.clone()).chain(self.user.source.path.clone());
        let own = own.chain(places.binary().map(Path::to_owned)).chain(places.policy.clone());
        // The folders of our own are protected as well.
        if own.into_iter().any(|path| {
            let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new(OWN_FOLDER)));
            is_link(&text_of(&path)) || folder.is_some_and(|folder| is_link(&text_of(folder)))
        }) {
            return true;
        }
        let home = places.home.as_deref().filter(|home| home.is_absolute()).map(text_of);
        let mut checked = CheckedFolders { home: home.as_deref(), is_absent: false, folder: "", entry };
        let mut listed = self.agents.iter().flat_map(|agent| {
            let registration = &agent.registration;
            registration.files.iter().map(|file| file.path).chain(registration.runs.iter().copied())
        });
        listed.any(|path| checked.may_link(path))
    }

    /// Returns the names of which each protected path has one as a step, links followed or not. Most words of a
    /// command have none of them, and are not compared with every path.
    pub(crate) fn protected_names(&self) -> ProtectedNames {
        let places = &self.places;
        let named = [&places.policy, &places.trust, &self.user.audit.file, &self.user.source.path];
        let named = named.into_iter().filter_map(Option::as_deref).chain(places.binary());
        let mut own: Vec<_> = named.filter_map(Path::file_name).map(OsStr::to_owned).collect();
        let moved = self.agents.iter().flat_map(|agent| places.moves(agent));
        own.extend(moved.filter_map(|path| path.file_name().map(OsStr::to_owned)));
        ProtectedNames { agents: self.agents.clone(), own }
    }

    /// Lists the files that commands must not change, wherever they could be written, and whether they are our
    /// own. Those of a project are in the folders given.
    pub(crate) fn protected_files(&self, folders: &[&Path]) -> Vec<(PathBuf, bool)> {
        let in_folders = |Protected { location, is_ours, .. }: Protected| {
            let path = location.path(&self.places);
            let relative = !path.is_absolute();
            let each = folders.iter().filter(|_| relative).map(|folder| folder.join(&path)).collect::<Vec<_>>();
            each.into_iter().chain((!relative).then_some(path)).map(move |path| (path, is_ours))
        };
        let files = self.list_protected(false).into_iter().filter(|file| file.extent != Covers::Holder);
        files.flat_map(in_folders).collect()
    }
}

/// The folders that were looked at on the way to the paths of a table, which lists paths of one folder together.
struct CheckedFolders<'p> {
    home: Option<&'p str>,
    /// The folder of the last path, or the part of it that is missing.
    folder: &'static str,
    is_absent: bool,
    entry: &'p dyn Fn(&str) -> Lookup,
}

impl CheckedFolders<'_> {
    /// Returns true if an absolute path of a table, or one of its folders, is a link.
    fn may_link(&mut self, path: &'static str) -> bool {
        let path = path.strip_suffix("/*").unwrap_or(path);
        let (base, below) = match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => (home, below),
            _ if path.starts_with('/') => ("", path.trim_start_matches('/')),
            // A relative path is protected by its names alone.
            _ => return false,
        };
        let is_below = path.strip_prefix(self.folder).is_some_and(|rest| rest.starts_with('/'));
        if is_below && self.is_absent {
            return false;
        }
        let known = if is_below { self.folder.len().saturating_sub(path.len() - below.len()) } else { 0 };
        let folders = below.match_indices('/').map(|(at, _)| at).chain([below.len()]).filter(|at| *at > known);
        for end in folders {
            let whole = [base.trim_end_matches('/'), "/", below.get(..end).unwrap_or(below)].concat();
            let found = (self.entry)(&whole);
            let here = path.get(..path.len() - below.len() + end).unwrap_or(path);
            match found {
                Lookup::Link(_) => return true,
                Lookup::Absent => {
                    (self.folder, self.is_absent) = (here, true);
                    return false;
                }
                Lookup::NotALink if end < below.len() => (self.folder, self.is_absent) = (here, false),
                Lookup::NotALink => {}
            }
        }
        false
    }
}

/// The folders that a path of a table is in, the nearest first.
fn above(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.rmatch_indices('/').filter_map(|(at, _)| path.get(..at)).filter(|above| !above.is_empty())
}

/// The folders that hold the files of many programs: naming one of them says nothing about a protected file in it.
struct SharedFolders<'p> {
    home: Option<&'p [u8]>,
    folders: Vec<&'p OsStr>,
}

impl<'p> SharedFolders<'p> {
    /// Folders of that kind below the home folder.
    const BELOW_HOME: [&'static str; 4] = [".config", ".local", ".local/state", ".local/share"];

    fn new(places: &'p Places) -> Self {
        let home = places.home.as_deref().filter(|home| home.is_absolute());
        let home = home.map(|home| home.as_os_str().as_encoded_bytes());
        let home = home.map(|home| home.strip_suffix(b"/").unwrap_or(home));
        let mut folders = ["/", "/etc", "/Library", "/Library/Application Support"].map(OsStr::new).to_vec();
        folders.extend(places.temps.iter().map(OsStr::new));
        let bases = places.home.iter().chain(&places.config).chain(&places.state);
        folders.extend(bases.flat_map(|base| base.ancestors().map(Path::as_os_str)));
        Self { home, folders }
    }

    /// Returns true if a path of a table, which may be in the home folder, is such a folder.
    fn has(&self, in_home: bool, path: &str) -> bool {
        if !in_home {
            return self.folders.contains(&OsStr::new(path));
        }
        Self::BELOW_HOME.contains(&path)
            || self.folders.iter().any(|folder| self.below_home(folder).is_some_and(|folder| folder == path.as_bytes()))
    }

    fn contains(&self, path: &Path) -> bool {
        let path = path.as_os_str();
        let common = |path: &[u8]| Self::BELOW_HOME.iter().any(|folder| folder.as_bytes() == path);
        path.is_empty() || self.folders.contains(&path) || self.below_home(path).is_some_and(common)
    }

    /// Returns the part of a path below the home folder.
    fn below_home<'f>(&self, path: &'f OsStr) -> Option<&'f [u8]> {
        path.as_encoded_bytes().strip_prefix(self.home?)?.strip_prefix(b"/")
    }
}

/// The names that occur in protected paths.
#[derive(Debug)]
pub(crate) struct ProtectedNames {
    agents: Vec<&'static Agent>,
    own: Vec<OsString>,
}

impl ProtectedNames {
    /// The names of our own files and of their folders. A file that is moved may have another name as well.
    const OWN: [&'static str; 4] = [PROJECT_FILE, POLICY_FILE, TRUST_FILE, OWN_FOLDER];

    /// Returns true if this is one of them.
    pub(crate) fn has(&self, name: &str) -> bool {
        Self::OWN.contains(&name)
            || self.own.iter().any(|own| own == name)
            || self.agents.iter().any(|agent| agent.lists_path_name(name))
    }
}

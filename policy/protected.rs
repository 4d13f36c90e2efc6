//! The files that `[protect]` covers (S10).

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;
use snaphook_adapters::protocol::ListedName;

use super::Policy;
use super::machine::{AgentFileRole, Lookup, Machine, MovedFile, OwnFiles};
use super::path::text_of;
use super::settings::ProtectMode;

/// The folder of our files, below those of the user's configuration and state.
pub const OWN_FOLDER: &str = "snaphook";
/// The user's policy.
pub const POLICY_FILE: &str = "snaphook.toml";
/// The policy of a project.
pub const PROJECT_FILE: &str = ".snaphook.toml";
/// The trust store.
pub const TRUST_FILE: &str = "trust.toml";

/// The folder beside the user's policy with what a person has set aside for a time.
pub const OVERRIDES_FOLDER: &str = "overrides";

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
    pub(crate) fn path(&self, home: Option<&Path>) -> PathBuf {
        match (self, home) {
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

/// About the number of paths that the agents' tables list.
const USUAL: usize = 512;

/// Selects protected paths by their components.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'w> {
    All,
    /// Paths with a component of one of these names.
    Named(&'w [ListedName<'w>]),
    /// Paths with a component for which this returns true.
    With(&'w dyn Fn(&str) -> bool),
}

impl Wanted<'_> {
    fn has_step(&self, step: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name.as_str() == step),
            Self::With(may_be) => may_be(step),
        }
    }

    fn has(&self, path: &str) -> bool {
        matches!(self, Self::All) || path.split('/').any(|step| self.has_step(step))
    }

    /// Returns false if no path of this agent is selected.
    fn may_be_of(&self, agent: usize, machine: &dyn Machine) -> bool {
        let Self::Named(names) = self else { return true };
        names.iter().any(|name| machine.agent_lists_name(agent, *name))
    }
}

impl Policy {
    /// Lists the selected protected paths, our own files first. The files need not exist.
    pub(crate) fn protected(&self, wanted: Wanted<'_>) -> Vec<Protected> {
        self.list_protected(true, wanted)
    }

    /// Lists the same, with the folders that hold protected files or without.
    fn list_protected(&self, with_holders: bool, wanted: Wanted<'_>) -> Vec<Protected> {
        let machine = self.machine();
        let own = ("protect.snaphook", self.protect_own());
        let agents = ("protect.agents", self.protect_agents());
        let one = |location, extent, is_ours, (key, says)| Protected { location, extent, is_ours, key, says };
        let usual = if matches!(wanted, Wanted::All) { USUAL } else { 16 };
        let mut all = Vec::with_capacity(usual);
        all.push(one(Location::Listed(PROJECT_FILE), Covers::File, true, own));
        let OwnFiles { policies, others, state, overrides, shared } = machine.own_files();
        // Only these folders are our own: a file that is named may be in any folder.
        let holders = policies.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect::<Vec<_>>();
        let named = self.named_files().map(Path::to_owned);
        let at = |path: PathBuf, extent| one(Location::At(path), extent, true, own);
        all.extend(policies.iter().chain(others).cloned().chain(named).map(|file| at(file, Covers::File)));
        let folders = state.iter().chain(overrides).cloned().chain(self.named_folders());
        all.extend(folders.map(|folder| at(folder, Covers::Folder)));
        all.extend(holders.into_iter().map(|folder| at(folder, Covers::Holder)));
        all.retain(|file| {
            let path = file.location.path(None);
            wanted.has_step(OWN_FOLDER) || path.file_name().is_none_or(|name| wanted.has_step(&name.to_string_lossy()))
        });
        let shared = SharedFolders::new(machine, shared);
        // A folder holds several paths.
        let mut seen: HashSet<_, FixedState> = HashSet::with_capacity_and_hasher(usual, FixedState::default());
        // A table lists the paths of one folder together.
        let mut last_folder = None;
        for agent in (0..machine.agents()).filter(|agent| wanted.may_be_of(*agent, machine)) {
            let moved = machine.moved(agent);
            for file in machine.agent_files(agent).filter(|file| wanted.has(file.path)) {
                let says = if file.role == AgentFileRole::Hooks { own } else { agents };
                let folder = file.path.strip_suffix("/*");
                let path = folder.unwrap_or(file.path);
                let is_folder = folder.is_some() || file.role == AgentFileRole::Runs;
                let extent = if is_folder { Covers::Folder } else { Covers::File };
                let below_home = path.strip_prefix("~/");
                let is_home = below_home.is_some() && shared.home.is_some();
                let location = if is_home { Location::InHome } else { Location::Listed };
                let listed = below_home.unwrap_or(path);
                let parent = (is_home, listed.rsplit_once('/').map(|(parent, _)| parent), says.0);
                let is_same = last_folder.replace(parent) == Some(parent);
                let above = above(listed).take_while(|above| with_holders && !is_same && !shared.has(is_home, above));
                for above in above {
                    if seen.insert((is_home, above, says.0)) {
                        all.push(one(location(above), Covers::Holder, false, says));
                    }
                }
                all.push(one(location(listed), extent, false, says));
                let Some((top, path)) = moved.iter().find_map(|moved| moved_to(moved, path)) else { continue };
                let above = path.ancestors().skip(1);
                let above = above.take_while(|folder| folder.starts_with(top) && !shared.contains(folder));
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
        let machine = self.machine();
        if (0..machine.agents()).any(|agent| !machine.moved(agent).is_empty()) {
            return true;
        }
        let is_link = |path: &str| matches!(entry(path), Lookup::Link(_));
        // The folders of our own are protected as well.
        if self.own_paths().any(|path| {
            let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new(OWN_FOLDER)));
            is_link(&text_of(&path)) || folder.is_some_and(|folder| is_link(&text_of(folder)))
        }) {
            return true;
        }
        let home = machine.home().filter(|home| home.is_absolute()).map(text_of);
        let mut checked = CheckedFolders { home: home.as_deref(), is_absent: false, folder: "", entry };
        (0..machine.agents()).any(|agent| machine.agent_files(agent).any(|file| checked.may_link(file.path)))
    }

    /// Lists our own files and folders, and the files that the policy names.
    pub(crate) fn own_paths(&self) -> impl Iterator<Item = PathBuf> {
        let OwnFiles { policies, others, state, overrides, .. } = self.machine().own_files();
        let named = self.named_files().map(Path::to_owned).chain(self.named_folders());
        policies.iter().chain(others).chain(state).chain(overrides).cloned().chain(named)
    }

    /// Returns the names of which each protected path has one as a step, links followed or not. Most words of a
    /// command have none of them, and are not compared with every path.
    pub(crate) fn protected_names(&self) -> ProtectedNames {
        let machine = self.machine();
        let mut own: Vec<_> = self.named_files().filter_map(Path::file_name).map(OsStr::to_owned).collect();
        own.extend(self.named_folders().filter_map(|folder| folder.file_name().map(OsStr::to_owned)));
        own.extend(machine.own_files().others.iter().filter_map(|file| file.file_name()).map(OsStr::to_owned));
        let moved = (0..machine.agents()).flat_map(|agent| machine.moved(agent));
        own.extend(moved.filter_map(|moved| moved.path.file_name().map(OsStr::to_owned)));
        ProtectedNames { own }
    }

    /// Lists the files that commands must not change, wherever they could be written, and whether they are our
    /// own. Those of a project are in the folders given.
    pub fn protected_files(&self, folders: &[&Path]) -> Vec<(PathBuf, bool)> {
        let in_folders = |Protected { location, is_ours, .. }: Protected| {
            let path = location.path(self.machine().home());
            let relative = !path.is_absolute();
            let each = folders.iter().filter(|_| relative).map(|folder| folder.join(&path)).collect::<Vec<_>>();
            each.into_iter().chain((!relative).then_some(path)).map(move |path| (path, is_ours))
        };
        let files = self.list_protected(false, Wanted::All).into_iter().filter(|file| file.extent != Covers::Holder);
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
        // A relative path is protected by its names alone.
        if !path.starts_with(['~', '/']) {
            return false;
        }
        // The slash is compared first: most paths differ there.
        let is_below = path.as_bytes().get(self.folder.len()) == Some(&b'/') && path.starts_with(self.folder);
        if is_below && self.is_absent {
            return false;
        }
        let path = path.strip_suffix("/*").unwrap_or(path);
        let (base, below) = match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => (home, below),
            _ if path.starts_with('/') => ("", path.trim_start_matches('/')),
            _ => return false,
        };
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

/// Where a file of a table is instead, and the folder or file that replaces it.
fn moved_to<'m>(moved: &'m MovedFile, path: &str) -> Option<(&'m Path, PathBuf)> {
    let rest = Path::new(path).strip_prefix(moved.instead_of).ok()?;
    let path = if rest.as_os_str().is_empty() { moved.path.clone() } else { moved.path.join(rest) };
    Some((&moved.path, path))
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

    fn new(machine: &'p dyn Machine, shared: &'p [PathBuf]) -> Self {
        let home = machine.home().filter(|home| home.is_absolute());
        let home = home.map(|home| home.as_os_str().as_encoded_bytes());
        let home = home.map(|home| home.strip_suffix(b"/").unwrap_or(home));
        let mut folders = ["/", "/etc", "/Library", "/Library/Application Support"].map(OsStr::new).to_vec();
        folders.extend(machine.temps().iter().map(OsStr::new));
        let bases = machine.home().into_iter().chain(shared.iter().map(PathBuf::as_path));
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
    own: Vec<OsString>,
}

impl ProtectedNames {
    /// The names of our own files and of their folders. A file that is moved may have another name as well.
    const OWN: [&'static str; 5] = [PROJECT_FILE, POLICY_FILE, TRUST_FILE, OWN_FOLDER, OVERRIDES_FOLDER];

    /// Returns true if this is one of them.
    pub(crate) fn has(&self, name: ListedName<'_>, machine: &dyn Machine) -> bool {
        let text = name.as_str();
        Self::OWN.contains(&text) || self.own.iter().any(|own| own == text) || machine.lists_name(name)
    }
}

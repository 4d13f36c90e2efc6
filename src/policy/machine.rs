//! Answers what policies ask about this machine.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use snaphook_adapters::protocol::{Agent, Holds, HookProtocol, ListedName, ListedNames};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{AgentFile, AgentFileRole, Files, FolderEntry, Lookup, Machine, MovedFile, OwnFiles, text_of};

use super::Places;
use crate::disk::CachedLookup;
use crate::files;
use crate::platform::files::native;
use crate::watchdog::{before_looking_up, before_using};

/// The maximum size of a file that a policy names, in bytes.
const MAX: u64 = 1 << 20;

/// The files of this machine.
#[derive(Debug)]
pub(crate) struct LocalFiles;

impl Files for LocalFiles {
    fn link(&self, path: &str) -> Lookup {
        use ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
        let path = native(Path::new(path));
        match before_looking_up(&path) {
            Some(CachedLookup::Missing) => return Lookup::Absent,
            Some(CachedLookup::OnDisk { is_link: false }) => return Lookup::NotALink,
            _ => {}
        }
        match std::fs::read_link(path) {
            Ok(target) => Lookup::Link(text_of(&target)),
            Err(error) => match error.kind() {
                NotFound | NotADirectory | PermissionDenied | InvalidFilename => Lookup::Absent,
                _ => Lookup::NotALink,
            },
        }
    }

    fn exists(&self, path: &Path) -> bool {
        let path = native(path);
        match before_using(&path) {
            Some(CachedLookup::Missing) => false,
            Some(CachedLookup::OnDisk { .. }) => true,
            _ => path.exists(),
        }
    }

    fn size(&self, path: &Path) -> Option<u64> {
        let path = native(path);
        before_using(&path);
        std::fs::metadata(path).ok().map(|found| found.len())
    }

    /// Reads a regular file of at most 1 MiB, without blocking (S2).
    fn read(&self, path: &Path) -> io::Result<String> {
        let (file, found) = files::open(&native(path), std::fs::File::options().read(true))?;
        if found.len() > MAX {
            return Err(io::Error::other("larger than 1 MiB"));
        }
        let mut text = String::new();
        file.take(MAX).read_to_string(&mut text)?;
        Ok(text)
    }

    fn entries(&self, folder: &Path) -> Option<Box<dyn Iterator<Item = FolderEntry>>> {
        let folder = native(folder);
        before_using(&folder);
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => Some(entries),
            Err(error) if is_missing(&error) => None,
            Err(_) => return None,
        };
        Some(Box::new(entries.into_iter().flatten().flatten().map(|entry| {
            let may_be_folder = entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink());
            FolderEntry::new(entry.path(), may_be_folder)
        })))
    }
}

/// Returns true if a file or folder certainly does not exist.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// This machine, with the locations of our files and the registered agents.
#[derive(Debug)]
pub(crate) struct LocalMachine {
    places: Arc<Places>,
    agents: Vec<&'static Agent>,
    /// What the environment moves, for each agent.
    moved: OnceLock<Vec<Vec<MovedFile>>>,
    own: OnceLock<OwnFiles>,
    /// The names in the paths of all agents.
    names: OnceLock<ListedNames>,
}

impl LocalMachine {
    pub(crate) fn new(places: &Arc<Places>, registry: &Registry) -> Self {
        Self {
            places: Arc::clone(places),
            agents: registry.iter().map(HookProtocol::agent).collect(),
            moved: OnceLock::new(),
            own: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    pub(crate) fn places(&self) -> &Arc<Places> {
        &self.places
    }
}

impl Files for LocalMachine {
    fn link(&self, path: &str) -> Lookup {
        LocalFiles.link(path)
    }

    fn exists(&self, path: &Path) -> bool {
        LocalFiles.exists(path)
    }

    fn size(&self, path: &Path) -> Option<u64> {
        LocalFiles.size(path)
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        LocalFiles.read(path)
    }

    fn entries(&self, folder: &Path) -> Option<Box<dyn Iterator<Item = FolderEntry>>> {
        LocalFiles.entries(folder)
    }
}

impl Machine for LocalMachine {
    fn home(&self) -> Option<&Path> {
        self.places.home.as_deref()
    }

    fn is_gone(&self, folder: &Path) -> bool {
        before_using(folder) == Some(CachedLookup::Missing) || folder.metadata().is_err_and(|error| is_missing(&error))
    }

    fn temps(&self) -> &[String] {
        &self.places.temps
    }

    fn exports(&self, variable: &str) -> bool {
        self.places.exports(variable)
    }

    fn program(&self) -> Option<&Path> {
        self.places.binary()
    }

    fn own_files(&self) -> &OwnFiles {
        self.own.get_or_init(|| own_files(&self.places))
    }

    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn agent_files(&self, agent: usize) -> Box<dyn Iterator<Item = AgentFile> + '_> {
        Box::new(self.agents.get(agent).into_iter().flat_map(|agent| agent_files(agent)))
    }

    fn moved(&self, agent: usize) -> &[MovedFile] {
        let moved = self.moved.get_or_init(|| self.places.all_moves(&self.agents));
        moved.get(agent).map_or(&[], Vec::as_slice)
    }

    fn lists_name(&self, name: ListedName<'_>) -> bool {
        let names = self.names.get_or_init(|| ListedNames::of_paths(self.agents.iter().copied()));
        names.may_have(name) && self.agents.iter().any(|agent| agent.lists_path_name(name))
    }

    fn agent_lists_name(&self, agent: usize, name: ListedName<'_>) -> bool {
        self.agents.get(agent).is_some_and(|agent| agent.lists_path_name(name))
    }
}

fn agent_files(agent: &'static Agent) -> impl Iterator<Item = AgentFile> {
    let files = agent.registration.files.iter().map(|file| {
        let role = if file.holds == Holds::Hooks { AgentFileRole::Hooks } else { AgentFileRole::Settings };
        AgentFile::new(file.path, role)
    });
    files.chain(agent.registration.runs.iter().map(|path| AgentFile::new(path, AgentFileRole::Runs)))
}

fn own_files(places: &Places) -> OwnFiles {
    let binary = places.binary().map(Path::to_owned);
    OwnFiles::new(places.user_files())
        .others(
            places
                .managed
                .iter()
                .chain(&places.policy)
                .chain(&places.more_policies)
                .cloned()
                .chain(binary)
                .chain(places.trust_file())
                .collect(),
        )
        .state(places.state_folder())
        .overrides(places.override_folders())
        .shared(places.config.iter().chain(&places.state).cloned().collect())
}

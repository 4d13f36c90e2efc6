//! Finds and reads the policy files that apply (F1-F6).

#[path = "../../../policy/load/file.rs"]
mod file;
#[path = "../../../policy/load/plain_lists.rs"]
mod plain_lists;
#[path = "../../../policy/load/reader.rs"]
mod reader;
#[path = "../../../policy/load/sandbox.rs"]
mod sandbox;
#[path = "../../../policy/load/source.rs"]
mod source;
#[path = "../../../policy/load/tables.rs"]
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use file::{ContextTable, HandlerRule, Lists, PolicyFile, Respond, ResponseSource};
pub(crate) use source::{Owner, PolicySource, read_named};
pub(crate) use tables::CONTEXT_MAX;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::fault::PolicyFault;
use super::path::{Dir, Folders, fold, resolve};
use super::places::Places;
use super::settings::OnFailure;
use super::trust::TrustStore;
use super::{Policy, Project, STARTER};

/// The maximum size of an untrusted project file, in bytes.
const UNTRUSTED_MAX: usize = 64 << 10;

/// The maximum number of project files that apply to an event.
const MAX_PROJECT_FILES: usize = 32;

/// The maximum length of a path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;

/// The name of a project's policy file.
pub(crate) const PROJECT_FILE: &str = ".snaphook.toml";

/// The user's policy or the starter policy, parsed once and kept by a long-lived server.
#[derive(Debug, Clone)]
pub struct UserPolicy {
    pub(crate) file: Arc<PolicyFile>,
    places: Arc<Places>,
    /// The project files of the last search; `None` to search each time.
    recent: Option<Arc<Mutex<RecentProjectFiles>>>,
}

/// The project files of a directory and the time of the search. Their contents are read for each event.
#[derive(Debug, Clone)]
struct RecentProjectFiles {
    at: Instant,
    folder: String,
    found: Vec<ProjectFile>,
}

/// The time for which a server reuses a search for project files, which costs more than judging an event.
const RECENT_FOR: Duration = Duration::from_millis(100);

impl UserPolicy {
    /// Reads the file that applies: the named one, else the user's, else the embedded starter policy.
    ///
    /// # Errors
    /// The file has errors, all of which are reported, or a named file is missing (F1).
    pub fn load(places: &Places, registry: &Registry) -> Result<Self, PolicyFault> {
        Self::for_call(&Arc::new(places.clone()), registry)
    }

    /// Like [`Self::load`], for shared locations.
    pub(crate) fn for_call(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let file = Self::file(places, registry)?;
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), recent: None })
    }

    /// Like [`Self::for_call`], for a server.
    pub(crate) fn for_server(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let recent = RecentProjectFiles { at: Instant::now(), folder: String::new(), found: Vec::new() };
        Ok(Self { recent: Some(Arc::new(Mutex::new(recent))), ..Self::for_call(places, registry)? })
    }

    fn file(places: &Places, registry: &Registry) -> Result<PolicyFile, PolicyFault> {
        let source = match Self::find(places) {
            Some(path) => PolicySource::read(&path, Owner::User, places).map_err(PolicyFault::one)?,
            None => PolicySource::embedded(STARTER, "starter"),
        };
        checked(source, places, registry)
    }

    /// Returns true if the same file still applies and is unchanged.
    pub fn is_current(&self) -> bool {
        match (Self::find(&self.places), &self.file.source.stamp) {
            (None, None) => true,
            (Some(path), Some(stamp)) => self.file.source.path.as_ref() == Some(&path) && stamp.is_current(),
            _ => false,
        }
    }

    /// The project files of an event. If calls cannot choose a directory, a recent search is reused.
    fn project_files(&self, folders: Folders<'_>) -> Vec<ProjectFile> {
        let look = || project_files(folders, &self.places);
        let recent = self.recent.as_ref().filter(|_| folders.cwd.is_none());
        let Some((folder, Ok(mut recent))) = folders.project.zip(recent.map(|recent| recent.try_lock())) else {
            return look();
        };
        if recent.folder != folder || recent.at.elapsed() > RECENT_FOR {
            *recent = RecentProjectFiles { at: Instant::now(), folder: folder.to_owned(), found: look() };
        }
        recent.found.clone()
    }

    fn find(places: &Places) -> Option<PathBuf> {
        // A dangling symbolic link is an unreadable file, not a missing one.
        let there = |path: &PathBuf| match std::fs::symlink_metadata(path) {
            Ok(_) => true,
            Err(error) => !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
        };
        places.policy.clone().or_else(|| places.user_files().into_iter().find(there))
    }
}

impl Policy {
    /// Reads every file that applies to the calls of a session in `folder`.
    ///
    /// # Errors
    /// Any of the files is invalid: a call is never judged by a part of the policy (F1).
    pub fn load(places: &Places, folder: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        Self::compose(&UserPolicy::load(places, registry)?, Folders::at(folder), registry)
    }

    /// Adds the project files of an event to the user's policy.
    ///
    /// # Errors
    /// Like [`Policy::load`].
    pub fn compose(user: &UserPolicy, folders: Folders<'_>, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = &*user.places;
        let on_failure = user.file.failures.policy;
        let fault = |errors: Vec<String>| PolicyFault { errors, on_failure };
        if [folders.project, folders.cwd].into_iter().flatten().any(|folder| folder.len() >= MAX_PATH) {
            return Err(fault(vec![format!("invalid working directory: longer than {} bytes", MAX_PATH - 1)]));
        }
        let found = user.project_files(folders);
        if found.len() > MAX_PROJECT_FILES {
            return Err(fault(vec![format!(
                "more than {MAX_PROJECT_FILES} project files apply; expected a `.git` directory closer to the working directory"
            )]));
        }
        let mut projects = Vec::with_capacity(found.len());
        if !found.is_empty() {
            let store = TrustStore::read(places).map_err(|error| fault(vec![error]))?;
            for ProjectFile { path, link, scope } in found {
                let source = PolicySource::read(&path, Owner::Anyone, places);
                let trusted = source.as_ref().is_ok_and(|source| store.trusts(&path, &source.text));
                // A link may point to any file of the user, and the model reads the error messages.
                let said = |errors| match link.filter(|_| !trusted) {
                    Some(link) => vec![invalid_link(&link, places)],
                    None => errors,
                };
                let read = source.map_err(|error| vec![error]).and_then(|source| {
                    if !trusted && source.text.len() > UNTRUSTED_MAX {
                        let shown = &source.shown;
                        let says = "larger than 64 KiB and not trusted; shorten it or run `snaphook trust`";
                        return Err(vec![format!("{shown}: {says}")]);
                    }
                    file::read(source, places, registry).map_err(|(errors, _): (_, OnFailure)| errors)
                });
                let mut file = read.map_err(|errors| fault(said(errors)))?;
                file.own = file.source.folder().map(|folder| Dir::new(&super::path::text_of(folder)));
                projects.push(Project { file, trusted, scope });
            }
        }
        let agents: Vec<&'static Agent> = registry.iter().map(HookProtocol::agent).collect();
        Ok(Self { user: Arc::clone(&user.file), projects, places: Arc::clone(&user.places), agents })
    }
}

fn checked(source: PolicySource, places: &Places, registry: &Registry) -> Result<PolicyFile, PolicyFault> {
    file::read(source, places, registry).map_err(|(errors, on_failure)| PolicyFault { errors, on_failure })
}

/// The tables that `snaphook run` reads. The others were checked when the call was judged.
const RUN_TABLES: &[&str] = &["sandbox", "protect", "audit"];

impl Policy {
    /// Reads only the tables that isolate a command, from the files that apply to a session in `folder`.
    ///
    /// # Errors
    /// A file is not valid TOML, or one of these tables has an error.
    pub(crate) fn for_run(places: &Places, folder: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        let source = match UserPolicy::find(places) {
            Some(path) => PolicySource::read(&path, Owner::User, places).map_err(PolicyFault::one)?,
            None => PolicySource::embedded(STARTER, "starter"),
        };
        let user = file::read_tables(source, places, registry, RUN_TABLES).map_err(PolicyFault::new)?;
        let mut projects = Vec::new();
        let mut store = None;
        let found = project_files(Folders::at(folder), places).into_iter();
        for ProjectFile { path, scope, .. } in found.filter(|file| file.scope == ProjectScope::Full) {
            let source = PolicySource::read(&path, Owner::Anyone, places).map_err(PolicyFault::one)?;
            if !source.text.contains("sandbox") {
                continue;
            }
            if store.is_none() {
                store = Some(TrustStore::read(places).map_err(PolicyFault::one)?);
            }
            if !store.as_ref().is_some_and(|store| store.trusts(&path, &source.text)) {
                continue;
            }
            let mut file = file::read_tables(source, places, registry, RUN_TABLES).map_err(PolicyFault::new)?;
            file.own = file.source.folder().map(|folder| Dir::new(&super::path::text_of(folder)));
            projects.push(Project { file, trusted: true, scope });
        }
        let agents: Vec<&'static Agent> = registry.iter().map(HookProtocol::agent).collect();
        Ok(Self { user: Arc::new(user), projects, places: Arc::new(places.clone()), agents })
    }
}

/// The part of a project file that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectScope {
    /// The whole file if it is trusted, else its deny and ask rules.
    Full,
    /// Only its deny and ask rules, trusted or not.
    GuardsOnly,
}

/// The location of a project file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// The resolved path.
    pub(crate) path: PathBuf,
    /// The symbolic link to it; `None` if it is not a link.
    pub(crate) link: Option<PathBuf>,
    pub(crate) scope: ProjectScope,
}

/// Finds the project files of an event, nearest first. The home directory and `/` are never searched.
///
/// The files from the session directory up to the first directory with `.git` can be applied in full. A call can choose
/// its working directory, and a command can create a `.git` directory. Therefore only deny and ask rules are used from
/// files at or above the working directory of the call, and from the user's files above the `.git` directory. If the
/// agent does not report the working directory of a call, no file is applied in full.
pub(crate) fn project_files(folders: Folders<'_>, places: &Places) -> Vec<ProjectFile> {
    let is_absolute = |folder: &&str| Path::new(folder).is_absolute();
    let scope = if folders.cwd.is_some() { ProjectScope::Full } else { ProjectScope::GuardsOnly };
    let mut found = Vec::new();
    if let Some(folder) = folders.project.filter(is_absolute) {
        look_above(folder, scope, places, &mut found);
    }
    if let Some(folder) = folders.cwd.filter(is_absolute).filter(|cwd| folders.project != Some(cwd)) {
        look_above(folder, ProjectScope::GuardsOnly, places, &mut found);
    }
    if let Some(folder) = folders.process.filter(is_absolute).filter(|_| folders.cwd.is_none()) {
        look_above(folder, ProjectScope::GuardsOnly, places, &mut found);
    }
    found
}

fn look_above(folder: &str, scope: ProjectScope, places: &Places, found: &mut Vec<ProjectFile>) {
    let is_home = |folder: &Path| {
        let resolved = |path: &Path| resolve(&super::path::text_of(path));
        places.home.as_ref().is_some_and(|home| home == folder || resolved(home) == resolved(folder))
    };
    let (written, resolved) = (fold(folder), resolve(folder));
    let also = (written != resolved).then_some(written.as_str());
    for start in std::iter::once(resolved.as_str()).chain(also) {
        let mut scope = scope;
        let mut is_above = false;
        for folder in Path::new(start).ancestors().take_while(|folder| folder.parent().is_some()) {
            let file = folder.join(PROJECT_FILE);
            let there = std::fs::symlink_metadata(&file).ok().filter(|there| !is_above || is_the_users(there));
            if let Some(there) = there.filter(|_| !is_home(folder)) {
                let path = PathBuf::from(resolve(&super::path::text_of(&file)));
                if !found.iter().any(|known| known.path == path) {
                    found.push(ProjectFile { path, link: there.is_symlink().then_some(file), scope });
                }
            }
            if !is_above && folder.join(".git").exists() {
                (is_above, scope) = (true, ProjectScope::GuardsOnly);
            }
        }
    }
}

/// Returns true if a file belongs to the user or to root: in shared directories, files of other users are ignored.
#[cfg(unix)]
fn is_the_users(found: &std::fs::Metadata) -> bool {
    let owner = std::os::unix::fs::MetadataExt::uid(found);
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_the_users(_: &std::fs::Metadata) -> bool {
    true
}

/// The error for a link to an invalid policy, without details of the target.
fn invalid_link(link: &Path, places: &Places) -> String {
    let shown = places.shown(link);
    format!("{shown}: the target of this symbolic link is not a valid policy; remove the link or run `snaphook trust`")
}

/// The errors of one file, one line each.
pub(crate) fn check(source: PolicySource, places: &Places, registry: &Registry) -> Vec<String> {
    file::read(source, places, registry).err().map_or_else(Vec::new, |(errors, _)| errors)
}

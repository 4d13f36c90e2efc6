//! Finds and reads the files that apply (F1-F6).

mod file;
mod reader;
mod sandbox;
mod source;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use file::{Answer, Context, HandlerRule, Lists, PolicyFile, Respond};
pub(crate) use source::{Opened, Owner, Source, read_named};
pub(crate) use tables::CONTEXT_MAX;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::fault::PolicyFault;
use super::index::{Catalogue, Index, LONG, Unfiled};
use super::path::{Dir, Folders, fold, resolve};
use super::places::Places;
use super::settings::OnFailure;
use super::trust::Store;
use super::{Policy, Project, STARTER};

/// The largest project file that counts without being trusted, in bytes.
const UNTRUSTED_MAX: usize = 64 << 10;

/// How many project files may apply at once.
const MAX_PROJECT_FILES: usize = 32;

/// No path of the system is longer, in bytes.
pub(crate) const MAX_PATH: usize = 4096;

/// The name of a project's policy file.
pub(crate) const PROJECT_FILE: &str = ".snaphook.toml";

/// Holds the user's policy, or the starter, parsed once and kept by a long-lived server.
#[derive(Debug, Clone)]
pub struct UserPolicy {
    pub(crate) file: Arc<PolicyFile>,
    places: Arc<Places>,
    /// What the file was when it was read; absent: it is not to be filed.
    unfiled: Option<Unfiled>,
    /// The project files that were found last; absent: they are looked for each time.
    recent: Option<Arc<Mutex<Recent>>>,
}

/// Holds the project files of a folder, and when they were found. What stands in them is read each time.
#[derive(Debug, Clone)]
struct Recent {
    at: Instant,
    folder: String,
    found: Vec<ProjectFile>,
}

/// How long a server goes by the project files that it found: to look for them costs more than to judge.
const FRESH: Duration = Duration::from_millis(100);

impl UserPolicy {
    /// Reads the file that applies: the named one, else the user's, else the embedded starter.
    ///
    /// # Errors
    /// Every error of the file at once; a named file that is missing is one too (F1).
    pub fn load(places: &Places, registry: &Registry) -> Result<Self, PolicyFault> {
        Self::shared(&Arc::new(places.clone()), registry)
    }

    /// The same for places that somebody else keeps, too.
    pub(crate) fn shared(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let file = Self::unshared(places, registry)?;
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled: None, recent: None })
    }

    /// Reads for many calls: of a long file each looks at what it asks for.
    pub(crate) fn for_many(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let mut file = Self::unshared(places, registry)?;
        if file.source.text.len() as u64 >= LONG {
            file.catalogue = Some(Catalogue::of(&mut file));
        }
        let recent = Recent { at: Instant::now(), folder: String::new(), found: Vec::new() };
        let recent = Some(Arc::new(Mutex::new(recent)));
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled: None, recent })
    }

    /// Reads for one call alone: of a long file only what the call asks for, where there is an index of it.
    pub(crate) fn for_call(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let Some(path) = Self::find(places) else { return Self::shared(places, registry) };
        let opened = Opened::open(&path, Owner::User, places).map_err(PolicyFault::one)?;
        let index = Index::open(&path, &opened.found, places, registry);
        let indexed = index.and_then(|index| {
            let file = readable(index.outline(&path, places), places, registry)?;
            Some(PolicyFile { index: Some(index), ..file })
        });
        let (file, unfiled) = if let Some(file) = indexed {
            (file, None)
        } else {
            // As it is before it is read: what is changed later is another file.
            let unfiled = Unfiled::of(&opened, places);
            (checked(opened.read().map_err(PolicyFault::one)?, places, registry)?, unfiled)
        };
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled, recent: None })
    }

    /// Leaves an index of a long file for the next call.
    pub(crate) fn file_away(&self, registry: &Registry) {
        if let Some(unfiled) = &self.unfiled {
            unfiled.file_away(&self.file, &self.places, registry);
        }
    }

    /// Whether there is something to file away.
    pub(crate) fn is_unfiled(&self) -> bool {
        self.unfiled.is_some()
    }

    pub(crate) fn unshared(places: &Places, registry: &Registry) -> Result<PolicyFile, PolicyFault> {
        let source = match Self::find(places) {
            Some(path) => Source::read(&path, Owner::User, places).map_err(PolicyFault::one)?,
            None => Source::embedded(STARTER, "starter"),
        };
        checked(source, places, registry)
    }

    /// Whether the same file still applies, unchanged.
    pub fn is_current(&self) -> bool {
        match (Self::find(&self.places), &self.file.source.stamp) {
            (None, None) => true,
            (Some(path), Some(stamp)) => self.file.source.path.as_ref() == Some(&path) && stamp.is_current(),
            _ => false,
        }
    }

    /// The project files of an event. Where no call can choose a folder, those of a moment ago do.
    fn project_files(&self, folders: Folders<'_>) -> Vec<ProjectFile> {
        let look = || project_files(folders, &self.places);
        let recent = self.recent.as_ref().filter(|_| folders.cwd.is_none());
        let Some((folder, Ok(mut recent))) = folders.project.zip(recent.map(|recent| recent.try_lock())) else {
            return look();
        };
        if recent.folder != folder || recent.at.elapsed() > FRESH {
            *recent = Recent { at: Instant::now(), folder: folder.to_owned(), found: look() };
        }
        recent.found.clone()
    }

    fn find(places: &Places) -> Option<PathBuf> {
        // A link to nowhere is a file that cannot be read, not one that is absent.
        let there = |path: &PathBuf| match std::fs::symlink_metadata(path) {
            Ok(_) => true,
            Err(error) => !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
        };
        places.policy.clone().or_else(|| places.user_files().into_iter().find(there))
    }
}

impl Policy {
    /// Reads every file that applies to the calls of a session that was started in `folder`.
    ///
    /// # Errors
    /// Whatever is wrong in any of them: nothing is judged by half a policy (F1).
    pub fn load(places: &Places, folder: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        Self::compose(&UserPolicy::load(places, registry)?, Folders::at(folder), registry)
    }

    /// Adds the project files of an event to the user's policy.
    ///
    /// # Errors
    /// As [`Policy::load`].
    pub fn compose(user: &UserPolicy, folders: Folders<'_>, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = &*user.places;
        let on_failure = user.file.failures.policy;
        let fault = |errors: Vec<String>| PolicyFault { errors, on_failure };
        if [folders.project, folders.cwd].into_iter().flatten().any(|folder| folder.len() >= MAX_PATH) {
            return Err(fault(vec![format!("invalid working directory: longer than {} bytes", MAX_PATH - 1)]));
        }
        let found = user.project_files(folders);
        if found.len() > MAX_PROJECT_FILES {
            return Err(fault(vec![format!("over {MAX_PROJECT_FILES} project files apply; put `.git` in between")]));
        }
        let mut projects = Vec::with_capacity(found.len());
        if !found.is_empty() {
            let store = Store::read(places).map_err(|error| fault(vec![error]))?;
            for ProjectFile { path, link, counts } in found {
                let source = Source::read(&path, Owner::Anyone, places);
                let trusted = source.as_ref().is_ok_and(|source| store.trusts(&path, &source.text));
                // What a link leads to may be any file of the user, and the model reads what is said about it.
                let said = |errors| match link.filter(|_| !trusted) {
                    Some(link) => vec![odd_link(&link, places)],
                    None => errors,
                };
                let read = source.map_err(|error| vec![error]).and_then(|source| {
                    if !trusted && source.text.len() > UNTRUSTED_MAX {
                        let shown = &source.shown;
                        let says = "over 64 KiB and not trusted: make it shorter, or see it with `snaphook trust`";
                        return Err(vec![format!("{shown}: {says}")]);
                    }
                    file::read(source, places, registry).map_err(|(errors, _): (_, OnFailure)| errors)
                });
                let mut file = read.map_err(|errors| fault(said(errors)))?;
                file.own = file.source.folder().map(|folder| Dir::new(&super::path::text_of(folder)));
                projects.push(Project { file, trusted, counts });
            }
        }
        let agents: Vec<&'static Agent> = registry.iter().map(HookProtocol::agent).collect();
        Ok(Self { user: Arc::clone(&user.file), projects, places: Arc::clone(&user.places), agents })
    }
}

fn checked(source: Source, places: &Places, registry: &Registry) -> Result<PolicyFile, PolicyFault> {
    file::read(source, places, registry).map_err(|(errors, on_failure)| PolicyFault { errors, on_failure })
}

/// Reads a text; `None` where anything is wrong with it.
pub(crate) fn readable(source: Source, places: &Places, registry: &Registry) -> Option<PolicyFile> {
    file::read(source, places, registry).ok()
}

/// What `snaphook run` looks at. The rest was checked when the call was judged.
const RUN_TABLES: &[&str] = &["sandbox", "protect", "audit"];

impl Policy {
    /// Reads what isolates a command of a session that was started in `folder`, and nothing else of the files that
    /// apply there.
    ///
    /// # Errors
    /// Whatever is wrong in those tables, or with the form of a file.
    pub(crate) fn for_run(places: &Places, folder: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        let source = match UserPolicy::find(places) {
            Some(path) => Source::read(&path, Owner::User, places).map_err(PolicyFault::one)?,
            None => Source::embedded(STARTER, "starter"),
        };
        let user = file::read_tables(source, places, registry, RUN_TABLES).map_err(PolicyFault::new)?;
        let mut projects = Vec::new();
        let mut store = None;
        let found = project_files(Folders::at(folder), places).into_iter();
        for ProjectFile { path, counts, .. } in found.filter(|file| file.counts == Counts::Whole) {
            let source = Source::read(&path, Owner::Anyone, places).map_err(PolicyFault::one)?;
            if !source.text.contains("sandbox") {
                continue;
            }
            if store.is_none() {
                store = Some(Store::read(places).map_err(PolicyFault::one)?);
            }
            if !store.as_ref().is_some_and(|store| store.trusts(&path, &source.text)) {
                continue;
            }
            let mut file = file::read_tables(source, places, registry, RUN_TABLES).map_err(PolicyFault::new)?;
            file.own = file.source.folder().map(|folder| Dir::new(&super::path::text_of(folder)));
            projects.push(Project { file, trusted: true, counts });
        }
        let agents: Vec<&'static Agent> = registry.iter().map(HookProtocol::agent).collect();
        Ok(Self { user: Arc::new(user), projects, places: Arc::new(places.clone()), agents })
    }
}

/// Says how much of a project file may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// All of it, where it is trusted.
    Whole,
    /// Its deny and ask rules, trusted or not.
    Guards,
}

/// Names one project file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Where it leads.
    pub(crate) path: PathBuf,
    /// The symbolic link that leads there; absent: it is no link.
    pub(crate) link: Option<PathBuf>,
    pub(crate) counts: Counts,
}

/// The project files of an event, nearest first; never one in the home folder or `/`.
///
/// Those of the session's folder and of each folder above it, up to and including the first with `.git`, may count
/// whole. A call can add files by the folder that it chooses, and a command can make a `.git`: the files around the
/// call, and the user's own above that `.git`, add their deny and ask rules. Where the agent does not say where a call
/// works, none counts whole.
pub(crate) fn project_files(folders: Folders<'_>, places: &Places) -> Vec<ProjectFile> {
    let is_absolute = |folder: &&str| Path::new(folder).is_absolute();
    let counts = if folders.cwd.is_some() { Counts::Whole } else { Counts::Guards };
    let mut found = Vec::new();
    if let Some(folder) = folders.project.filter(is_absolute) {
        look_above(folder, counts, places, &mut found);
    }
    if let Some(folder) = folders.cwd.filter(is_absolute).filter(|cwd| folders.project != Some(cwd)) {
        look_above(folder, Counts::Guards, places, &mut found);
    }
    if let Some(folder) = folders.process.filter(is_absolute).filter(|_| folders.cwd.is_none()) {
        look_above(folder, Counts::Guards, places, &mut found);
    }
    found
}

fn look_above(folder: &str, counts: Counts, places: &Places, found: &mut Vec<ProjectFile>) {
    let is_home = |folder: &Path| {
        let resolved = |path: &Path| resolve(&super::path::text_of(path));
        places.home.as_ref().is_some_and(|home| home == folder || resolved(home) == resolved(folder))
    };
    let (written, resolved) = (fold(folder), resolve(folder));
    let also = (written != resolved).then_some(written.as_str());
    for start in std::iter::once(resolved.as_str()).chain(also) {
        let mut counts = counts;
        let mut is_above = false;
        for folder in Path::new(start).ancestors().take_while(|folder| folder.parent().is_some()) {
            let file = folder.join(PROJECT_FILE);
            let there = std::fs::symlink_metadata(&file).ok().filter(|there| !is_above || is_the_users(there));
            if let Some(there) = there.filter(|_| !is_home(folder)) {
                let path = PathBuf::from(resolve(&super::path::text_of(&file)));
                if !found.iter().any(|known| known.path == path) {
                    found.push(ProjectFile { path, link: there.is_symlink().then_some(file), counts });
                }
            }
            if !is_above && folder.join(".git").exists() {
                (is_above, counts) = (true, Counts::Guards);
            }
        }
    }
}

/// Returns true if a file belongs to the user or to root: other users have no say in folders that all share.
#[cfg(unix)]
fn is_the_users(found: &std::fs::Metadata) -> bool {
    let owner = std::os::unix::fs::MetadataExt::uid(found);
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_the_users(_: &std::fs::Metadata) -> bool {
    true
}

/// Says that a link does not lead to a valid policy, and nothing of what it leads to.
fn odd_link(link: &Path, places: &Places) -> String {
    let shown = places.shown(link);
    format!("{shown}: the file that this link leads to is not a valid policy; remove the link, or see `snaphook trust`")
}

/// What is wrong with one file, one line each.
pub(crate) fn check(source: Source, places: &Places, registry: &Registry) -> Vec<String> {
    file::read(source, places, registry).err().map_or_else(Vec::new, |(errors, _)| errors)
}

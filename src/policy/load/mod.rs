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
use std::sync::Arc;

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::fault::PolicyFault;
use super::index::{Catalogue, Index, LONG, Unfiled};
use super::path::{Dir, fold, resolve};
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
}

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
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled: None })
    }

    /// Reads for many calls: of a long file each looks at what it asks for.
    pub(crate) fn for_many(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let mut file = Self::unshared(places, registry)?;
        if file.source.text.len() as u64 >= LONG {
            file.catalogue = Some(Catalogue::of(&mut file));
        }
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled: None })
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
        Ok(Self { file: Arc::new(file), places: Arc::clone(places), unfiled })
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
    /// Reads every file that applies to an event in `cwd`.
    ///
    /// # Errors
    /// Whatever is wrong in any of them: nothing is judged by half a policy (F1).
    pub fn load(places: &Places, cwd: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        Self::compose(&UserPolicy::load(places, registry)?, cwd, registry)
    }

    /// Adds the project files of `cwd` to the user's policy.
    ///
    /// # Errors
    /// As [`Policy::load`].
    pub fn compose(user: &UserPolicy, cwd: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = &*user.places;
        let on_failure = user.file.failures.policy;
        let fault = |errors: Vec<String>| PolicyFault { errors, on_failure };
        if cwd.is_some_and(|cwd| cwd.len() >= MAX_PATH) {
            return Err(fault(vec![format!("invalid working directory: longer than {} bytes", MAX_PATH - 1)]));
        }
        let paths = project_files(cwd, places);
        if paths.len() > MAX_PROJECT_FILES {
            return Err(fault(vec![format!("over {MAX_PROJECT_FILES} project files apply; put `.git` in between")]));
        }
        let mut projects = Vec::with_capacity(paths.len());
        if !paths.is_empty() {
            let store = Store::read(places).map_err(|error| fault(vec![error]))?;
            for path in paths {
                let source = Source::read(&path, Owner::Anyone, places).map_err(|error| fault(vec![error]))?;
                let trusted = store.trusts(&path, &source.text);
                if !trusted && source.text.len() > UNTRUSTED_MAX {
                    let shown = &source.shown;
                    let says = "over 64 KiB and not trusted: make it shorter, or see it with `snaphook trust`";
                    return Err(fault(vec![format!("{shown}: {says}")]));
                }
                let read = file::read(source, places, registry);
                let mut file = read.map_err(|(errors, _): (_, OnFailure)| fault(errors))?;
                file.own = file.source.folder().map(|folder| Dir::new(&super::path::text_of(folder)));
                projects.push(Project { file, trusted });
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
    /// Reads what isolates a command in `cwd`, and nothing else of the files that apply there.
    ///
    /// # Errors
    /// Whatever is wrong in those tables, or with the form of a file.
    pub(crate) fn for_run(places: &Places, cwd: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        let source = match UserPolicy::find(places) {
            Some(path) => Source::read(&path, Owner::User, places).map_err(PolicyFault::one)?,
            None => Source::embedded(STARTER, "starter"),
        };
        let user = file::read_tables(source, places, registry, RUN_TABLES).map_err(PolicyFault::new)?;
        let mut projects = Vec::new();
        let mut store = None;
        for path in project_files(cwd, places) {
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
            projects.push(Project { file, trusted: true });
        }
        let agents: Vec<&'static Agent> = registry.iter().map(HookProtocol::agent).collect();
        Ok(Self { user: Arc::new(user), projects, places: Arc::new(places.clone()), agents })
    }
}

/// The project files of a directory, nearest first: there and in each folder above, up to and
/// including the first with `.git`; never in the home folder or `/`.
pub(crate) fn project_files(cwd: Option<&str>, places: &Places) -> Vec<PathBuf> {
    let Some(cwd) = cwd.filter(|cwd| Path::new(cwd).is_absolute()) else { return Vec::new() };
    let is_home = |folder: &Path| {
        let resolved = |path: &Path| resolve(&super::path::text_of(path));
        places.home.as_ref().is_some_and(|home| home == folder || resolved(home) == resolved(folder))
    };
    let mut found: Vec<PathBuf> = Vec::new();
    let (written, resolved) = (fold(cwd), resolve(cwd));
    let also = (written != resolved).then_some(written.as_str());
    for start in std::iter::once(resolved.as_str()).chain(also) {
        for folder in Path::new(start).ancestors().take_while(|folder| folder.parent().is_some()) {
            let file = folder.join(PROJECT_FILE);
            if std::fs::symlink_metadata(&file).is_ok() && !is_home(folder) {
                let file = PathBuf::from(resolve(&super::path::text_of(&file)));
                if !found.contains(&file) {
                    found.push(file);
                }
            }
            if folder.join(".git").exists() {
                break;
            }
        }
    }
    found
}

/// What is wrong with one file, one line each.
pub(crate) fn check(source: Source, places: &Places, registry: &Registry) -> Vec<String> {
    file::read(source, places, registry).err().map_or_else(Vec::new, |(errors, _)| errors)
}

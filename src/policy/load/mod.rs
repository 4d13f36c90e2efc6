//! Finds and reads the policy files that apply (F1-F6).

#[cfg(test)]
mod tests;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use snaphook_adapters::registry::Registry;
use snaphook_policy::{
    Audit, Failures, Files as _, Folders, OnFailure, PROJECT_FILE, Policy, PolicyCase, PolicyFault, PolicyFile,
    PolicyLimits, PolicyMode, PolicySource, ProjectPolicy, ProjectScope, STARTER, SharedFacts, fold, text_of,
};

use super::machine::{LocalFiles, LocalMachine};
use super::places::{Places, Stamp, is_there};
use super::source::{Owner, read};
use super::trust::TrustStore;
use super::vocabulary::AgentNames;
use crate::files;
use crate::platform::files::{is_of_user_or_root, native};

/// The maximum size of an untrusted project file, in bytes.
const UNTRUSTED_MAX: usize = 64 << 10;

/// The maximum number of project files that apply to an event.
const MAX_PROJECT_FILES: usize = 32;

/// The maximum length of a path, in bytes.
const MAX_PATH: usize = 4096;

/// The managed policy, and the user's policy or the starter policy, parsed once and kept by a long-lived server.
#[derive(Debug, Clone)]
pub struct UserPolicy {
    file: Arc<PolicyFile>,
    /// The file as it was when it was read; `None` for the starter policy.
    stamp: Option<Stamp>,
    /// The managed policy, if it applies beside the user's file.
    managed: Option<Arc<PolicyFile>>,
    /// The managed policy as it was when it was read; `None` if there is none.
    managed_stamp: Option<Stamp>,
    machine: Arc<LocalMachine>,
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
        let machine = Arc::new(LocalMachine::new(places, registry));
        Self::read(&machine, |source| PolicyFile::read(source, &*machine, &AgentNames::new(registry)))
    }

    /// Like [`Self::for_call`], for a server.
    pub(crate) fn for_server(places: &Arc<Places>, registry: &Registry) -> Result<Self, PolicyFault> {
        let recent = RecentProjectFiles { at: Instant::now(), folder: String::new(), found: Vec::new() };
        Ok(Self { recent: Some(Arc::new(Mutex::new(recent))), ..Self::for_call(places, registry)? })
    }

    /// Reads the managed policy and then the user's, unless the managed policy forbids other files.
    fn read(
        machine: &Arc<LocalMachine>,
        parse: impl Fn(PolicySource) -> Result<PolicyFile, PolicyFault>,
    ) -> Result<Self, PolicyFault> {
        let places = machine.places();
        let (mut managed, mut managed_stamp) = (None, None);
        if let Some(path) = managed_file(places) {
            let invalid = |error| PolicyFault::one(format!("managed policy: {error}"));
            let (source, stamp) = read(path, Owner::Root, places).map_err(invalid)?;
            managed = Some(parse(source).map_err(|fault| fault.answered(OnFailure::Deny))?);
            managed_stamp = Some(stamp);
        }
        let machine = Arc::clone(machine);
        match managed {
            Some(only) if only.only_managed => {
                Ok(Self { file: Arc::new(only), stamp: None, managed: None, managed_stamp, machine, recent: None })
            }
            managed => {
                let (source, stamp) = Self::source(places)?;
                let user = parse(source).and_then(|file| {
                    let refused = || PolicyFault::one(format!("{}: {MANAGED_KEY}", file.source.shown));
                    if file.only_managed { Err(refused()) } else { Ok(file) }
                });
                let mut user = user.map_err(|fault| {
                    let users = fault.on_failure;
                    let on = |managed: &PolicyFile| managed.failure_beside("policy", |all| all.policy, users);
                    fault.answered(managed.as_ref().map_or(users, on))
                })?;
                if let Some(managed) = &managed {
                    user.fix(managed);
                }
                let managed = managed.map(Arc::new);
                Ok(Self { file: Arc::new(user), stamp, managed, managed_stamp, machine, recent: None })
            }
        }
    }

    fn source(places: &Places) -> Result<(PolicySource, Option<Stamp>), PolicyFault> {
        let Some(path) = Self::find(places) else { return Ok((PolicySource::embedded(STARTER, "starter"), None)) };
        let (source, stamp) = read(&path, Owner::User, places).map_err(PolicyFault::one)?;
        Ok((source, Some(stamp)))
    }

    /// The locations from which it was read.
    pub(crate) fn places(&self) -> &Places {
        self.machine.places()
    }

    /// The `[failure]` table.
    pub fn failures(&self) -> Failures {
        self.file.failures
    }

    /// The `[limits]` table.
    pub fn limits(&self) -> PolicyLimits {
        self.file.limits
    }

    /// The `[audit]` table.
    pub fn audit(&self) -> &Audit {
        &self.file.audit
    }

    /// The value of `mode`.
    pub(crate) fn mode(&self) -> PolicyMode {
        self.file.mode.unwrap_or_default()
    }

    /// The message that says that verdicts are only recorded; `None` if they are enforced.
    pub fn mode_notice(&self) -> Option<String> {
        self.policy().mode_notice()
    }

    /// What a person should know about the launcher of the sandbox.
    pub(crate) fn sandbox_notice(&self) -> Option<&'static str> {
        self.policy().sandbox(None)?.launcher.notice()
    }

    /// The policy of the user and the managed one.
    fn policy(&self) -> Policy {
        Policy::new(Arc::clone(&self.file), Vec::new(), self.machine.clone()).with_managed(self.managed.clone())
    }

    /// Checks that a pause has an effect.
    ///
    /// # Errors
    /// It has none; the message says why.
    pub(crate) fn can_pause(&self) -> Result<(), String> {
        self.check_override("pause", self.file.overrides.pause)
    }

    /// Checks that a call can be allowed once.
    ///
    /// # Errors
    /// It cannot; the message says why.
    pub(crate) fn can_allow_once(&self) -> Result<(), String> {
        self.check_override("allow_once", self.file.overrides.allow_once)
    }

    fn check_override(&self, key: &str, is_possible: bool) -> Result<(), String> {
        let managed = self.managed.as_ref().filter(|managed| managed.sets(&format!("overrides.{key}")));
        let shown = managed.map_or(self.origin(), |managed| &managed.source.shown);
        if self.file.only_managed && self.file.mode != Some(PolicyMode::Monitor) {
            return Err(format!("{}: only the managed policy applies, and nobody can set it aside", self.origin()));
        }
        if is_possible { Ok(()) } else { Err(format!("{shown}: `overrides.{key} = false` forbids this")) }
    }

    /// The origin of the policy: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.file.source.shown
    }

    /// The origins of the managed policy and of the user's.
    pub fn origins(&self) -> String {
        let managed = self.managed.as_ref().map(|file| format!("{}, ", file.source.shown));
        let places = self.machine.places();
        let more = places.more_policies.iter().filter(|_| !self.file.only_managed).map(|path| places.shown(path));
        managed.unwrap_or_default()
            + &std::iter::once(self.origin().to_owned()).chain(more).collect::<Vec<_>>().join(", ")
    }

    /// Returns true if the managed policy says where the log is, or that there is one.
    pub(crate) fn fixes_audit(&self) -> bool {
        let only = self.file.only_managed.then_some(&self.file);
        let managed = self.managed.as_ref().or(only);
        managed.is_some_and(|file| file.sets("audit.enabled") || file.sets("audit.file"))
    }

    /// Returns true if the same files still apply and are unchanged.
    pub fn is_current(&self) -> bool {
        let managed = managed_file(self.machine.places());
        let is_same = match (managed, &self.managed_stamp) {
            (None, None) => true,
            (Some(_), Some(stamp)) => stamp.is_current(),
            _ => false,
        };
        if !is_same || self.file.only_managed {
            return is_same;
        }
        match (Self::find(self.machine.places()), &self.stamp) {
            (None, None) => true,
            (Some(path), Some(stamp)) => self.file.source.path.as_ref() == Some(&path) && stamp.is_current(),
            _ => false,
        }
    }

    /// The project files of an event. If calls cannot choose a directory, a recent search is reused.
    fn project_files(&self, folders: Folders<'_>) -> Vec<ProjectFile> {
        let look = || project_files(folders, self.machine.places());
        let recent = self.recent.as_ref().filter(|_| folders.cwd.is_none());
        let Some((folder, Ok(mut recent))) = folders.project.zip(recent.map(|recent| recent.try_lock())) else {
            return look();
        };
        if recent.folder != folder || recent.at.elapsed() > RECENT_FOR {
            *recent = RecentProjectFiles { at: Instant::now(), folder: folder.to_owned(), found: look() };
        }
        recent.found.clone()
    }

    /// Reads the further files that the command line names.
    fn beside(
        &self,
        parse: &dyn Fn(PolicySource) -> Result<PolicyFile, PolicyFault>,
    ) -> Result<Vec<ProjectPolicy>, PolicyFault> {
        let places = self.machine.places();
        let files = places.more_policies.iter().filter(|_| !self.file.only_managed);
        let one = |path: &PathBuf| {
            let (source, _) = read(path, Owner::User, places).map_err(PolicyFault::one)?;
            Ok(ProjectPolicy::beside(parse(source)?))
        };
        files.map(one).collect()
    }

    fn find(places: &Places) -> Option<PathBuf> {
        places.policy.clone().or_else(|| places.user_files().into_iter().find(|path| is_there(path)))
    }
}

/// The managed policy, if there is one.
pub(crate) fn managed_file(places: &Places) -> Option<&Path> {
    places.managed.as_deref().filter(|path| is_there(path))
}

const MANAGED_KEY: &str = "`only_managed` is read only in the managed policy; remove the key";

/// The policy that applies to the calls of one session, and the locations of the files that it comes from.
#[derive(Debug)]
pub struct LoadedPolicy {
    policy: Policy,
    places: Arc<Places>,
}

impl Deref for LoadedPolicy {
    type Target = Policy;

    fn deref(&self) -> &Policy {
        &self.policy
    }
}

impl LoadedPolicy {
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
    /// Like [`LoadedPolicy::load`].
    pub fn compose(user: &UserPolicy, folders: Folders<'_>, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = user.machine.places();
        let on_failure = user.file.failures.policy;
        let fault = |errors: Vec<String>| PolicyFault::new(errors).answered(on_failure);
        if [folders.project, folders.cwd].into_iter().flatten().any(|folder| folder.len() >= MAX_PATH) {
            return Err(fault(vec![format!("invalid working directory: longer than {} bytes", MAX_PATH - 1)]));
        }
        let found = if user.file.only_managed { Vec::new() } else { user.project_files(folders) };
        if found.len() > MAX_PROJECT_FILES {
            return Err(fault(vec![format!(
                "more than {MAX_PROJECT_FILES} project files apply; expected a `.git` directory closer to the working directory"
            )]));
        }
        let parse = |source| PolicyFile::read(source, &*user.machine, &AgentNames::new(registry));
        let mut projects = user.beside(&parse).map_err(|error| error.answered(on_failure))?;
        if !found.is_empty() {
            let store = TrustStore::read(places).map_err(|error| fault(vec![error]))?;
            for ProjectFile { path, link, scope } in found {
                let source = read(&path, Owner::Anyone, places);
                let trusted = source.as_ref().is_ok_and(|(source, _)| store.trusts(&path, &source.text));
                // A link may point to any file of the user, and the model reads the error messages.
                let said = |errors| match link.as_ref().filter(|_| !trusted) {
                    Some(link) => vec![invalid_link(link, places)],
                    None => errors,
                };
                let parsed = source.map_err(|error| vec![error]).and_then(|(source, _)| {
                    if !trusted && source.text.len() > UNTRUSTED_MAX {
                        let shown = &source.shown;
                        let says = "larger than 64 KiB and not trusted; shorten it or run `snaphook trust`";
                        return Err(vec![format!("{shown}: {says}")]);
                    }
                    // A newer version may know the key. The file that a link names may be no policy at all.
                    let is_strict = trusted || link.is_some();
                    let parse = if is_strict { PolicyFile::read } else { PolicyFile::read_guards };
                    parse(source, &*user.machine, &AgentNames::new(registry)).map_err(|fault| fault.errors)
                });
                let file = parsed.map_err(|errors| fault(said(errors)))?;
                projects.push(ProjectPolicy::new(file, trusted, scope, &LocalFiles));
            }
        }
        let policy = Policy::new(Arc::clone(&user.file), projects, user.machine.clone());
        let policy = policy.with_managed(user.managed.clone());
        Ok(Self { policy, places: Arc::clone(places) })
    }

    /// Shares facts about files between events, all of which must have arrived before.
    pub(crate) fn with_shared(self, shared: Arc<SharedFacts>) -> Self {
        Self { policy: self.policy.with_shared(shared), ..self }
    }

    /// Reads one file as if no other applied: a project file as if it were trusted, any other one as the user's file,
    /// whoever owns it.
    pub(crate) fn alone(places: &Places, path: &Path, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = Arc::new(places.clone());
        let machine = Arc::new(LocalMachine::new(&places, registry));
        let parse = |source| PolicyFile::read(source, &*machine, &AgentNames::new(registry));
        let (source, _) = read(path, Owner::Anyone, &places).map_err(PolicyFault::one)?;
        let file = parse(source)?;
        let policy = if path.file_name().is_some_and(|name| name == PROJECT_FILE) {
            let user = parse(PolicySource::embedded("[permissions]\n", "no other policy"))?;
            let project = ProjectPolicy::new(file, true, ProjectScope::Full, &LocalFiles);
            Policy::new(Arc::new(user), vec![project], machine)
        } else {
            Policy::new(Arc::new(file), Vec::new(), machine)
        };
        Ok(Self { policy, places })
    }

    /// Reads only the tables that isolate a command, from the files that apply to a session in `folder`.
    ///
    /// # Errors
    /// A file is not valid TOML, or one of these tables has an error.
    pub(crate) fn for_run(places: &Places, folder: Option<&str>, registry: &Registry) -> Result<Self, PolicyFault> {
        let places = Arc::new(places.clone());
        let machine = Arc::new(LocalMachine::new(&places, registry));
        let tables = |source| PolicyFile::read_tables(source, &*machine, &AgentNames::new(registry), RUN_TABLES);
        let read_user = UserPolicy::read(&machine, tables)?;
        let mut projects = read_user.beside(&tables)?;
        let UserPolicy { file: user, managed, .. } = read_user;
        let mut store = None;
        let found = if user.only_managed { Vec::new() } else { project_files(Folders::at(folder), &places) };
        for ProjectFile { path, scope, .. } in found.into_iter().filter(|file| file.scope == ProjectScope::Full) {
            let (source, _) = read(&path, Owner::Anyone, &places).map_err(PolicyFault::one)?;
            if !source.text.contains("sandbox") {
                continue;
            }
            if store.is_none() {
                store = Some(TrustStore::read(&places).map_err(PolicyFault::one)?);
            }
            if !store.as_ref().is_some_and(|store| store.trusts(&path, &source.text)) {
                continue;
            }
            projects.push(ProjectPolicy::new(tables(source)?, true, scope, &LocalFiles));
        }
        Ok(Self { policy: Policy::new(user, projects, machine.clone()).with_managed(managed), places })
    }

    /// The locations that it was read from.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// SHA-256 over the contents of all files that apply, in hexadecimal.
    pub fn digest(&self) -> String {
        super::trust::digest(self.files().map(|file| &*file.source.text))
    }
}

/// Reads the cases of a file.
pub(crate) fn read_cases(
    path: &Path,
    places: &Places,
    registry: &Registry,
) -> Result<(PolicySource, Vec<PolicyCase>), PolicyFault> {
    let (source, _) = read(path, Owner::Anyone, places).map_err(PolicyFault::one)?;
    let machine = LocalMachine::new(&Arc::new(places.clone()), registry);
    let cases = PolicyCase::read(&source, &machine, &AgentNames::new(registry))?;
    Ok((source, cases))
}

/// The tables that `snaphook run` reads. The others were checked when the call was judged.
const RUN_TABLES: &[&str] = &["only_managed", "sandbox", "protect", "audit"];

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
        let resolved = |path: &Path| resolve(&text_of(path));
        places.home.as_ref().is_some_and(|home| home == folder || resolved(home) == resolved(folder))
    };
    let folder = text_of(Path::new(folder));
    let (written, resolved) = (fold(&folder), resolve(&folder));
    let also = (written != resolved).then_some(written.as_str());
    for start in std::iter::once(resolved.as_str()).chain(also) {
        let mut scope = scope;
        let mut is_above = false;
        // In shared directories above the repository, files of other users are ignored.
        for folder in native(Path::new(start)).ancestors().take_while(|folder| folder.parent().is_some()) {
            let file = folder.join(PROJECT_FILE);
            let there = files::link_metadata(&file).ok().filter(|there| !is_above || is_of_user_or_root(there));
            if let Some(there) = there.filter(|_| !is_home(folder)) {
                let path = native(Path::new(&resolve(&text_of(&file)))).into_owned();
                if !found.iter().any(|known| known.path == path) {
                    found.push(ProjectFile { path, link: there.is_symlink().then_some(file), scope });
                }
            }
            if !is_above && LocalFiles.exists(&folder.join(".git")) {
                (is_above, scope) = (true, ProjectScope::GuardsOnly);
            }
        }
    }
}

/// The error for a link to an invalid policy, without details of the target.
fn invalid_link(link: &Path, places: &Places) -> String {
    let shown = places.shown(link);
    format!("{shown}: the target of this symbolic link is not a valid policy; remove the link or run `snaphook trust`")
}

fn resolve(path: &str) -> String {
    snaphook_policy::resolve(path, &LocalFiles)
}

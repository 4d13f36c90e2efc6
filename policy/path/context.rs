//! The directories that paths are relative to.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use snaphook_shell::{Budget, Extent};

use super::git_ignore::GitIgnore;
use super::lookups::{KnownFolder, SharedLookups};
use super::walked::WalkedEntries;
use super::{Followed, fold, follow, is_folded, resolve};
use crate::machine::{Files, Lookup, Machine};

/// A directory as written and with symbolic links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dir {
    /// The path as written, without `.`, `..` and `//`.
    pub written: String,
    /// The path with symbolic links resolved.
    pub resolved: String,
}

impl Dir {
    /// Resolves an absolute path.
    pub fn new(path: &str, files: &dyn Files) -> Self {
        Self { written: fold(path), resolved: resolve(path, files) }
    }

    /// Both forms, without duplicates.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        let other = (self.resolved != self.written).then_some(self.resolved.as_str());
        std::iter::once(self.written.as_str()).chain(other)
    }
}

/// The directories of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders<'a> {
    /// The directory in which the session was started, from which the project is searched. `None` if unknown.
    pub project: Option<&'a str>,
    /// The directory that relative paths of the call are relative to. `None` if the agent does not report it.
    pub cwd: Option<&'a str>,
    /// Another directory that they may be relative to if the agent does not report it.
    pub process: Option<&'a str>,
}

impl<'a> Folders<'a> {
    /// The directories of a call that works in the session directory.
    pub fn at(folder: Option<&'a str>) -> Self {
        Self::new(folder, folder, None)
    }

    /// Collects the directories of an event.
    pub fn new(project: Option<&'a str>, cwd: Option<&'a str>, process: Option<&'a str>) -> Self {
        Self { project, cwd, process }
    }
}

/// The directories of one event, each of which is resolved on first use.
///
/// A command can create and remove project markers such as `.git`. This must only narrow grants, and must not weaken
/// deny, ask and `hide`. Therefore grants use the project root, which the markers determine, and guards use the session
/// directory and all its ancestors.
#[derive(Debug)]
pub struct PathContext<'m> {
    machine: &'m dyn Machine,
    session: Option<String>,
    cwd: Option<String>,
    process: Option<String>,
    home: Option<String>,
    session_dir: OnceCell<Option<Dir>>,
    start_dirs: OnceCell<Vec<Dir>>,
    cwd_dir: OnceCell<Option<Dir>>,
    home_dir: OnceCell<Option<Dir>>,
    root_dir: OnceCell<Option<Dir>>,
    guard_dirs: OnceCell<Vec<Dir>>,
    marks: OnceCell<Vec<(String, bool)>>,
    lookups: Arc<SharedLookups>,
    /// Cached: existing folders of the event whose paths have no links. Most paths begin with one of them.
    plain: RefCell<Vec<String>>,
    /// Cached: the last missing path without links, because paths below it are often looked up next.
    absent: RefCell<String>,
    /// Cached: the files and folders below the folders that a command walks.
    pub(super) walks: RefCell<HashMap<(String, Extent), Rc<WalkedEntries>, RandomState>>,
    git_ignore: OnceCell<Option<GitIgnore>>,
    steps: Budget,
}

/// The entries that mark a directory as the root of a project.
const MARKS: [&str; 2] = [".snaphook.toml", ".git"];

impl<'m> PathContext<'m> {
    /// Creates the context of an event on a machine.
    pub fn new(folders: Folders<'_>, machine: &'m dyn Machine) -> Self {
        let absolute = |folder: Option<&str>| {
            folder.filter(|path| Path::new(path).is_absolute()).map(|path| super::unix(path).into_owned())
        };
        let (session, cwd) = (absolute(folders.project), absolute(folders.cwd));
        // An agent that reports a folder which is gone may run the command in that of the session.
        let is_gone =
            |cwd: &String| session.is_some() && session.as_ref() != Some(cwd) && machine.is_gone(Path::new(cwd));
        let (cwd, gone) = if cwd.as_ref().is_some_and(is_gone) { (None, cwd) } else { (cwd, None) };
        Self {
            session,
            cwd,
            process: absolute(folders.process).filter(|_| folders.cwd.is_none()).or(gone),
            home: machine.home().map(super::text_of),
            machine,
            session_dir: OnceCell::new(),
            start_dirs: OnceCell::new(),
            cwd_dir: OnceCell::new(),
            home_dir: OnceCell::new(),
            root_dir: OnceCell::new(),
            guard_dirs: OnceCell::new(),
            marks: OnceCell::new(),
            lookups: Arc::default(),
            plain: RefCell::default(),
            absent: RefCell::default(),
            walks: RefCell::default(),
            git_ignore: OnceCell::new(),
            steps: Budget::default(),
        }
    }

    /// Shares the results of lookups with other events on the same machine.
    pub(crate) fn with_lookups(self, lookups: Arc<SharedLookups>) -> Self {
        Self { lookups, ..self }
    }

    /// The machine on which the call runs.
    pub(crate) fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// The budget for judging the event.
    pub(crate) fn budget(&self) -> &Budget {
        &self.steps
    }

    /// Resolves links like [`resolve`], with a cache.
    pub(crate) fn resolve(&self, path: &str) -> String {
        if self.is_absent(path) {
            return path.to_owned();
        }
        let plain = self.plain.borrow();
        let known = plain.iter().filter_map(|folder| Some((folder.as_str(), below(path, folder)?)));
        let (folder, rest) = known.min_by_key(|(_, rest)| rest.len()).unwrap_or(("", path));
        let Followed { path, absent, loops } = follow(folder, rest, |path| self.look_up(path));
        if let Some(absent) = absent.and_then(|length| path.get(..length)).filter(|_| !loops) {
            absent.clone_into(&mut self.absent.borrow_mut());
        }
        path
    }

    /// Returns true if a path without links or dots is known to be missing.
    fn is_absent(&self, path: &str) -> bool {
        let absent = self.absent.borrow();
        !absent.is_empty() && (path == *absent || below(path, &absent).is_some_and(is_folded))
    }

    /// Resolves a folder of the event, below which many paths are looked up.
    fn base(&self, path: &str) -> Dir {
        let KnownFolder { dir, is_plain } = self.lookups.folder(path).unwrap_or_else(|| {
            let Followed { path: resolved, absent, loops } = follow("", path, |path| self.look_up(path));
            let is_plain = absent.is_none() && !loops && resolved != "/";
            let folder = KnownFolder { dir: Dir { written: fold(path), resolved }, is_plain };
            if !self.steps.is_spent() {
                self.lookups.keep_folder(path, &folder);
            }
            folder
        });
        let mut plain = self.plain.borrow_mut();
        if is_plain && !plain.contains(&dir.resolved) {
            plain.push(dir.resolved.clone());
        }
        dir
    }

    fn look_up(&self, path: &str) -> Lookup {
        // The kernel walks the whole path again.
        if !self.steps.spend(1 + path.len() / 32) {
            return Lookup::Absent;
        }
        self.lookups.link(path).unwrap_or_else(|| {
            self.steps.spend(16 + path.len() / 2);
            let found = self.machine.link(path);
            self.lookups.keep_link(path, &found);
            found
        })
    }

    /// Reads an absolute path as a symbolic link. The folders that it is in may be links too.
    pub(crate) fn entry(&self, path: &str) -> Lookup {
        self.look_up(path)
    }

    /// Resolves a path.
    pub(crate) fn dir(&self, path: &str) -> Dir {
        Dir { written: fold(path), resolved: self.resolve(path) }
    }

    /// The working directory of the call.
    pub fn cwd(&self) -> Option<&Dir> {
        self.cwd_dir.get_or_init(|| self.cwd.as_deref().map(|path| self.base(path))).as_ref()
    }

    /// The directory in which the session was started.
    pub(crate) fn session(&self) -> Option<&Dir> {
        self.session_dir.get_or_init(|| self.session.as_deref().map(|path| self.base(path))).as_ref()
    }

    /// The directories that relative paths may be relative to if the agent does not report one, the session's first.
    pub(crate) fn starts(&self) -> &[Dir] {
        self.start_dirs.get_or_init(|| {
            let process = self.process.as_deref().map(|path| self.dir(path));
            self.session().cloned().into_iter().chain(process).collect()
        })
    }

    /// Returns true if the directories of both the session and the call are known.
    pub(crate) fn is_known(&self) -> bool {
        self.session.is_some() && self.cwd.is_some()
    }

    /// The home directory.
    pub fn home(&self) -> Option<&Dir> {
        self.home_dir.get_or_init(|| self.home.as_deref().map(|path| self.base(path))).as_ref()
    }

    /// The project root: the nearest directory with a marker at or above the session directory, else the session
    /// directory itself (P3). `None` if the agent does not report the working directory of the call: the directory of
    /// the process is used only for guards.
    pub fn root(&self) -> Option<&Dir> {
        let session = self.session().filter(|_| self.is_known())?;
        self.root_dir
            .get_or_init(|| {
                let root = Path::new(&session.written).ancestors().find(|dir| is_marked(dir, self.machine));
                let above = root.filter(|root| *root != Path::new(&session.written));
                Some(above.map_or_else(|| session.clone(), |root| self.dir(&super::text_of(root))))
            })
            .as_ref()
    }

    /// The base directories of project paths in deny, ask and `hide`: those of [`Self::starts`] and their ancestors below
    /// home. They do not depend on project markers.
    pub(crate) fn guards(&self) -> &[Dir] {
        self.guard_dirs.get_or_init(|| {
            let mut all = Vec::new();
            for start in self.starts() {
                let above = Path::new(&start.written).ancestors().skip(1).filter(|dir| self.may_be_project(dir));
                all.push(start.clone());
                all.extend(above.map(|dir| self.dir(&super::text_of(dir))));
            }
            all
        })
    }

    /// Returns false for the root directory, the home directory, and the ancestors of the home directory.
    fn may_be_project(&self, dir: &Path) -> bool {
        dir.parent().is_some() && self.home().is_none_or(|home| !Path::new(&home.written).starts_with(dir))
    }

    /// The `.git` paths that determine the project root, each with whether creating it moves the root. Creating moves
    /// the root between the session directory and the root, or above a session without any marker. Removing moves it
    /// for the project's own `.git` if an ancestor has a marker too.
    pub(crate) fn marks(&self) -> &[(String, bool)] {
        self.marks.get_or_init(|| self.find_marks())
    }

    fn find_marks(&self) -> Vec<(String, bool)> {
        let (Some(session), Some(root)) = (self.session(), self.root()) else { return Vec::new() };
        let (session, root) = (Path::new(&session.written), Path::new(&root.written));
        let git = |dir: &Path| super::text_of(&dir.join(".git"));
        let mut above = root.ancestors().skip(1).filter(|dir| self.may_be_project(dir));
        if !is_marked(root, self.machine) {
            return above.map(|dir| (git(dir), true)).collect();
        }
        let below = session.ancestors().take_while(|dir| *dir != root).map(|dir| (git(dir), true));
        let own = above.any(|dir| is_marked(dir, self.machine)).then(|| (git(root), false));
        below.chain(own).collect()
    }

    /// The `.gitignore` in the project root, if it only excludes files.
    pub(super) fn git_ignore(&self) -> Option<&GitIgnore> {
        self.git_ignore.get_or_init(|| GitIgnore::of(self)).as_ref()
    }

    /// The directories of the call and the session, and their ancestors up to the project root.
    pub(crate) fn up_to_root(&self) -> Vec<&str> {
        let Some(root) = self.root() else { return Vec::new() };
        let above = |folder, root| {
            Path::new(folder).ancestors().filter_map(Path::to_str).take_while(move |folder| super::within(folder, root))
        };
        let mut all = Vec::new();
        for dir in [self.cwd(), self.session()].into_iter().flatten() {
            all.extend(above(&dir.written, &root.written));
            if dir.resolved != dir.written {
                all.extend(above(&dir.resolved, &root.resolved));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The temporary directories.
    pub(crate) fn temps(&self) -> impl Iterator<Item = &str> {
        self.machine.temps().iter().map(String::as_str)
    }
}

/// The part of a path after a folder and a `/`.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Returns true if a directory contains a project marker.
pub fn is_marked(dir: &Path, files: &dyn Files) -> bool {
    MARKS.iter().any(|mark| files.exists(&dir.join(mark)))
}

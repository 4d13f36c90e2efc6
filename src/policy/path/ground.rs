//! What paths are relative to.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;

use snaphook_adapters::model::HookEvent;

use super::{Entry, fold, follow, look_up, resolve};
use crate::policy::steps::Steps;

/// Holds a folder as it was named and as it resolves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dir {
    pub(crate) written: String,
    pub(crate) resolved: String,
}

impl Dir {
    /// Takes an absolute path.
    pub(crate) fn new(path: &str) -> Self {
        Self { written: fold(path), resolved: resolve(path) }
    }

    /// Both forms, once where they are equal.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        let other = (self.resolved != self.written).then_some(self.resolved.as_str());
        std::iter::once(self.written.as_str()).chain(other)
    }
}

/// Names the folders of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders<'a> {
    /// Where the session was started; the project is looked for from there. Absent: not known.
    pub project: Option<&'a str>,
    /// What relative paths of the call are relative to; absent: the agent does not say.
    pub cwd: Option<&'a str>,
    /// What they may be relative to as well, where the agent does not say.
    pub process: Option<&'a str>,
}

impl<'a> Folders<'a> {
    /// The folders of a call that stays in the folder of its session.
    pub fn at(folder: Option<&'a str>) -> Self {
        Self { project: folder, cwd: folder, process: None }
    }
}

impl<'a> From<&'a HookEvent> for Folders<'a> {
    fn from(event: &'a HookEvent) -> Self {
        Self { project: event.project.as_deref(), cwd: event.cwd.as_deref(), process: event.process.as_deref() }
    }
}

/// Holds the folders of one event; each is looked at when a rule asks for it.
///
/// Everything that a command could make or remove may only narrow what is granted, and takes nothing away from deny,
/// ask and `hide`. So the project root, which marks decide, counts for grants; guards count from the folder of the
/// session and from every folder above it.
#[derive(Debug)]
pub(crate) struct Ground {
    session: Option<String>,
    cwd: Option<String>,
    process: Option<String>,
    home: Option<String>,
    temps: Vec<String>,
    session_dir: OnceCell<Option<Dir>>,
    start_dirs: OnceCell<Vec<Dir>>,
    cwd_dir: OnceCell<Option<Dir>>,
    home_dir: OnceCell<Option<Dir>>,
    root_dir: OnceCell<Option<Dir>>,
    guard_dirs: OnceCell<Vec<Dir>>,
    marks: OnceCell<Vec<(String, bool)>>,
    /// What was looked up in the file system.
    entries: RefCell<HashMap<String, Entry>>,
    steps: Steps,
}

/// What makes a folder the root of a project.
const MARKS: [&str; 2] = [".snaphook.toml", ".git"];

impl Ground {
    /// Takes the folders of an event, the home folder and the temporary folders.
    pub(crate) fn new(folders: Folders<'_>, home: Option<&Path>, temps: &[String]) -> Self {
        let absolute = |folder: Option<&str>| folder.filter(|path| Path::new(path).is_absolute()).map(super::unix);
        Self {
            session: absolute(folders.project),
            cwd: absolute(folders.cwd),
            process: absolute(folders.process).filter(|_| folders.cwd.is_none()),
            home: home.map(super::text_of),
            temps: temps.to_vec(),
            session_dir: OnceCell::new(),
            start_dirs: OnceCell::new(),
            cwd_dir: OnceCell::new(),
            home_dir: OnceCell::new(),
            root_dir: OnceCell::new(),
            guard_dirs: OnceCell::new(),
            marks: OnceCell::new(),
            entries: RefCell::default(),
            steps: Steps::default(),
        }
    }

    /// The steps that rules may take to judge the event.
    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Follows links like [`resolve`], but looks each of them up once.
    pub(crate) fn resolve(&self, path: &str) -> String {
        follow(path, |path| self.look_up(path))
    }

    fn look_up(&self, path: &str) -> Entry {
        // The system walks the whole path once more.
        if !self.steps.spend(1 + path.len() / 32) {
            return Entry::Absent;
        }
        let known = self.entries.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            self.steps.spend(16 + path.len() / 2);
            let found = look_up(path);
            self.entries.borrow_mut().insert(path.to_owned(), found.clone());
            found
        })
    }

    /// A folder, or a file that is looked at as one.
    pub(crate) fn dir(&self, path: &str) -> Dir {
        Dir { written: fold(path), resolved: self.resolve(path) }
    }

    /// The working directory of the call.
    pub(crate) fn cwd(&self) -> Option<&Dir> {
        self.cwd_dir.get_or_init(|| self.cwd.as_deref().map(|path| self.dir(path))).as_ref()
    }

    /// The folder in which the session was started.
    pub(crate) fn session(&self) -> Option<&Dir> {
        self.session_dir.get_or_init(|| self.session.as_deref().map(|path| self.dir(path))).as_ref()
    }

    /// The folders that relative paths may be meant from where the agent does not say: that of the session first.
    pub(crate) fn starts(&self) -> &[Dir] {
        self.start_dirs.get_or_init(|| {
            let process = self.process.as_deref().map(|path| self.dir(path));
            self.session().cloned().into_iter().chain(process).collect()
        })
    }

    /// Returns true if both the folder of the session and that of the call are known.
    pub(crate) fn is_known(&self) -> bool {
        self.session.is_some() && self.cwd.is_some()
    }

    /// The home folder.
    pub(crate) fn home(&self) -> Option<&Dir> {
        self.home_dir.get_or_init(|| self.home.as_deref().map(|path| self.dir(path))).as_ref()
    }

    /// The project root: the nearest folder with a mark at or above the folder of the session, else that folder (P3).
    /// `None` where the agent does not say where a call works: what the process knows is good for guards alone.
    pub(crate) fn root(&self) -> Option<&Dir> {
        let session = self.session().filter(|_| self.is_known())?;
        self.root_dir
            .get_or_init(|| {
                let root = Path::new(&session.written).ancestors().find(|dir| is_marked(dir));
                let above = root.filter(|root| *root != Path::new(&session.written));
                Some(above.map_or_else(|| session.clone(), |root| self.dir(&super::text_of(root))))
            })
            .as_ref()
    }

    /// The folders from which deny, ask and `hide` mean a path of the project: those of `starts`, and those above
    /// them below home. A mark that a command makes or removes changes none of them.
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

    /// Returns true unless the folder is the root of all folders, the home folder, or above that.
    fn may_be_project(&self, dir: &Path) -> bool {
        dir.parent().is_some() && self.home().is_none_or(|home| !Path::new(&home.written).starts_with(dir))
    }

    /// The repositories by which the project root could be moved, and whether making one does that: those that are not
    /// there yet between the folder of the session and the root, or above a session without any mark; and the
    /// project's own, where a folder above is marked too.
    pub(crate) fn marks(&self) -> &[(String, bool)] {
        self.marks.get_or_init(|| self.find_marks())
    }

    fn find_marks(&self) -> Vec<(String, bool)> {
        let (Some(session), Some(root)) = (self.session(), self.root()) else { return Vec::new() };
        let (session, root) = (Path::new(&session.written), Path::new(&root.written));
        let git = |dir: &Path| super::text_of(&dir.join(".git"));
        let mut above = root.ancestors().skip(1).filter(|dir| self.may_be_project(dir));
        if !is_marked(root) {
            return above.map(|dir| (git(dir), true)).collect();
        }
        let below = session.ancestors().take_while(|dir| *dir != root).map(|dir| (git(dir), true));
        let own = above.any(is_marked).then(|| (git(root), false));
        below.chain(own).collect()
    }

    /// Returns the folders of the call and the session with those above them, up to the project root.
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

    /// The temporary folders.
    pub(crate) fn temps(&self) -> impl Iterator<Item = &str> {
        self.temps.iter().map(String::as_str)
    }
}

/// Returns true if a folder has a mark of a project in it.
pub(crate) fn is_marked(dir: &Path) -> bool {
    MARKS.iter().any(|mark| dir.join(mark).exists())
}

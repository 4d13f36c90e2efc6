//! What paths are relative to.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;

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

/// Holds the folders of one event; each is looked at when a rule asks for it.
#[derive(Debug)]
pub(crate) struct Ground {
    cwd: Option<String>,
    home: Option<String>,
    temps: Vec<String>,
    cwd_dir: OnceCell<Option<Dir>>,
    home_dir: OnceCell<Option<Dir>>,
    root_dir: OnceCell<Option<Dir>>,
    /// What was looked up in the file system.
    entries: RefCell<HashMap<String, Entry>>,
    steps: Steps,
}

impl Ground {
    /// Takes the event's working directory, the home folder and the temporary folders.
    pub(crate) fn new(cwd: Option<&str>, home: Option<&Path>, temps: &[String]) -> Self {
        Self {
            cwd: cwd.filter(|cwd| Path::new(cwd).is_absolute()).map(super::unix),
            home: home.map(super::text_of),
            temps: temps.to_vec(),
            cwd_dir: OnceCell::new(),
            home_dir: OnceCell::new(),
            root_dir: OnceCell::new(),
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

    /// The event's working directory.
    pub(crate) fn cwd(&self) -> Option<&Dir> {
        self.cwd_dir.get_or_init(|| self.cwd.as_deref().map(|path| self.dir(path))).as_ref()
    }

    /// The home folder.
    pub(crate) fn home(&self) -> Option<&Dir> {
        self.home_dir.get_or_init(|| self.home.as_deref().map(|path| self.dir(path))).as_ref()
    }

    /// The project root: the nearest folder at or above the cwd with `.snaphook.toml` or `.git`,
    /// else the cwd (P3).
    pub(crate) fn root(&self) -> Option<&Dir> {
        self.root_dir
            .get_or_init(|| {
                let cwd = self.cwd()?;
                let marked = |dir: &&Path| dir.join(".snaphook.toml").exists() || dir.join(".git").exists();
                let root = Path::new(&cwd.written).ancestors().find(marked);
                let above = root.filter(|root| *root != Path::new(&cwd.written));
                Some(above.map_or_else(|| cwd.clone(), |root| self.dir(&super::text_of(root))))
            })
            .as_ref()
    }

    /// The temporary folders.
    pub(crate) fn temps(&self) -> impl Iterator<Item = &str> {
        self.temps.iter().map(String::as_str)
    }
}

//! Lookups in the file system that several events share.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;

use super::Dir;
use crate::machine::Lookup;

/// The results of lookups on one machine. Events may share them only if all of these events arrived before the first lookup.
#[derive(Debug, Default)]
pub(crate) struct SharedLookups(Mutex<KeptLookups>);

#[derive(Debug, Default)]
struct KeptLookups {
    links: HashMap<String, Lookup, RandomState>,
    folders: Vec<(String, KnownFolder)>,
    /// The memory for all paths that are kept, in bytes.
    size: usize,
}

/// A folder of an event.
#[derive(Debug, Clone)]
pub(super) struct KnownFolder {
    pub(super) dir: Dir,
    /// True if the resolved path exists and has no links.
    pub(super) is_plain: bool,
}

/// The most memory for paths, in bytes. Other paths are looked up each time.
const MOST: usize = 2 << 20;

/// The memory for an entry besides its texts.
const ENTRY: usize = 64;

impl SharedLookups {
    /// Returns what was found at a path; `None` if nothing is kept about it.
    pub(super) fn link(&self, path: &str) -> Option<Lookup> {
        self.found().links.get(path).cloned()
    }

    pub(super) fn keep_link(&self, path: &str, link: &Lookup) {
        let target = if let Lookup::Link(target) = link { target.len() } else { 0 };
        let mut found = self.found();
        if found.has_room(ENTRY + path.len() + target) {
            found.links.insert(path.to_owned(), link.clone());
        }
    }

    /// Returns what is known about a folder of an event.
    pub(super) fn folder(&self, path: &str) -> Option<KnownFolder> {
        self.found().folders.iter().find_map(|(known, folder)| (known == path).then(|| folder.clone()))
    }

    pub(super) fn keep_folder(&self, path: &str, folder: &KnownFolder) {
        let mut found = self.found();
        // Each event has few folders, and most events have the same.
        if found.folders.len() < FOLDERS
            && found.has_room(ENTRY + path.len() + folder.dir.written.len() + folder.dir.resolved.len())
        {
            found.folders.push((path.to_owned(), folder.clone()));
        }
    }

    fn found(&self) -> MutexGuard<'_, KeptLookups> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of folders that are kept.
const FOLDERS: usize = 8;

impl KeptLookups {
    /// Reserves memory. Returns false if there is not enough.
    fn has_room(&mut self, size: usize) -> bool {
        let has_room = self.size + size <= MOST;
        self.size += if has_room { size } else { 0 };
        has_room
    }
}

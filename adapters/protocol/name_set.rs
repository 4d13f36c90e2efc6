//! Names in the tables of an agent, prepared so that most other names are ruled out at once.

use super::{Registration, ToolRow};

/// A set of names, which may seem to have others as well.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameSet {
    /// One bit for each name, which other names may share.
    bits: [u64; WORDS],
}

/// A name that is looked for in the tables of several agents.
#[derive(Debug, Clone, Copy)]
pub struct ListedName<'n> {
    pub(super) name: &'n str,
    hash: usize,
}

impl<'n> ListedName<'n> {
    /// Prepares a name.
    pub fn new(name: &'n str) -> Self {
        Self { name, hash: name.bytes().fold(EMPTY, hash) }
    }
}

const WORDS: usize = 32;

#[expect(clippy::indexing_slicing, reason = "a constant is built with these; the index is below the length")]
impl NameSet {
    /// The names of files and folders in the paths that a [`Registration`] lists: `.claude` and `settings.json` of
    /// `~/.claude/settings.json`.
    pub(super) const fn of_paths(registration: &Registration) -> Self {
        let mut names = Self { bits: [0; WORDS] };
        let mut files = registration.files;
        while let [file, rest @ ..] = files {
            names.add(file.path.as_bytes());
            files = rest;
        }
        let mut runs = registration.runs;
        while let [path, rest @ ..] = runs {
            names.add(path.as_bytes());
            runs = rest;
        }
        names
    }

    /// The arguments of tools that hold a command, path or URL.
    pub(super) const fn of_slots(mut rows: &[ToolRow]) -> Self {
        let mut names = Self { bits: [0; WORDS] };
        while let [row, rest @ ..] = rows {
            let mut actions = row.actions;
            while let [action, rest @ ..] = actions {
                let mut keys = action.slot.keys;
                while let [key, rest @ ..] = keys {
                    names.add(key.as_bytes());
                    keys = rest;
                }
                if let Some(element) = action.slot.element {
                    let mut members = element.members;
                    while let [member, rest @ ..] = members {
                        names.add(member.as_bytes());
                        members = rest;
                    }
                }
                actions = rest;
            }
            rows = rest;
        }
        names
    }

    const fn add(&mut self, mut path: &[u8]) {
        let mut name = EMPTY;
        while let [byte, rest @ ..] = path {
            if *byte == b'/' {
                self.set(name);
                name = EMPTY;
            } else {
                name = hash(name, *byte);
            }
            path = rest;
        }
        self.set(name);
    }

    const fn set(&mut self, name: usize) {
        self.bits[name / 64 % WORDS] |= 1 << (name % 64);
    }

    /// Returns false if this name is none of them.
    pub(super) fn may_have(&self, name: ListedName<'_>) -> bool {
        self.bits[name.hash / 64 % WORDS] & (1 << (name.hash % 64)) != 0
    }
}

/// The hash of a name without characters, as FNV-1a has it.
const EMPTY: usize = 0x811c_9dc5;

const fn hash(before: usize, byte: u8) -> usize {
    (before ^ byte as usize).wrapping_mul(0x0100_0193)
}

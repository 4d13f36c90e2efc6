//! Names in the tables of an agent, prepared so that most other names are ruled out at once.

use super::{Agent, Registration, ToolRow};

/// A Bloom filter of names.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameSet {
    /// Three bits for each name, which other names may share.
    bits: [u64; WORDS],
}

/// A name that is looked for in the tables of several agents.
#[derive(Debug, Clone, Copy)]
pub struct ListedName<'n> {
    name: &'n str,
    hash: u64,
}

impl<'n> ListedName<'n> {
    /// Prepares a name.
    pub fn new(name: &'n str) -> Self {
        Self { name, hash: name.bytes().fold(EMPTY, hash) }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &'n str {
        self.name
    }
}

/// Names in the tables of several agents.
#[derive(Debug, Clone, Copy)]
pub struct ListedNames(NameSet);

impl ListedNames {
    /// The names of files and folders in the paths that their registrations list.
    pub fn of_paths<'a>(agents: impl Iterator<Item = &'a Agent>) -> Self {
        Self::all(agents.map(|agent| &agent.path_names))
    }

    /// The arguments of their tools that hold a command, path or URL.
    pub fn of_slots<'a>(agents: impl Iterator<Item = &'a Agent>) -> Self {
        Self::all(agents.map(|agent| &agent.slot_names))
    }

    fn all<'a>(sets: impl Iterator<Item = &'a NameSet>) -> Self {
        let mut all = [0; WORDS];
        for set in sets {
            all.iter_mut().zip(set.bits).for_each(|(all, bits)| *all |= bits);
        }
        Self(NameSet { bits: all })
    }

    /// Returns false only if no table has this name.
    pub fn may_have(&self, name: ListedName<'_>) -> bool {
        self.0.may_have(name)
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

    const fn set(&mut self, name: u64) {
        let [a, b, c] = places(name);
        self.bits[a / 64] |= 1 << (a % 64);
        self.bits[b / 64] |= 1 << (b % 64);
        self.bits[c / 64] |= 1 << (c % 64);
    }

    /// Returns false if the set certainly does not contain this name.
    pub(super) fn may_have(&self, name: ListedName<'_>) -> bool {
        places(name.hash).iter().all(|place| self.bits[place / 64] & (1 << (place % 64)) != 0)
    }
}

/// The hash of a name without characters, as FNV-1a has it.
const EMPTY: u64 = 0x811c_9dc5;

const fn hash(before: u64, byte: u8) -> u64 {
    (before ^ byte as u64).wrapping_mul(0x0100_0193)
}

/// The bits of a name.
const fn places(hash: u64) -> [usize; 3] {
    const BITS: u64 = 64 * WORDS as u64;
    [(hash % BITS) as usize, (hash / BITS % BITS) as usize, (hash / BITS / BITS % BITS) as usize]
}

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
        Self { name, hash: hash(name.as_bytes()) }
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
        let mut end = 0;
        while end < path.len() {
            if path[end] == b'/' {
                let (name, rest) = path.split_at(end);
                self.set(hash(name));
                (_, path) = rest.split_at(1);
                end = 0;
            } else {
                end += 1;
            }
        }
        self.set(hash(path));
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

/// Hashes a name, eight bytes at a time.
const fn hash(name: &[u8]) -> u64 {
    let (mut eights, mut rest) = name.as_chunks::<8>();
    let mut hash = name.len() as u64;
    while let [eight, others @ ..] = eights {
        hash = mixed(hash, u64::from_le_bytes(*eight));
        eights = others;
    }
    let mut last = 0;
    while let [byte, others @ ..] = rest {
        last = last << 8 | *byte as u64;
        rest = others;
    }
    mixed(hash, last)
}

/// Adds bytes to a hash. A product spreads them upwards only, so its upper half is added to the lower one.
const fn mixed(hash: u64, bytes: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = (hash ^ bytes).wrapping_mul(ODD);
    product ^ product >> 32
}

/// The bits of a name.
const fn places(hash: u64) -> [usize; 3] {
    const BITS: u64 = 64 * WORDS as u64;
    [(hash % BITS) as usize, (hash / BITS % BITS) as usize, (hash / BITS / BITS % BITS) as usize]
}

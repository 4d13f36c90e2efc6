//! The names in the paths of an agent, prepared so that most other names are ruled out at once.

use super::Registration;

/// The names of files and folders in the paths that a [`Registration`] lists: `.claude` and `settings.json` of
/// `~/.claude/settings.json`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathNames {
    /// One bit for each name, which other names may share.
    bits: [u64; WORDS],
}

const WORDS: usize = 32;

impl PathNames {
    pub(super) const fn of(registration: &Registration) -> Self {
        let mut names = Self { bits: [0; WORDS] };
        let mut at = 0;
        while at < registration.files.len() {
            names.add(registration.files[at].path.as_bytes());
            at += 1;
        }
        at = 0;
        while at < registration.runs.len() {
            names.add(registration.runs[at].as_bytes());
            at += 1;
        }
        names
    }

    const fn add(&mut self, mut path: &[u8]) {
        while !path.is_empty() {
            let mut end = 0;
            while end < path.len() && path[end] != b'/' {
                end += 1;
            }
            let (name, rest) = path.split_at(end);
            let (word, bit) = place(name);
            self.bits[word] |= bit;
            path = if rest.is_empty() { rest } else { rest.split_at(1).1 };
        }
    }

    /// Returns false if no path has this name.
    pub(super) const fn may_have(&self, name: &[u8]) -> bool {
        let (word, bit) = place(name);
        self.bits[word] & bit != 0
    }
}

/// The word and the bit of a name.
const fn place(name: &[u8]) -> (usize, u64) {
    let length = name.len();
    if length == 0 {
        return (0, 1);
    }
    let (second, middle) = (name[(length > 1) as usize] as usize, name[length / 2] as usize);
    let (last_but_one, last) = (name[length.saturating_sub(2)] as usize, name[length - 1] as usize);
    let sum = length * 1009 + second * 257 + middle * 31 + last_but_one * 7 + last;
    (sum / 64 % WORDS, 1 << (sum % 64))
}

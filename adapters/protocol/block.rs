//! The hooks that one file of an agent gets, for one range of its versions.

use super::{Entry, EventRow, Host};

/// Describes what is registered for one range of versions.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Block {
    /// The range in words, as the heading.
    pub versions: &'static str,
    /// The first version of the range; empty: no lower end.
    pub from: &'static str,
    /// The first version after the range; empty: no upper end.
    pub before: &'static str,
    /// The file that gets the entries; a text with blanks describes for the user where to paste them.
    pub file: &'static str,
    /// The file of a project that can get them instead; empty: none.
    pub project: &'static str,
    /// The members of the file that lead to the hooks; empty: the hooks are at the top.
    pub below: &'static [&'static str],
    /// How the file tells the hooks apart.
    pub key: EntryKey,
    /// The hooks.
    pub entries: &'static [Entry],
    /// The settings that must be true, or the agent calls no hook of this file; each as the members that lead to it.
    pub needs: &'static [&'static [&'static str]],
    /// The member by which the file itself says which block it takes, and its value; absent: the
    /// version of the program decides.
    pub mark: Option<(&'static str, u64)>,
    /// The only members that the file may have; with any other the agent rejects the file. Empty: any.
    pub only: &'static [&'static str],
    /// The number in an entry by which the agent orders hooks; the highest has the last word. Ours is put above those
    /// of others. Empty: none.
    pub last_word: &'static str,
    /// The events of which the agent takes the change of the last entry that makes one. Ours is put last. Empty: none
    /// is known.
    pub last_entry: &'static [&'static str],
    /// Advice for pasting, which an install has followed already; one sentence each.
    pub pasting: &'static [&'static str],
    /// Conditions on that file, and the gaps that remain; one sentence each.
    pub notes: &'static [&'static str],
    /// Gaps named by a row that these entries close by a switch of the agent.
    pub closes: &'static [&'static str],
}

/// Says how a file tells its hooks apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a third way would need another editor of files")]
pub enum EntryKey {
    /// Each event has a list of hooks.
    Event,
    /// Each hook has a name.
    Name,
}

impl Block {
    /// Describes a block for all versions.
    pub const fn new(versions: &'static str, file: &'static str, entries: &'static [Entry]) -> Self {
        Self {
            versions,
            from: "",
            before: "",
            file,
            project: "",
            below: &[],
            key: EntryKey::Event,
            entries,
            needs: &[],
            mark: None,
            only: &[],
            last_word: "",
            last_entry: &[],
            pasting: &[],
            notes: &[],
            closes: &[],
        }
    }

    /// Limits the versions; an empty end is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Names the members that lead to the hooks.
    #[must_use]
    pub const fn below(mut self, members: &'static [&'static str]) -> Self {
        self.below = members;
        self
    }

    /// Says that the file tells its hooks apart by names.
    #[must_use]
    pub const fn by_name(mut self) -> Self {
        self.key = EntryKey::Name;
        self
    }

    /// Lists the settings that must be true.
    #[must_use]
    pub const fn needs(mut self, settings: &'static [&'static [&'static str]]) -> Self {
        self.needs = settings;
        self
    }

    /// Names the file of a project that can get the entries instead.
    #[must_use]
    pub const fn project(mut self, file: &'static str) -> Self {
        self.project = file;
        self
    }

    /// Names the member by which the file says that it takes this block.
    #[must_use]
    pub const fn mark(mut self, name: &'static str, value: u64) -> Self {
        self.mark = Some((name, value));
        self
    }

    /// Lists the only members that the file may have.
    #[must_use]
    pub const fn only(mut self, members: &'static [&'static str]) -> Self {
        self.only = members;
        self
    }

    /// Names the number in an entry that gives the highest the last word.
    #[must_use]
    pub const fn last_word(mut self, member: &'static str) -> Self {
        self.last_word = member;
        self
    }

    /// Lists the events of which the last entry that makes a change wins.
    #[must_use]
    pub const fn last_entry(mut self, events: &'static [&'static str]) -> Self {
        self.last_entry = events;
        self
    }

    /// Adds advice for pasting.
    #[must_use]
    pub const fn pasting(mut self, notes: &'static [&'static str]) -> Self {
        self.pasting = notes;
        self
    }

    /// Lists the gaps named by rows that these entries close.
    #[must_use]
    pub const fn closes(mut self, open: &'static [&'static str]) -> Self {
        self.closes = open;
        self
    }

    /// Adds conditions and remaining gaps.
    #[must_use]
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// Returns true if the block is for a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Returns true if an entry brings the event of a row, in whatever role.
    pub fn brings(&self, row: &EventRow) -> bool {
        self.entries.iter().any(|entry| entry.brings(row))
    }

    /// Returns true if an entry uses a row.
    pub fn serves(&self, row: &EventRow) -> bool {
        self.entries.iter().any(|entry| entry.serves(row))
    }

    /// Returns true if the block is for a version that a host, or a lane of it, stands for.
    pub fn is_for(&self, host: &Host) -> bool {
        let ends_first = |before: &str, from: &str| !before.is_empty() && numbers(before) <= numbers(from);
        !ends_first(self.before, host.from) && !ends_first(host.before, self.from)
    }
}

/// Returns true if a version is in a range; an empty end is open.
pub(super) fn within(version: &str, from: &str, before: &str) -> bool {
    let version = numbers(version);
    (from.is_empty() || version >= numbers(from)) && (before.is_empty() || version < numbers(before))
}

/// Returns true if a version comes before another one.
pub(super) fn is_before(version: &str, other: &str) -> bool {
    numbers(version) < numbers(other)
}

fn numbers(version: &str) -> Vec<u64> {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    let parts = version.trim_start_matches('v').split('.').map(|part| digits(part).parse().unwrap_or(0));
    let mut numbers: Vec<u64> = parts.collect();
    // 1.2 is 1.2.0.
    numbers.truncate(numbers.iter().rposition(|number| *number > 0).map_or(0, |last| last + 1));
    numbers
}

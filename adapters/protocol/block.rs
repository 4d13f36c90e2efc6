//! The hooks that one file of an agent gets, for one range of its versions.

use super::{Entry, EventRow, Host};

/// The registered hooks for one range of versions.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Block {
    /// The range in words, for headings.
    pub versions: &'static str,
    /// The first version of the range; empty: no lower limit.
    pub from: &'static str,
    /// The first version after the range; empty: no upper limit.
    pub before: &'static str,
    /// The file for the entries. A text with blanks tells the user where to paste them.
    pub file: &'static str,
    /// The file of a project that can contain the entries instead; empty: none.
    pub project: &'static str,
    /// The members of the file that lead to the hooks; empty: the hooks are at the top.
    pub below: &'static [&'static str],
    /// How the file distinguishes the hooks.
    pub key: EntryKey,
    /// The hooks.
    pub entries: &'static [Entry],
    /// The parts of the program that the file consists of, for an agent that calls hooks from a plug-in. The only entry
    /// is the settings at its start. Empty: the file contains entries.
    pub plugin: &'static [&'static str],
    /// The settings that must be true, or the agent calls no hook of this file; each as the members that lead to it.
    pub needs: &'static [&'static [&'static str]],
    /// The members that the file must have, each with its value as JSON.
    pub constants: &'static [(&'static str, &'static str)],
    /// The member that the file must have, and its value, which selects this block among several; absent: the version
    /// of the program selects it.
    pub mark: Option<(&'static str, u64)>,
    /// The only members that the file may have; with any other the agent rejects the file. Empty: any.
    pub only: &'static [&'static str],
    /// The number in an entry by which the agent orders hooks; the highest decides. Snaphook writes a number above all
    /// others. Empty: none.
    pub last_word: &'static str,
    /// The events for which the agent uses the change of the last entry that makes one. Snaphook's entry is written
    /// last. Empty: none is known.
    pub last_entry: &'static [&'static str],
    /// Advice for a user who pastes the entries, which `install` follows by itself; one sentence each.
    pub pasting: &'static [&'static str],
    /// Conditions on the file, and the remaining limits; one sentence each.
    pub notes: &'static [&'static str],
    /// The known limits of rows that these entries close by a setting of the agent.
    pub closes: &'static [&'static str],
}

/// The way in which a file distinguishes its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a further way would need another editor of files")]
pub enum EntryKey {
    /// Each event has a list of hooks.
    Event,
    /// Each hook has a name.
    Name,
    /// The hooks are one list; each has its event in this member.
    List(&'static str),
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
            plugin: &[],
            needs: &[],
            constants: &[],
            mark: None,
            only: &[],
            last_word: "",
            last_entry: &[],
            pasting: &[],
            notes: &[],
            closes: &[],
        }
    }

    /// Sets the version range; an empty limit is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Sets the members that lead to the hooks.
    #[must_use]
    pub const fn below(mut self, members: &'static [&'static str]) -> Self {
        self.below = members;
        self
    }

    /// States that each hook in the file has a name.
    #[must_use]
    pub const fn by_name(mut self) -> Self {
        self.key = EntryKey::Name;
        self
    }

    /// States that the hooks in the file are one list, each with its event in this member.
    #[must_use]
    pub const fn listed(mut self, member: &'static str) -> Self {
        self.key = EntryKey::List(member);
        self
    }

    /// Sets the parts of the program that the file consists of.
    #[must_use]
    pub const fn plugin(mut self, parts: &'static [&'static str]) -> Self {
        self.plugin = parts;
        self
    }

    /// Sets the members that the file must have, each with its value as JSON.
    #[must_use]
    pub const fn constants(mut self, members: &'static [(&'static str, &'static str)]) -> Self {
        self.constants = members;
        self
    }

    /// Sets the settings that must be true.
    #[must_use]
    pub const fn needs(mut self, settings: &'static [&'static [&'static str]]) -> Self {
        self.needs = settings;
        self
    }

    /// Sets the file of a project that can contain the entries instead.
    #[must_use]
    pub const fn project(mut self, file: &'static str) -> Self {
        self.project = file;
        self
    }

    /// Sets the member of the file that selects this block.
    #[must_use]
    pub const fn mark(mut self, name: &'static str, value: u64) -> Self {
        self.mark = Some((name, value));
        self
    }

    /// Sets the only members that the file may have.
    #[must_use]
    pub const fn only(mut self, members: &'static [&'static str]) -> Self {
        self.only = members;
        self
    }

    /// Sets the number by which the agent orders hooks.
    #[must_use]
    pub const fn last_word(mut self, member: &'static str) -> Self {
        self.last_word = member;
        self
    }

    /// Sets the events for which the change of the last entry is used.
    #[must_use]
    pub const fn last_entry(mut self, events: &'static [&'static str]) -> Self {
        self.last_entry = events;
        self
    }

    /// Sets the advice for pasting.
    #[must_use]
    pub const fn pasting(mut self, notes: &'static [&'static str]) -> Self {
        self.pasting = notes;
        self
    }

    /// Sets the known limits that these entries close.
    #[must_use]
    pub const fn closes(mut self, open: &'static [&'static str]) -> Self {
        self.closes = open;
        self
    }

    /// Sets the conditions and remaining limits.
    #[must_use]
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// Returns true if the block is for a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Returns true if neither a version nor a member of the file selects the block.
    pub fn is_for_every_version(&self) -> bool {
        self.from.is_empty() && self.before.is_empty() && self.mark.is_none()
    }

    /// Returns true if an entry registers for the event of a row, in any role.
    pub fn brings(&self, row: &EventRow) -> bool {
        self.entries.iter().any(|entry| entry.brings(row))
    }

    /// Returns true if an entry registers for the event of a row in a role of the row.
    pub fn serves(&self, row: &EventRow) -> bool {
        self.entries.iter().any(|entry| entry.serves(row))
    }

    /// Returns true if the block and a host have a version in common.
    pub fn is_for(&self, host: &Host) -> bool {
        let ends_first = |before: &str, from: &str| !before.is_empty() && numbers(before) <= numbers(from);
        !ends_first(self.before, host.from) && !ends_first(host.before, self.from)
    }
}

/// Returns true if a version is in a range; an empty limit is open.
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

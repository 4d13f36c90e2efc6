//! What is put into one file of an agent, for one range of its versions.

use super::Host;

/// Describes what to paste for one range of versions.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Block {
    /// The range in words, as the heading.
    pub versions: &'static str,
    /// The first version it is for; empty: no lower end.
    pub from: &'static str,
    /// The first version it is no longer for; empty: no upper end.
    pub before: &'static str,
    /// The file it goes into, or where to paste it, in words.
    pub file: &'static str,
    /// The file of a project it may go into instead; empty: none.
    pub project: &'static str,
    /// The member by which the file itself says which block it takes, and its value; absent: by the
    /// version of the program.
    pub mark: Option<(&'static str, u64)>,
    /// The only members that the file may have, or the agent rejects all of it; empty: any.
    pub only: &'static [&'static str],
    /// The number in an entry by which the agent orders hooks, where the highest has the last word; empty:
    /// none. Ours is put above those of others.
    pub last_word: &'static str,
    /// The events of which the agent takes the change of the last entry that makes one; empty: none is known. Ours is
    /// put last.
    pub last_entry: &'static [&'static str],
    /// What to mind while pasting, and no longer once an install has done it; one sentence each.
    pub pasting: &'static [&'static str],
    /// What must be true of that file, and what stays open; one sentence each.
    pub notes: &'static [&'static str],
    /// What a row says stays open, and what this block closes by the agent's own switch.
    pub closes: &'static [&'static str],
    /// Writes the text to paste.
    pub text: fn(&Setup) -> String,
}

impl Block {
    /// Describes a block for all versions.
    pub const fn new(versions: &'static str, file: &'static str, text: fn(&Setup) -> String) -> Self {
        Self {
            versions,
            from: "",
            before: "",
            file,
            project: "",
            mark: None,
            only: &[],
            last_word: "",
            last_entry: &[],
            pasting: &[],
            notes: &[],
            closes: &[],
            text,
        }
    }

    /// Limits the versions; an empty end is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Names the file of a project that it may go into instead.
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

    /// Adds what only who pastes must mind.
    #[must_use]
    pub const fn pasting(mut self, notes: &'static [&'static str]) -> Self {
        self.pasting = notes;
        self
    }

    /// Lists the sentences of rows that are not true of what it registers.
    #[must_use]
    pub const fn closes(mut self, open: &'static [&'static str]) -> Self {
        self.closes = open;
        self
    }

    /// Adds what the user should know.
    #[must_use]
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// Whether the block is for a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Whether the block is for a version that a host, or a lane of it, stands for.
    pub fn is_for(&self, host: &Host) -> bool {
        let ends_first = |before: &str, from: &str| !before.is_empty() && numbers(before) <= numbers(from);
        !ends_first(self.before, host.from) && !ends_first(host.before, self.from)
    }
}

/// Whether a version lies in a range; an empty end is open.
pub(super) fn within(version: &str, from: &str, before: &str) -> bool {
    let version = numbers(version);
    (from.is_empty() || version >= numbers(from)) && (before.is_empty() || version < numbers(before))
}

/// Whether a version comes before another one.
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

/// Holds what a registration must name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Setup {
    /// Absolute path of our program.
    pub binary: String,
    /// Absolute path of the policy file; absent: the default one, by its absolute path where known.
    pub policy: Option<String>,
    /// Absolute path of the audit log, for agents that clean the environment.
    pub audit: Option<String>,
    /// Absolute path of the trust store, for agents that clean the environment.
    pub trust: Option<String>,
}

impl Setup {
    /// Names the program.
    pub fn new(binary: impl Into<String>) -> Self {
        Self { binary: binary.into(), policy: None, audit: None, trust: None }
    }

    /// Names the policy.
    #[must_use]
    pub fn policy(mut self, path: impl Into<String>) -> Self {
        self.policy = Some(path.into());
        self
    }

    /// Names the audit log.
    #[must_use]
    pub fn audit(mut self, path: impl Into<String>) -> Self {
        self.audit = Some(path.into());
        self
    }

    /// Names the trust store.
    #[must_use]
    pub fn trust(mut self, path: impl Into<String>) -> Self {
        self.trust = Some(path.into());
        self
    }
}

//! How a hook is registered with an agent, as data.

/// Describes how we are registered with one agent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Registration {
    /// The agent's program, by which it is found on PATH.
    pub program: &'static str,
    /// Its configuration folder, beginning with `~/`, by which it is found without the program.
    pub folder: &'static str,
    /// The files that hold its hooks or permissions, most of them beginning with `~/`; the others
    /// lie in a project.
    pub files: &'static [ConfigFile],
    /// What to paste, one block per range of versions that differ.
    pub blocks: &'static [Block],
    /// What the user has to do besides; empty: nothing.
    pub trust: &'static str,
}

impl Registration {
    /// Names program and folder.
    pub const fn new(program: &'static str, folder: &'static str) -> Self {
        Self { program, folder, files: &[], blocks: &[], trust: "" }
    }

    /// Lists the files.
    #[must_use]
    pub const fn files(mut self, files: &'static [ConfigFile]) -> Self {
        self.files = files;
        self
    }

    /// Lists the blocks to paste.
    #[must_use]
    pub const fn blocks(mut self, blocks: &'static [Block]) -> Self {
        self.blocks = blocks;
        self
    }

    /// Says what the user has to do besides.
    #[must_use]
    pub const fn trust(mut self, sentence: &'static str) -> Self {
        self.trust = sentence;
        self
    }
}

/// Names one configuration file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFile {
    /// `~/…`, absolute, or relative to a project; a last step `*` stands for every file there.
    pub path: &'static str,
    /// What is in it.
    pub holds: Holds,
}

impl ConfigFile {
    /// Names a file that holds hooks and nothing else.
    pub const fn hooks(path: &'static str) -> Self {
        Self { path, holds: Holds::Hooks }
    }

    /// Names a file that holds hooks or permissions among other settings.
    pub const fn settings(path: &'static str) -> Self {
        Self { path, holds: Holds::Settings }
    }
}

/// Says what a configuration file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two kinds are protected differently")]
pub enum Holds {
    /// Hooks and nothing else.
    Hooks,
    /// Hooks or permissions among other settings.
    Settings,
}

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
    /// The file it goes into.
    pub file: &'static str,
    /// What must be true of that file, and what stays open; one sentence each.
    pub notes: &'static [&'static str],
    /// Writes the text to paste.
    pub text: fn(&Setup) -> String,
}

impl Block {
    /// Describes a block for all versions.
    pub const fn new(versions: &'static str, file: &'static str, text: fn(&Setup) -> String) -> Self {
        Self { versions, from: "", before: "", file, notes: &[], text }
    }

    /// Limits the versions; an empty end is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
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
}

/// Whether a version lies in a range; an empty end is open.
pub(super) fn within(version: &str, from: &str, before: &str) -> bool {
    let version = numbers(version);
    (from.is_empty() || version >= numbers(from)) && (before.is_empty() || version < numbers(before))
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

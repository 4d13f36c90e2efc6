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
    /// The arguments with which the program prints its version; empty: it is not asked.
    pub version: &'static [&'static str],
    /// The variables that move its files, the first that is set counts.
    pub moved: &'static [Moved],
    /// The member of its settings that holds rules in our own syntax, in lists named `deny`, `ask` and
    /// `allow`; empty: none.
    pub rules: &'static str,
    /// Where the agent notes that the user approved an entry; absent: it asks for no approval.
    pub approval: Option<Approval>,
    /// What reads a command that is one text.
    pub shell: Reader,
    /// The variables that a hook is given; empty: all of the agent's own.
    pub environment: &'static [&'static str],
}

impl Registration {
    /// Names program and folder.
    pub const fn new(program: &'static str, folder: &'static str) -> Self {
        Self {
            program,
            folder,
            files: &[],
            blocks: &[],
            trust: "",
            version: &[],
            moved: &[],
            rules: "",
            approval: None,
            shell: Reader::Sh,
            environment: &[],
        }
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

    /// Says how the program prints its version.
    #[must_use]
    pub const fn version(mut self, arguments: &'static [&'static str]) -> Self {
        self.version = arguments;
        self
    }

    /// Names the member of its settings that holds rules.
    #[must_use]
    pub const fn rules(mut self, member: &'static str) -> Self {
        self.rules = member;
        self
    }

    /// Says where approvals are noted.
    #[must_use]
    pub const fn approval(mut self, approval: Approval) -> Self {
        self.approval = Some(approval);
        self
    }

    /// Says that the user's own shell reads a command.
    #[must_use]
    pub const fn user_shell(mut self) -> Self {
        self.shell = Reader::UserShell;
        self
    }

    /// Lists the only variables that a hook is given.
    #[must_use]
    pub const fn environment(mut self, names: &'static [&'static str]) -> Self {
        self.environment = names;
        self
    }

    /// Lists the variables that move its files.
    #[must_use]
    pub const fn moved(mut self, moved: &'static [Moved]) -> Self {
        self.moved = moved;
        self
    }

    /// Says what the user has to do besides.
    #[must_use]
    pub const fn trust(mut self, sentence: &'static str) -> Self {
        self.trust = sentence;
        self
    }
}

/// Says where an agent notes that the user approved an entry. Until then it does not run it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Approval {
    /// The file.
    pub file: &'static str,
    /// The members that lead to the note on an entry: from the file that holds the entry, its event,
    /// and its number among the event's groups. The note changes whenever the entry was approved anew.
    pub at: fn(&str, &str, usize) -> Vec<String>,
}

impl Approval {
    /// Names the file and the members.
    pub const fn new(file: &'static str, at: fn(&str, &str, usize) -> Vec<String>) -> Self {
        Self { file, at }
    }
}

/// Says what reads a registered command that is one text; a list of words needs no reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a third kind would be started in another way")]
pub enum Reader {
    /// `sh -c`.
    Sh,
    /// `$SHELL -c`, `/bin/sh` where that is empty.
    UserShell,
}

/// Names a variable of the environment that moves files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// The variable; its value is an absolute path.
    pub variable: &'static str,
    /// What it stands for: a folder or a file, beginning with `~/`.
    pub instead_of: &'static str,
}

impl Moved {
    /// Names the variable and what it stands for.
    pub const fn new(variable: &'static str, instead_of: &'static str) -> Self {
        Self { variable, instead_of }
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

    /// Whether it lies in a project.
    pub fn is_of_project(&self) -> bool {
        !self.path.starts_with(['~', '/'])
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
    /// The file it goes into, or where to paste it, in words.
    pub file: &'static str,
    /// The file of a project it may go into instead; empty: none.
    pub project: &'static str,
    /// The member by which the file itself says which block it takes, and its value; absent: by the
    /// version of the program.
    pub mark: Option<(&'static str, u64)>,
    /// What to mind while pasting, and no longer once an install has done it; one sentence each.
    pub pasting: &'static [&'static str],
    /// What must be true of that file, and what stays open; one sentence each.
    pub notes: &'static [&'static str],
    /// Writes the text to paste.
    pub text: fn(&Setup) -> String,
}

impl Block {
    /// Describes a block for all versions.
    pub const fn new(versions: &'static str, file: &'static str, text: fn(&Setup) -> String) -> Self {
        Self { versions, from: "", before: "", file, project: "", mark: None, pasting: &[], notes: &[], text }
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

    /// Adds what only who pastes must mind.
    #[must_use]
    pub const fn pasting(mut self, notes: &'static [&'static str]) -> Self {
        self.pasting = notes;
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

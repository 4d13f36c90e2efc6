//! How a hook is registered with an agent, as data.

use super::Block;
use super::block::is_before;

/// Describes how we are registered with one agent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Registration {
    /// The name of the agent's program on PATH.
    pub program: &'static str,
    /// Its configuration folder, beginning with `~/`; an agent without a program on PATH is found by it.
    pub folder: &'static str,
    /// The files that hold its hooks or permissions.
    pub files: &'static [ConfigFile],
    /// The files in which plug-ins keep hooks, in the form of the agent's settings; a step `*` means every folder.
    pub plugins: &'static [&'static str],
    /// Files and folders with code or instructions that the agent uses without asking a hook: skills,
    /// commands, plug-ins, permission rules. A folder means everything in it.
    pub runs: &'static [&'static str],
    /// The hooks to register, one block per range of versions that differ.
    pub blocks: &'static [Block],
    /// A sentence about what the user still has to do after an install; empty: nothing.
    pub trust: &'static str,
    /// The arguments with which the program prints its version; empty: it is not asked.
    pub version: &'static [&'static str],
    /// The variables that move its files; the first that is set counts.
    pub moved: &'static [Moved],
    /// The member of its settings that holds rules in our own syntax, in lists named `deny`, `ask` and
    /// `allow`; empty: none.
    pub rules: &'static str,
    /// The place of the user's approvals; absent: the agent asks for none.
    pub approval: Option<Approval>,
    /// The shell that reads a command which is one text.
    pub shell: Reader,
    /// The variables that a hook is given; empty: all of the agent's own.
    pub environment: &'static [&'static str],
    /// The settings by which it calls no hook at all.
    pub off: &'static [OffSwitch],
    /// The settings by which calls of some sessions run without a hook.
    pub passes: &'static [Passes],
    /// Members that the agent itself adds to an entry, each with its value as JSON. An entry of ours with such
    /// members counts as unchanged.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The versions that changed what passes between the agent and a hook.
    pub changes: &'static [WireChange],
    /// The newest version that was examined; empty: none in particular.
    pub newest: &'static str,
}

impl Registration {
    /// Names program and folder.
    pub const fn new(program: &'static str, folder: &'static str) -> Self {
        Self {
            program,
            folder,
            files: &[],
            plugins: &[],
            runs: &[],
            blocks: &[],
            trust: "",
            version: &[],
            moved: &[],
            rules: "",
            approval: None,
            shell: Reader::Sh,
            environment: &[],
            off: &[],
            passes: &[],
            defaults: &[],
            changes: &[],
            newest: "",
        }
    }

    /// Lists the files.
    #[must_use]
    pub const fn files(mut self, files: &'static [ConfigFile]) -> Self {
        self.files = files;
        self
    }

    /// Lists the files in which plug-ins keep hooks.
    #[must_use]
    pub const fn plugins(mut self, paths: &'static [&'static str]) -> Self {
        self.plugins = paths;
        self
    }

    /// Lists the files and folders with code and instructions that the agent uses.
    #[must_use]
    pub const fn runs(mut self, paths: &'static [&'static str]) -> Self {
        self.runs = paths;
        self
    }

    /// Lists the blocks.
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

    /// Lists the settings by which calls run without a hook.
    #[must_use]
    pub const fn passes(mut self, settings: &'static [Passes]) -> Self {
        self.passes = settings;
        self
    }

    /// Lists the settings by which it calls no hook.
    #[must_use]
    pub const fn off(mut self, switches: &'static [OffSwitch]) -> Self {
        self.off = switches;
        self
    }

    /// Lists the members that the agent itself adds to an entry.
    #[must_use]
    pub const fn defaults(mut self, members: &'static [(&'static str, &'static str)]) -> Self {
        self.defaults = members;
        self
    }

    /// Lists the versions that changed the wire, and names the newest that was examined.
    #[must_use]
    pub const fn changed(mut self, changes: &'static [WireChange], newest: &'static str) -> Self {
        self.changes = changes;
        self.newest = newest;
        self
    }

    /// Returns true if a version is newer than any that was examined.
    pub fn is_newer(&self, version: &str) -> bool {
        !self.newest.is_empty() && is_before(self.newest, version)
    }

    /// Lists the variables that move its files.
    #[must_use]
    pub const fn moved(mut self, moved: &'static [Moved]) -> Self {
        self.moved = moved;
        self
    }

    /// Says what the user still has to do after an install.
    #[must_use]
    pub const fn trust(mut self, sentence: &'static str) -> Self {
        self.trust = sentence;
        self
    }
}

/// Says where an agent records that the user approved an entry. It does not run an entry without approval.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Approval {
    /// The file.
    pub file: &'static str,
    /// Returns the members that lead to the approval of an entry, from the file of the entry, its event, and its
    /// number among the event's groups. The value there changes with each new approval.
    pub at: fn(&str, &str, usize) -> Vec<String>,
}

impl Approval {
    /// Names the file and the members.
    pub const fn new(file: &'static str, at: fn(&str, &str, usize) -> Vec<String>) -> Self {
        Self { file, at }
    }
}

/// Names a setting by which an agent calls no hook at all.
///
/// Of the files that [hold settings](Holds::Settings), the last one with this setting counts.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OffSwitch {
    /// The members that lead to it.
    pub at: &'static [&'static str],
    /// The value with which no hook is called.
    pub value: bool,
    /// It has an effect only in the files of an organisation, and the hooks in those files are called all the same.
    pub managed: bool,
}

impl OffSwitch {
    /// Names a setting that turns hooks off where it is true.
    pub const fn when_true(at: &'static [&'static str]) -> Self {
        Self { at, value: true, managed: false }
    }

    /// Names a setting that turns hooks off where it is false.
    pub const fn when_false(at: &'static [&'static str]) -> Self {
        Self { at, value: false, managed: false }
    }

    /// Says that it has an effect only in the files of an organisation, except on the hooks there.
    #[must_use]
    pub const fn managed(mut self) -> Self {
        self.managed = true;
        self
    }
}

/// Names a setting by which calls of some sessions run without a hook, or past one of them.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Passes {
    /// The file, as in [`ConfigFile::path`].
    pub file: &'static str,
    /// The members that lead to it, where it is true; `*` means any.
    pub at: &'static [&'static str],
    /// The calls that it lets pass, as a sentence without its full stop.
    pub what: &'static str,
    /// The first version that calls hooks all the same; empty: none does.
    pub before: &'static str,
}

impl Passes {
    /// Names the file and the setting, and says which calls pass.
    pub const fn new(file: &'static str, at: &'static [&'static str], what: &'static str) -> Self {
        Self { file, at, what, before: "" }
    }

    /// Says from which version on hooks are called all the same.
    #[must_use]
    pub const fn before(mut self, version: &'static str) -> Self {
        self.before = version;
        self
    }

    /// Returns true if the setting counts in a version.
    pub fn counts_in(&self, version: &str) -> bool {
        self.before.is_empty() || is_before(version, self.before)
    }
}

/// Names a version of an agent that changed what a hook can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WireChange {
    /// The first version that has it.
    pub from: &'static str,
    /// The behaviour of earlier versions, as a sentence without its full stop.
    pub before: &'static str,
}

impl WireChange {
    /// Names the version, and describes earlier ones.
    pub const fn new(from: &'static str, before: &'static str) -> Self {
        Self { from, before }
    }

    /// Returns true if a version comes before the change.
    pub fn is_missing_in(&self, version: &str) -> bool {
        is_before(version, self.from)
    }
}

/// Names the shell that reads a command which is one text; a list of words needs none.
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
    /// The folder or file that it replaces, beginning with `~/`.
    pub instead_of: &'static str,
}

impl Moved {
    /// Names the variable, and the folder or file that it replaces.
    pub const fn new(variable: &'static str, instead_of: &'static str) -> Self {
        Self { variable, instead_of }
    }
}

/// Names one configuration file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFile {
    /// `~/…`, absolute, or relative to a project; a last step `*` means every file there.
    pub path: &'static str,
    /// Its content.
    pub holds: Holds,
}

impl ConfigFile {
    /// Names a file that holds hooks and nothing else.
    pub const fn hooks(path: &'static str) -> Self {
        Self { path, holds: Holds::Hooks }
    }

    /// Returns true if it belongs to an organisation, for all users of the machine.
    pub fn is_managed(&self) -> bool {
        self.path.starts_with('/')
    }

    /// Returns true if it is a file of a project.
    pub fn is_of_project(&self) -> bool {
        !self.path.starts_with(['~', '/'])
    }

    /// Names a file that holds hooks or permissions among other settings.
    pub const fn settings(path: &'static str) -> Self {
        Self { path, holds: Holds::Settings }
    }
}

/// Names the content of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two kinds are protected differently")]
pub enum Holds {
    /// Hooks and nothing else.
    Hooks,
    /// Hooks or permissions among other settings.
    Settings,
}

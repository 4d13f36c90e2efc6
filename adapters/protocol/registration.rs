//! How a hook is registered with an agent, as data.

use super::Block;
use super::block::is_before;

/// The registration of snaphook with one agent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Registration {
    /// The name of the agent's program on `PATH`.
    pub program: &'static str,
    /// The configuration folder, beginning with `~/`. An agent whose program is not on `PATH` is found by this folder.
    pub folder: &'static str,
    /// The files with hooks or permissions.
    pub files: &'static [ConfigFile],
    /// The files with hooks of plug-ins, in the form of the agent's settings; the segment `*` is any folder.
    pub plugins: &'static [&'static str],
    /// The environment variable with the folder of a plug-in, for its hooks; empty: none.
    pub plugin_folder: &'static str,
    /// Files of other agents whose hooks this agent runs too, each with the id of the other agent.
    pub also_runs: &'static [(&'static str, &'static str)],
    /// Files and folders with code or instructions that the agent uses without calling a hook: skills, commands,
    /// plug-ins, permission rules. A folder includes all its contents.
    pub runs: &'static [&'static str],
    /// The hooks to register, one block for each range of versions; or for each file, if all versions have the same.
    pub blocks: &'static [Block],
    /// The step that remains for the user after an installation, as a sentence; empty: none.
    pub trust: &'static str,
    /// The arguments with which the program prints its version.
    pub version: &'static [&'static str],
    /// The variables that relocate the files; the first one that is set is used.
    pub moved: &'static [Moved],
    /// The agent's own permission rules.
    pub rules: PermissionRules,
    /// The record of the user's approvals; absent: the agent requires none.
    pub approval: Option<Approval>,
    /// The shell that reads a command line in one text.
    pub shell: Reader,
    /// True if a POSIX shell reads the command line on Windows too, such as Git Bash.
    pub posix_on_windows: bool,
    /// How the agent reads the matcher of a hook.
    pub matchers: MatcherSyntax,
    /// The environment variables of a hook; empty: those of the agent.
    pub environment: &'static [&'static str],
    /// The settings that disable all hooks.
    pub off: &'static [OffSwitch],
    /// The settings with which calls of some sessions run without a hook.
    pub passes: &'static [Passes],
    /// Members that the agent adds to an entry, each with its value as JSON. An entry of snaphook with such members is
    /// unchanged.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The versions that changed the protocol between the agent and a hook.
    pub changes: &'static [WireChange],
    /// The newest version that was examined; empty: not known.
    pub newest: &'static str,
}

/// The permission rules of an agent, for `snaphook import`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the importer must handle every form")]
pub enum PermissionRules {
    /// None that can be imported.
    None,
    /// Rules in our own syntax, in lists named `deny`, `ask` and `allow` of this member of the settings.
    Lists(&'static str),
    /// Those of Gemini CLI: lists of tools in its settings, and rules with priorities in the TOML files of these folders.
    Gemini(&'static [&'static str]),
    /// Those of Copilot: addresses in the settings, and approvals for folders in another file.
    Copilot {
        /// The settings.
        settings: &'static str,
        /// The approvals.
        approvals: &'static str,
    },
    /// Those of Kiro: the tools and their settings in the files of agents, in these folders.
    Kiro(&'static [&'static str]),
    /// Those of Cursor's CLI: lists of tokens in these files.
    Cursor(&'static [&'static str]),
    /// Those of Codex: calls of `prefix_rule` in the files of these folders that end with `.rules`.
    Codex(&'static [&'static str]),
    /// Those of OpenCode: the `permission` of these files.
    OpenCode(&'static [&'static str]),
    /// Those of Qwen Code: the lists of `permissions`, and the excluded tools, in these files.
    Qwen(&'static [&'static str]),
    /// Those of Crush: the disabled tools in these files.
    Crush(&'static [&'static str]),
    /// Those of Factory Droid: the blocked commands in these files.
    Droid(&'static [&'static str]),
    /// Those of Kimi Code: the rules of `permission`, and the disabled tools, in these files.
    Kimi(&'static [&'static str]),
    /// Those of Mistral Vibe: the lists of its tools, and the disabled tools, in these files.
    Vibe(&'static [&'static str]),
}

impl Registration {
    /// Creates a registration from the program and the folder.
    pub const fn new(program: &'static str, folder: &'static str) -> Self {
        Self {
            program,
            folder,
            files: &[],
            plugins: &[],
            also_runs: &[],
            plugin_folder: "",
            runs: &[],
            blocks: &[],
            trust: "",
            version: &["--version"],
            moved: &[],
            rules: PermissionRules::None,
            approval: None,
            shell: Reader::Sh,
            posix_on_windows: false,
            matchers: MatcherSyntax::Unknown,
            environment: &[],
            off: &[],
            passes: &[],
            defaults: &[],
            changes: &[],
            newest: "",
        }
    }

    /// Sets the files.
    #[must_use]
    pub const fn files(mut self, files: &'static [ConfigFile]) -> Self {
        self.files = files;
        self
    }

    /// Sets the files with hooks of plug-ins.
    #[must_use]
    pub const fn plugins(mut self, paths: &'static [&'static str]) -> Self {
        self.plugins = paths;
        self
    }

    /// Sets the environment variable with the folder of a plug-in.
    #[must_use]
    pub const fn plugin_folder(mut self, variable: &'static str) -> Self {
        self.plugin_folder = variable;
        self
    }

    /// Sets the files of other agents whose hooks this agent runs too.
    #[must_use]
    pub const fn also_runs(mut self, files: &'static [(&'static str, &'static str)]) -> Self {
        self.also_runs = files;
        self
    }

    /// Sets the files and folders with code and instructions that the agent uses.
    #[must_use]
    pub const fn runs(mut self, paths: &'static [&'static str]) -> Self {
        self.runs = paths;
        self
    }

    /// Sets the blocks.
    #[must_use]
    pub const fn blocks(mut self, blocks: &'static [Block]) -> Self {
        self.blocks = blocks;
        self
    }

    /// States that a POSIX shell reads a command line on Windows too.
    #[must_use]
    pub const fn posix_on_windows(mut self) -> Self {
        self.posix_on_windows = true;
        self
    }

    /// Sets the arguments with which the program prints its version, if they are not `--version`.
    #[must_use]
    pub const fn version(mut self, arguments: &'static [&'static str]) -> Self {
        self.version = arguments;
        self
    }

    /// Sets the form of the agent's own permission rules.
    #[must_use]
    pub const fn rules(mut self, rules: PermissionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the record of approvals.
    #[must_use]
    pub const fn approval(mut self, approval: Approval) -> Self {
        self.approval = Some(approval);
        self
    }

    /// States that the user's shell reads a command line.
    #[must_use]
    pub const fn user_shell(mut self) -> Self {
        self.shell = Reader::UserShell;
        self
    }

    /// States that the agent itself reads a command line.
    #[must_use]
    pub const fn embedded_shell(mut self) -> Self {
        self.shell = Reader::Embedded;
        self
    }

    /// Sets how the agent reads the matcher of a hook.
    #[must_use]
    pub const fn matchers(mut self, syntax: MatcherSyntax) -> Self {
        self.matchers = syntax;
        self
    }

    /// Sets the environment variables of a hook.
    #[must_use]
    pub const fn environment(mut self, names: &'static [&'static str]) -> Self {
        self.environment = names;
        self
    }

    /// Sets the settings with which calls run without a hook.
    #[must_use]
    pub const fn passes(mut self, settings: &'static [Passes]) -> Self {
        self.passes = settings;
        self
    }

    /// Sets the settings that disable all hooks.
    #[must_use]
    pub const fn off(mut self, switches: &'static [OffSwitch]) -> Self {
        self.off = switches;
        self
    }

    /// Sets the members that the agent adds to an entry.
    #[must_use]
    pub const fn defaults(mut self, members: &'static [(&'static str, &'static str)]) -> Self {
        self.defaults = members;
        self
    }

    /// Sets the versions that changed the protocol.
    #[must_use]
    pub const fn changed(mut self, changes: &'static [WireChange]) -> Self {
        self.changes = changes;
        self
    }

    /// Sets the newest version that was examined.
    #[must_use]
    pub const fn newest(mut self, version: &'static str) -> Self {
        self.newest = version;
        self
    }

    /// Returns true if a version is newer than any that was examined.
    pub fn is_newer(&self, version: &str) -> bool {
        !self.newest.is_empty() && is_before(self.newest, version)
    }

    /// Returns true if every block is for every version: each is for a separate file, and all of them are written.
    pub fn takes_every_block(&self) -> bool {
        self.blocks.iter().all(Block::is_for_every_version)
    }

    /// Sets the variables that relocate the files.
    #[must_use]
    pub const fn moved(mut self, moved: &'static [Moved]) -> Self {
        self.moved = moved;
        self
    }

    /// Sets the step that remains for the user after an installation.
    #[must_use]
    pub const fn trust(mut self, sentence: &'static str) -> Self {
        self.trust = sentence;
        self
    }
}

/// The record of entries that the user approved. The agent does not run an entry without approval.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Approval {
    /// The file.
    pub file: &'static str,
    /// The approval of an entry in the file.
    pub record: ApprovalRecord,
    /// The members that lead to a setting, next to the entries, with which the agent requires no approval if it is true;
    /// empty: none.
    pub unless: &'static [&'static str],
}

/// The approval of one entry in the record.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "a third kind would be read in another way")]
pub enum ApprovalRecord {
    /// A text at the members that the function returns from the file of the entry, its event, and its number among the
    /// event's groups. The text changes with each new approval.
    Member(fn(&str, &str, usize) -> Vec<String>),
    /// An object in the list of a member, with the event and the command line of the entry.
    Listed {
        /// The member with the list.
        list: &'static str,
        /// The member of the object with the event.
        event: &'static str,
        /// The member of the object with the command line.
        command: &'static str,
    },
}

impl Approval {
    /// Describes a record with a text for each entry.
    pub const fn new(file: &'static str, at: fn(&str, &str, usize) -> Vec<String>) -> Self {
        Self { file, record: ApprovalRecord::Member(at), unless: &[] }
    }

    /// Describes a record with a list of objects, by the member with the list, and the members with event and command
    /// line.
    pub const fn listed(file: &'static str, list: &'static str, event: &'static str, command: &'static str) -> Self {
        Self { file, record: ApprovalRecord::Listed { list, event, command }, unless: &[] }
    }

    /// Sets the setting with which the agent requires no approval.
    #[must_use]
    pub const fn unless(mut self, setting: &'static [&'static str]) -> Self {
        self.unless = setting;
        self
    }
}

/// A setting that disables all hooks.
///
/// Of the files that [hold settings](Holds::Settings), the last one with this setting is used.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OffSwitch {
    /// The members that lead to it.
    pub at: &'static [&'static str],
    /// The value that disables the hooks.
    pub value: bool,
    /// True if the setting has an effect only in the files of an organisation, whose hooks are called regardless.
    pub managed: bool,
}

impl OffSwitch {
    /// Describes a setting that disables hooks if it is true.
    pub const fn when_true(at: &'static [&'static str]) -> Self {
        Self { at, value: true, managed: false }
    }

    /// Describes a setting that disables hooks if it is false.
    pub const fn when_false(at: &'static [&'static str]) -> Self {
        Self { at, value: false, managed: false }
    }

    /// States that the setting has an effect only in the files of an organisation, and not on the hooks there.
    #[must_use]
    pub const fn managed(mut self) -> Self {
        self.managed = true;
        self
    }
}

/// A setting with which calls of some sessions run without some or all hooks.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Passes {
    /// The file, as in [`ConfigFile::path`].
    pub file: &'static str,
    /// The members that lead to the setting, which has an effect if it is true; `*` is any member.
    pub at: &'static [&'static str],
    /// The calls that run without a hook, as a sentence without its full stop.
    pub what: &'static str,
    /// The first version that calls hooks regardless of the setting; empty: none.
    pub before: &'static str,
}

impl Passes {
    /// Creates a description from the file, the setting and the calls.
    pub const fn new(file: &'static str, at: &'static [&'static str], what: &'static str) -> Self {
        Self { file, at, what, before: "" }
    }

    /// Sets the first version that calls hooks regardless of the setting.
    #[must_use]
    pub const fn before(mut self, version: &'static str) -> Self {
        self.before = version;
        self
    }

    /// Returns true if the setting has an effect in a version.
    pub fn counts_in(&self, version: &str) -> bool {
        self.before.is_empty() || is_before(version, self.before)
    }
}

/// A version of an agent that changed the powers of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WireChange {
    /// The first version with the change.
    pub from: &'static str,
    /// The behaviour of earlier versions, as a sentence without its full stop.
    pub before: &'static str,
}

impl WireChange {
    /// Creates a description from the version and the behaviour of earlier ones.
    pub const fn new(from: &'static str, before: &'static str) -> Self {
        Self { from, before }
    }

    /// Returns true if a version comes before the change.
    pub fn is_missing_in(&self, version: &str) -> bool {
        is_before(version, self.from)
    }
}

/// How an agent reads the matcher of a registered hook. An empty matcher and `*` match everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatcherSyntax {
    /// Not known.
    Unknown,
    /// Letters, digits, `_`, `-` and blanks are a name, `|` and `,` separate names. Any other text is a regular expression
    /// that matches a part of the name.
    Names,
    /// A regular expression that matches a part of the name.
    Search,
    /// A regular expression that matches the whole name.
    Whole,
}

/// The shell that reads a command line in one text. A list of words needs no shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a third kind would be started in another way")]
pub enum Reader {
    /// `sh -c`.
    Sh,
    /// `$SHELL -c`, `/bin/sh` where that is empty.
    UserShell,
    /// The agent itself: a shell inside of it, in which a missing program ends the whole line, or no more than a split into
    /// words. `/bin/sh -c` is part of the line.
    Embedded,
}

/// An environment variable that relocates files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// The variable; its value is an absolute path.
    pub variable: &'static str,
    /// The folder or file that the value replaces, beginning with `~/`.
    pub instead_of: &'static str,
}

impl Moved {
    /// Creates a description from the variable and the folder or file that its value replaces.
    pub const fn new(variable: &'static str, instead_of: &'static str) -> Self {
        Self { variable, instead_of }
    }
}

/// One configuration file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFile {
    /// `~/…`, absolute, or relative to a project; the last segment `*` is any file.
    pub path: &'static str,
    /// The content of the file.
    pub holds: Holds,
}

impl ConfigFile {
    /// Describes a file with hooks and nothing else.
    pub const fn hooks(path: &'static str) -> Self {
        Self { path, holds: Holds::Hooks }
    }

    /// Returns true if the file belongs to an organisation and applies to all users of the machine.
    pub fn is_managed(&self) -> bool {
        self.path.starts_with('/')
    }

    /// Returns true if the file belongs to a project.
    pub fn is_of_project(&self) -> bool {
        !self.path.starts_with(['~', '/'])
    }

    /// Describes a file with hooks or permissions among other settings.
    pub const fn settings(path: &'static str) -> Self {
        Self { path, holds: Holds::Settings }
    }
}

/// The content of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two kinds are protected differently")]
pub enum Holds {
    /// Hooks and nothing else.
    Hooks,
    /// Hooks or permissions among other settings.
    Settings,
}

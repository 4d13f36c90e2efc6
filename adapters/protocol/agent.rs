//! One agent, as data.

use std::sync::Arc;

use super::block::within;
use super::{EventRow, HostShell, Line, Native, Registration, Role, Setup, ToolRow, Wrapping};
use crate::model::{HookEvent, Reply, ShellKind};
use crate::raw::Keys;

/// Describes an agent: who it is, its events and tools, and how we are registered with it.
///
/// Built with [`Agent::new`] and one setter per fact, all `const`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Agent {
    /// Kebab-case, as on the command line: `claude-code`.
    pub id: &'static str,
    /// As its makers write it: `Claude Code`.
    pub name: &'static str,
    /// How it talks to a hook.
    pub transport: Transport,
    /// JSON pointer to the event's name in a message.
    pub event_at: &'static str,
    /// Where the folder of a session is found.
    pub session_folder: SessionFolder,
    /// The versions whose effects were measured or read.
    pub hosts: &'static [Host],
    /// Its events.
    pub events: &'static [EventRow],
    /// An event that the table does not know, with a tool call in it: judged, and refused by exit.
    pub stray_call: &'static EventRow,
    /// An event that the table does not know, without one: observed.
    pub stray: &'static EventRow,
    /// Its tools.
    pub tools: &'static [ToolRow],
    /// How it matches the keys of tool arguments.
    pub keys: Keys,
    /// Whether a `null` argument leaves the value that an earlier member of the same name gave the tool, as
    /// Go's decoder does with structures, while hooks are shown the `null`.
    pub keeps_nulls: bool,
    /// How it matches the keys of our answers.
    pub answer_keys: Keys,
    /// What its shell tool hands the command to.
    pub shell: ShellKind,
    /// How a command is put into a sandbox.
    pub wrapping: Wrapping,
    /// How it writes the names of MCP tools.
    pub mcp: McpNames,
    /// Messages of other agents that could be taken for its own.
    pub strangers: &'static [Stranger],
    /// The length in bytes that one answer must stay under; absent: none known.
    pub max_reply: Option<usize>,
    /// How much of a reason it reads, in bytes; absent: all of it.
    pub max_reason: Option<usize>,
    /// The blocking answer where not even the event is known.
    pub emergency: fn(&Native, &str) -> Reply,
    /// How we are registered.
    pub registration: Registration,
}

impl Agent {
    /// Describes an agent that has no events yet; the emergency answer is exit 2 with a reason.
    pub const fn new(
        id: &'static str,
        name: &'static str,
        stray_call: &'static EventRow,
        stray: &'static EventRow,
    ) -> Self {
        Self {
            id,
            name,
            transport: Transport::OneShot,
            event_at: "/hook_event_name",
            session_folder: SessionFolder::Process,
            hosts: &[],
            events: &[],
            stray_call,
            stray,
            tools: &[],
            keys: Keys::Exact,
            keeps_nulls: false,
            answer_keys: Keys::Exact,
            shell: ShellKind::Posix,
            wrapping: Wrapping::new(HostShell::Unknown),
            mcp: McpNames::None,
            strangers: &[],
            max_reply: None,
            max_reason: None,
            emergency: |_, reason| Reply::blocked(reason),
            registration: Registration::new("", ""),
        }
    }

    /// Says that the agent keeps one process and writes JSON-RPC lines to it.
    #[must_use]
    pub const fn lines(mut self) -> Self {
        self.transport = Transport::Lines;
        self
    }

    /// Says where the event's name stands.
    #[must_use]
    pub const fn event_at(mut self, pointer: &'static str) -> Self {
        self.event_at = pointer;
        self
    }

    /// Says where the folder of a session is found.
    #[must_use]
    pub const fn session_folder(mut self, folder: SessionFolder) -> Self {
        self.session_folder = folder;
        self
    }

    /// Lists the measured versions.
    #[must_use]
    pub const fn hosts(mut self, hosts: &'static [Host]) -> Self {
        self.hosts = hosts;
        self
    }

    /// Lists the events.
    #[must_use]
    pub const fn events(mut self, events: &'static [EventRow]) -> Self {
        self.events = events;
        self
    }

    /// Says that a `null` argument leaves what an earlier member gave the tool; such a watched argument is a
    /// fault.
    #[must_use]
    pub const fn keeps_nulls(mut self) -> Self {
        self.keeps_nulls = true;
        self
    }

    /// Lists the tools.
    #[must_use]
    pub const fn tools(mut self, tools: &'static [ToolRow]) -> Self {
        self.tools = tools;
        self
    }

    /// Says how keys of tool arguments are matched.
    #[must_use]
    pub const fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// Says how keys of our answers are matched.
    #[must_use]
    pub const fn answer_keys(mut self, keys: Keys) -> Self {
        self.answer_keys = keys;
        self
    }

    /// Says which shell runs a command.
    #[must_use]
    pub const fn shell(mut self, shell: ShellKind) -> Self {
        self.shell = shell;
        self
    }

    /// Says how a command is put into a sandbox.
    #[must_use]
    pub const fn wrapping(mut self, wrapping: Wrapping) -> Self {
        self.wrapping = wrapping;
        self
    }

    /// Says how MCP tools are named.
    #[must_use]
    pub const fn mcp(mut self, mcp: McpNames) -> Self {
        self.mcp = mcp;
        self
    }

    /// Lists strangers.
    #[must_use]
    pub const fn strangers(mut self, strangers: &'static [Stranger]) -> Self {
        self.strangers = strangers;
        self
    }

    /// Limits the length of an answer.
    #[must_use]
    pub const fn max_reply(mut self, bytes: usize) -> Self {
        self.max_reply = Some(bytes);
        self
    }

    /// Limits the length of a reason; a longer one is cut by us, so that what stands at its end is read.
    #[must_use]
    pub const fn max_reason(mut self, bytes: usize) -> Self {
        self.max_reason = Some(bytes);
        self
    }

    /// Sets the answer for messages whose event is not known.
    #[must_use]
    pub const fn emergency(mut self, emergency: fn(&Native, &str) -> Reply) -> Self {
        self.emergency = emergency;
        self
    }

    /// Sets how we are registered.
    #[must_use]
    pub const fn registration(mut self, registration: Registration) -> Self {
        self.registration = registration;
        self
    }

    /// Finds the row of an event; `None` where the table does not know the name.
    pub fn row(&self, native: &str, dialect: &str, role: Role, case: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|row| {
            row.native == native
                && row.case == case
                && (row.dialects.is_empty() || row.dialects.contains(&dialect))
                && (row.roles.is_empty() || row.roles.contains(&role))
        })
    }

    /// Whether we are called on an event where what there is to paste was pasted.
    pub fn is_registered_for(&self, row: &EventRow) -> bool {
        let word = if row.brought_by.is_empty() { row.native } else { row.brought_by };
        let setup = Setup::new("snaphook");
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut texts = self.registration.blocks.iter().map(|block| (block.text)(&setup));
        texts.any(|text| text.split(|c| !is_word(c)).any(|found| found == word))
    }

    /// The folder in which the session of an event was started; `None` where neither the message nor the process
    /// tells it.
    pub fn project_of(&self, event: &HookEvent, line: &Line) -> Option<String> {
        let in_message = event.cwd.clone().filter(|_| self.session_folder == SessionFolder::Message);
        in_message.or_else(|| line.folder.clone())
    }

    /// The event of a message that could not be understood, as far as it can still be told: from
    /// the message, else from the registered line. `None` where neither says it.
    ///
    /// Where several rows share the name, the strictest stands: a gate before anything else. So it
    /// does where the message names several events and the line none.
    pub fn bare_event(&'static self, native: &Native) -> Option<HookEvent> {
        let Line { event, role, .. } = &native.line;
        let row = |name: &str| {
            let rows = || self.events.iter().filter(|row| row.native == name);
            let in_role = |row: &&EventRow| row.roles.is_empty() || row.roles.contains(role);
            rows().find(|row| in_role(row) && row.gates()).or_else(|| rows().find(in_role)).or_else(|| rows().next())
        };
        let said = self.names_in(native);
        let registered = || event.as_deref().and_then(row);
        let row = match said.as_slice() {
            [] => registered(),
            [name] => row(name).or_else(registered),
            several => registered().or_else(|| {
                let rows = || several.iter().map(|name| row(name));
                let known = || rows().collect::<Option<Vec<_>>>()?.into_iter().next();
                rows().flatten().find(|row| row.gates()).or_else(known)
            }),
        };
        Some(HookEvent::new(self, row?, native.body.clone()))
    }

    /// What a message says its event is; several where the key is ambiguous (J6).
    fn names_in(&self, native: &Native) -> Vec<String> {
        let (parent, key) = self.event_at.rsplit_once('/').unwrap_or_default();
        let object = match parent {
            "" => native.object().ok(),
            parent => native.body.at(parent).and_then(|parent| parent.object().ok()).map(Arc::new),
        };
        let Some(object) = object else { return Vec::new() };
        let values = match object.get(key) {
            Ok(value) => value.into_iter().collect(),
            Err(_) => object.spelled(key).collect::<Vec<_>>(),
        };
        values.iter().filter_map(|value| Some(value.text()?.value)).collect()
    }
}

/// Says how an agent talks to a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// One process per event: JSON on stdin, answer on stdout and by exit code.
    OneShot,
    /// One long-lived process: JSON-RPC 2.0, one message a line.
    Lines,
}

/// Names the source of the folder in which a session was started. A call may name another folder to run in, which
/// never decides what the project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFolder {
    /// The working directory of the hook process.
    Process,
    /// The working directory that a message names, which no call can choose; else that of the process.
    Message,
    /// A variable in the environment of the hook process; else its working directory.
    Variable(&'static str),
    /// A setting of the agent, as far as it can be read; else the working directory of the hook process, which some
    /// tools may use even then.
    Setting(FolderSetting),
}

/// Says which setting of an agent names the folder that it works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderSetting {
    /// The variable that overrules the file.
    pub variable: &'static str,
    /// The JSON file, as `~/…`; the variables of [`Registration::moved`] move it.
    pub file: &'static str,
    /// JSON pointer to the folder. A leading `~` is the home folder, and a relative one is below the working directory.
    pub pointer: &'static str,
    /// The folder that an absent setting means, as `~/…`; the same variables move it.
    pub default: &'static str,
}

impl FolderSetting {
    /// Describes a setting.
    pub const fn new(variable: &'static str, file: &'static str, pointer: &'static str, default: &'static str) -> Self {
        Self { variable, file, pointer, default }
    }
}

/// Names one version, or lane of a version, whose behaviour was measured or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// Short name, as in effect cells. A lane of a host is named `host-lane`.
    pub id: &'static str,
    /// Which versions it stands for.
    pub versions: &'static str,
    /// The first version that it stands for; empty: no lower end.
    pub from: &'static str,
    /// The first version that it no longer stands for; empty: no upper end.
    pub before: &'static str,
    /// The gates that one tool call meets as our lines are registered: event and role of each, in the
    /// agent's order; empty for a lane or a case of another host.
    pub gates: &'static [(&'static str, Role)],
}

impl Host {
    /// Names a host.
    pub const fn new(id: &'static str, versions: &'static str) -> Self {
        Self { id, versions, from: "", before: "", gates: &[] }
    }

    /// Limits the versions; an empty end is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Lists the gates that a tool call meets.
    #[must_use]
    pub const fn gates(mut self, gates: &'static [(&'static str, Role)]) -> Self {
        self.gates = gates;
        self
    }

    /// Whether it stands for a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Whether an id, as a row has it, stands for this host or a lane of it.
    pub fn is(&self, id: &str) -> bool {
        id.strip_prefix(self.id).is_some_and(|lane| lane.is_empty() || lane.starts_with('-'))
    }

    /// The row of one of its gates, and the id under which the row knows this host.
    pub fn gate(&self, agent: &'static Agent, native: &str, role: Role) -> Option<(&'static EventRow, &'static str)> {
        let mut rows = agent.events.iter().filter(|row| row.native == native);
        rows.find_map(|row| {
            let here = row.hosts.iter().copied().find(|id| self.is(id))?;
            (row.roles.is_empty() || row.roles.contains(&role)).then_some((row, here))
        })
    }
}

/// Says how an agent writes the names of MCP tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpNames {
    /// It has none.
    None,
    /// `PREFIX server BETWEEN tool`, split at the first `BETWEEN`.
    Split {
        /// What such a name begins with.
        prefix: &'static str,
        /// What stands between server and tool.
        between: &'static str,
    },
    /// `PREFIX server_tool`, which cannot be undone.
    Joined {
        /// What such a name begins with.
        prefix: &'static str,
    },
    /// A name that looks like any other: every unknown tool may be one.
    Bare,
}

/// Marks a message that belongs to another agent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Stranger {
    /// Whose it is.
    pub agent: &'static str,
    /// A top-level key that only that agent sends.
    pub key: &'static str,
    /// The only events on which the key shows it; empty: all.
    pub events: &'static [&'static str],
}

impl Stranger {
    /// Marks a key of another agent, on every event.
    pub const fn new(agent: &'static str, key: &'static str) -> Self {
        Self { agent, key, events: &[] }
    }

    /// Limits the mark to some events.
    #[must_use]
    pub const fn on(mut self, events: &'static [&'static str]) -> Self {
        self.events = events;
        self
    }
}

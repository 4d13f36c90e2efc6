//! One agent, as data.

use super::name_set::{ListedName, NameSet};
use super::{
    Dialect, EventRow, Fields, ForeignField, Host, HostShell, Native, Power, RegisteredLine, Registration, Role,
    SessionFolder, SharedHooks, ToolRow, Wrapping,
};
use crate::fit::Fitted;
use crate::model::{EventKind, HookEvent, Reply, ShellKind};
use crate::raw::Keys;

const NO_REGISTRATION: Registration = Registration::new("", "");

/// The description of an agent: its identity, its events and tools, and its registration.
///
/// Built with [`Agent::new`] and one setter per property, all `const`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Agent {
    /// The id in kebab-case, as on the command line: `claude-code`.
    pub id: &'static str,
    /// The name as its makers write it: `Claude Code`.
    pub name: &'static str,
    /// Other names for it on the command line, such as the name of its program.
    pub aliases: &'static [&'static str],
    /// The transport between the agent and a hook.
    pub transport: Transport,
    /// JSON pointer to the name of the event in a message.
    pub event_at: &'static str,
    /// The wire formats that differ in the names of the fields; empty: all messages have the same.
    pub dialects: &'static [Dialect],
    /// The source of the session folder.
    pub session_folder: SessionFolder,
    /// The versions whose effects were measured or read in the source.
    pub hosts: &'static [Host],
    /// The events.
    pub events: &'static [EventRow],
    /// The row of an unlisted event with a tool call: the call is judged, and refused by exit code 2.
    pub unknown_call: &'static EventRow,
    /// The row of any other unlisted event: the event is only observed.
    pub unknown: &'static EventRow,
    /// The names of the fields that most messages have.
    pub fields: Fields,
    /// The tools.
    pub tools: &'static [ToolRow],
    /// How the agent matches the keys of tool arguments.
    pub keys: Keys,
    /// True if a `null` argument keeps the value of an earlier member of the same name. Go's decoder treats structures
    /// this way, while hooks receive the `null`.
    pub null_keeps_earlier_value: bool,
    /// How the agent matches the keys of a reply.
    pub reply_keys: Keys,
    /// The shell that runs a command of the shell tool.
    pub shell: ShellKind,
    /// How a command is wrapped in a sandbox.
    pub wrapping: Wrapping,
    /// How the agent writes the names of MCP tools.
    pub mcp: McpNames,
    /// Fields by which messages of other agents are recognised.
    pub foreign_fields: &'static [ForeignField],
    /// The hook files of other agents that the agent uses too; absent: none.
    pub shared_hooks: Option<SharedHooks>,
    /// The exclusive upper limit for the length of one reply, in bytes; absent: not known.
    pub max_reply: Option<usize>,
    /// The length of a reason that the agent reads, in bytes; absent: unlimited.
    pub max_reason: Option<usize>,
    /// Writes the blocking reply to a message whose event is not known; see [`HookProtocol::emergency`](super::HookProtocol::emergency).
    pub emergency: fn(&Native, &str) -> Reply,
    /// How snaphook is registered with the agent.
    pub registration: Registration,
    pub(super) path_names: NameSet,
    pub(super) slot_names: NameSet,
}

impl Agent {
    /// Describes an agent without events. The default emergency reply is exit code 2 with a reason.
    pub const fn new(id: &'static str, name: &'static str) -> Self {
        Self {
            id,
            name,
            aliases: &[],
            transport: Transport::OneShot,
            event_at: "/hook_event_name",
            dialects: &[],
            session_folder: SessionFolder::Process,
            hosts: &[],
            events: &[],
            unknown_call: &UNKNOWN_CALL,
            unknown: &UNKNOWN,
            fields: Fields::CLAUDE,
            tools: &[],
            keys: Keys::Exact,
            null_keeps_earlier_value: false,
            reply_keys: Keys::Exact,
            shell: ShellKind::Posix,
            wrapping: Wrapping::new(HostShell::Unknown),
            mcp: McpNames::None,
            foreign_fields: &[],
            shared_hooks: None,
            max_reply: None,
            max_reason: None,
            emergency: |_, reason| Reply::blocked(reason),
            registration: NO_REGISTRATION,
            path_names: NameSet::of_paths(&NO_REGISTRATION),
            slot_names: NameSet::of_slots(&[]),
        }
    }

    /// Sets the transport of an agent that starts one process and writes JSON-RPC lines to it.
    #[must_use]
    pub const fn lines(mut self) -> Self {
        self.transport = Transport::Lines;
        self
    }

    /// Sets the JSON pointer to the name of the event.
    #[must_use]
    pub const fn event_at(mut self, pointer: &'static str) -> Self {
        self.event_at = pointer;
        self
    }

    /// Sets the wire formats, in the order in which a message is compared with them. They replace the pointer to the
    /// event and the names of the fields.
    #[must_use]
    pub const fn dialects(mut self, dialects: &'static [Dialect]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Sets the source of the session folder.
    #[must_use]
    pub const fn session_folder(mut self, folder: SessionFolder) -> Self {
        self.session_folder = folder;
        self
    }

    /// Sets other names for it on the command line.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets the measured versions.
    #[must_use]
    pub const fn hosts(mut self, hosts: &'static [Host]) -> Self {
        self.hosts = hosts;
        self
    }

    /// Sets the events.
    #[must_use]
    pub const fn events(mut self, events: &'static [EventRow]) -> Self {
        self.events = events;
        self
    }

    /// Replaces the rows of unlisted events: the first for events with a tool call, the second for all others.
    #[must_use]
    pub const fn unknown(mut self, call: &'static EventRow, other: &'static EventRow) -> Self {
        self.unknown_call = call;
        self.unknown = other;
        self
    }

    /// Sets the names of the fields that most messages have.
    #[must_use]
    pub const fn fields(mut self, fields: Fields) -> Self {
        self.fields = fields;
        self
    }

    /// States that the agent decodes JSON as Go does: keys match regardless of case, and a `null` argument keeps the
    /// value of an earlier member. If an argument that a rule judges is `null`, the message is invalid.
    #[must_use]
    pub const fn decodes_like_go(mut self) -> Self {
        self.keys = Keys::Folded;
        self.null_keeps_earlier_value = true;
        self.reply_keys = Keys::Folded;
        self
    }

    /// Sets the tools.
    #[must_use]
    pub const fn tools(mut self, tools: &'static [ToolRow]) -> Self {
        self.tools = tools;
        self.slot_names = NameSet::of_slots(tools);
        self
    }

    /// Sets how the keys of a reply are matched.
    #[must_use]
    pub const fn reply_keys(mut self, keys: Keys) -> Self {
        self.reply_keys = keys;
        self
    }

    /// Sets the shell that runs a command.
    #[must_use]
    pub const fn shell(mut self, shell: ShellKind) -> Self {
        self.shell = shell;
        self
    }

    /// Sets how a command is wrapped in a sandbox.
    #[must_use]
    pub const fn wrapping(mut self, wrapping: Wrapping) -> Self {
        self.wrapping = wrapping;
        self
    }

    /// Sets how MCP tools are named.
    #[must_use]
    pub const fn mcp(mut self, mcp: McpNames) -> Self {
        self.mcp = mcp;
        self
    }

    /// Sets the fields by which messages of other agents are recognised.
    #[must_use]
    pub const fn foreign_fields(mut self, foreign_fields: &'static [ForeignField]) -> Self {
        self.foreign_fields = foreign_fields;
        self
    }

    /// Sets the hook files of other agents that the agent uses too.
    #[must_use]
    pub const fn shared_hooks(mut self, shared: SharedHooks) -> Self {
        self.shared_hooks = Some(shared);
        self
    }

    /// Sets the maximum length of a reply.
    #[must_use]
    pub const fn max_reply(mut self, bytes: usize) -> Self {
        self.max_reply = Some(bytes);
        self
    }

    /// Sets the maximum length of a reason. A longer reason is shortened before it is sent, so that its end is kept.
    #[must_use]
    pub const fn max_reason(mut self, bytes: usize) -> Self {
        self.max_reason = Some(bytes);
        self
    }

    /// Sets the reply to a message whose event is not known.
    #[must_use]
    pub const fn emergency(mut self, emergency: fn(&Native, &str) -> Reply) -> Self {
        self.emergency = emergency;
        self
    }

    /// Sets how snaphook is registered.
    #[must_use]
    pub const fn registration(mut self, registration: Registration) -> Self {
        self.path_names = NameSet::of_paths(&registration);
        self.registration = registration;
        self
    }

    /// Returns true if this is the name of a file or folder in a path that the registration lists.
    pub fn lists_path_name(&self, name: ListedName<'_>) -> bool {
        let registration = &self.registration;
        let paths = || registration.files.iter().map(|file| file.path).chain(registration.runs.iter().copied());
        self.path_names.may_have(name)
            && !matches!(name.as_str(), "" | "~" | "*")
            && paths().any(|path| path.split('/').any(|step| step == name.as_str()))
    }

    /// Returns the row of an event, or `None` if the table does not list the event.
    pub fn row(
        &self,
        native: &str,
        dialect: Option<&str>,
        role: Role,
        case: Option<&str>,
    ) -> Option<&'static EventRow> {
        self.events.iter().find(|row| {
            row.native == native
                && row.selector.case == case
                && (row.selector.dialects.is_empty()
                    || dialect.is_some_and(|dialect| row.selector.dialects.contains(&dialect)))
                && row.is_in_role(role)
        })
    }

    /// Returns the key of the event's name in a message.
    pub(super) fn event_key(&self) -> &'static str {
        self.event_at.trim_start_matches('/')
    }

    /// Returns the names of the fields of a message.
    pub fn fields_of(&self, dialect: Option<&str>) -> &Fields {
        let found = self.dialects.iter().find(|one| dialect == Some(one.name));
        found.map_or(&self.fields, |found| &found.fields)
    }

    /// Returns true if a standard installation registers snaphook for this event.
    pub fn is_registered_for(&self, row: &EventRow) -> bool {
        self.registration.blocks.iter().any(|block| block.brings(row))
    }

    /// Returns the folder in which the session of an event was started, or `None` if neither the message nor the
    /// process provides it.
    pub fn project_of(&self, event: &HookEvent, line: &RegisteredLine) -> Option<String> {
        let in_message = event.cwd.clone().filter(|_| self.session_folder == SessionFolder::Message);
        in_message.or_else(|| line.folder.clone())
    }

    /// Returns the event of a message that could not be parsed: the event that the message names, otherwise the event
    /// of the registered command line. Returns `None` if neither names one.
    ///
    /// If several rows share the name, or the message names several events and the command line none, a gate is
    /// preferred.
    pub fn bare_event(&'static self, native: &Native) -> Option<HookEvent> {
        let RegisteredLine { event, role, .. } = &native.line;
        let row = |name: &str| {
            let rows = || self.events.iter().filter(|row| row.native == name);
            let in_role = |row: &&EventRow| row.is_in_role(*role);
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

    /// Returns the event names in a message; several if the key is ambiguous (J6).
    fn names_in(&self, native: &Native) -> Vec<String> {
        let Ok(object) = native.object() else { return Vec::new() };
        let of_dialect = self.dialects.iter().filter_map(|dialect| dialect.event_key).find(|key| object.has(key));
        let key = of_dialect.unwrap_or(self.event_key());
        let values = match object.get(key) {
            Ok(value) => value.into_iter().collect(),
            Err(_) => object.spelled(key).collect::<Vec<_>>(),
        };
        values.iter().filter_map(|value| Some(value.text()?.value)).collect()
    }
}

/// An unlisted event with a tool call. Exit code 2 with a reason blocks on most events of most agents.
static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown event with a tool call", EventKind::PreTool, by_exit).gate().can_do(&[Power::Deny]);
/// Any other unlisted event.
static UNKNOWN: EventRow = EventRow::new("an unknown event", EventKind::Observed, by_exit);

/// Blocks by exit code 2; every other decision is an empty reply.
fn by_exit(_: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() { Reply::blocked(fitted.verdict().reason()) } else { Reply::silent() }
}

/// The transport between an agent and a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// One process per event: JSON on stdin, the reply on stdout and in the exit code.
    OneShot,
    /// One long-lived process: JSON-RPC 2.0, one message per line.
    Lines,
}

/// How an agent writes the names of MCP tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpNames {
    /// The agent has no MCP tools.
    None,
    /// `PREFIX server SEPARATOR tool`, split at the first separator.
    Split {
        /// The prefix.
        prefix: &'static str,
        /// The separator.
        between: &'static str,
    },
    /// As [`McpNames::Split`]; older versions of the agent use another prefix, as in [`McpNames::Joined`].
    SplitOrJoined {
        /// The prefix.
        prefix: &'static str,
        /// The separator.
        between: &'static str,
        /// The prefix in older versions.
        older: &'static str,
    },
    /// `PREFIX server_tool`, which cannot be split reliably.
    Joined {
        /// The prefix.
        prefix: &'static str,
    },
    /// `PREFIX tool`, without the server.
    Tool {
        /// The prefix.
        prefix: &'static str,
    },
    /// No prefix: every unknown tool may be an MCP tool.
    Bare,
}

impl McpNames {
    /// Returns the agent's name of a tool of an MCP server.
    pub fn name(self, server: &str, tool: &str) -> String {
        match self {
            Self::None => format!("mcp__{server}__{tool}"),
            Self::Split { prefix, between } | Self::SplitOrJoined { prefix, between, .. } => {
                format!("{prefix}{server}{between}{tool}")
            }
            Self::Joined { prefix } => format!("{prefix}{server}_{tool}"),
            Self::Tool { prefix } => format!("{prefix}{tool}"),
            Self::Bare => format!("{server}_{tool}"),
        }
    }
}

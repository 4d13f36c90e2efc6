//! One agent, as data.

use super::block::within;
use super::name_set::NameSet;
use super::{EventRow, HostShell, Native, Power, RegisteredLine, Registration, Role, ToolRow, Wrapping};
use crate::Raw;
use crate::fit::Fitted;
use crate::model::{EventKind, HookEvent, Reply, ShellKind};
use crate::raw::{Keys, Object};

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
    path_names: NameSet,
    slot_names: NameSet,
}

impl Agent {
    /// Describes an agent without events. The default emergency reply is exit code 2 with a reason.
    pub const fn new(id: &'static str, name: &'static str) -> Self {
        Self {
            id,
            name,
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
    pub fn lists_path_name(&self, name: &str) -> bool {
        let registration = &self.registration;
        let paths = || registration.files.iter().map(|file| file.path).chain(registration.runs.iter().copied());
        let is_step = !matches!(name, "" | "~" | "*");
        is_step && self.path_names.may_have(name) && paths().any(|path| path.split('/').any(|step| step == name))
    }

    /// Returns false if this is certainly not the name of an argument that holds a command, path or URL of some tool.
    pub fn may_have_slot(&self, name: &str) -> bool {
        self.slot_names.may_have(name)
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

/// One of several wire formats of an agent, which differ in the names of the fields.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Dialect {
    /// The name, by which rows select it.
    pub name: &'static str,
    /// The key of the event's name, whose presence identifies a message of the dialect; absent: the messages do not name
    /// their event, which the registered command line does instead.
    pub event_key: Option<&'static str>,
    /// The names of the fields.
    pub fields: Fields,
}

impl Dialect {
    /// Describes a dialect whose messages name their event.
    pub const fn new(name: &'static str, event_key: &'static str, fields: Fields) -> Self {
        Self { name, event_key: Some(event_key), fields }
    }

    /// Describes a dialect whose messages do not name their event.
    pub const fn without_event(name: &'static str, fields: Fields) -> Self {
        Self { name, event_key: None, fields }
    }
}

/// The names of the message members that hold the fields of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one agent")]
pub struct Fields {
    /// The name of the tool.
    pub tool: &'static str,
    /// The arguments of the tool.
    pub input: &'static str,
    /// The id of the tool call; absent: not sent.
    pub call_id: Option<&'static str>,
    /// The session id; absent: not sent.
    pub session: Option<&'static str>,
    /// The working directory; absent: not sent.
    pub cwd: Option<&'static str>,
    /// The array of the folders of a session, the first of which is the working directory if the message has no other;
    /// absent: not sent.
    pub roots: Option<&'static str>,
    /// The permission mode; absent: not sent.
    pub mode: Option<&'static str>,
    /// True if the agent omits empty arguments.
    pub omits_empty_input: bool,
    /// True if the arguments may be a text: their JSON, or the input of a tool that takes a text.
    pub input_may_be_text: bool,
    /// The result of a tool.
    pub result: &'static str,
    /// The members of a result that hold its text and its error flag; absent: the tool's row names the text, and
    /// results have no flag.
    pub result_members: Option<(&'static str, &'static str)>,
    /// JSON pointer to the text in every result, or to its content parts, unless the row of the tool names another; absent:
    /// none.
    pub result_text: Option<&'static str>,
    /// The prompt of the user.
    pub prompt: &'static str,
    /// True if the prompt is a list of content parts instead of a string.
    pub prompt_parts: bool,
    /// The object that contains the prompt; absent: the message itself.
    pub prompt_within: Option<&'static str>,
    /// The flag at the end of a turn that a hook already made the agent continue; absent: not sent.
    pub again: Option<&'static str>,
    /// True if some versions or events omit that flag.
    pub omits_again: bool,
}

impl Fields {
    /// The names that Claude Code and many other agents use.
    pub const CLAUDE: Self = Self::new("tool_name", "tool_input")
        .call_id("tool_use_id")
        .session("session_id")
        .cwd("cwd")
        .mode("permission_mode")
        .again("stop_hook_active");

    /// Sets the names of the members of a tool call.
    pub const fn new(tool: &'static str, input: &'static str) -> Self {
        Self {
            tool,
            input,
            call_id: None,
            session: None,
            cwd: None,
            roots: None,
            mode: None,
            omits_empty_input: false,
            input_may_be_text: false,
            result: "tool_response",
            result_members: None,
            result_text: None,
            prompt: "prompt",
            prompt_parts: false,
            prompt_within: None,
            again: None,
            omits_again: false,
        }
    }

    /// Sets the member for the arguments of the tool.
    #[must_use]
    pub const fn input(mut self, key: &'static str) -> Self {
        self.input = key;
        self
    }

    /// Sets the member for the id of a call.
    #[must_use]
    pub const fn call_id(mut self, key: &'static str) -> Self {
        self.call_id = Some(key);
        self
    }

    /// Sets the member for the session id.
    #[must_use]
    pub const fn session(mut self, key: &'static str) -> Self {
        self.session = Some(key);
        self
    }

    /// Sets the member for the working directory.
    #[must_use]
    pub const fn cwd(mut self, key: &'static str) -> Self {
        self.cwd = Some(key);
        self
    }

    /// Sets the member for the folders of a session.
    #[must_use]
    pub const fn roots(mut self, key: &'static str) -> Self {
        self.roots = Some(key);
        self
    }

    /// Sets the member for the permission mode.
    #[must_use]
    pub const fn mode(mut self, key: &'static str) -> Self {
        self.mode = Some(key);
        self
    }

    /// States that the agent omits empty arguments.
    #[must_use]
    pub const fn omits_empty_input(mut self) -> Self {
        self.omits_empty_input = true;
        self
    }

    /// States that the arguments may be a text: their JSON, or the input of a tool that takes a text.
    #[must_use]
    pub const fn input_may_be_text(mut self) -> Self {
        self.input_may_be_text = true;
        self
    }

    /// Sets the member for the result of a tool.
    #[must_use]
    pub const fn result(mut self, key: &'static str) -> Self {
        self.result = key;
        self
    }

    /// Sets the members of a result for its text and its error flag.
    #[must_use]
    pub const fn result_members(mut self, text: &'static str, is_error: &'static str) -> Self {
        self.result_members = Some((text, is_error));
        self
    }

    /// Sets the JSON pointer to the text in every result.
    #[must_use]
    pub const fn result_text(mut self, pointer: &'static str) -> Self {
        self.result_text = Some(pointer);
        self
    }

    /// Returns true if a result has the members for its text and its error flag, each with a value of its type. Without
    /// names for these members, a result may have any form.
    pub fn describes_result(&self, result: &Raw) -> bool {
        let Some((text, is_error)) = self.result_members else { return true };
        let Ok(object) = result.object() else { return false };
        let is_text = |value: Option<Raw>| value.is_some_and(|value| value.text().is_some());
        let is_flag = |value: Option<Raw>| value.is_none_or(|value| value.bool().is_some());
        object.get(text).is_ok_and(is_text) && object.get(is_error).is_ok_and(is_flag)
    }

    /// Sets the member for the prompt of the user.
    #[must_use]
    pub const fn prompt(mut self, key: &'static str) -> Self {
        self.prompt = key;
        self
    }

    /// States that the prompt is a list of content parts.
    #[must_use]
    pub const fn prompt_parts(mut self) -> Self {
        self.prompt_parts = true;
        self
    }

    /// Sets the object that contains the prompt.
    #[must_use]
    pub const fn prompt_within(mut self, key: &'static str) -> Self {
        self.prompt_within = Some(key);
        self
    }

    /// Sets the member for the flag that a hook already made the agent continue.
    #[must_use]
    pub const fn again(mut self, key: &'static str) -> Self {
        self.again = Some(key);
        self
    }

    /// States that some versions or events omit the flag that a hook already made the agent continue.
    #[must_use]
    pub const fn omits_again(mut self) -> Self {
        self.omits_again = true;
        self
    }
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

/// The source of the folder in which a session was started. A call may name another folder to run in; that folder never
/// determines the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFolder {
    /// The working directory of the hook process.
    Process,
    /// The working directory in the message, which no call can choose; otherwise that of the hook process.
    Message,
    /// A variable in the environment of the hook process; otherwise the working directory of the process.
    Variable(&'static str),
    /// A setting of the agent, if it can be read; otherwise the working directory of the hook process. Some tools may
    /// use the working directory even if the setting names another folder.
    Setting(FolderSetting),
}

/// The setting of an agent that names its working folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderSetting {
    /// The variable that overrides the file.
    pub variable: &'static str,
    /// The JSON file, as `~/…`; the variables of [`Registration::moved`] relocate it.
    pub file: &'static str,
    /// JSON pointer to the folder. A leading `~` is the home folder; a relative path starts at the working directory.
    pub pointer: &'static str,
    /// The folder that is used if the setting is absent, as `~/…`; the same variables relocate it.
    pub default: &'static str,
}

impl FolderSetting {
    /// Describes a setting.
    pub const fn new(variable: &'static str, file: &'static str, pointer: &'static str, default: &'static str) -> Self {
        Self { variable, file, pointer, default }
    }
}

/// One version range of an agent, or one execution path of such a range, whose behaviour was measured or read in the
/// source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// The short name that rows and effects use. An execution path of a host is named `host-path`.
    pub id: &'static str,
    /// The versions, as text.
    pub versions: &'static str,
    /// The first version in the range; empty: no lower limit.
    pub from: &'static str,
    /// The first version after the range; empty: no upper limit.
    pub before: &'static str,
    /// The gates of one tool call in a standard installation, as event and role, in the agent's order; empty for an
    /// execution path or a case of another host.
    pub gates: &'static [(&'static str, Role)],
}

impl Host {
    /// Creates a host.
    pub const fn new(id: &'static str, versions: &'static str) -> Self {
        Self { id, versions, from: "", before: "", gates: &[] }
    }

    /// Sets the version range; an empty limit is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Sets the gates of a tool call.
    #[must_use]
    pub const fn gates(mut self, gates: &'static [(&'static str, Role)]) -> Self {
        self.gates = gates;
        self
    }

    /// Returns true if the range contains a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Returns true if an id in a row is this host or one of its execution paths.
    pub fn is(&self, id: &str) -> bool {
        id.strip_prefix(self.id).is_some_and(|lane| lane.is_empty() || lane.starts_with('-'))
    }

    /// Returns the row of one gate, and the id of this host in that row.
    pub fn gate(&self, agent: &'static Agent, native: &str, role: Role) -> Option<(&'static EventRow, &'static str)> {
        let mut rows = agent.events.iter().filter(|row| row.native == native);
        rows.find_map(|row| {
            let here = row.hosts.iter().copied().find(|id| self.is(id))?;
            row.is_in_role(role).then_some((row, here))
        })
    }
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

/// The hook files of other agents that an agent uses too. It sends its own messages to these hooks, and reads the replies
/// in its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedHooks {
    /// The ids of the other agents.
    pub of: &'static [&'static str],
    /// The members that all of its messages have, and no message of these agents.
    pub with: &'static [&'static str],
    /// The members that none of its messages has, and every message of these agents.
    pub without: &'static [&'static str],
}

impl SharedHooks {
    /// Describes the hooks of some agents.
    pub const fn of(agents: &'static [&'static str]) -> Self {
        Self { of: agents, with: &[], without: &[] }
    }

    /// Sets the members that only its messages have.
    #[must_use]
    pub const fn with(mut self, keys: &'static [&'static str]) -> Self {
        self.with = keys;
        self
    }

    /// Sets the members that its messages do not have.
    #[must_use]
    pub const fn without(mut self, keys: &'static [&'static str]) -> Self {
        self.without = keys;
        self
    }

    /// Returns true if the agent sent a message to the registered line of another agent.
    pub fn identifies(&self, line: &str, message: &Object) -> bool {
        let has_marks = !self.with.is_empty() || !self.without.is_empty();
        has_marks
            && self.of.contains(&line)
            && self.with.iter().all(|key| message.has(key))
            && !self.without.iter().any(|key| message.has(key))
    }
}

/// A field by which the message of another agent is recognised.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ForeignField {
    /// The id of the other agent.
    pub agent: &'static str,
    /// The top-level key that only this agent sends.
    pub key: &'static str,
    /// The events on which the key is specific to this agent; empty: all.
    pub events: &'static [&'static str],
    /// The ids of further agents that send the key.
    pub also: &'static [&'static str],
    /// The key that this agent does not send on these events, while others send both; absent: the first key is enough.
    pub without: Option<&'static str>,
}

impl ForeignField {
    /// Recognises an agent by a key on every event.
    pub const fn new(agent: &'static str, key: &'static str) -> Self {
        Self { agent, key, events: &[], also: &[], without: None }
    }

    /// Restricts the key to messages without another key.
    #[must_use]
    pub const fn without(mut self, key: &'static str) -> Self {
        self.without = Some(key);
        self
    }

    /// Restricts the key to some events.
    #[must_use]
    pub const fn on(mut self, events: &'static [&'static str]) -> Self {
        self.events = events;
        self
    }

    /// Names further agents that send the key.
    #[must_use]
    pub const fn also(mut self, agents: &'static [&'static str]) -> Self {
        self.also = agents;
        self
    }

    /// Returns true if the agent with this id sends the key.
    pub fn is_sent_by(&self, id: &str) -> bool {
        self.agent == id || self.also.contains(&id)
    }
}

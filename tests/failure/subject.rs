//! The subject of a test: one message of one registered command line, and the agent's reaction to an answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, HookEvent, Incoming, Reply};
use snaphook_adapters::protocol::{
    Absent, EventRow, HookProtocol, Native, RegisteredLine, Role, ToolAction, Transport,
};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::{Effect, account};

/// Events on which silence blocks: `(agent, row)`.
const SILENCE_BLOCKS: &[(&str, &str)] = &[("claude-code", "WorktreeCreate")];

/// One recorded message and the command line that receives it.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) protocol: &'static dyn HookProtocol,
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) event: HookEvent,
    pub(crate) role: Role,
    /// The event that the command line names because the message does not.
    line_event: Option<String>,
    /// The message as the adapter receives it.
    native: Native,
    /// The handshake of the connection on which this message was recorded.
    pub(crate) greeting: Option<String>,
}

/// A place in a message that affects the decision.
pub(crate) struct Watched {
    pub(crate) at: String,
    pub(crate) required: bool,
    /// True if a value of another type is a fault. The arguments of an unknown tool are not checked.
    pub(crate) typed: bool,
}

impl Subject {
    /// Every recorded event of every agent that expects an answer.
    pub(crate) fn all() -> Vec<Self> {
        Registry::standard().iter().flat_map(recorded).collect()
    }

    /// One message for each row.
    pub(crate) fn rows() -> Vec<Self> {
        let mut all = Self::all();
        let mut seen = std::collections::HashSet::new();
        all.retain(|subject| seen.insert((subject.id(), subject.event.row.key(), subject.role)));
        all
    }

    /// One message for each row whose answer decides if something happens.
    pub(crate) fn gates() -> Vec<Self> {
        Self::rows().into_iter().filter(|subject| subject.event.row.gates()).collect()
    }

    /// One message for each row whose answer decides nothing.
    pub(crate) fn quiet() -> Vec<Self> {
        Self::rows().into_iter().filter(|subject| !subject.event.row.gates()).collect()
    }

    pub(crate) fn id(&self) -> &'static str {
        self.protocol.agent().id
    }

    pub(crate) fn is_lines(&self) -> bool {
        self.protocol.agent().transport == Transport::Lines
    }

    /// Returns true if it decides a tool call.
    pub(crate) fn is_call(&self) -> bool {
        self.event.call().is_some()
    }

    /// Returns true if the row is in the agent's table, so that a command line can be registered for it.
    pub(crate) fn registrable(&self) -> bool {
        !self.is_lines() && !self.is_stray()
    }

    /// Returns true if the event is not in the agent's table.
    pub(crate) fn is_stray(&self) -> bool {
        self.protocol.agent().events.iter().all(|row| row.native != self.event.row.native)
    }

    /// Returns true if a gate has the same name, so that an unreadable message could be that gate's.
    pub(crate) fn shares_its_name(&self) -> bool {
        self.protocol.agent().events.iter().any(|row| row.native == self.event.row.native && row.gates())
    }

    /// Returns true if the agent treats a hook without an opinion as a block.
    pub(crate) fn blocks_by_silence(&self) -> bool {
        SILENCE_BLOCKS.contains(&(self.id(), self.event.row.key().as_str()))
    }

    /// The flags of the registered command line.
    pub(crate) fn flags(&self, per_event: bool) -> Vec<String> {
        let role = self.role.flag().map(str::to_owned);
        let event = ((per_event || self.line_event.is_some()) && self.registrable())
            .then(|| ["--event".to_owned(), self.event.native.clone()]);
        event.into_iter().flatten().chain(role).collect()
    }

    /// The answer to a message whose event cannot be read, from a command line that does not name it.
    pub(crate) fn emergency(&self) -> Reply {
        let native = Native::new("").line(self.native.line.clone());
        (self.protocol.agent().emergency)(&native, "broken")
    }

    /// The effect of an answer, for each measured version.
    pub(crate) fn does(&self, reply: &Reply) -> Vec<(&'static str, Effect)> {
        let host = account(self.protocol.agent().id).expect("every standard agent has a data file");
        let row: &EventRow = self.event.row;
        row.hosts.iter().map(|id| (*id, host.interpret(&self.event, id, reply).effect)).collect()
    }

    /// Returns true if the answer blocks in every measured version. For an unmeasured event, which is in no
    /// table, exit code 2 is the block.
    pub(crate) fn blocked_by(&self, reply: &Reply) -> bool {
        let does = self.does(reply);
        if does.is_empty() { reply.exit == 2 } else { does.iter().all(|(_, does)| does.blocks()) }
    }

    /// Returns true if the command line has to name the event, because the message does not.
    pub(crate) fn is_named_by_line(&self) -> bool {
        self.line_event.is_some()
    }

    /// The place of the event's name in this message.
    pub(crate) fn event_at(&self) -> Option<String> {
        let agent = self.protocol.agent();
        let whole: Value = serde_json::from_str(&self.message).unwrap();
        let keys = agent.dialects.iter().filter_map(|dialect| dialect.event_key);
        let mut places = std::iter::once(agent.event_at.to_owned()).chain(keys.map(|key| format!("/{key}")));
        places.find(|at| whole.pointer(at).is_some())
    }

    /// The places in this message that the agent's rows mark as watched.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        let event = self.event_at().map(|at| Watched { at, required: true, typed: true });
        let mut found: Vec<_> = event.into_iter().collect();
        let text = |of: fn(&HookEvent) -> Option<&str>| {
            let marked = Value::from("marked");
            self.place(&marked, |event| of(event) == Some("marked"))
        };
        // The first of several folders is an element of a list, not a member.
        let is_member = |at: &String| !at.ends_with("/0");
        let cwd = text(|event| event.cwd.as_deref()).filter(is_member).filter(|_| self.event.cwd.is_some());
        found.extend(cwd.map(|at| Watched { at, required: false, typed: true }));
        let Some(call) = self.event.call() else { return found };
        let name = text(|event| event.call().map(|call| call.name.as_str()));
        found.extend(name.map(|at| Watched { at, required: true, typed: true }));
        let input: Value = serde_json::from_str(call.input.as_str()).unwrap();
        // A text as a whole has no arguments.
        if !input.is_object() {
            return found;
        }
        let mut marked = input.clone();
        marked["marked"] = Value::Null;
        let is_marked = |event: &HookEvent| event.call().is_some_and(|call| call.input.as_str().contains("marked"));
        let is_flat = self.event.row.selector.tool.is_some_and(|of| of.is_flat);
        let at = if is_flat { Some(String::new()) } else { self.place(&marked, is_marked) };
        let Some(at) = at else { return found };
        let actions = call.row.map_or(&[][..], |row| row.actions);
        let required = |act: &ToolAction| act.only.is_none() && act.slot.absent == Absent::Fault;
        for act in actions {
            // If several keys have the same meaning, one of them may be missing.
            let mut here = act.slot.keys.iter().filter(|key| input.get(**key).is_some_and(Value::is_string));
            found.extend(here.next().map(|key| Watched {
                at: format!("{at}/{key}"),
                required: required(act),
                typed: true,
            }));
        }
        if !is_flat {
            found.push(Watched { at, required: actions.iter().any(required), typed: !actions.is_empty() });
        }
        found
    }

    /// The place where this value has the wanted effect on the event.
    fn place(&self, marked: &Value, wanted: impl Fn(&HookEvent) -> bool) -> Option<String> {
        let whole: Value = serde_json::from_str(&self.message).unwrap();
        pointers(&whole, "").into_iter().filter(|at| !at.is_empty()).find(|at| {
            let mut message = whole.clone();
            *message.pointer_mut(at).unwrap() = marked.clone();
            let mut native = self.native.clone();
            native.body = Raw::document(message.to_string());
            matches!(self.protocol.parse(&native), Ok(Incoming::Event(event)) if wanted(&event))
        })
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ({})", self.id(), self.event.row.key(), self.name)
    }
}

fn recorded(protocol: &'static dyn HookProtocol) -> Vec<Subject> {
    fixtures(protocol).iter().filter_map(|file| subject(protocol, file)).collect()
}

fn fixtures(protocol: &dyn HookProtocol) -> Vec<PathBuf> {
    let folder = format!("adapters/{}/fixtures", protocol.agent().id.replace('-', "_"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// A recorded handshake that names the modes of the connection.
pub(crate) fn greeting(protocol: &dyn HookProtocol) -> Option<String> {
    fixtures(protocol).iter().find_map(|file| {
        let fixture: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let message = fixture["stdin"].to_string();
        let parsed = protocol.parse(&Native::new(message.as_str()));
        matches!(parsed, Ok(Incoming::Handshake { modes: Some(_), .. })).then_some(message)
    })
}

fn subject(protocol: &'static dyn HookProtocol, file: &Path) -> Option<Subject> {
    let fixture: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let role = fixture.pointer("/line/role").and_then(Value::as_str);
    let role = role.map_or(Role::Alone, |name| Role::named(name).unwrap());
    let modes = fixture.pointer("/connection/modes").and_then(Value::as_array);
    let modes = modes.map(|modes| modes.iter().map(|mode| mode.as_str().unwrap().to_owned()).collect::<Vec<_>>());
    let message = fixture["stdin"].to_string();
    let line_event = fixture.pointer("/line/event").and_then(Value::as_str).map(str::to_owned);
    let mut line = RegisteredLine::default().role(role);
    line.event.clone_from(&line_event);
    let mut native = Native::new(message.as_str()).line(line);
    let greeting = modes.is_some().then(|| greeting(protocol).expect("a recorded greeting that names modes"));
    Arc::make_mut(&mut native.connection).modes = modes;
    let Incoming::Event(event) = protocol.parse(&native).unwrap() else { return None };
    if matches!(event.detail, Detail::Answered { .. }) {
        return None;
    }
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    Some(Subject { protocol, name, message, event: *event, role, line_event, native, greeting })
}

/// Every place of a document, outer ones first.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let mut all = vec![at.to_owned()];
    match value {
        Value::Object(members) => {
            all.extend(members.iter().flat_map(|(key, value)| pointers(value, &format!("{at}/{key}"))));
        }
        Value::Array(items) => {
            all.extend(items.iter().enumerate().flat_map(|(n, value)| pointers(value, &format!("{at}/{n}"))));
        }
        _ => {}
    }
    all
}

/// The message with one place set to another value or removed.
pub(crate) fn with(message: &str, at: &str, value: Option<Value>) -> String {
    let mut whole: Value = serde_json::from_str(message).unwrap();
    let (parent, key) = at.rsplit_once('/').unwrap();
    let parent = whole.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => drop(parent.insert(key.to_owned(), value)),
        None => drop(parent.shift_remove(key)),
    }
    whole.to_string()
}

/// The message with one more member, first or last, in the object that contains a place.
pub(crate) fn beside(message: &str, at: &str, member: &str, last: bool) -> String {
    let (parent, _) = at.rsplit_once('/').unwrap();
    let whole = Raw::document(message);
    let parent = whole.at(parent).unwrap();
    let inside = parent.as_str().strip_prefix('{').unwrap().strip_suffix('}').unwrap();
    let members = match (inside.trim().is_empty(), last) {
        (true, _) => member.to_owned(),
        (false, true) => format!("{inside},{member}"),
        (false, false) => format!("{member},{inside}"),
    };
    whole.replace(&parent, &format!("{{{members}}}")).unwrap().as_str().to_owned()
}

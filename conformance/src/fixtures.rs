//! Saves the messages that an agent sent as fixtures, and reports how they differ from the existing ones.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook_adapters::model::{Action, HookEvent, Incoming, ToolCall};
use snaphook_adapters::protocol::{Connection, HookProtocol, Native, ParseError, RegisteredLine, Role};
use snaphook_adapters::registry::Registry;

use crate::relay::RelayedCall;
use crate::shape::{difference, shape};

/// A message that an agent sent.
#[derive(Debug)]
pub(crate) struct Message {
    /// A name for its fixture.
    stem: String,
    /// The adapter's row.
    row: String,
    pub(crate) event: String,
    pub(crate) role: Role,
    known_event: bool,
    tool: Option<String>,
    known_tool: bool,
    /// True if it is about a call of the shell.
    shell: bool,
    pub(crate) body: Value,
    /// The registered command and the connection, as members of a fixture.
    members: BTreeMap<&'static str, Value>,
}

/// The differences that were found and the fixtures that were written.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// The lines of the summary.
    pub(crate) lines: Vec<String>,
    /// Fixtures that were written.
    pub(crate) written: Vec<String>,
}

/// Reads the messages of a run, and returns one line of the summary for each that the adapter cannot read.
pub(crate) fn messages(
    protocol: &dyn HookProtocol,
    calls: &[RelayedCall],
) -> (Vec<(Message, RelayedCall)>, Vec<String>) {
    let (mut messages, mut faults) = (Vec::new(), Vec::new());
    let mut connection = Connection::default();
    for call in calls {
        match message(protocol, &call.arguments, call.stdin.trim_end(), &mut connection) {
            Ok(message) => messages.extend(message.map(|message| (message, call.clone()))),
            Err(error) => faults.push(format!("a message cannot be read: {error}")),
        }
    }
    (messages, faults)
}

/// Reads one message; absent for a handshake, which sets the modes of the connection.
fn message(
    protocol: &dyn HookProtocol,
    arguments: &[String],
    stdin: &str,
    connection: &mut Connection,
) -> Result<Option<Message>, ParseError> {
    let role = Role::stated_by(arguments);
    let mut line = RegisteredLine::default().role(role);
    if let Some(event) = arguments.iter().skip_while(|word| *word != "--event").nth(1) {
        line = line.event(event);
    }
    let native = Native::new(stdin).line(line).connection(Arc::new(connection.clone()));
    let event = match protocol.parse(&native)? {
        Incoming::Event(event) | Incoming::Observed(event) => event,
        Incoming::Handshake { modes, .. } => {
            connection.modes = modes;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    let Ok(body) = serde_json::from_str(stdin) else { return Ok(None) };
    let mut members = BTreeMap::new();
    // Some messages do not name their event.
    let needs_line = role != Role::Alone || protocol.parse(&Native::new(stdin)).is_err();
    if needs_line {
        let line = match role {
            Role::Alone => json!({"event": event.native}),
            role => json!({"event": event.native, "role": role.name()}),
        };
        members.insert("line", line);
    }
    if let Some(modes) = &connection.modes {
        members.insert("connection", json!({"modes": modes}));
    }
    let agent = protocol.agent();
    let call = event.call();
    let mcp = |call: &ToolCall| call.actions.iter().any(|action| matches!(action, Action::Mcp(_)));
    Ok(Some(Message {
        stem: stem(&event, call.map(|call| call.name.as_str()), role),
        row: event.row.key(),
        event: event.native.clone(),
        known_event: agent.events.iter().any(|row| row.native == event.native),
        known_tool: call.is_none_or(|call| mcp(call) || agent.tools.iter().any(|row| row.native == call.name)),
        tool: call.map(|call| call.name.clone()),
        shell: call.is_some_and(|call| call.actions.iter().any(|action| matches!(action, Action::Shell { .. }))),
        role,
        body,
        members,
    }))
}

/// The name of a message's fixture: event, case, dialect, and lane or tool.
fn stem(event: &HookEvent, tool: Option<&str>, role: Role) -> String {
    let lane = if role == Role::Preempt { Some("preempt") } else { None };
    let dialects = event.agent.events.iter().filter(|row| row.native == event.row.native).count() > 1;
    let dialect = event.dialect.filter(|_| dialects);
    let name = event.native.trim_start_matches("hook.");
    [Some(name), event.row.selector.case, dialect, lane.or(tool)]
        .into_iter()
        .flatten()
        .map(snake)
        .collect::<Vec<_>>()
        .join("_")
}

/// Converts a name to snake case.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && snake.chars().last().is_some_and(|last| last.is_ascii_lowercase()) {
            snake.push('_');
        }
        let letter = letter.to_ascii_lowercase();
        let joint = !letter.is_ascii_alphanumeric();
        if !(joint && snake.ends_with('_')) {
            snake.push(if joint { '_' } else { letter });
        }
    }
    snake
}

/// An existing fixture.
struct SavedFixture {
    stem: String,
    source: String,
    message: Message,
}

/// The messages of all fixtures about a call of the shell.
pub(crate) fn shell_messages(folder: &Path, agent: &str) -> io::Result<Vec<Message>> {
    let protocol = Registry::standard().get(agent).ok_or_else(|| io::Error::other("the registry does not know it"))?;
    let messages = fixtures(folder, protocol)?.into_iter().map(|fixture| fixture.message);
    Ok(messages.filter(|message| message.shell).collect())
}

/// Reads the fixtures of a folder that the adapter can read.
fn fixtures(folder: &Path, protocol: &dyn HookProtocol) -> io::Result<Vec<SavedFixture>> {
    let mut fixtures = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Ok(file) = serde_json::from_slice::<Value>(&fs::read(&path)?) else { continue };
        let text = |at: &str| file.pointer(at).and_then(Value::as_str).map(str::to_owned);
        let mut arguments = Vec::new();
        if let Some(event) = text("/line/event") {
            arguments.extend(["--event".to_owned(), event]);
        }
        arguments.extend(text("/line/role").map(|role| format!("--{role}")));
        let modes = file.pointer("/connection/modes").and_then(|modes| serde_json::from_value(modes.clone()).ok());
        let mut connection = Connection::default();
        connection.modes = modes;
        let stdin = file.get("stdin").map(Value::to_string).unwrap_or_default();
        if let Ok(Some(message)) = message(protocol, &arguments, &stdin, &mut connection) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            fixtures.push(SavedFixture { stem, source: text("/source").unwrap_or_default(), message });
        }
    }
    Ok(fixtures)
}

/// Compares messages with the fixtures of their agent. Writes new fixtures, and overwrites those of an older
/// version whose shape changed.
pub(crate) fn refresh(
    folder: &Path,
    protocol: &dyn HookProtocol,
    program: &Recorded,
    messages: Vec<Message>,
) -> io::Result<Drift> {
    fs::create_dir_all(folder)?;
    let mut drift = Drift::default();
    let mut done = HashSet::new();
    for message in messages {
        let sort = (message.row.clone(), message.tool.clone(), message.role);
        if !done.insert(sort) {
            continue;
        }
        if !message.known_event {
            drift.say(format!("new event: {}", message.event));
        }
        if let Some(tool) = message.tool.as_deref().filter(|_| !message.known_tool) {
            drift.say(format!("new tool: {tool}"));
        }
        let there = fixtures(folder, protocol)?;
        let of_row = there.iter().filter(|old| (&old.message.row, old.message.role) == (&message.row, message.role));
        let compared = of_row.map(|old| (difference(&shape(&old.message.body), &shape(&message.body)), old));
        let mut compared: Vec<_> = compared.collect();
        if message.known_tool && compared.iter().any(|(found, _)| found.is_none()) {
            // The same shape is known, possibly from another tool.
            continue;
        }
        compared.retain(|(_, old)| old.message.tool == message.tool);
        let nearest = compared.into_iter().min_by_key(|(found, old)| (found.len(), !program.wrote(&old.source)));
        let stem = match nearest {
            None => {
                drift.say(format!("{}: nothing like it was there", message.stem));
                free(&message.stem, &there, program)
            }
            Some((found, _)) if found.is_none() => continue,
            Some((found, old)) => {
                for line in found.lines() {
                    drift.say(format!("{}: {line}", old.stem));
                }
                if program.wrote(&old.source) {
                    // The same version sends several shapes; the fixture stays.
                    continue;
                }
                if program.supersedes(&old.source) { old.stem.clone() } else { free(&message.stem, &there, program) }
            }
        };
        write(&folder.join(format!("{stem}.json")), &program.source(), &message)?;
        drift.written.push(stem);
    }
    Ok(drift)
}

/// A name that no existing fixture has.
fn free(stem: &str, there: &[SavedFixture], program: &Recorded) -> String {
    if there.iter().any(|fixture| fixture.stem == stem) {
        format!("{stem}_{}", snake(&program.version))
    } else {
        stem.into()
    }
}

impl Drift {
    fn say(&mut self, line: String) {
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }
}

/// The agent and the version that are recorded.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) agent: &'static str,
    pub(crate) version: String,
    /// Other versions that are recorded in the same run, and keep their fixtures.
    pub(crate) others: Vec<String>,
    pub(crate) date: String,
}

impl Recorded {
    fn source(&self) -> String {
        format!("recorded; {} {}; {}", self.agent, self.version, self.date)
    }

    /// Returns true if a fixture was recorded from this version.
    fn wrote(&self, source: &str) -> bool {
        self.is(source, &self.version)
    }

    /// Returns true if a fixture was recorded from a version that is not driven in this run.
    fn supersedes(&self, source: &str) -> bool {
        source.starts_with(&format!("recorded; {} ", self.agent))
            && !self.others.iter().any(|other| self.is(source, other))
    }

    fn is(&self, source: &str, version: &str) -> bool {
        let begins = |mark: &str| source.starts_with(&format!("recorded; {} {mark}{version};", self.agent));
        begins("") || begins("v")
    }
}

/// Writes a fixture with one line for each member.
fn write(file: &Path, source: &str, message: &Message) -> io::Result<()> {
    let source = Value::from(source);
    let before = [("source", &source)].into_iter();
    let members = before.chain(message.members.iter().map(|(key, value)| (*key, value)));
    let members = members.chain([("stdin", &message.body)]);
    let lines: Vec<_> = members.map(|(key, value)| format!("  \"{key}\": {value}")).collect();
    fs::write(file, format!("{{\n{}\n}}\n", lines.join(",\n")))
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::registry::Registry;

    use super::*;

    fn call(stdin: &Value) -> RelayedCall {
        let arguments = ["hook", "codex", "--event", "PreToolUse"].map(str::to_owned).to_vec();
        RelayedCall {
            arguments,
            stdin: stdin.to_string(),
            exit: Some(0),
            stdout: String::new(),
            stderr: String::new(),
            ms: None,
        }
    }

    #[test]
    fn a_changed_message_is_drift_and_the_same_message_is_not() {
        let codex = Registry::standard().get("codex").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut sent = json!({
            "session_id": "s", "cwd": "/home/user/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "ls"},
        });
        let refresh = |sent: &Value, version: &str| {
            let (messages, faults) = messages(codex, &[call(sent)]);
            assert!(faults.is_empty(), "{faults:?}");
            let messages = messages.into_iter().map(|(message, _)| message).collect();
            let program =
                Recorded { agent: "codex", version: version.into(), others: Vec::new(), date: "2026-11-22".into() };
            refresh(folder.path(), codex, &program, messages).unwrap()
        };
        assert_eq!(refresh(&sent, "1").lines, ["pre_tool_use_bash: nothing like it was there"]);
        sent["session_id"] = json!("t");
        assert_eq!(refresh(&sent, "2").written, [""; 0], "the same shape");
        sent["tool_name"] = json!("Bash");
        sent["mood"] = json!("good");
        let drift = refresh(&sent, "1");
        assert_eq!((drift.lines.len(), drift.written.len()), (1, 0), "the same version keeps its fixture");
        let drift = refresh(&sent, "2");
        assert_eq!(drift.lines, ["pre_tool_use_bash: new: mood"]);
        assert_eq!(drift.written, ["pre_tool_use_bash"]);
        let written: Value =
            serde_json::from_slice(&fs::read(folder.path().join("pre_tool_use_bash.json")).unwrap()).unwrap();
        assert_eq!(written["stdin"], sent);
        assert_eq!(written["source"], "recorded; codex 2; 2026-11-22");
    }
}

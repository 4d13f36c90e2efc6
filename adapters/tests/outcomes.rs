//! The outcome tables and the adapters' effect cells are two accounts of the same agents: they agree.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook_adapters::host::{Does, HostSide, Outcome, Rider};
use snaphook_adapters::model::{Action, EventKind, HookEvent, Incoming, Reply, ToolCall};
use snaphook_adapters::protocol::{Connection, EventRow, HookProtocol, Line, Native, Power, Role, Transport};
use snaphook_adapters::registry::Registry;
use snaphook_doubles::answer::Heard;
use snaphook_doubles::tables::{Row, Table, folder};

/// Riders that change something.
const CHANGES: &[&str] = &["input", "result", "prompt", "messages", "request"];

/// Answers of which a cell and the table speak differently, by cell and a part of the answer, and why.
const APART: &[(&str, &str, &str, &str)] = &[
    ("claude-code", "ConfigChange.policy_settings", "", "the table speaks of the other sources"),
    ("codex", "PreToolUse", r#"{"command":["#, "an array as a command was driven with nothing beside it"),
    ("picoclaw", "hook.before_tool.v0.2.4", "respond", "the cell speaks of both gates, the table of each"),
];

/// Hosts that no row of the registry has, on all events or one, and why.
const NO_ROW: &[(&str, &str, &str, &str)] = &[
    ("claude-code", "", "2.1.329-onfailure", "a switch of the entry, which answers of ours never meet"),
    ("docker-agent", "", "a-yolo", "does what `a` does"),
    ("docker-agent", "", "b-yolo", "calls no gate: an open sentence of the rows"),
    ("docker-agent", "", "b2-yolo", "calls no gate: an open sentence of the rows"),
    ("docker-agent", "", "c-block", "a switch of the entry, which answers of ours never meet"),
    ("docker-agent", "", "c-strict", "a switch of the entry that no registration of ours sets"),
    ("docker-agent", "session_start", "a", "can be configured there and is never called"),
    ("docker-agent", "session_end", "a", "can be configured there and is never called"),
];

#[test]
fn every_file_states_its_rows_and_its_page() {
    for table in tables() {
        let name = &table.agent;
        assert_eq!(table.rows.len(), table.declared, "{name}: `rows` is not the number of rows");
        let date: Vec<_> = table.page.split('-').map(|part| (part.len(), part.parse::<u32>().is_ok())).collect();
        assert_eq!(date, [(4, true), (2, true), (2, true)], "{name}: `page` is not a date: {}", table.page);
        for row in &table.rows {
            let known = ["prog", "run", "run-t", "src", "doc", "guess"].contains(&row.mark.as_str());
            assert!(known && !row.source.is_empty() && !row.page_row.is_empty(), "{name}: {row:?}");
            assert_ne!(row.stdout.is_some(), row.fault.is_some(), "{name}: an answer or none: {row:?}");
        }
    }
}

#[test]
fn tables_and_registry_know_the_same_agents_and_events() {
    let ids: BTreeSet<_> = tables().into_iter().map(|table| table.agent).collect();
    let registered: BTreeSet<_> = Registry::standard().ids().map(str::to_owned).collect();
    assert_eq!(ids, registered);
    for (table, protocol) in measured() {
        let rows: BTreeSet<_> = protocol.agent().events.iter().map(|row| row.native).collect();
        let listed: BTreeSet<_> = table.events.iter().map(String::as_str).collect();
        assert_eq!(listed, rows, "{}: events listed, and rows of the registry", table.agent);
        let used: BTreeSet<_> = table.rows.iter().map(|row| row.event.as_str()).collect();
        assert_eq!(used, listed, "{}: events of the rows, and events listed", table.agent);
    }
}

#[test]
fn every_host_of_a_table_is_played_by_the_registry_and_back() {
    for (table, protocol) in measured() {
        let mut seen = BTreeSet::new();
        for row in &table.rows {
            seen.extend(row.hosts.iter().map(|host| (row.event.as_str(), host.as_str())));
        }
        let rows: BTreeSet<_> =
            protocol.agent().events.iter().flat_map(|row| row.hosts.iter().map(|&host| (row.native, host))).collect();
        let missing: Vec<_> = rows.difference(&seen).collect();
        assert!(missing.is_empty(), "{}: in the registry, not in the table: {missing:?}", table.agent);
        let expected = |event: &str, host: &str| {
            NO_ROW
                .iter()
                .any(|(agent, name, id, _)| *agent == table.agent && *id == host && (name.is_empty() || *name == event))
        };
        let missing: Vec<_> = seen.difference(&rows).filter(|(event, host)| !expected(event, host)).collect();
        assert!(missing.is_empty(), "{}: in the table, not in the registry: {missing:?}", table.agent);
    }
}

#[test]
fn every_row_can_be_reached() {
    let mut dead = Vec::new();
    for (table, _) in measured() {
        let fillers = [None, Some(json!({"k": 1})), Some(json!([1])), Some(json!(1)), Some(json!("a text"))];
        let shapes = fillers.map(|any| Shapes { table: &table, event: None, any });
        for (place, row) in table.rows.iter().enumerate().filter(|(_, row)| row.fault.is_none()) {
            let reached = |host: &String| {
                shapes
                    .iter()
                    .flat_map(|shapes| shapes.answers(row))
                    .any(|heard| table.find(&row.event, host, &heard).is_some_and(|(found, _)| found == place))
            };
            if !row.hosts.iter().all(reached) {
                dead.push(format!("{} {}: {:?}", table.agent, place + 1, row.stdout));
            }
        }
    }
    assert!(dead.is_empty(), "an earlier row takes every answer of these:\n{}", dead.join("\n"));
}

#[test]
fn no_effect_cell_says_more_than_its_table() {
    let mut report = String::new();
    for (table, protocol) in measured() {
        let compare = Compare::all(&table, protocol);
        assert!(compare.compared > table.rows.len(), "{}: little was compared", table.agent);
        report += &shown(&table.agent, &compare.claims, compare.compared);
    }
    assert!(report.is_empty(), "stricter, or changing more, than was measured:\n{report}");
}

/// So that `try` shows what becomes of any answer, also of one that is none of ours.
#[test]
fn no_effect_cell_leaves_unsaid_what_its_table_says() {
    let mut report = String::new();
    for (table, protocol) in measured() {
        let compare = Compare::all(&table, protocol);
        report += &shown(&table.agent, &compare.silent, compare.compared);
    }
    assert!(report.is_empty(), "less strict, or carrying less, than was measured:\n{report}");
}

fn shown(agent: &str, differences: &Differences, compared: usize) -> String {
    let count: usize = differences.values().map(|(count, _)| count).sum();
    let mut shown = if count > 0 { format!("{agent}: {count} of {compared} answers differ\n") } else { String::new() };
    for (what, (count, example)) in differences {
        writeln!(shown, "  {what} ({count} times)\n    {example}").unwrap();
    }
    shown
}

/// Compares one agent's table with its effect cells.
struct Compare<'a> {
    table: &'a Table,
    protocol: &'static dyn HookProtocol,
    side: &'static dyn HostSide,
    compared: usize,
    /// What a cell says beyond the table, how often, and an example.
    claims: Differences,
    /// What it leaves unsaid, or says of texts alone.
    silent: Differences,
}

type Differences = BTreeMap<String, (usize, String)>;

impl<'a> Compare<'a> {
    fn all(table: &'a Table, protocol: &'static dyn HookProtocol) -> Self {
        let side = protocol.host().unwrap_or_else(|| panic!("{}: has a table and no host side", table.agent));
        let (claims, silent) = (Differences::new(), Differences::new());
        let mut compare = Self { table, protocol, side, compared: 0, claims, silent };
        compare.every_row();
        compare
    }

    fn every_row(&mut self) {
        let events = events(self.protocol);
        for row in self.table.rows.iter().filter(|row| row.fault.is_none()) {
            for host in &row.hosts {
                let table = self.table;
                let here = |cell: &&EventRow| cell.native == row.event && cell.hosts.contains(&host.as_str());
                for cell in self.protocol.agent().events.iter().filter(here) {
                    let about = |event: &&HookEvent| std::ptr::eq(event.row, cell) && fitting(table, row, event);
                    for event in events.iter().filter(about) {
                        for heard in (Shapes { table, event: Some(event), any: None }).answers(row) {
                            self.one(host, event, heard);
                        }
                    }
                }
            }
        }
    }

    fn one(&mut self, host: &str, event: &HookEvent, heard: Heard) {
        let said = self.table.judge(&event.native, host, heard);
        let outcome = self.side.interpret(event, host, &reply(&said.heard));
        self.compared += 1;
        let said_does = word(&json!(said.effect));
        let does = same_word(event, outcome.does);
        let said_carries: BTreeSet<_> = said.row.iter().flat_map(|_| said.carried.keys().cloned()).collect();
        let carries = carried(&outcome);
        let taken: BTreeSet<_> = carries.keys().cloned().collect();
        let cell = format!("{} {host}", event.row.key());
        let apart = |(agent, row, part, _): &(&str, &str, &str, &str)| {
            *agent == self.table.agent && event.row.key().starts_with(row) && said.heard.stdout.contains(part)
        };
        if APART.iter().any(apart) {
            return;
        }
        let wrong = |rider: &&String| CHANGES.contains(&rider.as_str()) && said.carried(rider) != carries.get(*rider);
        let (silent, key) = if rank(&does) > rank(&said_does) {
            (false, format!("{cell}: {does}, the table says {said_does}"))
        } else if let Some(rider) = carries.keys().find(wrong) {
            (false, format!("{cell}: takes a new {rider}, the table says otherwise"))
        } else if said_does != does {
            (true, format!("{cell}: {does}, the table says {said_does}"))
        } else if said_carries != taken {
            (true, format!("{cell}: carries {taken:?}, the table says {said_carries:?}"))
        } else {
            return;
        };
        let Heard { exit, stdout, stderr, .. } = said.heard;
        let exit = exit.map_or(String::new(), |exit| format!("exit {exit} "));
        let row = said.row.unwrap_or_default();
        let example = format!("row {row}: {exit}stdout {stdout:?} stderr {stderr:?}");
        let list = if silent { &mut self.silent } else { &mut self.claims };
        list.entry(key).or_insert((0, example)).0 += 1;
    }
}

/// Whether the answers of a row are meant for an event: arguments that are spelt out are those of
/// the shell tool, with which they were tried.
fn fitting(table: &Table, row: &Row, event: &HookEvent) -> bool {
    let shape = row.stdout.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let places = table.riders.get("input").into_iter().flatten();
    let spelt = places.filter_map(|place| shape.as_ref()?.pointer(place)).any(Value::is_object);
    let shell = |call: &ToolCall| call.actions.iter().any(|action| matches!(action, Action::Shell { .. }));
    !spelt || event.call().is_none_or(shell)
}

/// Builds answers that a row describes.
struct Shapes<'a> {
    table: &'a Table,
    event: Option<&'a HookEvent>,
    /// What stands where any value may; absent: one of the kind that belongs there.
    any: Option<Value>,
}

impl Shapes<'_> {
    /// Every answer that is tried for a row: with and without its optional members, with either
    /// stderr where the row takes any.
    fn answers(&self, row: &Row) -> Vec<Heard> {
        let Some(pattern) = &row.stdout else { return Vec::new() };
        let mut texts = match serde_json::from_str::<Value>(pattern) {
            Ok(shape) if shape.is_object() => {
                let plain = self.fill(&shape, "");
                let mut full = plain.clone();
                for pointer in &row.optional {
                    self.add(&mut full, pointer);
                }
                vec![plain.to_string(), full.to_string()]
            }
            _ if pattern == "text:" => vec!["plain text".to_owned()],
            _ => vec![pattern.clone()],
        };
        texts.dedup();
        let complaints: &[&str] = match row.stderr.as_deref() {
            None if row.exit.is_none() => &[""],
            None => &["", "a complaint"],
            Some("*") => &["a complaint"],
            Some(_) => &[""],
        };
        let with = |text: &String, stderr: &str| {
            let mut heard = Heard::line(text);
            heard.exit = row.exit;
            stderr.clone_into(&mut heard.stderr);
            heard
        };
        texts.iter().flat_map(|text| complaints.iter().map(move |stderr| with(text, stderr))).collect()
    }

    fn fill(&self, shape: &Value, at: &str) -> Value {
        match shape {
            Value::Object(members) => {
                let filled = members.iter().map(|(key, value)| (key.clone(), self.fill(value, &format!("{at}/{key}"))));
                Value::Object(filled.collect())
            }
            Value::String(any) if any == "**" => self.any.clone().unwrap_or_else(|| self.value(at)),
            Value::String(any) if any == "*" => json!("a text"),
            value => value.clone(),
        }
    }

    fn add(&self, answer: &mut Value, pointer: &str) {
        let Some((parent, key)) = pointer.rsplit_once('/') else { return };
        let value = self.value(pointer);
        if let Some(parent) = answer.pointer_mut(parent).and_then(Value::as_object_mut) {
            parent.entry(key).or_insert(value);
        }
    }

    /// A value of the kind that belongs at this place.
    fn value(&self, at: &str) -> Value {
        let key = at.rsplit('/').next().unwrap_or_default();
        let riders = &self.table.riders;
        let is = |rider: &str| riders.get(rider).is_some_and(|places| places.iter().any(|place| place == at));
        let raw = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        if is("input") {
            let call = self.event.and_then(HookEvent::call);
            return call.map_or_else(|| json!({"command": "ls"}), |call| raw(call.input.as_str()));
        }
        if let Some(result) = self.event.and_then(HookEvent::result).filter(|_| is("result")) {
            return raw(result.raw.as_str());
        }
        match key {
            "hookEventName" | "hook_event_name" => json!(self.event.map_or("", |event| &event.native)),
            "silent" | "is_error" | "async" | "response_handled" | "graceful_terminal" | "reloadSkills"
            | "suppressOutput" => json!(false),
            "suppressOriginalPrompt" => json!(true),
            "meta" | "context" | "options" | "arguments" => json!({}),
            "media" | "artifact_tags" | "messages" | "tools" | "updatedPermissions" | "watchPaths" => json!([]),
            "updated_messages" => json!([{"role": "user", "content": "hi"}]),
            "tool_calls" => json!([{"id": "call_1"}]),
            "metadata" => json!({"category": "shell"}),
            "duration" => json!(15),
            "usage" | "reasoning_details" => Value::Null,
            "modes" => json!(["tool"]),
            _ => json!("a text"),
        }
    }
}

fn tables() -> Vec<Table> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let tables: Vec<_> = files.iter().map(|file| Table::read(file).unwrap_or_else(|e| panic!("{e}"))).collect();
    for (file, table) in files.iter().zip(&tables) {
        assert_eq!(file.file_stem().unwrap().to_string_lossy(), table.agent);
    }
    tables
}

fn measured() -> Vec<(Table, &'static dyn HookProtocol)> {
    let registry = Registry::standard();
    tables().into_iter().filter_map(|table| registry.get(&table.agent).map(|protocol| (table, protocol))).collect()
}

/// An event of every row: those of its fixtures, or a bare one.
fn events(protocol: &'static dyn HookProtocol) -> Vec<HookEvent> {
    let agent = protocol.agent();
    let folder = format!("{}/fixtures", agent.id.replace('-', "_"));
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let mut events = Vec::new();
    for file in files {
        let fixture: Map<String, Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        if let Ok(Incoming::Event(event) | Incoming::Observed(event)) = protocol.parse(&native(protocol, &fixture)) {
            events.push(*event);
        }
    }
    for row in agent.events {
        if !events.iter().any(|event| std::ptr::eq(event.row, row)) {
            let id = if agent.transport == Transport::Lines { r#"{"id":1}"# } else { "{}" };
            events.push(HookEvent::new(agent, row, Native::new(id).body));
        }
    }
    events
}

fn native(protocol: &dyn HookProtocol, fixture: &Map<String, Value>) -> Native {
    let mut stdin = fixture["stdin"].clone();
    if protocol.agent().transport == Transport::Lines && stdin.get("id").is_some() {
        stdin["id"] = json!(1);
    }
    let mut line = Line::default();
    if let Some(told) = fixture.get("line") {
        line.event = told["event"].as_str().map(str::to_owned);
        line = line.role(match told["role"].as_str() {
            Some("guarded") => Role::Guarded,
            Some("preempt") => Role::Preempt,
            _ => Role::Alone,
        });
    }
    let mut connection = Connection::default();
    if let Some(told) = fixture.get("connection") {
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        connection.modes = told["modes"].as_array().map(|modes| modes.iter().map(words).collect());
        for (call, text) in told["answered"].as_object().into_iter().flatten() {
            connection.answered.insert(call.clone(), words(text));
        }
    }
    Native::new(stdin.to_string()).line(line).connection(Arc::new(connection))
}

fn reply(heard: &Heard) -> Reply {
    let mut reply = Reply::document(&heard.stdout);
    reply.stderr.clone_from(&heard.stderr);
    reply.exit = heard.exit.unwrap_or_default().try_into().unwrap();
    reply
}

fn carried(outcome: &Outcome) -> BTreeMap<String, Value> {
    let changes = outcome.changes.iter().map(|(target, value)| {
        (target.word().to_owned(), serde_json::from_str(value.as_str()).unwrap_or_else(|_| json!(value.as_str())))
    });
    let texts = outcome.texts.iter().map(|(rider, text)| {
        let word = match rider {
            Rider::Change(target) => target.word(),
            Rider::Context => "context",
            Rider::Notice => "notice",
            Rider::Summary => "summary",
            Rider::Reason => "reason",
            other => panic!("the tables have no word for {other:?}"),
        };
        (word.to_owned(), json!(text))
    });
    let mut carried = BTreeMap::new();
    for (rider, value) in changes.chain(texts) {
        carried.entry(rider).or_insert(value);
    }
    carried
}

/// The tables' word for what a cell says, where the two speak differently of the same thing.
fn same_word(event: &HookEvent, does: Does) -> String {
    use EventKind::{Permission, PostTool, Prompt, Question};
    let word = match (event.kind(), does) {
        // The agent is about to ask: going on is asking.
        (Permission | Question, Does::Asks) if event.row.can(Power::SilenceAsks) => Does::Flow,
        // A refused prompt ends its turn.
        (Prompt, Does::Blocks) => Does::Stops,
        // An agent without a question of its own: going on is approving.
        (Permission, Does::Flow) if event.agent.transport == Transport::Lines => Does::Approves,
        // What ran cannot be stopped any more.
        (PostTool, Does::Stops) => Does::RunsThenStops,
        (_, does) => does,
    };
    word.word().to_owned()
}

/// How strict a word is.
fn rank(word: &str) -> usize {
    const WORDS: &[&[&str]] = &[
        &["approves"],
        &["flow"],
        &["runs_then_stops", "continues"],
        &["asks"],
        &["blocks", "responds", "refuses_start"],
        &["stops"],
        &["stops_hard"],
    ];
    WORDS.iter().position(|words| words.contains(&word)).unwrap_or_else(|| panic!("no such word: {word}"))
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

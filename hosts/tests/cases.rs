//! The effects of each data file agree with its recorded cases.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};
use snaphook_adapters::model::{Action, EventKind, HookEvent, Incoming, Reply, ToolCall};
use snaphook_adapters::protocol::{EventRow, Native, Power, Transport};
use snaphook_adapters::testing::Suite;
use snaphook_hosts::cases::{Cases, Heard, RecordedCase};
use snaphook_hosts::{Account, Effect, Outcome};

/// The parts that are changes.
const CHANGES: &[&str] = &["input", "tool", "result", "prompt", "messages", "request"];

/// Replies on which effects and cases differ: agent, row, a part of the reply, reason.
const APART: &[(&str, &str, &str, &str)] = &[
    ("claude-code", "ConfigChange.policy_settings", "", "the cases are about the other sources"),
    ("codex", "PreToolUse", r#"{"command":["#, "an array as a command was driven with nothing beside it"),
    ("picoclaw", "hook.before_tool.v0.2.4", "respond", "the effect is that of both gates, the case that of each"),
];

/// Hosts of cases that no row of the registry has: agent, event or empty for all, host, reason.
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
fn every_case_has_a_source_and_either_an_answer_or_a_fault() {
    for Described { cases, .. } in described() {
        for case in &cases.cases {
            assert!(!case.source.is_empty() && !case.page.is_empty(), "{}", place(&cases, case));
            assert_ne!(case.stdout.is_some(), case.fault.is_some(), "{}", place(&cases, case));
        }
    }
}

#[test]
fn cases_and_registry_have_the_same_events() {
    for Described { cases, suite, .. } in described() {
        let rows: BTreeSet<_> = suite.protocol().agent().events.iter().map(|row| row.native).collect();
        let listed: BTreeSet<_> = cases.cases.iter().map(|case| case.event.as_str()).collect();
        assert_eq!(listed, rows, "{}", cases.agent);
    }
}

#[test]
fn cases_and_registry_have_the_same_hosts() {
    for Described { cases, suite, .. } in described() {
        let seen: BTreeSet<_> = cases
            .cases
            .iter()
            .flat_map(|case| case.hosts.iter().map(|host| (case.event.as_str(), host.as_str())))
            .collect();
        let rows = suite.protocol().agent().events.iter();
        let rows: BTreeSet<_> = rows.flat_map(|row| row.hosts.iter().map(|&host| (row.native, host))).collect();
        let missing: Vec<_> = rows.difference(&seen).collect();
        assert!(missing.is_empty(), "{}: in the registry, without a case: {missing:?}", cases.agent);
        let expected = |event: &str, host: &str| {
            NO_ROW
                .iter()
                .any(|(agent, name, id, _)| *agent == cases.agent && *id == host && (name.is_empty() || *name == event))
        };
        let missing: Vec<_> = seen.difference(&rows).filter(|(event, host)| !expected(event, host)).collect();
        assert!(missing.is_empty(), "{}: with a case, not in the registry: {missing:?}", cases.agent);
    }
}

#[test]
fn a_double_uses_the_time_limits_and_variables_of_the_adapter() {
    for Described { cases, suite, .. } in described() {
        let Some(start) = &cases.start else { continue };
        let agent = suite.protocol().agent();
        for row in agent.events {
            assert_eq!(start.limit(row.native), row.failure.timeout, "{} {}", cases.agent, row.key());
        }
        assert_eq!(start.keeps.clone().unwrap_or_default(), agent.registration.environment, "{}", cases.agent);
    }
}

#[test]
fn no_case_is_made_unreachable_by_an_earlier_one() {
    let mut dead = Vec::new();
    for Described { cases, .. } in described() {
        let fillers = [None, Some(json!({"k": 1})), Some(json!([1])), Some(json!(1)), Some(json!("a text"))];
        let answers = fillers.map(|any| Answers { cases: &cases, event: None, any });
        for case in cases.cases.iter().filter(|case| case.fault.is_none()) {
            let reached = |host: &String| {
                let mut heard = answers.iter().flat_map(|answers| answers.of(case));
                heard.any(|heard| cases.find(&case.event, host, &heard).is_some_and(|found| std::ptr::eq(found, case)))
            };
            if !case.hosts.iter().all(reached) {
                dead.push(format!("{}: {:?}", place(&cases, case), case.stdout));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// Effect and parts must be equal, not only at least as strict, since `snaphook try` shows the effect of any reply,
/// even of one that no adapter writes.
#[test]
fn the_effects_agree_with_every_recorded_case() {
    let mut report = String::new();
    for described in described() {
        let mut compared = Compared::default();
        compared.every_case(&described);
        let cases = &described.cases;
        assert!(compared.count > cases.cases.len(), "{}: few answers were compared", cases.agent);
        for (what, (count, example)) in &compared.differences {
            writeln!(report, "{}: {what} ({count} times)\n    {example}", cases.agent).unwrap();
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// One agent with a data file.
struct Described {
    cases: Cases,
    account: &'static Account,
    suite: Suite,
}

fn described() -> Vec<Described> {
    common::described()
        .into_iter()
        .map(|(suite, account)| {
            let cases = Cases::of(&account.agent).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(cases.agent, account.agent);
            Described { cases, account, suite }
        })
        .collect()
}

fn place(cases: &Cases, case: &RecordedCase) -> String {
    format!("{} {} {}", cases.agent, case.event, case.number)
}

/// The differences of effects and cases, each with its count and an example.
#[derive(Default)]
struct Compared {
    count: usize,
    differences: BTreeMap<String, (usize, String)>,
}

impl Compared {
    fn every_case(&mut self, described: &Described) {
        let Described { cases, suite, .. } = described;
        let events = events(suite);
        for case in cases.cases.iter().filter(|case| case.fault.is_none()) {
            for host in &case.hosts {
                let here = |row: &&EventRow| row.native == case.event && row.hosts.contains(&host.as_str());
                for row in suite.protocol().agent().events.iter().filter(here) {
                    let about = |event: &&HookEvent| std::ptr::eq(event.row, row) && is_meant_for(cases, case, event);
                    for event in events.iter().filter(about) {
                        for heard in (Answers { cases, event: Some(event), any: None }).of(case) {
                            self.one(described, host, event, heard);
                        }
                    }
                }
            }
        }
    }

    fn one(&mut self, described: &Described, host: &str, event: &HookEvent, heard: Heard) {
        let recorded = described.cases.judge(&event.native, host, heard);
        let outcome = described.account.interpret(event, host, &reply(&recorded.heard));
        self.count += 1;
        let apart = |(agent, row, part, _): &(&str, &str, &str, &str)| {
            *agent == recorded.agent && event.row.key().starts_with(row) && recorded.heard.stdout.contains(part)
        };
        if APART.iter().any(apart) {
            return;
        }
        let effect = as_recorded(event, outcome.effect);
        let taken = taken(&outcome);
        let expected: BTreeSet<_> = recorded.carried.keys().collect();
        let wrong = |part: &&String| CHANGES.contains(&part.as_str()) && recorded.carried(part) != taken.get(*part);
        let difference = if effect != recorded.effect {
            format!("{}, recorded: {}", effect.word(), recorded.effect.word())
        } else if taken.keys().collect::<BTreeSet<_>>() != expected {
            format!("takes {:?}, recorded: {expected:?}", taken.keys())
        } else if let Some(part) = taken.keys().find(wrong) {
            format!("takes another value as {part} than recorded")
        } else {
            return;
        };
        let Heard { exit, stdout, stderr, .. } = recorded.heard;
        let example = format!("{:?}: exit {exit:?} stdout {stdout:?} stderr {stderr:?}", recorded.case);
        let key = format!("{} {host}: {difference}", event.row.key());
        self.differences.entry(key).or_insert((0, example)).0 += 1;
    }
}

/// Returns true if the replies of a case apply to an event: literal arguments are those of the shell tool.
fn is_meant_for(cases: &Cases, case: &RecordedCase, event: &HookEvent) -> bool {
    let shape = case.stdout.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let places = cases.places.get("input").into_iter().flatten();
    let written_out = places.filter_map(|place| shape.as_ref()?.pointer(place)).any(Value::is_object);
    let shell = |call: &ToolCall| call.actions.iter().any(|action| matches!(action, Action::Shell { .. }));
    !written_out || event.call().is_none_or(shell)
}

/// Builds replies that a case describes.
struct Answers<'a> {
    cases: &'a Cases,
    event: Option<&'a HookEvent>,
    /// The value for `**`; absent: a value of the type that is usual at the place.
    any: Option<Value>,
}

impl Answers<'_> {
    /// Returns the replies to try for a case: with and without its optional members, and with and without stderr if the
    /// case accepts any.
    fn of(&self, case: &RecordedCase) -> Vec<Heard> {
        let Some(pattern) = &case.stdout else { return Vec::new() };
        let mut texts = match serde_json::from_str::<Value>(pattern) {
            Ok(shape) if shape.is_object() => {
                let plain = self.fill(&shape, "");
                let mut full = plain.clone();
                for pointer in &case.optional {
                    self.add(&mut full, pointer);
                }
                vec![plain.to_string(), full.to_string()]
            }
            _ if pattern == "text:" => vec!["plain text".to_owned()],
            _ => vec![pattern.clone()],
        };
        texts.dedup();
        let stderrs: &[&str] = match case.stderr.as_deref() {
            None if case.exit.is_none() => &[""],
            None => &["", "a complaint"],
            Some("*") => &["a complaint"],
            Some(_) => &[""],
        };
        let with = |text: &String, stderr: &str| {
            let mut heard = Heard::line(text);
            heard.exit = case.exit;
            stderr.clone_into(&mut heard.stderr);
            heard
        };
        texts.iter().flat_map(|text| stderrs.iter().map(move |stderr| with(text, stderr))).collect()
    }

    fn fill(&self, shape: &Value, at: &str) -> Value {
        match shape {
            Value::Object(members) => {
                let filled = members.iter().map(|(key, value)| (key.clone(), self.fill(value, &format!("{at}/{key}"))));
                Value::Object(filled.collect())
            }
            Value::String(any) if any == "**" => self.any.clone().unwrap_or_else(|| self.value(at)),
            // The cases are about calls that keep their tool, unless they take another one.
            Value::String(any) if any == "*" && at.ends_with("/call/tool") => {
                json!(self.event.and_then(HookEvent::call).map_or("a text", |call| &call.name))
            }
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

    /// Returns a value of the type that is usual at a place.
    fn value(&self, at: &str) -> Value {
        let key = at.rsplit('/').next().unwrap_or_default();
        let places = &self.cases.places;
        let is = |part: &str| places.get(part).is_some_and(|places| places.iter().any(|place| place == at));
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

/// Returns events of every row: those of its fixtures, or an empty one. Requests have the id 1, as in the cases.
fn events(suite: &Suite) -> Vec<HookEvent> {
    let (protocol, agent) = (suite.protocol(), suite.protocol().agent());
    let mut events = Vec::new();
    for fixture in suite.fixtures() {
        let mut native = fixture.native.clone();
        let id = native.body.at("/id").filter(|_| agent.transport == Transport::Lines);
        if let Some(body) = id.and_then(|id| native.body.replace(&id, "1")) {
            native = Native::new(body.as_str()).line(native.line).connection(native.connection);
        }
        if let Ok(Incoming::Event(event) | Incoming::Observed(event)) = protocol.parse(&native) {
            events.push(*event);
        }
    }
    for row in agent.events {
        if !events.iter().any(|event| std::ptr::eq(event.row, row)) {
            let body = if agent.transport == Transport::Lines { r#"{"id":1}"# } else { "{}" };
            events.push(HookEvent::new(agent, row, Native::new(body).body));
        }
    }
    events
}

fn reply(heard: &Heard) -> Reply {
    let mut reply = Reply::document(&heard.stdout);
    reply.stderr.clone_from(&heard.stderr);
    reply.exit = heard.exit.unwrap_or_default().try_into().unwrap();
    reply
}

/// Returns the values that the agent uses, by part; the first value counts.
fn taken(outcome: &Outcome) -> BTreeMap<String, Value> {
    let changes = outcome.changes.iter().map(|(target, value)| {
        (target.word().to_owned(), serde_json::from_str(value.as_str()).unwrap_or_else(|_| json!(value.as_str())))
    });
    let texts = outcome.texts.iter().map(|(part, text)| (part.word().to_owned(), json!(text)));
    let mut taken = BTreeMap::new();
    for (part, value) in changes.chain(texts) {
        taken.entry(part).or_insert(value);
    }
    taken
}

/// Returns the word of the cases for an effect: some effects have two words.
fn as_recorded(event: &HookEvent, effect: Effect) -> Effect {
    use EventKind::{Permission, PostTool, Prompt, Question};
    match (event.kind(), effect) {
        // The agent is about to ask, so to continue is to ask.
        (Permission | Question, Effect::Asks) if event.row.can(Power::SilenceAsks) => Effect::Flow,
        // A refused prompt ends its turn.
        (Prompt, Effect::Blocks) => Effect::Stops,
        // The agent does not ask by itself, so to continue is to approve.
        (Permission, Effect::Flow)
            if event.agent.transport == Transport::Lines && !event.row.can(Power::SilenceAsks) =>
        {
            Effect::Approves
        }
        // A call that has run cannot be stopped.
        (PostTool, Effect::Stops) => Effect::RunsThenStops,
        (_, effect) => effect,
    }
}

//! Messages that cannot be parsed. On every gate of every agent they are refused, in the form of the event if
//! the message or the command line names it.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::process::{Faults, Place, SILENT, Start, answered, each};
use crate::subject::{Subject, Watched, beside, with};

/// Gates whose agents ignore the answer that is sent if the event is unknown: `(agent, row)`. Command lines
/// registered with `--event` avoid this. PicoClaw has no such command lines, but always sends the method.
const DEAF_WITHOUT_EVENT: &[(&str, &str)] = &[
    ("claude-code", "PermissionRequest"),
    ("codex", "PreCompact"),
    ("copilot", "UserPromptSubmit.pascal"),
    ("picoclaw", "hook.before_llm.v0.2.4"),
    ("picoclaw", "hook.before_llm.v0.2.7"),
    ("qwen-code", "PermissionRequest"),
];

/// The readable part of a broken message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Legible {
    Nothing,
    /// The leading members; if only one field is wrong, also the name of the event.
    Head,
}

type Broken = fn(&Subject) -> Vec<u8>;

const BYTES: &[(&str, Legible, Broken)] = &[
    ("empty", Legible::Nothing, |_| Vec::new()),
    ("blank", Legible::Nothing, |_| b" \r\n\t ".to_vec()),
    ("text", Legible::Nothing, |_| b"rm -rf ~/work".to_vec()),
    ("a quoted text", Legible::Nothing, |s| json!(s.message).to_string().into_bytes()),
    ("truncated", Legible::Head, |s| s.message.as_bytes()[..s.message.len() - 1].to_vec()),
    ("one byte", Legible::Nothing, |_| b"{".to_vec()),
    ("array", Legible::Nothing, |s| format!("[{}]", s.message).into_bytes()),
    ("null", Legible::Nothing, |_| b"null".to_vec()),
    ("empty object", Legible::Nothing, |_| b"{}".to_vec()),
    ("UTF-16, little end first", Legible::Nothing, |s| utf16(&s.message, u16::to_le_bytes)),
    ("UTF-16, big end first", Legible::Nothing, |s| utf16(&s.message, u16::to_be_bytes)),
    ("invalid UTF-8", Legible::Head, |s| {
        let mut bytes = s.message.clone().into_bytes();
        bytes.truncate(bytes.len() - 1);
        bytes.extend(b",\"x\":\"\xFF\"}");
        bytes
    }),
    ("not a number", Legible::Head, |s| last(s, "NaN")),
    ("a raw control character", Legible::Head, |s| last(s, "\"\u{1}\"")),
    ("crossed brackets", Legible::Head, |s| last(s, "[}]")),
    ("a second message behind it", Legible::Head, |s| [s.message.as_bytes(), s.message.as_bytes()].concat()),
    ("rubbish behind it", Legible::Head, |s| [s.message.as_bytes(), b" x"].concat()),
];

type Change = fn(&Subject, &Watched) -> Option<String>;

const FIELDS: &[(&str, Legible, Change)] = &[
    ("is missing", Legible::Nothing, |s, place| place.required.then(|| with(&s.message, &place.at, None))),
    ("is null", Legible::Nothing, |s, place| place.required.then(|| with(&s.message, &place.at, Some(Value::Null)))),
    ("is a number", Legible::Nothing, |s, place| place.typed.then(|| with(&s.message, &place.at, Some(json!(7))))),
    ("is another type", Legible::Nothing, |s, place| {
        let now = value(s, place);
        place
            .typed
            .then(|| with(&s.message, &place.at, Some(if now.is_string() { json!({"x": 1}) } else { json!("x") })))
    }),
    ("has a NUL", Legible::Nothing, |s, place| {
        let text = format!("{}\0", value(s, place).as_str()?);
        Some(with(&s.message, &place.at, Some(json!(text))))
    }),
    ("comes again, otherwise", Legible::Head, |s, place| {
        Some(beside(&s.message, &place.at, &member(s, place, str::to_owned), true))
    }),
    ("came before, otherwise", Legible::Head, |s, place| {
        Some(beside(&s.message, &place.at, &member(s, place, str::to_owned), false))
    }),
    ("has a case twin", Legible::Head, |s, place| {
        Some(beside(&s.message, &place.at, &member(s, place, other_case), true))
    }),
    ("has an escaped twin", Legible::Head, |s, place| {
        let escaped = |key: &str| format!("\\u{:04x}{}", key.as_bytes()[0], &key[1..]);
        Some(beside(&s.message, &place.at, &member(s, place, escaped), true))
    }),
];

#[test]
fn invalid_messages_are_refused() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    each(Subject::gates(), |subject, faults| {
        for (what, legible, broken) in BYTES {
            for per_event in [true, false] {
                let start = Start::new(&subject, &place, &policy, &subject.flags(per_event));
                let reply = answered(&subject, start, &broken(&subject)).reply(&subject, what);
                let at = format!("{subject}: {what}: {reply:?} {:?}", subject.does(&reply));
                if subject.is_lines() && *legible == Legible::Nothing {
                    faults.unless(reply.stdout.is_empty(), || at.clone());
                } else if per_event && subject.registrable() || subject.is_lines() {
                    faults.unless(subject.blocked_by(&reply), || at.clone());
                } else {
                    faults.unless(subject.blocked_by(&reply) != deaf(&subject), || at.clone());
                }
            }
        }
    });
}

#[test]
fn a_refusal_that_a_gate_ignores_is_a_known_limit() {
    let mut faults = Faults::default();
    let found: Vec<_> = Subject::gates()
        .into_iter()
        .filter(|s| !s.is_lines() && !s.is_named_by_line() && !s.blocked_by(&s.emergency()))
        .collect();
    for subject in &found {
        faults.unless(deaf(subject), || format!("{subject} does not hear {:?}", subject.emergency()));
        faults.unless(subject.registrable(), || format!("{subject} cannot be registered by its event"));
    }
    let listed = DEAF_WITHOUT_EVENT.iter().filter(|(agent, _)| found.iter().any(|subject| subject.id() == *agent));
    assert_eq!(listed.count(), found.len(), "nothing is listed that is none");
    faults.none();
}

#[test]
fn a_missing_or_ambiguous_watched_field_is_refused() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    let tried = AtomicUsize::new(0);
    each(Subject::gates(), |subject, faults| {
        for watched in subject.watched() {
            for (what, legible, change) in FIELDS {
                let Some(message) = change(&subject, &watched) else { continue };
                // An unknown event without a tool is not a call.
                if subject.is_stray() && matches!(*what, "is missing" | "is null") {
                    continue;
                }
                for per_event in [true, false] {
                    let start = Start::new(&subject, &place, &policy, &subject.flags(per_event));
                    let what = format!("{} {what}", watched.at);
                    let reply = answered(&subject, start, message.as_bytes()).reply(&subject, &what);
                    let of_event = Some(&watched.at) == subject.event_at().as_ref();
                    let told = per_event && subject.registrable() || *legible == Legible::Head || !of_event;
                    let blocks = told || !deaf(&subject);
                    let does = subject.does(&reply);
                    faults.unless(subject.blocked_by(&reply) == blocks, || {
                        format!("{subject}: {what}: {reply:?} {does:?}")
                    });
                    tried.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    assert!(tried.into_inner() > 100);
}

#[test]
fn a_message_above_the_size_limit_is_refused() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("small.toml", &format!("{SILENT}[limits]\ninput = \"64KiB\"\n"));
    for subject in Subject::gates() {
        let message = beside(&subject.message, "/x", &format!("\"padding\":\"{}\"", "x".repeat(64 << 10)), true);
        for per_event in [true, false] {
            let log = place.path("log.jsonl");
            let start = Start::new(&subject, &place, &policy, &subject.flags(per_event));
            let start = start.flag(&["--audit", log.to_str().unwrap()]);
            let reply = answered(&subject, start, message.as_bytes()).reply(&subject, "over the cap");
            let record: Value =
                serde_json::from_str(std::fs::read_to_string(&log).unwrap().lines().last().unwrap()).unwrap();
            faults.unless(record["over_limit"] == true, || format!("{subject}: {record}"));
            let blocks = per_event || subject.is_lines() || !deaf(&subject);
            faults.unless(subject.blocked_by(&reply) == blocks, || format!("{subject}: {reply:?}"));
        }
    }
    faults.none();
}

#[test]
fn incomplete_input_is_refused_and_complete_input_is_judged_immediately() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    each(Subject::gates().into_iter().filter(|subject| !subject.is_lines()), |subject, faults| {
        let start = || Start::new(&subject, &place, &policy, &subject.flags(true));
        for part in [0, subject.message.len() / 2, subject.message.len() - 1] {
            let mut running = start().flag(&["--deadline", "50ms"]).start();
            running.send(&subject.message.as_bytes()[..part]);
            let reply = running.ended().reply(&subject, "stdin stays open");
            let blocks = subject.registrable() || !deaf(&subject);
            faults.unless(subject.blocked_by(&reply) == blocks, || format!("{subject}: {part} bytes: {reply:?}"));
        }
        let closed = start().with(subject.message.as_bytes()).reply(&subject, "complete");
        // The deadline is longer than this test may run, so the answer must be immediate.
        let mut running = start().flag(&["--deadline", "1h"]).start();
        running.send(subject.message.as_bytes());
        faults.unless(running.ended().reply(&subject, "complete, stdin open") == closed, || format!("{subject}"));
    });
}

fn deaf(subject: &Subject) -> bool {
    DEAF_WITHOUT_EVENT.contains(&(subject.id(), subject.event.row.key().as_str()))
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
}

/// The message with this value as its last one.
fn last(subject: &Subject, value: &str) -> Vec<u8> {
    beside(&subject.message, "/x", &format!("\"x\":{value}"), true).into_bytes()
}

fn value(subject: &Subject, place: &Watched) -> Value {
    let whole: Value = serde_json::from_str(&subject.message).unwrap();
    whole.pointer(&place.at).unwrap().clone()
}

/// A member that contradicts the watched one. For the event, it names one that decides nothing, the most
/// dangerous value to accept.
fn member(subject: &Subject, place: &Watched, key: fn(&str) -> String) -> String {
    let agent = subject.protocol.agent();
    let quiet = agent.events.iter().rev().find(|row| !row.gates()).map_or("x", |row| row.native);
    let other = match value(subject, place) {
        Value::String(_) if Some(&place.at) == subject.event_at().as_ref() => json!(quiet),
        Value::String(text) => json!(format!("{text}x")),
        _ => json!({"other": 1}),
    };
    format!("\"{}\":{other}", key(place.at.rsplit('/').next().unwrap()))
}

fn other_case(key: &str) -> String {
    let upper = key.to_uppercase();
    if upper == key { key.to_lowercase() } else { upper }
}

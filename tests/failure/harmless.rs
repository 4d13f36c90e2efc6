//! Unusual but complete messages are judged like any other.

use serde_json::{Value, json};

use crate::process::{DENY, Faults, Place, SILENT, Start, answered, answered_at_length, each};
use crate::subject::{Subject, beside, with};

type Odd = fn(&Subject) -> Option<Vec<u8>>;

const ODD: &[(&str, Odd)] = &[
    ("a byte order mark", |s| Some([b"\xEF\xBB\xBF", s.message.as_bytes()].concat())),
    ("blanks around it", |s| Some(format!(" \t{}\t \r", s.message).into_bytes())),
    ("line ends around it", |s| (!s.is_lines()).then(|| format!("\r\n\n {}\r\n\r\n", s.message).into_bytes())),
    ("line ends of Windows in it", |s| {
        let whole: Value = serde_json::from_str(&s.message).unwrap();
        let pretty = serde_json::to_string_pretty(&whole).unwrap().replace('\n', "\r\n");
        (!s.is_lines()).then(|| pretty.into_bytes())
    }),
    ("a lone surrogate in an unwatched part", |s| Some(member(s, "/x", "\"x\":\"\\ud800\""))),
    ("a lone surrogate in a watched text", |s| {
        let mut place = s.watched().into_iter().filter(|place| Some(&place.at) != s.event_at().as_ref());
        let place = place.rfind(|place| inside_input(s, &place.at))?;
        let whole: Value = serde_json::from_str(&s.message).unwrap();
        let marked = format!("{} (lone)", whole.pointer(&place.at)?.as_str()?);
        Some(with(&s.message, &place.at, Some(json!(marked))).replace("(lone)", "\\udc00").into_bytes())
    }),
    ("depth", |s| {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        Some(member(s, "/x", &format!("\"x\":{open}{close}")))
    }),
    ("depth in the arguments", |s| {
        let (open, close) = ("{\"a\":".repeat(100_000), "}".repeat(100_000));
        Some(member(s, &format!("{}/x", input(s)?), &format!("\"x\":{open}1{close}")))
    }),
    ("keys given twice", |s| Some(member(s, "/x", "\"x\":1,\"x\":2,\"X\":3"))),
    ("keys given twice in the arguments", |s| {
        Some(member(s, &format!("{}/x", input(s)?), "\"an_unwatched_key\":1,\"an_unwatched_key\":2"))
    }),
    ("numbers of any size", |s| Some(member(s, "/x", "\"x\":[1E400,1.10,123456789012345678901234567890]"))),
];

#[test]
fn complete_messages_are_judged_even_if_unusual() {
    let place = Place::new();
    let policies = [place.file("silent.toml", SILENT), place.file("deny.toml", DENY)];
    each(Subject::rows(), |subject, faults| {
        for policy in policies.iter().take(if subject.event.row.gates() { 2 } else { 1 }) {
            let start = || Start::new(&subject, &place, policy, &subject.flags(true)).flag(&["--deadline", "100s"]);
            let plain = answered(&subject, start(), subject.message.as_bytes()).reply(&subject, "plain");
            for (what, odd) in ODD {
                let Some(message) = odd(&subject) else { continue };
                let reply = answered(&subject, start(), &message).reply(&subject, what);
                faults.unless(subject.does(&reply) == subject.does(&plain), || format!("{subject}: {what}: {reply:?}"));
                if !what.contains("surrogate in a watched") {
                    faults.unless(reply == plain, || format!("{subject}: {what}"));
                }
            }
        }
    });
}

#[test]
fn silence_does_not_block_and_a_denial_does() {
    let mut faults = Faults::default();
    let place = Place::new();
    let (silent, deny) = (place.file("silent.toml", SILENT), place.file("deny.toml", DENY));
    for subject in Subject::gates() {
        let judged = |policy| {
            let start = Start::new(&subject, &place, policy, &subject.flags(true));
            answered(&subject, start, subject.message.as_bytes()).reply(&subject, "plain")
        };
        let passed = judged(&silent);
        faults.unless(!subject.blocked_by(&passed), || format!("{subject}: {passed:?} {:?}", subject.does(&passed)));
        let denied = judged(&deny);
        let call = subject.event.call().is_some();
        faults.unless(!call || subject.blocked_by(&denied), || {
            format!("{subject}: {denied:?} {:?}", subject.does(&denied))
        });
    }
    faults.none();
}

#[test]
fn fifty_mebibytes_of_content_are_judged() {
    let place = Place::new();
    let policies = [place.file("silent.toml", SILENT), place.file("deny.toml", DENY)];
    let mut seen = std::collections::HashSet::new();
    let all = Subject::gates().into_iter().filter_map(|subject| Some((input(&subject)?, subject)));
    let one_each: Vec<_> = all.filter(|(_, subject)| seen.insert(subject.id())).collect();
    assert_eq!(one_each.len(), snaphook_adapters::registry::Registry::standard().iter().count());
    // Two at a time, each of which needs a few hundred MiB.
    let halves: Vec<_> = one_each.chunks(one_each.len().div_ceil(2)).collect();
    each(halves, |half, faults| {
        for (at, subject) in half {
            let line = "a line of \\\"content\\\"\\n";
            let content = line.repeat((50 << 20) / line.len());
            let message = member(subject, &format!("{at}/x"), &format!("\"an_unwatched_key\":\"{content}\""));
            for policy in &policies {
                let start = || Start::new(subject, &place, policy, &subject.flags(true)).flag(&["--deadline", "100s"]);
                let plain = answered(subject, start(), subject.message.as_bytes()).reply(subject, "plain");
                let reply = answered_at_length(subject, start(), &message).reply(subject, "50 MiB");
                faults.unless(reply == plain, || format!("{subject}"));
            }
        }
    });
}

/// The agent may run a different text than the one we parse, so a rewrite would not change what runs.
#[test]
fn a_text_with_a_lone_surrogate_is_never_rewritten() {
    let mut faults = Faults::default();
    let place = Place::new();
    let change = r#"{"verdict":"pass","changes":[{"target":"input","value":{"command":"true"},"need":"required"}]}"#;
    place.file("change.json", change);
    let command = format!("[\"/bin/cat\", \"{}\"]", place.path("change.json").display());
    let policy = place.file("change.toml", &format!("{SILENT}[[handler]]\nmatch = [\"*\"]\ncommand = {command}\n"));
    let lone = ODD.iter().find(|(what, _)| what.contains("surrogate in a watched")).unwrap().1;
    for subject in Subject::gates() {
        let Some(message) = lone(&subject) else { continue };
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "60s"]);
        let reply = answered(&subject, start, &message).reply(&subject, "a change");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    }
    faults.none();
}

fn member(subject: &Subject, at: &str, member: &str) -> Vec<u8> {
    beside(&subject.message, at, member, true).into_bytes()
}

/// The path of the arguments of the call.
fn input(subject: &Subject) -> Option<String> {
    let whole: Value = serde_json::from_str(&subject.message).unwrap();
    let at = subject.watched().pop()?.at;
    whole.pointer(&at)?.is_object().then_some(at)
}

fn inside_input(subject: &Subject, at: &str) -> bool {
    input(subject).is_some_and(|input| at.starts_with(&format!("{input}/")))
}

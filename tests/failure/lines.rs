//! Long-lived agents: a faulty line does not affect the next one.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use snaphook_adapters::model::{EventKind, Reply};
use snaphook_adapters::protocol::{HookProtocol, Transport};
use snaphook_adapters::registry::Registry;

use crate::process::{DENY, Place, Running, SILENT, Start, arrived, each};
use crate::subject::{Subject, beside, greeting, with};

#[test]
fn the_line_after_an_invalid_line_is_served() {
    let place = Place::new();
    let policy = place.file("silent.toml", &format!("{SILENT}[limits]\ninput = \"64KiB\"\n"));
    for subject in gates() {
        let long = |at: &str| beside(&subject.message, at, &format!("\"x\":\"{}\"", "x".repeat(80 << 10)), true);
        let late_id = |message: &str| {
            let id = serde_json::from_str::<Value>(message).unwrap()["id"].to_string();
            beside(&with(message, "/id", None), "/id", &format!("\"id\":{id}"), true)
        };
        let no_id = with(&subject.message, "/id", None);
        let lines: [(&str, bool, Vec<u8>); 12] = [
            ("no JSON", false, b"rm -rf ~/work".to_vec()),
            ("array", false, format!("[{}]", subject.message).into_bytes()),
            ("null", false, b"null".to_vec()),
            ("blank", false, b" \t \r".to_vec()),
            ("NUL", false, b"\0".to_vec()),
            ("a bad byte in the parameters", true, bad_byte(&subject.message)),
            ("a bad byte before the id", false, [b"\xFF", subject.message.as_bytes()].concat()),
            ("a bad byte in a notification", false, bad_byte(&no_id)),
            ("too long", true, long("/params/x").into_bytes()),
            ("too long, id at the end", false, late_id(&long("/params/x")).into_bytes()),
            (
                "a notification that is too long",
                false,
                beside(&no_id, "/x", &format!("\"x\":\"{}\"", "x".repeat(80 << 10)), true).into_bytes(),
            ),
            ("truncated", true, subject.message.as_bytes()[..subject.message.len() - 2].to_vec()),
        ];
        let mut running = greeted(&subject, &place, &policy);
        for (what, legible, line) in lines {
            running.send(&[&line, b"\n".as_slice()].concat());
            running.send(format!("{}\n", numbered(&subject, "77")).as_bytes());
            if legible {
                let reply = Reply::document(running.line().trim_end());
                assert!(subject.blocked_by(&reply), "{subject}: {what}: {reply:?} {:?}", subject.does(&reply));
            }
            let next = running.line();
            assert_eq!(id(&next), "77", "{subject}: after {what}: {next}");
        }
        let ended = running.closed();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{subject}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{subject}: {ended:?}");
    }
}

#[test]
fn ids_are_returned_as_the_same_numbers_and_notifications_get_no_answer() {
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    for subject in gates() {
        let mut running = greeted(&subject, &place, &policy);
        for number in ["1", "7", "4294967296", "9007199254740993", "10000000000000000000", "18446744073709551615"] {
            running.send(format!("{}\n", numbered(&subject, number)).as_bytes());
            let answer = running.line();
            assert_eq!(id(&answer), number, "{subject}: {answer}");
            assert!(answer.ends_with('\n') && answer.trim_end().lines().count() == 1, "{subject}: {answer}");
        }
        for silent in [with(&subject.message, "/id", None), numbered(&subject, "0"), numbered(&subject, "null")] {
            running.send(format!("{silent}\n").as_bytes());
            running.send(format!("{}\n", numbered(&subject, "5")).as_bytes());
            let answer = running.line();
            assert_eq!(id(&answer), "5", "{subject}: {silent}: {answer}");
        }
        assert_eq!(running.closed().stdout, "", "{subject}");
    }
}

#[test]
fn an_unknown_method_gets_an_error_and_an_unknown_notification_no_answer() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for agent in lines() {
        let mut running = started(agent, &place, &policy);
        running.send(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"no.such\",\"params\":{}}\n");
        running.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"no.such\",\"params\":{}}\n");
        running.send(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"no.such\",\"params\":{}}\n");
        let answer: Value = serde_json::from_str(&running.line()).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32601)), "{answer}");
        assert_eq!(running.closed().stdout, "");
    }
}

#[test]
fn a_link_made_after_one_message_counts_for_the_next() {
    let place = Place::new();
    let secret = place.path("secrets");
    fs::create_dir(&secret).unwrap();
    let rule = format!("deny = [\"Edit(/{}/**)\"]", secret.display());
    let policy = place.file("links.toml", &SILENT.replace("deny = []", &rule));
    let is_picoclaw = |subject: &Subject| subject.id() == "picoclaw" && subject.event.kind() == EventKind::PreTool;
    let subject = gates().find(is_picoclaw).unwrap();
    let link = place.path("link");
    let command = format!("echo x > {}/key", link.display());
    let message = with(&subject.message, "/params/arguments/command", Some(json!(command)));
    let mut running = greeted(&subject, &place, &policy);
    for is_linked in [false, true, false] {
        if is_linked {
            std::os::unix::fs::symlink(&secret, &link).unwrap();
        } else if link.exists() {
            fs::remove_file(&link).unwrap();
        }
        running.send(format!("{message}\n").as_bytes());
        let reply = Reply::document(running.line().trim_end());
        assert_eq!(subject.blocked_by(&reply), is_linked, "{reply:?}");
    }
    running.closed();
}

#[test]
fn of_messages_that_are_recorded_together_those_with_a_whole_record_are_let_through() {
    let place = Place::new();
    let policy = place.file("strict.toml", &format!("{SILENT}[failure]\naudit = \"deny\"\n"));
    let log = place.path("log");
    for subject in gates().filter(|subject| subject.event.kind() == EventKind::PreTool) {
        let start = Start::new(&subject, &place, &policy, &[]).flag(&["--audit", log.to_str().unwrap()]);
        let mut running = start.by(&["/bin/sh", "-c", "ulimit -f 2; exec \"$@\"", "sh"]).start();
        if let Some(greeting) = &subject.greeting {
            running.send(format!("{greeting}\n").as_bytes());
            running.line();
        }
        let messages: String = (10..40).map(|id| numbered(&subject, &id.to_string()) + "\n").collect();
        running.send(messages.as_bytes());
        let answers = (10..40).map(|_| running.line());
        let through = answers.filter(|answer| !answer.contains("cannot write a record")).count();
        let written = fs::read_to_string(&log).unwrap();
        let records = written.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
        assert_eq!(through, records, "{subject}: {written}");
        assert!((1..30).contains(&through), "{subject}: {written}");
        running.closed();
        fs::remove_file(&log).unwrap();
    }
}

#[test]
fn a_message_is_recorded_and_answered_while_the_next_one_is_judged() {
    let place = Place::new();
    let policy = place.file("slow.toml", &slow(&place));
    let log = place.path("log");
    let records = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    for subject in gates().filter(|subject| subject.event.kind() == EventKind::PreTool) {
        let (started, gate) = (place.fifo("started"), place.fifo("gate"));
        let flags = ["--deadline", "100s", "--audit", log.to_str().unwrap()];
        let mut running = started_by(&subject, &place, &policy, &flags);
        let quick = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"no.such\",\"params\":{}}";
        running.send(format!("{quick}\n{}\n", marked(&subject, "1", "slow-session")).as_bytes());
        drop(arrived(started));
        let answer = running.line();
        assert_eq!((id(&answer).as_str(), records()), ("2", 1), "{subject}: {answer}");
        open(&gate);
        assert_eq!(id(&running.line()), "1", "{subject}");
        assert_eq!(records(), 2, "{subject}");
        running.closed();
        for used in ["started", "gate", "log"] {
            fs::remove_file(place.path(used)).unwrap();
        }
    }
}

#[test]
fn a_slow_call_does_not_delay_others_and_answers_are_in_any_order() {
    let place = Place::new();
    let policy = place.file("slow.toml", &slow(&place));
    for subject in gates().filter(|subject| subject.event.kind() == EventKind::PreTool) {
        let (started, gate) = (place.fifo("started"), place.fifo("gate"));
        let mut running = started_by(&subject, &place, &policy, &["--deadline", "100s"]);
        running.send(format!("{}\n", marked(&subject, "1", "slow-session")).as_bytes());
        drop(arrived(started));
        for number in ["2", "3"] {
            running.send(format!("{}\n", marked(&subject, number, "quick-session")).as_bytes());
            let answer = running.line();
            assert_eq!(id(&answer), number, "{subject}: {answer}");
        }
        open(&gate);
        let answer = running.line();
        assert_eq!(id(&answer), "1", "{subject}: {answer}");
        let quick = Reply::document(answer.trim_end());
        assert!(!subject.blocked_by(&quick) || id(&answer) != id(&subject.message), "{subject}: {answer}");
        running.closed();
        fs::remove_file(place.path("started")).unwrap();
        fs::remove_file(place.path("gate")).unwrap();
    }
}

#[test]
fn at_the_end_of_input_pending_messages_are_answered_and_the_process_exits() {
    ends(|running| running.stdin = None);
}

#[test]
fn at_a_signal_pending_messages_are_answered_and_the_process_exits() {
    ends(|running| running.stop());
}

fn ends(end: fn(&mut Running)) {
    let subjects = gates().filter(|subject| subject.event.kind() == EventKind::PreTool);
    each(subjects, |subject, faults| {
        let place = Place::new();
        let policy = place.file("slow.toml", &slow(&place));
        let (started, _never) = (place.fifo("started"), place.fifo("gate"));
        let mut running = started_by(&subject, &place, &policy, &["--deadline", "1h"]);
        let own = id(&subject.message);
        running.send(format!("{}\n", marked(&subject, &own, "slow-session")).as_bytes());
        drop(arrived(started));
        end(&mut running);
        let ended = running.ended();
        let reply = ended.reply(&subject, "the end");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    });
}

#[test]
fn a_signal_ends_an_idle_process() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for agent in lines() {
        let mut running = started(agent, &place, &policy);
        running.send(format!("{}\n", greeting(agent).unwrap()).as_bytes());
        running.line();
        running.stop();
        let ended = running.ended();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{ended:?}");
    }
}

#[test]
fn a_changed_policy_applies_from_the_next_line_and_an_invalid_one_is_ignored() {
    let place = Place::new();
    for subject in gates().filter(|subject| subject.event.call().is_some()) {
        let policy = place.file("policy.toml", SILENT);
        let log = place.path("log.jsonl");
        let _ = fs::remove_file(&log);
        let mut running = started_by(&subject, &place, &policy, &["--audit", log.to_str().unwrap()]);
        let blocks = |running: &mut Running| {
            running.send(format!("{}\n", subject.message).as_bytes());
            subject.blocked_by(&Reply::document(running.line().trim_end()))
        };
        assert!(!blocks(&mut running), "{subject}: no rule");
        place.file("policy.toml", DENY);
        assert!(blocks(&mut running), "{subject}: a changed policy");
        place.file("policy.toml", "[permissions\n");
        assert!(blocks(&mut running), "{subject}: a broken policy");
        assert!(remarks(&log, -1).contains("policy.toml"), "{subject}: {}", remarks(&log, -1));
        fs::remove_file(&policy).unwrap();
        assert!(blocks(&mut running), "{subject}: no policy any more");
        assert!(remarks(&log, -1).contains("policy.toml"), "{subject}: {}", remarks(&log, -1));
        place.file("policy.toml", SILENT);
        assert!(!blocks(&mut running), "{subject}: a mended policy");
        assert_eq!(remarks(&log, -1), "", "{subject}");
        assert_eq!(running.closed().code, Some(0));
    }
}

#[test]
fn with_an_invalid_policy_a_server_denies_until_the_policy_is_fixed() {
    let place = Place::new();
    for subject in gates().filter(|subject| subject.event.call().is_some()) {
        let policy = place.file("policy.toml", "[permissions\n");
        let mut running = started(subject.protocol, &place, &policy);
        running.send(format!("{}\n", greeting(subject.protocol).unwrap()).as_bytes());
        let hello: Value = serde_json::from_str(&running.line()).unwrap();
        assert!(hello.get("result").is_some() && hello.get("error").is_none(), "{subject}: {hello}");
        running.send(format!("{}\n", subject.message).as_bytes());
        let reply = Reply::document(running.line().trim_end());
        assert!(subject.blocked_by(&reply), "{subject}: {reply:?} {:?}", subject.does(&reply));
        place.file("policy.toml", SILENT);
        running.send(format!("{}\n", subject.message).as_bytes());
        let reply = Reply::document(running.line().trim_end());
        assert!(!subject.blocked_by(&reply), "{subject}: {reply:?} {:?}", subject.does(&reply));
        running.closed();
    }
}

#[test]
fn each_of_many_lines_that_arrive_together_is_answered_once() {
    const COUNT: usize = 300;
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    let log = place.path("many.jsonl");
    for subject in gates() {
        fs::write(&log, "").unwrap();
        let audit = ["--audit", log.to_str().unwrap()];
        let mut running = started_by(&subject, &place, &policy, &audit);
        for _ in 0..3 {
            let lines: Vec<_> = (1..=COUNT).map(|number| numbered(&subject, &number.to_string())).collect();
            running.send(format!("{}\n", lines.join("\n")).as_bytes());
            let mut answered = vec![false; COUNT + 1];
            for _ in 0..COUNT {
                let line = running.line();
                let number: usize = id(&line).parse().unwrap();
                assert!(!std::mem::replace(&mut answered[number], true), "{subject}: {line}");
            }
        }
        let ended = running.closed();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{subject}: {ended:?}");
        assert_eq!(records(&log), 3 * COUNT, "{subject}");
    }
}

#[test]
fn the_last_line_needs_no_line_break_and_may_arrive_in_pieces() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in gates() {
        let mut running = greeted(&subject, &place, &policy);
        for piece in subject.message.as_bytes().chunks(100) {
            running.send(piece);
            running.has_read_all();
        }
        let ended = running.closed();
        assert_eq!(id(&ended.stdout), id(&subject.message), "{subject}: {ended:?}");
    }
}

fn lines() -> impl Iterator<Item = &'static dyn HookProtocol> {
    let all: Vec<_> = Registry::standard().iter().collect();
    all.into_iter().filter(|protocol| protocol.agent().transport == Transport::Lines)
}

fn gates() -> impl Iterator<Item = Subject> {
    Subject::gates().into_iter().filter(Subject::is_lines)
}

fn started(agent: &'static dyn HookProtocol, place: &Place, policy: &Path) -> Running {
    let subject = gates().find(|subject| subject.id() == agent.agent().id).unwrap();
    Start::new(&subject, place, policy, &[]).start()
}

fn greeted(subject: &Subject, place: &Place, policy: &Path) -> Running {
    started_by(subject, place, policy, &[])
}

/// Starts the program and sends the handshake that was recorded with the message.
fn started_by(subject: &Subject, place: &Place, policy: &Path, flags: &[&str]) -> Running {
    let mut running = Start::new(subject, place, policy, &[]).flag(flags).start();
    if let Some(greeting) = &subject.greeting {
        running.send(format!("{greeting}\n").as_bytes());
        running.line();
    }
    running
}

/// A handler that reports when it is asked about the slow session, and answers when the gate opens.
fn slow(place: &Place) -> String {
    let (started, gate) = (place.path("started"), place.path("gate"));
    let script = format!(
        "#!/bin/sh\nread -r event\ncase $event in *slow-session*) echo > {}; read -r x < {} ;; esac\n",
        started.display(),
        gate.display()
    );
    let script = place.file("slow.sh", &script);
    format!(
        "{SILENT}[[handler]]\nmatch = [\"*\"]\ncommand = [\"/bin/sh\", \"{}\"]\ndeadline = \"3600s\"\n",
        script.display()
    )
}

fn open(mut gate: &File) {
    gate.write_all(b"go\n").unwrap();
}

fn numbered(subject: &Subject, number: &str) -> String {
    with(&subject.message, "/id", Some(json!("@id@"))).replace("\"@id@\"", number)
}

fn marked(subject: &Subject, number: &str, mark: &str) -> String {
    beside(&numbered(subject, number), "/x", &format!("\"mark\":\"{mark}\""), true)
}

/// The id of a line as written.
fn id(line: &str) -> String {
    let members = snaphook_adapters::Raw::document(line);
    members.at("/id").map(|id| id.as_str().to_owned()).unwrap_or_default()
}

fn bad_byte(message: &str) -> Vec<u8> {
    let mut bytes = beside(message, "/params/x", "\"x\":\"@\"", true).into_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'@').unwrap();
    bytes[at] = 0xFF;
    bytes
}

fn records(log: &Path) -> usize {
    fs::read_to_string(log).unwrap().lines().count()
}

/// The failures in the last records.
fn remarks(log: &Path, nth: isize) -> String {
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let line = lines[lines.len().checked_add_signed(nth).unwrap()];
    let record: Value = serde_json::from_str(line).unwrap();
    let said = record["remarks"].as_array().cloned().unwrap_or_default();
    said.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

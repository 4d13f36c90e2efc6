//! The central log: `[audit] otlp` and `snaphook log --send`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::collector::{Answer, Collector, LogRecord, OK};
use crate::managed::Managed;
use crate::place::{Place, fixture, fixtures};
use crate::skipped::skipped;

const LOG: &str = "home/.local/state/snaphook/audit.jsonl";
const SENT: &str = "home/.local/state/snaphook/audit.jsonl.sent";
const POLICY: &str = "home/.config/snaphook/snaphook.toml";

/// A place with `curl`, whose policy names a collector; `None` if this machine has no `curl`.
fn sending(answer: Answer) -> Option<(Place, Collector)> {
    let Some(curl) = ["/usr/bin/curl", "/usr/local/bin/curl"].into_iter().find(|curl| Path::new(curl).exists()) else {
        skipped("curl: it is not installed");
        return None;
    };
    let (place, collector) = (Place::new(), Collector::start(answer));
    symlink(curl, place.path("bin/curl")).unwrap();
    place.file(POLICY, &policy(&collector.url));
    Some((place, collector))
}

fn policy(url: &str) -> String {
    format!("[permissions]\ndeny = ['Bash(frob *)']\n[audit]\notlp = '{url}'\n")
}

/// Writes a log of these records.
fn records(place: &Place, ids: &[String]) -> String {
    let lines: Vec<_> = ids.iter().map(|id| record(id)).collect();
    place.file(LOG, &lines.concat())
}

fn record(id: &str) -> String {
    let record = json!({
        "schema": 1, "time": "2026-11-24T18:40:39.123Z", "id": id, "agent": "codex", "event": "PreToolUse",
        "wanted": "pass", "sent": "pass", "form": "silent", "policy": "starter", "ms": 1.5,
    });
    format!("{record}\n")
}

/// A server that accepts connections and never answers.
struct Silent(TcpListener);

impl Silent {
    fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        (Self(listener), url)
    }

    /// Waits for a request.
    #[track_caller]
    fn asked(&self) -> TcpStream {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            match self.0.accept() {
                Ok((stream, _)) => return stream,
                Err(error) => assert!(Instant::now() < until, "{error}"),
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{number:07}")).collect()
}

/// The seconds for which calls start no sender.
fn postponed(place: &Place) -> u64 {
    let next = fs::metadata(place.path(SENT).join("lock")).unwrap().modified().unwrap();
    next.duration_since(SystemTime::now()).map_or(0, |wait| wait.as_secs())
}

#[test]
fn a_call_is_sent_after_its_answer_with_the_names_of_opentelemetry() {
    let Some((place, collector)) = sending(OK) else { return };
    let message = fixture("codex", "pre_tool_use_bash");
    place.fed(&["hook", "codex"], &message.replace("echo hello", "frob hello")).says(2, &["frob"]);
    collector.waits_for(1);
    // The process that sends waits for more records.
    place.fed(&["hook", "codex"], &message).says(0, &[]);
    collector.waits_for(2);
    let got = collector.got();
    assert!(got.heads[0].starts_with("POST /v1/logs HTTP/1.1\r\n"), "{}", got.heads[0]);
    assert!(got.heads[0].contains("Content-Type: application/json\r\n"), "{}", got.heads[0]);
    assert_eq!(got.resources[0]["service.name"], "snaphook");
    assert_eq!(got.resources[0]["service.version"], env!("CARGO_PKG_VERSION"));
    assert!(got.resources[0].contains_key("host.name"));
    let sent: Value = serde_json::from_str(&message).unwrap();
    let first = place.read(LOG);
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let record = &got.records[0];
    assert_eq!(record.severity, "WARN");
    assert!(record.body.starts_with("deny Bash: snaphook: "), "{}", record.body);
    let time = humantime::parse_rfc3339(first["time"].as_str().unwrap()).unwrap();
    assert_eq!(u128::from(record.time), time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos());
    for (name, value) in [
        ("gen_ai.operation.name", &json!("execute_tool")),
        ("gen_ai.agent.name", &json!("codex")),
        ("gen_ai.tool.name", &json!("Bash")),
        ("gen_ai.tool.call.id", &sent["tool_use_id"]),
        ("gen_ai.conversation.id", &sent["session_id"]),
        ("snaphook.record.id", &first["id"]),
        ("snaphook.wanted", &json!("deny")),
        ("snaphook.sent", &json!("deny")),
        ("snaphook.event", &json!("PreToolUse")),
        ("snaphook.causes", &first["causes"]),
        ("snaphook.ms", &first["ms"]),
        ("snaphook.digest", &first["digest"]),
    ] {
        assert_eq!(&record.attributes[name], value, "{name}");
    }
    assert!(!record.attributes.keys().any(|name| name == "snaphook.id" || name == "snaphook.time"));
    assert!(!format!("{:?}", record.attributes).contains("frob hello"), "the log has no commands");
    assert_eq!(got.records[1].severity, "INFO");
}

#[test]
fn arguments_are_sent_as_the_log_has_them() {
    let Some((place, collector)) = sending(OK) else { return };
    place.file(POLICY, &format!("{}inputs = 'redacted'\n", policy(&collector.url)));
    let message = fixture("codex", "pre_tool_use_bash").replace("echo hello", "curl -u bob:hunter2 x; echo hello");
    place.fed(&["hook", "codex"], &message).says(0, &[]);
    collector.waits_for(1);
    let record = &collector.got().records[0];
    let arguments = record.attributes["gen_ai.tool.call.arguments"].as_str().unwrap();
    assert!(arguments.contains("bob:***") && !format!("{:?}", record.attributes).contains("hunter2"), "{arguments}");
}

#[test]
fn a_collector_that_never_answers_delays_nothing() {
    let Some((place, _)) = sending(OK) else { return };
    let (silent, url) = Silent::start();
    place.file(POLICY, &policy(&url));
    let message = fixture("codex", "pre_tool_use_bash");
    // The test waits until no process has the output of the hook open.
    place.fed(&["hook", "codex"], &message).says(0, &[]);
    place.fed(&["hook", "codex"], &message).says(0, &[]);
    let mut request = silent.asked();
    // Both are answered, and the request still waits.
    request.set_nonblocking(true).unwrap();
    let waiting = std::io::copy(&mut request, &mut std::io::sink()).unwrap_err();
    assert_eq!(waiting.kind(), std::io::ErrorKind::WouldBlock);
    // The second call has left its record to the process that the first one has started.
    assert!(silent.0.accept().is_err());
    drop(request);
}

#[test]
fn a_long_lived_process_sends_its_records() {
    let Some((place, collector)) = sending(OK) else { return };
    let messages: Vec<_> = fixtures("picoclaw").into_iter().filter(|message| message.contains("before_tool")).collect();
    let lines = messages.join("\n") + "\n";
    let mut child = place.command(place.binary()).args(["hook", "picoclaw"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, lines.as_bytes()).unwrap();
    // It is still running.
    collector.waits_for(1);
    drop(stdin);
    assert!(child.wait_with_output().unwrap().status.success());
    let recorded = place.read(LOG).lines().count();
    collector.waits_for(recorded);
}

#[test]
fn without_a_collector_nothing_is_written_beside_the_log() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\n");
    place.fed(&["hook", "codex"], &fixture("codex", "pre_tool_use_bash")).says(0, &[]);
    assert!(place.path(LOG).exists() && !place.path(SENT).exists());
    place.run(&["log", "--send"]).says(2, &["the policy names no collector; expected a line such as `otlp = "]);
    let said = place.run(&["doctor"]);
    assert!(!said.out.contains("central log"), "{said:?}");
}

#[test]
fn a_project_cannot_name_a_collector() {
    let Some((place, collector)) = sending(OK) else { return };
    place.file(POLICY, "[permissions]\n");
    place.file("project/.snaphook.toml", &policy(&collector.url));
    place.fed(&["hook", "codex"], &fixture("codex", "pre_tool_use_bash")).says(0, &[]);
    place.run(&["log", "--send"]).says(2, &["the policy names no collector"]);
    assert!(collector.got().heads.is_empty() && !place.path(SENT).exists());
}

#[test]
fn the_managed_policy_names_the_collector_for_all() {
    let Some((_, collector)) = sending(OK) else { return };
    let rules = format!("[audit]\nenabled = true\notlp = '{}'\n", collector.url);
    let Some(managed) = Managed::with(&rules) else { return };
    symlink("/usr/bin/curl", managed.place.path("bin/curl")).unwrap();
    managed.place.file(POLICY, "[permissions]\n[audit]\notlp = 'http://127.0.0.1:1'\n");
    managed.run(&["policy", "show"]).says(0, &["audit.otlp", "ignored: set above"]);
    records(&managed.place, &ids(3));
    managed.run(&["log", "--send"]).says(0, &["3 records sent to http://127.0.0.1:", "/v1/logs\n"]);
    assert_eq!(collector.ids(), ids(3));
}

#[test]
fn each_record_is_sent_once_also_those_of_older_files() {
    let Some((place, collector)) = sending(OK) else { return };
    let all = ids(9);
    records(&place, &all[..3]);
    let older = |name: &str| place.path(&format!("{LOG}.older/{name}.jsonl"));
    place.run(&["log", "--send"]).says(0, &["3 records sent"]);
    // A file that is moved keeps its position; the log continues in a new one.
    fs::create_dir(place.path(&format!("{LOG}.older"))).unwrap();
    fs::write(place.path(LOG), fs::read_to_string(place.path(LOG)).unwrap() + &record(&all[3])).unwrap();
    fs::rename(place.path(LOG), older("2026-11-24T18-40-39.000000000Z-a")).unwrap();
    records(&place, &all[4..6]);
    place.run(&["log", "--send"]).says(0, &["3 records sent"]);
    assert_eq!(collector.ids(), all[..6]);
    // A process that had opened the log before writes to the moved file.
    let moved = older("2026-11-24T18-40-39.000000000Z-a");
    fs::write(&moved, fs::read_to_string(&moved).unwrap() + &record(&all[6])).unwrap();
    place.run(&["log", "--send"]).says(0, &["1 record sent"]);
    // The log and the older file are deleted.
    fs::remove_file(&moved).unwrap();
    records(&place, &all[7..]);
    place.run(&["log", "--send"]).says(0, &["2 records sent"]);
    place.run(&["log", "--send"]).says(0, &["0 records sent"]);
    assert_eq!(collector.ids(), all);
    fs::remove_file(place.path(LOG)).unwrap();
    place.run(&["log", "--send"]).says(0, &["0 records sent"]);
}

#[test]
fn a_line_that_is_not_a_record_is_sent_as_it_is_and_an_unfinished_one_is_not_sent_yet() {
    let Some((place, collector)) = sending(OK) else { return };
    let unfinished = record("bbbbbbb");
    place.file(LOG, &format!("{}{{\"schema\":1,\"ti\n\n{}", record("aaaaaaa"), &unfinished[..60]));
    place.run(&["log", "--send"]).says(0, &["2 records sent"]);
    let records = collector.got().records;
    assert_eq!(records[1].body, "{\"schema\":1,\"ti");
    assert_eq!(records[1].attributes["snaphook.invalid_line"], true);
    place.run(&["log", "--send"]).says(0, &["0 records sent"]);
    place.file(LOG, &format!("{}{{\"schema\":1,\"ti\n\n{unfinished}", record("aaaaaaa")));
    place.run(&["log", "--send"]).says(0, &["1 record sent"]);
    assert_eq!(collector.got().records[2].attributes["snaphook.record.id"], "bbbbbbb");
}

#[test]
fn records_wait_until_the_collector_takes_them() {
    let Some((place, collector)) = sending(OK) else { return };
    records(&place, &ids(2));
    for (answer, says, wait) in [
        ((|_| ("429 Slow\r\nRetry-After: 100", "")) as Answer, "answers with status 429", 90..101),
        (|_| ("503 Away\r\nRetry-After: Fri, 01 Jan 2100 00:00:00 GMT", "later"), "status 503: later", 3500..3601),
        (|_| ("400 Bad", r#"{"message":"odd"}"#), "status 400: {\"message\":\"odd\"}", 10..21),
        (|_| ("302 Found\r\nLocation: http://127.0.0.1:1/", ""), "status 302", 30..41),
        (|_| ("200 OK", "<html>"), "the answer is not one of OTLP", 60..81),
        (|_| ("200 OK\r\nTransfer-Encoding: chunked", ""), "the request failed: curl: (", 100..161),
    ] {
        collector.answers(answer);
        let said = place.run(&["log", "--send"]);
        said.says(2, &[says, "the records wait in the log, and the next calls send them"]);
        assert!(wait.contains(&postponed(&place)), "{says}: {}", postponed(&place));
        let doctor = place.run(&["doctor"]);
        doctor.says(0, &["note  central log: 2 records to be sent to http://127.0.0.1:", says]);
        doctor.says(0, &["calls try again; to try now: snaphook log --send"]);
    }
    place.file("home/.claude/settings.json", "{}");
    place.run(&["status"]).says(1, &["central log: 2 records to be sent to ", "; failed 6 times since 20"]);
    let asked = collector.got().heads.len();
    // A call leaves the collector alone.
    place.fed(&["hook", "codex"], &fixture("codex", "pre_tool_use_bash")).says(0, &[]);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(collector.got().heads.len(), asked);
    collector.answers(OK);
    place.run(&["log", "--send"]).says(0, &["3 records sent"]);
    let doctor = place.run(&["doctor"]);
    doctor.says(1, &["ok    central log: 0 records to be sent to http://127.0.0.1:"]);
    assert!(!doctor.out.contains("failed once"), "{doctor:?}");
}

#[test]
fn a_collector_that_is_not_there_and_a_missing_curl_are_named() {
    let Some((place, _)) = sending(OK) else { return };
    records(&place, &ids(1));
    place.file(POLICY, &policy("http://127.0.0.1:1"));
    place.run(&["log", "--send"]).says(2, &["the request failed: curl: (7)"]);
    fs::remove_file(place.path("bin/curl")).unwrap();
    place.run(&["log", "--send"]).says(2, &["the program curl, which sends the request, cannot be started"]);
    place.run(&["doctor"]).says(0, &["1 record to be sent to http://127.0.0.1:1/v1/logs; failed 2 times since 20"]);
}

#[test]
fn refused_records_are_counted_and_not_sent_again() {
    let Some((place, collector)) =
        sending(|_| ("200 OK", r#"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#))
    else {
        return;
    };
    records(&place, &ids(3));
    place.run(&["log", "--send"]).says(0, &["1 record sent to ", ", 2 refused\n"]);
    place.run(&["log", "--send"]).says(0, &["0 records sent to "]);
    assert_eq!(collector.ids(), ids(3));
    place.run(&["doctor"]).says(0, &["0 records to be sent", "the collector has refused 2 records: too old"]);
}

#[test]
fn batches_are_bounded_and_a_smaller_one_is_sent_if_the_collector_asks_for_it() {
    let Some((place, collector)) = sending(|records| if records.len() > 100 { ("413 Large", "") } else { OK(records) })
    else {
        return;
    };
    records(&place, &ids(1200));
    place.run(&["log", "--send"]).says(0, &["1200 records sent"]);
    let mut sent = collector.ids();
    sent.dedup();
    assert!(sent.ends_with(&ids(1200)[1100..]));
    sent.sort();
    sent.dedup();
    assert_eq!(sent, ids(1200));
    // A record that is larger than a batch.
    collector.answers(OK);
    let long = record("lllllll").replace("starter", &"x".repeat(1 << 20));
    place.file(LOG, &format!("{}{long}", record("kkkkkkk")));
    place.run(&["log", "--send"]).says(0, &["2 records sent"]);
    assert_eq!(collector.ids().last().unwrap(), "lllllll");
    collector.answers(|_| ("413 Large", ""));
    place.file(LOG, &record("mmmmmmm"));
    place.run(&["log", "--send"]).says(2, &["status 413"]);
}

#[test]
fn a_record_that_the_collector_refuses_alone_is_kept_and_the_others_are_sent() {
    fn is_odd(record: &LogRecord) -> bool {
        ["0000017", "0000900"].contains(&record.id().as_str())
    }
    let Some((place, collector)) =
        sending(|records| if records.iter().any(is_odd) { ("400 Bad", "an odd record") } else { OK(records) })
    else {
        return;
    };
    records(&place, &ids(1200));
    let refused = format!("{SENT}/refused.jsonl");
    let kept = "2 of these are in ~/.local/state/snaphook/audit.jsonl.sent/refused.jsonl\n";
    place.run(&["log", "--send"]).says(0, &["1198 records sent to ", ", 2 refused; ", kept]);
    let others: Vec<_> = ids(1200).into_iter().filter(|id| id != "0000017" && id != "0000900").collect();
    assert_eq!(collector.taken(), others);
    assert_eq!(place.read(&refused), [record("0000017"), record("0000900")].concat());
    assert!(collector.got().heads.len() < 60, "{} requests", collector.got().heads.len());
    place.run(&["log", "--send"]).says(0, &["0 records sent to "]);
    let doctor = place.run(&["doctor"]);
    doctor.says(0, &["the collector has refused 2 records: the collector answers with status 400: an odd record"]);
    doctor.says(
        0,
        &[&format!(
            "2 records refused alone: to send again: snaphook log --send --audit ~/{}\n",
            &refused["home/".len()..]
        )],
    );
    assert!(!doctor.out.contains("not sent again"), "{doctor:?}");
    let again = ["log", "--send", "--audit", &place.at(&refused)];
    collector
        .answers(|records| if records.iter().any(|one| one.id() == "0000900") { ("400 Bad", "") } else { OK(records) });
    place.run(&again).says(0, &["1 record sent to ", ", 1 refused; "]);
    assert_eq!(place.read(&refused), record("0000900"));
    place.run(&["doctor"]).says(0, &["1 record refused alone"]);
    collector.answers(OK);
    place.run(&again).says(0, &["1 record sent to "]);
    assert!(collector.taken().ends_with(&["0000017".to_owned(), "0000900".to_owned()]));
    assert!(!place.path(&refused).exists());
    let doctor = place.run(&["doctor"]);
    assert!(!doctor.out.contains("refused"), "{doctor:?}");
}

#[test]
fn no_record_is_set_aside_while_the_refused_ones_are_sent_again() {
    let Some((place, _)) = sending(OK) else { return };
    let (silent, url) = Silent::start();
    place.file(POLICY, &policy(&url));
    records(&place, &ids(1));
    let refused = place.file(&format!("{SENT}/refused.jsonl"), &record("refused"));
    let again = ["log", "--send", "--audit", &refused];
    let mut child = place.command(place.binary()).args(again).stderr(Stdio::piped()).spawn().unwrap();
    let request = silent.asked();
    place.run(&["log", "--send"]).says(2, &["another process is sending the records of this log"]);
    drop(request);
    child.wait().unwrap();
    assert_eq!(place.read(&format!("{SENT}/refused.jsonl")), record("refused"));
}

#[test]
fn refused_records_at_the_start_are_kept_after_another_was_accepted() {
    fn is_odd(record: &LogRecord) -> bool {
        ["0000000", "0000001"].contains(&record.id().as_str())
    }
    let Some((place, collector)) =
        sending(|records| if records.iter().any(is_odd) { ("400 Bad", "") } else { OK(records) })
    else {
        return;
    };
    let refused = format!("{SENT}/refused.jsonl");
    records(&place, &ids(2));
    place.run(&["log", "--send"]).says(2, &["status 400", "the records wait in the log"]);
    assert!(!place.path(&refused).exists());
    records(&place, &ids(9));
    place.run(&["log", "--send"]).says(0, &["7 records sent to ", ", 2 refused; "]);
    assert_eq!(place.read(&refused), [record("0000000"), record("0000001")].concat());
    assert_eq!(collector.taken(), ids(9).split_off(2));
}

#[test]
fn a_record_is_not_refused_by_a_collector_that_refuses_everything() {
    let refuses_records: Answer =
        |records| if records.is_empty() { OK(records) } else { ("400 Bad", "not a collector") };
    let Some((place, collector)) = sending(refuses_records) else { return };
    for count in [1, 100] {
        records(&place, &ids(count));
        collector.answers(refuses_records);
        let requests = collector.got().heads.len();
        place.run(&["log", "--send"]).says(2, &["status 400: not a collector", "the records wait in the log"]);
        assert!(collector.got().heads.len() - requests < 20, "not one request for each record");
        assert!(!place.path(&format!("{SENT}/refused.jsonl")).exists());
    }
    collector.answers(OK);
    place.run(&["log", "--send"]).says(0, &["100 records sent to "]);
}

#[test]
fn a_refused_record_that_cannot_be_kept_waits() {
    fn is_odd(record: &LogRecord) -> bool {
        record.id() == "0000000"
    }
    let Some((place, collector)) =
        sending(|records| if records.iter().any(is_odd) { ("413 Large", "") } else { OK(records) })
    else {
        return;
    };
    records(&place, &ids(2));
    fs::create_dir_all(place.path(&format!("{SENT}/refused.jsonl"))).unwrap();
    place.run(&["log", "--send"]).says(2, &["audit.jsonl.sent/refused.jsonl: Is a directory"]);
    collector.answers(OK);
    place.run(&["log", "--send"]).says(0, &["2 records sent to "]);
}

#[test]
fn several_processes_send_each_record_once() {
    let Some((place, collector)) = sending(OK) else { return };
    records(&place, &ids(1500));
    let senders: Vec<_> =
        (0..4).map(|_| place.command(place.binary()).args(["log", "--send"]).spawn().unwrap()).collect();
    for sender in senders {
        sender.wait_with_output().unwrap();
    }
    assert_eq!(collector.ids(), ids(1500));
}

#[test]
fn a_killed_process_loses_nothing() {
    let Some((place, collector)) = sending(OK) else { return };
    let (silent, url) = Silent::start();
    records(&place, &ids(700));
    place.file(POLICY, &policy(&url));
    let mut sender: Child = place.command(place.binary()).args(["log", "--send"]).spawn().unwrap();
    let request = silent.asked();
    sender.kill().unwrap();
    sender.wait().unwrap();
    drop(request);
    place.file(POLICY, &policy(&collector.url));
    place.run(&["log", "--send"]).says(0, &["700 records sent"]);
    assert_eq!(collector.ids(), ids(700));
}

#[test]
fn nothing_is_sent_if_the_position_cannot_be_written() {
    let Some((place, collector)) = sending(OK) else { return };
    records(&place, &ids(2));
    fs::create_dir_all(place.path(SENT).join("position.json")).unwrap();
    place.run(&["log", "--send"]).says(2, &["audit.jsonl: is not a regular file"]);
    place.run(&["doctor"]).says(0, &["note  central log: ", "is not a regular file"]);
    fs::remove_dir_all(place.path(SENT)).unwrap();
    place.file(SENT, "a file");
    place.run(&["log", "--send"]).says(2, &["audit.jsonl: "]);
    place.fed(&["hook", "codex"], &fixture("codex", "pre_tool_use_bash")).says(0, &[]);
    assert!(collector.got().heads.is_empty());
    // A damaged position is one before the first record.
    fs::remove_file(place.path(SENT)).unwrap();
    place.file(&format!("{SENT}/position.json"), "{");
    place.run(&["log", "--send"]).says(0, &["3 records sent"]);
}

#[test]
fn on_a_full_disk_a_batch_is_not_sent_again_and_again() {
    let Some((place, collector)) = sending(OK) else { return };
    let works = Command::new("bwrap").args(["--ro-bind", "/", "/", "/bin/true"]).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        skipped("bwrap: no bubblewrap for a folder without room");
        return;
    }
    records(&place, &ids(2));
    let sent = place.at(SENT);
    fs::create_dir_all(&sent).unwrap();
    let without_room = |script: &str| {
        let mut command = place.command("/usr/bin/bwrap");
        command
            .args(["--bind", "/", "/", "--dev", "/dev", "--size", "4096", "--tmpfs", &sent, "/bin/sh", "-c", script]);
        command.arg(place.binary()).env("PATH", format!("{}:/usr/bin:/bin", place.at("bin")));
        crate::place::Said::of(&mut command, "")
    };
    let fill = format!("cat /dev/zero > {sent}/fill 2> /dev/null; \"$0\" log --send; \"$0\" log --send");
    without_room(&fill).says(2, &["No space left on device"]);
    assert!(collector.got().heads.is_empty(), "nothing was sent that would be sent again");
}

#[test]
fn a_token_is_sent_in_the_header_only() {
    let Some((place, collector)) = sending(OK) else { return };
    records(&place, &ids(1));
    place.file("token", "s3cret\n");
    let table =
        format!("[audit]\notlp = {{ url = '{}/v1/logs', token_file = '{}' }}\n", collector.url, place.at("token"));
    place.file(POLICY, &table);
    place.run(&["log", "--send"]).says(0, &["1 record sent"]);
    let head = &collector.got().heads[0];
    assert!(head.starts_with("POST /v1/logs HTTP") && head.contains("Authorization: Bearer s3cret\r\n"), "{head}");
    assert!(!place.read(&format!("{SENT}/position.json")).contains("s3cret"));
    place.file("token", "two words");
    place.file(LOG, &record("aaaaaaa"));
    place.run(&["log", "--send"]).says(2, &["`token_file`: invalid token"]);
}

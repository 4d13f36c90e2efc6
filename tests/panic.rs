//! A panic or a hang in the middle of a call leads to a refusal. The tests need a build that panics and hangs
//! on request: `cargo test --features test-panic --test panic`.
#![allow(dead_code, reason = "shared with the other failures")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

#[path = "failure/process.rs"]
mod process;
#[path = "failure/subject.rs"]
mod subject;

use process::{DENY, Ended, Faults, Place, Running, SILENT, Start, answered};
use snaphook_adapters::model::Reply;
use subject::{Subject, beside, with};

const ASKED: &str = "\"x\":\"snaphook-test-panic\"";

#[test]
fn a_panic_blocks_every_gate_and_no_other_event() {
    let mut faults = Faults::default();
    let place = Place::new();
    let handler = "[[handler]]\nmatch = [\"*\"]\ncommand = [\"/bin/true\"]\n";
    for text in [SILENT.to_owned(), format!("{SILENT}{handler}")] {
        let policy = place.file("policy.toml", &text);
        for subject in Subject::rows() {
            let message = beside(&subject.message, "/x", ASKED, true);
            for per_event in [true, false] {
                let log = place.file("log", "");
                let start = Start::new(&subject, &place, &policy, &subject.flags(per_event));
                let start = start.flag(&["--audit", log.to_str().unwrap()]);
                let reply = answered(&subject, start, message.as_bytes()).reply(&subject, "a panic");
                let gates = subject.event.row.gates();
                let blocked = subject.blocked_by(&reply);
                // A message that could be that of a gate is refused like one.
                let open = subject.is_stray() || subject.shares_its_name() || subject.blocks_by_silence();
                let says = [&reply.stdout, &reply.stderr].iter().any(|text| text.contains("internal error"));
                let holds = if gates { blocked && says } else { !blocked || open };
                faults.unless(holds, || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
                let recorded = Ended::failures_in(&log);
                faults.unless(recorded == ["internal error"], || format!("{subject}: {recorded:?}"));
            }
        }
    }
    faults.none();
}

#[test]
fn a_panic_while_the_policy_is_read_blocks_only_gates() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("snaphook-test-panic.toml", SILENT);
    for subject in Subject::rows() {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true));
        let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, "a panic");
        let open = subject.is_stray() || subject.shares_its_name() || subject.blocks_by_silence();
        let blocked = subject.blocked_by(&reply);
        let holds = if subject.event.row.gates() { blocked } else { !blocked || open };
        faults.unless(holds, || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    }
    faults.none();
}

#[test]
fn the_line_after_a_panic_is_served() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in Subject::gates().into_iter().filter(Subject::is_lines) {
        let panics = beside(&subject.message, "/x", ASKED, true);
        let two = format!("{panics}\n{}", subject.message);
        let ended = answered(&subject, Start::new(&subject, &place, &policy, &[]), two.as_bytes());
        let answers: Vec<_> = ended.stdout.lines().collect();
        let plain = answered(&subject, Start::new(&subject, &place, &policy, &[]), subject.message.as_bytes());
        // Answers may arrive in any order.
        let plain = answers.iter().filter(|answer| **answer == plain.stdout.trim_end()).count();
        assert_eq!((answers.len(), plain), (2, 1), "{subject}: {ended:?}");
    }
}

const HANGS: &str = "\"x\":\"snaphook-test-hang\"";

/// The point at which a call hangs: while it is judged, while the policy is read, or while it is recorded.
const PLACES: [(&str, &str, &str); 3] = [
    ("silent.toml", "log", HANGS),
    ("snaphook-test-hang.toml", "log", "\"x\":1"),
    ("silent.toml", "snaphook-test-hang.log", "\"x\":1"),
];

/// Checks each subject on one of several threads, because the checks mostly wait.
fn side_by_side(subjects: &[Subject], check: impl Fn(&Subject, &mut Faults) + Sync) {
    let check = &check;
    std::thread::scope(|scope| {
        for part in subjects.chunks(subjects.len().div_ceil(8).max(1)) {
            scope.spawn(move || {
                let mut faults = Faults::default();
                for subject in part {
                    check(subject, &mut faults);
                }
                faults.none();
            });
        }
    });
}

#[test]
fn if_a_thread_hangs_only_gates_are_refused_at_the_deadline() {
    let subjects = Subject::rows();
    for (policy, log, member) in PLACES {
        side_by_side(&subjects, |subject, faults| {
            let place = Place::new();
            let (policy, log) = (place.file(policy, SILENT), place.path(log));
            let message = beside(&subject.message, "/x", member, true);
            let start = Start::new(subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "200ms"]);
            let start = start.flag(&["--audit", log.to_str().unwrap()]);
            let reply = answered(subject, start, message.as_bytes()).reply(subject, "a hang");
            let open = subject.is_stray() || subject.shares_its_name() || subject.blocks_by_silence();
            let blocked = subject.blocked_by(&reply);
            let holds = if subject.event.row.gates() { blocked } else { !blocked || open };
            faults.unless(holds, || format!("{subject}: {policy:?} {log:?}: {reply:?} {:?}", subject.does(&reply)));
            if subject.event.row.gates() && !log.to_string_lossy().contains("hang") {
                let recorded = Ended::failures_in(&log);
                let late = recorded.len() == 1 && recorded.iter().all(|what| what.contains("no verdict within"));
                // A server that never had a policy uses the same words as one with a broken policy.
                let unread = recorded.iter().all(|what| what.contains("policy cannot be read"));
                faults.unless(late || unread && recorded.len() == 1, || format!("{subject}: {recorded:?}"));
            }
        });
    }
}

/// The guard of the registered line turns the kill into a denial.
#[cfg(target_os = "linux")]
#[test]
fn a_call_that_never_ends_is_killed_soon_after_its_deadline() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    let (mut kills, mut seen) = (0, std::collections::HashSet::new());
    let one_each = |subject: &Subject| !subject.is_lines() && seen.insert(subject.id());
    for subject in Subject::gates().into_iter().filter(one_each) {
        let message = beside(&subject.message, "/x", "\"x\":\"snaphook-test-loop\"", true);
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "100ms"]);
        let ended = answered(&subject, start, message.as_bytes());
        if ended.code.is_none() && ended.stdout.is_empty() {
            kills += 1;
            continue;
        }
        // The watchdog was started because the message did not arrive at once.
        let reply = ended.reply(&subject, "a loop");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?}"));
    }
    faults.none();
    assert!(kills > 0);
}

#[test]
fn a_denial_is_sent_even_if_the_log_hangs() {
    let calls: Vec<_> = Subject::gates().into_iter().filter(Subject::is_call).collect();
    side_by_side(&calls, |subject, faults| {
        let place = Place::new();
        // The failure alone would let the call pass.
        let policy = place.file("deny.toml", &format!("{DENY}[failure]\ndeadline = \"pass\"\n"));
        let log = place.path("snaphook-test-hang.log");
        let start = Start::new(subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "1s"]);
        let start = start.flag(&["--audit", log.to_str().unwrap()]);
        let reply = answered(subject, start, subject.message.as_bytes()).reply(subject, "a log that hangs");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    });
}

#[test]
fn a_call_that_must_be_recorded_is_blocked_if_its_record_is_late() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = "[failure]\ndeadline = \"pass\"\naudit = \"deny\"\n";
    let policy = place.file("required.toml", &format!("{SILENT}{policy}"));
    let log = place.path("snaphook-test-hang.log");
    for subject in Subject::gates() {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "200ms"]);
        let start = start.flag(&["--audit", log.to_str().unwrap()]);
        let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, "a log that hangs");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    }
    faults.none();
}

#[test]
fn a_signal_ends_a_call_that_hangs_anywhere() {
    let mut faults = Faults::default();
    for (policy, log, member) in PLACES {
        for subject in Subject::gates().into_iter().filter(Subject::registrable) {
            let place = Place::new();
            let (policy, log) = (place.file(policy, SILENT), place.path(log));
            let message = beside(&subject.message, "/x", member, true);
            let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "1h"]);
            let mut running = start.flag(&["--audit", log.to_str().unwrap()]).start();
            running.send(message.as_bytes());
            running.is_watched();
            running.stop();
            let reply = running.ended().reply(&subject, "SIGTERM");
            faults.unless(subject.blocked_by(&reply), || {
                format!("{subject}: {policy:?} {log:?}: {reply:?} {:?}", subject.does(&reply))
            });
        }
    }
    faults.none();
}

#[test]
fn a_hanging_message_delays_no_other_on_its_connection() {
    for subject in Subject::gates().into_iter().filter(Subject::is_lines) {
        let place = Place::new();
        let policy = place.file("silent.toml", SILENT);
        let mut running = Start::new(&subject, &place, &policy, &[]).flag(&["--deadline", "3s"]).start();
        if let Some(greeting) = &subject.greeting {
            running.send(format!("{greeting}\n").as_bytes());
            running.line();
        }
        let numbered = |number: u32| with(&subject.message, "/id", Some(number.into()));
        // The same thread may hang several times, and so may several threads.
        let hangs: Vec<_> = (1..=3).map(|number| beside(&numbered(number), "/x", HANGS, true) + "\n").collect();
        running.send(hangs.concat().as_bytes());
        running.send(format!("{}\n{}\n", numbered(4), numbered(5)).as_bytes());
        let next = |running: &mut Running| {
            let line = running.line();
            let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
            (answer["id"].as_u64().unwrap(), subject.blocked_by(&Reply::document(line.trim_end())))
        };
        let mut answers: Vec<_> = (0..5).map(|_| next(&mut running).0).collect();
        answers[..2].sort_unstable();
        answers[2..].sort_unstable();
        assert_eq!(answers, [4, 5, 1, 2, 3], "{subject}");
        assert_eq!(running.closed().code, Some(0));
    }
}

#[test]
fn a_server_denies_while_the_policy_cannot_be_read_in_time() {
    for subject in Subject::gates().into_iter().filter(Subject::is_lines) {
        let place = Place::new();
        let policy = place.file("snaphook-test-hang.toml", SILENT);
        let mut running = Start::new(&subject, &place, &policy, &[]).flag(&["--deadline", "200ms"]).start();
        running.send(format!("{}\n", subject::greeting(subject.protocol).unwrap()).as_bytes());
        let hello: serde_json::Value = serde_json::from_str(&running.line()).unwrap();
        assert!(hello.get("result").is_some() && hello.get("error").is_none(), "{subject}: {hello}");
        for _ in 0..3 {
            running.send(format!("{}\n", subject.message).as_bytes());
            let reply = Reply::document(running.line().trim_end());
            assert!(subject.blocked_by(&reply), "{subject}: {reply:?} {:?}", subject.does(&reply));
        }
        running.stop();
        assert_eq!(running.ended().code, Some(0));
    }
}

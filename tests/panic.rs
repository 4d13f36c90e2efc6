//! A panic in the middle of a call is a refusal, not an end. Needs a program that panics when it is
//! asked to: `cargo test --features test-panic --test panic`.
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

use process::{Ended, Faults, Place, SILENT, Start, answered};
use subject::{Subject, beside};

const ASKED: &str = "\"x\":\"snaphook-test-panic\"";

#[test]
fn a_panic_inside_blocks_every_gate_and_nothing_else() {
    let mut faults = Faults::default();
    let place = Place::new();
    let handler = "[[handler]]\nmatch = [\"*\"]\ncommand = [\"/bin/true\"]\n";
    // With a handler ahead, the call is judged by a worker.
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
                // What could be a gate's is refused as one.
                let open = subject.is_stray() || subject.shares_its_name() || subject.blocks_by_silence();
                let says = [&reply.stdout, &reply.stderr].iter().any(|text| text.contains("failed inside"));
                let holds = if gates { blocked && says } else { !blocked || open };
                faults.unless(holds, || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
                let recorded = Ended::failures_in(&log);
                faults.unless(recorded == ["failed inside"], || format!("{subject}: {recorded:?}"));
            }
        }
    }
    faults.none();
}

#[test]
fn a_panic_while_the_policy_is_read_blocks_every_gate_and_nothing_else() {
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
fn a_panic_leaves_the_next_line_served() {
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in Subject::gates().into_iter().filter(Subject::is_lines) {
        let panics = beside(&subject.message, "/x", ASKED, true);
        let two = format!("{panics}\n{}", subject.message);
        let ended = answered(&subject, Start::new(&subject, &place, &policy, &[]), two.as_bytes());
        let answers: Vec<_> = ended.stdout.lines().collect();
        let plain = answered(&subject, Start::new(&subject, &place, &policy, &[]), subject.message.as_bytes());
        assert_eq!((answers.len(), answers[1]), (2, plain.stdout.trim_end()), "{subject}: {ended:?}");
        assert_ne!(answers[0], answers[1], "{subject}");
    }
}

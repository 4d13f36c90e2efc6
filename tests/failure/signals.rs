//! Processes that receive a signal, or that wait for an answer that never comes.

use std::path::Path;

use rustix::process::{Pid, test_kill_process};

use crate::process::{Ended, Faults, NEVER, Place, SILENT, Start, arrived, each};
use crate::subject::Subject;

/// A handler that writes its process id and then never answers.
fn hangs(place: &Place) -> String {
    let said = place.path("started");
    let script = format!("echo $$ > {}; exec sleep 3600", said.display());
    format!(
        "{SILENT}[[handler]]\nmatch = [\"*\"]\ncommand = [\"/bin/sh\", \"-c\", \"{script}\"]\ndeadline = \"3600s\"\n"
    )
}

#[test]
fn a_signal_while_waiting_for_input_is_a_refusal() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in Subject::gates().into_iter().filter(Subject::registrable) {
        let half = &subject.message.as_bytes()[..subject.message.len() / 2];
        let mut running = Start::new(&subject, &place, &policy, &subject.flags(true)).start();
        running.send(half);
        running.has_read_all();
        running.stop();
        let reply = running.ended().reply(&subject, "SIGTERM");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    }
    faults.none();
}

#[test]
fn a_signal_while_a_handler_runs_is_a_refusal_and_ends_the_handler() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("hangs.toml", &hangs(&place));
    for subject in calls() {
        let mut stopped = || {
            let started = place.fifo("started");
            let log = place.file("log", "");
            let start = Start::new(&subject, &place, &policy, &subject.flags(true));
            let mut running = start.flag(&["--audit", log.to_str().unwrap()]).start();
            running.send(subject.message.as_bytes());
            let handler = arrived(started);
            running.stop();
            let reply = running.ended().reply(&subject, "SIGTERM");
            faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
            is_gone(&handler);
            std::fs::remove_file(place.path("started")).unwrap();
            Ended::failures_in(&log)
        };
        // A stopped process waits only 100 ms for its record, which a busy machine may exceed.
        let recorded = std::iter::repeat_with(&mut stopped).take(3).find(|recorded| !recorded.is_empty());
        faults.unless(recorded == Some(vec!["stopped by a signal".to_owned()]), || format!("{subject}: {recorded:?}"));
    }
    faults.none();
}

/// A program such as `timeout` ends its commands by SIGTERM.
#[cfg(target_os = "linux")]
#[test]
fn no_signal_is_blocked_in_a_handler() {
    let place = Place::new();
    let said = place.path("blocked");
    let script = format!("grep SigBlk /proc/self/status > {}; echo '{{\\\"verdict\\\":\\\"deny\\\"}}'", said.display());
    let text = format!("{SILENT}[[handler]]\nmatch = [\"*\"]\ncommand = [\"/bin/sh\", \"-c\", \"{script}\"]\n");
    let policy = place.file("blocked.toml", &text);
    for subject in calls() {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true));
        let reply = crate::process::answered(&subject, start, subject.message.as_bytes()).reply(&subject, "blocked");
        let blocked = std::fs::read_to_string(&said).unwrap_or_else(|error| panic!("{subject}: {error}: {reply:?}"));
        assert_eq!(blocked.trim_start_matches("SigBlk:").trim(), "0000000000000000", "{subject}");
        std::fs::remove_file(&said).unwrap();
    }
}

#[test]
fn a_handler_that_never_answers_is_a_refusal() {
    each(calls(), |subject, faults| {
        let place = Place::new();
        let policy = place.file("hangs.toml", &hangs(&place));
        let started = place.fifo("started");
        let log = place.file("log", "");
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "1s"]);
        let mut running = start.flag(&["--audit", log.to_str().unwrap()]).start();
        running.send(subject.message.as_bytes());
        let reply = running.ended().reply(&subject, "a handler hangs");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
        let recorded = std::fs::read_to_string(&log).unwrap().lines().count();
        faults.unless(recorded == 1, || format!("{subject}: {recorded} records"));
        is_gone(&arrived(started));
    });
}

/// S2, S4: a command written by the model cannot use up the time for the answer.
#[test]
fn a_command_that_takes_long_to_judge_is_refused_in_time() {
    let place = Place::new();
    let rules: Vec<_> = (0..5000).map(|i| format!("\"Edit(./*{i}*/x)\"")).collect();
    let policy = format!("[permissions]\nallow = [\"Bash\"]\ndeny = [{}]\n", rules.join(", "));
    let policy = place.file("long.toml", &policy);
    let files: Vec<_> = (0..2000).map(|i| format!("a{i}*")).collect();
    let is_shell = |subject: &Subject| subject.id() == "claude-code" && subject.message.contains("\"Bash\"");
    let subject = calls().find(is_shell).expect("a call of a shell");
    let mut message: serde_json::Value = serde_json::from_str(&subject.message).unwrap();
    message["tool_input"]["command"] = format!("rm {}", files.join(" ")).into();
    let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "300ms"]);
    let reply = crate::process::answered(&subject, start, message.to_string().as_bytes()).reply(&subject, "long");
    assert!(subject.blocked_by(&reply), "{reply:?}");
    let says = format!("{reply:?}");
    assert!(says.contains("300 ms"), "{says}");
}

/// A log that hangs delays no refusal; here, opening it never returns.
#[test]
fn a_hanging_log_delays_no_refusal() {
    let both = calls().flat_map(|subject| [(subject.clone(), true), (subject, false)]);
    each(both, |(subject, hangs), faults| {
        let place = Place::new();
        let policy = place.file("silent.toml", SILENT);
        if hangs {
            drop(place.fifo("log"));
        }
        let log = place.path("log");
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "100ms"]);
        let mut running = start.flag(&["--audit", log.to_str().unwrap()]).start();
        running.send(&subject.message.as_bytes()[..1]);
        let reply = running.ended().reply(&subject, "the log hangs");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
        if !hangs {
            let recorded = Ended::failures_in(&log);
            let says = |what: &String| what.contains("not complete within 100 ms");
            faults.unless(recorded.len() == 1 && recorded.iter().all(says), || format!("{subject}: {recorded:?}"));
        }
    });
}

#[test]
fn a_handler_that_fails_is_a_refusal() {
    let mut faults = Faults::default();
    let place = Place::new();
    let commands = [
        "[\"/bin/sh\", \"-c\", \"exit 1\"]",
        "[\"/bin/sh\", \"-c\", \"echo allow\"]",
        "[\"/bin/sh\", \"-c\", \"kill -9 $$\"]",
        "[\"/nonexistent/judge\"]",
    ];
    for command in commands {
        let text = format!("{SILENT}[[handler]]\nmatch = [\"*\"]\ncommand = {command}\n");
        let policy = place.file("fails.toml", &text);
        for subject in Subject::gates().into_iter().filter(|subject| subject.event.call().is_some()) {
            let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "60s"]);
            let reply = crate::process::answered(&subject, start, subject.message.as_bytes()).reply(&subject, command);
            faults.unless(subject.blocked_by(&reply), || {
                format!("{subject}: {command}: {reply:?} {:?}", subject.does(&reply))
            });
        }
    }
    faults.none();
}

fn calls() -> impl Iterator<Item = Subject> {
    Subject::gates().into_iter().filter(|subject| !subject.is_lines() && subject.is_call())
}

/// A killed child stays visible until its new parent has reaped it.
fn is_gone(pid: &[u8]) {
    let pid: i32 = std::str::from_utf8(pid).unwrap().trim().parse().unwrap();
    let until = std::time::Instant::now() + NEVER;
    while test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() && !is_dead(pid) {
        assert!(std::time::Instant::now() < until, "the handler outlives the call");
        std::thread::yield_now();
    }
}

fn is_dead(pid: i32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}

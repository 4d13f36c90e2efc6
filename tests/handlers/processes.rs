//! Handlers as real child processes.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use snaphook::decide::Deciders;
use snaphook::handlers::wire::Event;
use snaphook::handlers::{Children, Handlers};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Change, Decision, HookEvent, Response, Target, Verdict};
use snaphook_policy::Handler;

use crate::invented;
use crate::skipped::skipped;

/// The lifetime of processes that must not be waited for.
const LIFETIME: Duration = Duration::from_mins(1);
/// Enough to fill every pipe several times.
const MUCH: usize = 4 << 20;

fn handlers() -> Handlers {
    Handlers::new(Instant::now() + 2 * LIFETIME, &Children::new())
}

fn sh(script: &str, argument: &str, deadline: Duration) -> Handler {
    let command = ["sh", "-c", script, "sh", argument].map(str::to_owned).to_vec();
    Handler::new("judge", command, deadline.as_millis().try_into().unwrap())
}

fn ask(script: &str, event: &HookEvent) -> Result<Decision, String> {
    handlers().handler(&sh(script, "", LIFETIME), event)
}

/// Becomes true when no process has the fifo open for writing.
fn closed(fifo: &Path) -> JoinHandle<()> {
    assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let fifo = fifo.to_owned();
    thread::spawn(move || {
        File::open(fifo).unwrap().read_to_end(&mut Vec::new()).unwrap();
    })
}

#[test]
fn empty_stdout_means_no_opinion() {
    assert_eq!(ask("exit 0", &invented::call()), Ok(Decision::pass()));
    assert_eq!(ask("cat >/dev/null; echo; echo ' '", &invented::call()), Ok(Decision::pass()));
}

#[test]
fn a_handler_can_return_every_decision() {
    let response = Response::new("a").for_user("b").silent().error().media("m").artifact_tag("t").handled();
    let odd = || Raw::document(invented::ODD);
    let verdict = |verdict: Verdict| Decision::from(verdict);
    let reason = || "no".to_owned();
    let mut extra = Decision::pass();
    extra.extra = vec![("z".to_owned(), Raw::document("1.10")), ("a".to_owned(), Raw::document("null"))];
    let mut with_texts = Decision::ask("no").context("c");
    with_texts.notice = Some("n".to_owned());
    with_texts.summary = Some("s".to_owned());
    for (answer, decision) in [
        ("{}".to_owned(), Decision::pass()),
        (r#"{"verdict":"pass"}"#.to_owned(), Decision::pass()),
        (r#"{"verdict":"allow"}"#.to_owned(), Decision::allow()),
        (r#"{"decision":"allow","reason":"no"}"#.to_owned(), verdict(Verdict::Allow { reason: reason() })),
        (r#"{"decision":"ask","reason":"no"}"#.to_owned(), Decision::ask("no")),
        (r#"{"decision":"deny","reason":"no"}"#.to_owned(), Decision::deny("no")),
        (r#"{"verdict":"deny","reason":"no"}"#.to_owned(), Decision::deny("no")),
        (r#"{"verdict":"abort","reason":"no"}"#.to_owned(), verdict(Verdict::Abort { reason: reason() })),
        (r#"{"verdict":"hard_abort","reason":"no"}"#.to_owned(), verdict(Verdict::HardAbort { reason: reason() })),
        (r#"{"verdict":"keep_going","reason":"no"}"#.to_owned(), verdict(Verdict::KeepGoing { reason: reason() })),
        (
            r#"{"verdict":"respond","response":{"text":"a","for_user":"b","silent":true,"is_error":true,"media":["m"],"artifact_tags":["t"],"handled":true}}"#.to_owned(),
            Decision::respond(response),
        ),
        (
            r#"{"verdict":"ask","reason":"no","context":"c","notice":"n","summary":"s"}"#.to_owned(),
            with_texts,
        ),
        (
            format!(r#"{{"changes":[{{"target":"input","value": {} ,"need":"optional"}}]}}"#, invented::ODD),
            Decision::pass().change(Change::optional(Target::Input, odd())),
        ),
        (
            format!(r#"{{"verdict":"allow","changes":[{{"target":"request","value":{}}}]}}"#, invented::ODD),
            Decision::allow().change(Change::required(Target::Request, odd())),
        ),
        (
            r#"{"changes":[{"target":"result","text":"x\"y"}]}"#.to_owned(),
            Decision::pass().change(Change::required(Target::Result, Raw::document(r#"{"n":1.10,"text":"x\"y"}"#))),
        ),
        (r#"{"extra":{"z":1.10,"a":null}}"#.to_owned(), extra),
    ] {
        let judge = sh("cat >/dev/null; printf %s \"$1\"", &answer, LIFETIME);
        assert_eq!(handlers().handler(&judge, &invented::done(r#""out""#)), Ok(decision), "{answer}");
    }
}

#[test]
fn the_event_arrives_as_one_line_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("event");
    let judge = sh("cat >\"$1\"", file.to_str().unwrap(), LIFETIME);
    for event in invented::all() {
        assert_eq!(handlers().handler(&judge, &event), Ok(Decision::pass()));
        let sent = serde_json::to_string(&Event::from(&event)).unwrap() + "\n";
        assert_eq!(fs::read_to_string(&file).unwrap(), sent);
    }
}

#[test]
fn a_failure_is_one_line_with_the_handler_and_its_message() {
    for (script, what) in [
        ("exit 3", "handler `judge`: exited with 3"),
        ("echo; printf '\\033[31mboom\\033[0m now\\nmore' >&2; exit 1", "handler `judge`: exited with 1: boom now"),
        ("printf '{\"verdict\":\"allow\"}'; exit 2", "handler `judge`: exited with 2"),
        ("kill -9 $$", "handler `judge`: ended by signal: 9 (SIGKILL)"),
        ("printf '\\377'", "handler `judge`: its answer is not UTF-8"),
    ] {
        assert_eq!(ask(script, &invented::call()).unwrap_err().replace("\u{fffd}", ""), what, "{script}");
    }
    for (script, part) in [
        ("echo no", "its answer is not a decision: expected"),
        ("echo '{\"verdict\":\"allow\"'; echo why >&2", "its answer is not a decision: EOF while parsing"),
        ("echo '{\"verdict\":\"allow\"}{}'", "trailing characters"),
        ("echo '{\"verdict\":\"allow\",\"verdict\":\"deny\"}'", "duplicate field `verdict`"),
        ("echo '{\"permissionDecision\":\"allow\"}'", "unknown field `permissionDecision`"),
        ("echo '{\"changes\":[{\"target\":\"result\",\"text\":\"x\"}]}'", "this result has no text"),
    ] {
        let error = ask(script, &invented::call()).unwrap_err();
        assert!(error.starts_with("handler `judge`: its answer") || error.contains("its change"), "{error}");
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    }
    let missing = Handler::new("/home/user/bin/nobody", vec!["/nowhere/nobody".to_owned()], 1000);
    let error = handlers().handler(&missing, &invented::call()).unwrap_err();
    assert!(error.starts_with("handler `nobody`: cannot be started: "), "{error}");
    let empty = Handler::new("empty", Vec::new(), 1000);
    assert_eq!(handlers().handler(&empty, &invented::call()).unwrap_err(), "handler `empty`: has no command");
}

#[test]
fn the_answer_of_a_child_that_does_not_read_its_input_is_used() {
    let event = invented::prompt(&"x".repeat(MUCH));
    for script in ["printf '{\"verdict\":\"deny\"}'", "exec <&-; sleep 0.1; printf '{\"verdict\":\"deny\"}'"] {
        assert_eq!(ask(script, &event), Ok(Decision::deny("")), "{script}");
    }
}

#[test]
fn a_long_answer_written_before_the_input_is_read_is_used() {
    let event = invented::prompt(&"x".repeat(MUCH));
    let script = "head -c 4000000 /dev/zero | tr '\\0' ' ' | tee /dev/stderr; wc -c | tr -d ' ' >&2; printf '{\"verdict\":\"deny\"}'";
    assert_eq!(ask(script, &event), Ok(Decision::deny("")));
}

#[test]
fn a_long_answer_is_read_and_a_longer_one_is_a_failure() {
    let script = "printf '{\"context\":\"'; head -c 8000000 /dev/zero | tr '\\0' x; printf '\"}'";
    assert_eq!(ask(script, &invented::call()).unwrap().context.unwrap().len(), 8_000_000);
    let started = Instant::now();
    let error = ask("head -c 20000000 /dev/zero; sleep 60", &invented::call()).unwrap_err();
    assert_eq!(error, "handler `judge`: printed more than 16 MiB");
    assert!(started.elapsed() < LIFETIME / 2);
}

#[test]
fn a_grandchild_that_keeps_the_pipes_open_delays_no_answer_and_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("alive");
    let gone = closed(&fifo);
    let started = Instant::now();
    let script = "exec 9>\"$1\"; sleep 60 & printf '{\"verdict\":\"deny\",\"reason\":\"no\"}'";
    let judge = sh(script, fifo.to_str().unwrap(), LIFETIME);
    assert_eq!(handlers().handler(&judge, &invented::prompt(&"x".repeat(MUCH))), Ok(Decision::deny("no")));
    gone.join().unwrap();
    assert!(started.elapsed() < LIFETIME / 2);
}

#[test]
fn a_grandchild_outside_of_the_process_group_delays_no_answer() {
    if Command::new("setsid").arg("true").status().is_err() {
        skipped("setsid: it is not on this machine");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let started = Instant::now();
    let script = "setsid sh -c 'echo $$ >\"$1\"; exec sleep 60' sh \"$1\" & \
                  until [ -s \"$1\" ]; do sleep 0.05; done; printf '{\"verdict\":\"deny\"}'";
    let answer = handlers().handler(&sh(script, pid.to_str().unwrap(), LIFETIME), &invented::call());
    let pid = fs::read_to_string(pid).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    assert_eq!(answer, Ok(Decision::deny("")));
    assert!(started.elapsed() < LIFETIME / 2);
}

#[test]
fn a_timeout_ends_the_whole_process_group() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("alive");
    let gone = closed(&fifo);
    let started = Instant::now();
    let judge = sh("exec 9>\"$1\"; sleep 60 & sleep 60", fifo.to_str().unwrap(), Duration::from_millis(300));
    let error = handlers().handler(&judge, &invented::prompt(&"x".repeat(MUCH))).unwrap_err();
    assert_eq!(error, "handler `judge`: gave no answer within 300 ms");
    gone.join().unwrap();
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert!(started.elapsed() < LIFETIME / 2);
}

#[test]
fn an_answer_without_an_exit_is_a_timeout() {
    let judge = sh("printf '{\"verdict\":\"allow\"}'; exec >&- 2>&-; sleep 60", "", Duration::from_millis(300));
    assert!(handlers().handler(&judge, &invented::call()).unwrap_err().contains("within 300 ms"));
}

#[test]
fn a_handler_gets_the_remaining_time_minus_a_reserve() {
    let judge = sh("sleep 60", "", LIFETIME);
    let started = Instant::now();
    let mut handlers = Handlers::new(started + Duration::from_millis(600), &Children::new());
    let error = handlers.handler(&judge, &invented::call()).unwrap_err();
    assert!(error.starts_with("handler `judge`: gave no answer within "), "{error}");
    assert!(started.elapsed() >= Duration::from_millis(400));
    let mut handlers = Handlers::new(Instant::now() + Duration::from_millis(150), &Children::new());
    let error = handlers.handler(&judge, &invented::call()).unwrap_err();
    assert_eq!(error, "handler `judge`: was not started: no time left before the deadline of the call");
}

#[test]
fn ending_all_children_ends_every_call_and_prevents_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let children = Children::new();
    let started = Instant::now();
    let calls: Vec<_> = (0..3)
        .map(|n| {
            let fifo = folder.path().join(n.to_string());
            let (gone, children) = (closed(&fifo), children.clone());
            let call = thread::spawn(move || {
                let judge = sh("exec 9>\"$1\"; : >\"$1.up\"; sleep 60", fifo.to_str().unwrap(), LIFETIME);
                Handlers::new(Instant::now() + 2 * LIFETIME, &children).handler(&judge, &invented::call())
            });
            (gone, call)
        })
        .collect();
    while !(0..3).all(|n| folder.path().join(format!("{n}.up")).exists()) {
        thread::yield_now();
    }
    children.end_all();
    for (gone, call) in calls {
        assert!(call.join().unwrap().unwrap_err().contains("SIGKILL"));
        gone.join().unwrap();
    }
    assert!(started.elapsed() < LIFETIME / 2);
    let mut late = Handlers::new(Instant::now() + LIFETIME, &children);
    assert!(
        late.handler(&sh("exit 0", "", LIFETIME), &invented::call()).unwrap_err().contains("snaphook is shutting down")
    );
}

#[test]
fn parallel_handlers_do_not_mix_their_answers() {
    let calls: Vec<_> = (0..16)
        .map(|n| {
            thread::spawn(move || {
                let judge = sh(
                    "cat >/dev/null; printf '{\"verdict\":\"deny\",\"reason\":\"%s\"}' \"$1\"",
                    &n.to_string(),
                    LIFETIME,
                );
                assert_eq!(handlers().handler(&judge, &invented::call()), Ok(Decision::deny(n.to_string())));
            })
        })
        .collect();
    for call in calls {
        call.join().unwrap();
    }
}

#[test]
fn the_output_of_a_respond_command_is_the_text() {
    let respond = |script: &str| {
        let command = ["sh", "-c", script].map(str::to_owned);
        handlers().respond(&command, 60_000, &invented::bare_call("weather"))
    };
    assert_eq!(respond("printf ' sunny\\n\\n'").as_deref(), Ok(" sunny"));
    assert_eq!(respond("grep -o '\"name\":\"[a-z]*\"'").as_deref(), Ok("\"name\":\"weather\""));
    assert_eq!(respond("exit 0").as_deref(), Ok(""));
    assert_eq!(respond("echo x; echo rain >&2; exit 1").unwrap_err(), "respond command `sh`: exited with 1: rain");
    assert_eq!(respond("printf '\\377'").unwrap_err(), "respond command `sh`: its text is not UTF-8");
}

//! Answers that cannot be written. A gate is then blocked by exit code, the only remaining channel.

use crate::process::{DENY, Faults, Out, Place, SILENT, Start, answered, each};
use crate::subject::Subject;

/// Gates whose agents accept only JSON on stdout: `(agent, row)`. If stdout is broken, snaphook cannot block
/// there.
const JSON_ONLY: &[(&str, &str)] = &[
    ("claude-code", "PermissionRequest"),
    ("cline", "PreToolUse"),
    ("cline", "UserPromptSubmit"),
    ("cline", "tool_call"),
    ("codex", "PreCompact"),
    ("copilot", "UserPromptSubmit.pascal"),
    ("copilot", "userPromptSubmitted"),
    ("docker-agent", "pre_tool_use.preempt"),
    ("hermes", "pre_tool_call"),
    ("mistral-vibe", "pre_tool"),
    ("qwen-code", "PermissionRequest"),
];

const BROKEN: &[Out] = &[Out::Closed, Out::Unread, Out::Full];

#[test]
fn a_refusal_that_cannot_be_written_blocks_by_exit_code() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in Subject::gates().into_iter().filter(|subject| !subject.is_lines()) {
        for &out in BROKEN {
            let start = Start::new(&subject, &place, &policy, &subject.flags(true)).out(out);
            let reply = answered(&subject, start, &subject.message.as_bytes()[1..]).reply(&subject, "stdout is broken");
            check(&mut faults, &subject, out, &reply);
        }
    }
    faults.none();
}

#[test]
fn a_denial_that_cannot_be_written_blocks_by_exit_code() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    for subject in calls() {
        for &out in BROKEN {
            let start = Start::new(&subject, &place, &policy, &subject.flags(true)).out(out);
            let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, "stdout is broken");
            check(&mut faults, &subject, out, &reply);
        }
    }
    faults.none();
}

/// A lost question does not let the call pass.
#[test]
fn a_question_that_cannot_be_written_blocks_by_exit_code() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("ask.toml", "[permissions]\nask = [\"*\"]\n");
    for subject in calls() {
        let start = || Start::new(&subject, &place, &policy, &subject.flags(true));
        let heard = answered(&subject, start(), subject.message.as_bytes()).reply(&subject, "asks");
        // If silence means a question, there is nothing to write.
        if heard.stdout.is_empty() {
            continue;
        }
        for &out in BROKEN {
            let reply = answered(&subject, start().out(out), subject.message.as_bytes()).reply(&subject, "no stdout");
            check(&mut faults, &subject, out, &reply);
        }
    }
    faults.none();
}

#[test]
fn a_long_lived_process_with_closed_stdout_exits_with_a_reason() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    for subject in Subject::gates().into_iter().filter(Subject::is_lines) {
        for &out in BROKEN {
            let mut running = Start::new(&subject, &place, &policy, &[]).out(out).start();
            running.send(format!("{}\n", subject.message).as_bytes());
            // Its stdin is still open: it ends without end of input.
            let ended = running.ended();
            faults.unless(ended.code == Some(2), || format!("{subject}: {out:?}: {ended:?}"));
            faults.unless(ended.stderr.contains("cannot be written"), || format!("{subject}: {out:?}: {ended:?}"));
        }
    }
    faults.none();
}

/// The pipe is full and has no reader, so the program must not wait for room.
#[test]
fn a_blocked_answer_ends_at_the_deadline() {
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    each(calls(), |subject, faults| {
        let start = || Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "300ms"]);
        let heard = answered(&subject, start(), subject.message.as_bytes()).reply(&subject, "denies");
        if heard.stdout.is_empty() {
            return;
        }
        let reply =
            answered(&subject, start().out(Out::Stuck), subject.message.as_bytes()).reply(&subject, "no reader");
        check(faults, &subject, Out::Stuck, &reply);
        faults.unless(reply.stderr.contains("stdout is not being read"), || format!("{subject}: {reply:?}"));
    });
}

#[test]
fn a_blocked_answer_ends_at_a_signal() {
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    each(calls(), |subject, faults| {
        let start = || Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "1h"]);
        let heard = answered(&subject, start(), subject.message.as_bytes()).reply(&subject, "denies");
        if heard.stdout.is_empty() {
            return;
        }
        let mut running = start().out(Out::Stuck).start();
        running.send(subject.message.as_bytes());
        running.has_read_all();
        running.stop();
        check(faults, &subject, Out::Stuck, &running.ended().reply(&subject, "SIGTERM"));
    });
}

fn calls() -> impl Iterator<Item = Subject> {
    Subject::gates().into_iter().filter(|subject| !subject.is_lines() && subject.is_call())
}

fn check(faults: &mut Faults, subject: &Subject, out: Out, reply: &snaphook_adapters::model::Reply) {
    let json_only = JSON_ONLY.contains(&(subject.id(), subject.event.row.key().as_str()));
    assert!(!json_only || subject.event.row.all_limits().next().is_some(), "{subject}: the row says nothing of it");
    let holds = reply.exit == 2 && subject.blocked_by(reply) != json_only;
    faults.unless(holds, || format!("{subject}: {out:?}: {reply:?} {:?}", subject.does(reply)));
}

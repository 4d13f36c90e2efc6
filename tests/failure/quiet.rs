//! Events that decide nothing continue after every failure, and the end of a turn never starts another turn
//! (V10).

use snaphook_hosts::Effect;

use crate::process::{Faults, Out, Place, SILENT, Start, answered, each};
use crate::subject::{Subject, beside, with};

#[test]
fn no_failure_blocks_an_event_that_decides_nothing() {
    let place = Place::new();
    let silent = place.file("silent.toml", SILENT);
    let strict = place.file("strict.toml", &format!("{SILENT}[failure]\naudit = \"required\"\n"));
    let broken = place.file("broken.toml", "[permissions]\ndney = [\"*\"]\n");
    let missing = place.path("missing.toml");
    let nameless = |s: &Subject| with(&s.message, s.protocol.agent().event_at, None);
    let whole = |s: &Subject| s.message.clone();
    let half = |s: &Subject| s.message[..s.message.len() / 2].to_owned();
    each(quiet().filter(|subject| subject.registrable() || subject.is_lines()), |subject, faults| {
        let start = |policy| Start::new(&subject, &place, policy, &subject.flags(true));
        let calls = [
            ("empty", start(&silent), String::new()),
            ("text", start(&silent), "rm -rf ~/work".to_owned()),
            ("truncated", start(&silent), half(&subject)),
            ("no event", start(&silent), nameless(&subject)),
            ("only the event", start(&silent), bare(&subject)),
            ("no policy", start(&missing), whole(&subject)),
            ("no policy, nothing to read", start(&missing), half(&subject)),
            ("broken policy", start(&broken), whole(&subject)),
            ("no record", start(&strict).flag(&["--audit", "/dev/full"]), whole(&subject)),
            ("no stdout", start(&silent).out(Out::Full), whole(&subject)),
        ];
        for (what, start, message) in calls {
            if subject.is_lines() && what == "no stdout" {
                continue;
            }
            let ended = answered(&subject, start, message.as_bytes());
            let reply = ended.reply(&subject, what);
            let does = subject.does(&reply);
            let held = does.iter().any(|(_, does)| does.blocks() || *does == Effect::Continues);
            let exits = reply.exit == 0 || subject.shares_its_name();
            faults.unless(!held && exits, || format!("{subject}: {what}: {reply:?} {does:?}"));
        }
    });
}

#[test]
fn a_signal_does_not_block_an_event_that_decides_nothing() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    for subject in quiet().filter(Subject::registrable) {
        let mut running = Start::new(&subject, &place, &policy, &subject.flags(true)).start();
        running.send(b"{");
        running.has_read_all();
        running.stop();
        let reply = running.ended().reply(&subject, "SIGTERM");
        let exits = reply.exit == 0 || subject.shares_its_name();
        faults.unless(!subject.blocked_by(&reply) && exits, || format!("{subject}: {reply:?}"));
    }
    faults.none();
}

#[test]
fn a_message_of_another_agent_does_not_make_an_agent_continue() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("silent.toml", SILENT);
    let mut tried = 0;
    for subject in quiet().filter(|subject| subject.event.kind().ends_turn()) {
        let marks = subject.protocol.agent().foreign_fields.iter();
        let marks = marks.filter(|mark| mark.events.is_empty() && !mark.is_sent_by(subject.id()));
        for mark in marks.filter(|mark| mark.without.is_none()) {
            let message = beside(&subject.message, "/x", &format!("\"{}\":\"x\"", mark.key), true);
            let start = Start::new(&subject, &place, &policy, &subject.flags(true));
            let reply = start.with(message.as_bytes()).reply(&subject, mark.key);
            let says_nothing = reply.exit == 0 && matches!(reply.stdout.as_str(), "" | "{}");
            faults.unless(says_nothing, || format!("{subject}: {}: {reply:?}", mark.key));
            tried += 1;
        }
    }
    assert!(tried > 5, "{tried}");
    faults.none();
}

fn quiet() -> impl Iterator<Item = Subject> {
    Subject::quiet().into_iter().filter(|subject| !subject.blocks_by_silence())
}

/// The message reduced to the name of the event.
fn bare(subject: &Subject) -> String {
    let whole: serde_json::Value = serde_json::from_str(&subject.message).unwrap();
    let at = subject.protocol.agent().event_at;
    let mut kept = serde_json::Map::new();
    for key in [at.trim_start_matches('/'), "id"] {
        kept.extend(whole.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    serde_json::Value::Object(kept).to_string()
}

//! The shape of replies, and that each reply has one meaning.

use std::collections::BTreeMap;

use super::decisions::{blank, decisions, describe, value};
use super::{Suite, place};
use crate::Raw;
use crate::fit::{Fitted, Limits, fit};
use crate::model::{Change, Incoming, Reply, VerdictKind};

/// Finds two different fitted decisions with the same reply.
pub fn one_meaning(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged() {
        let mut meanings: BTreeMap<(String, String, u8), (Fitted, String)> = BTreeMap::new();
        // A change to what is there already means nothing.
        let idle = |change: &Change| value(&event, change.target).as_ref() == Some(&change.value);
        for decision in decisions(&event).into_iter().filter(|decision| !decision.changes.iter().any(idle)) {
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            let reply = suite.protocol().format(&event, &fitted);
            let key = (reply.stdout.clone(), reply.stderr.clone(), reply.exit);
            let (first, of) = meanings.entry(key).or_insert_with(|| (fitted.clone(), describe(&decision)));
            if *first != fitted {
                let both = format!("{of} and {} mean different things", describe(&decision));
                found.push(format!("{}: {both}, but are both {}", place(&event, fixture), show(&reply)));
            }
        }
    }
    found
}

/// Finds replies of an invalid shape: more than one document or line, an exit code other than 0 or 2, an approval with
/// exit code 2, or an empty reply for a verdict.
pub fn shape(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged() {
        for decision in decisions(&event).into_iter().chain(blank(&event)) {
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            let reply = suite.protocol().format(&event, &fitted);
            let document = document(&reply).filter(|_| !event.row.content.plain_text);
            let form = if event.row.content.plain_text { Vec::new() } else { form(&reply) };
            let faults = form.into_iter().chain(document).chain(meaning(&fitted, &reply));
            let at = format!("{}: {}", place(&event, fixture), describe(&decision));
            found.extend(faults.map(|fault| format!("{at}: {fault}; {}", show(&reply))));
        }
    }
    for fixture in suite.fixtures() {
        if let Ok(Incoming::Handshake { reply, .. }) = suite.protocol().parse(&fixture.native) {
            let faults = form(&reply).into_iter().chain(document(&reply));
            found.extend(faults.map(|f| format!("{} [{}]: {f}; {}", suite.id(), fixture.stem, show(&reply))));
        }
    }
    found
}

fn form(reply: &Reply) -> Vec<String> {
    let mut faults = Vec::new();
    let line = reply.stdout.strip_suffix('\n').unwrap_or(&reply.stdout);
    if line.contains(['\n', '\r']) || line.trim() != line {
        faults.push("stdout is not one line".to_owned());
    }
    if ![0, 2].contains(&reply.exit) {
        faults.push("the exit code is neither 0 nor 2".to_owned());
    }
    faults
}

fn document(reply: &Reply) -> Option<String> {
    let bad = !reply.stdout.is_empty() && Raw::checked(reply.stdout.as_str()).is_err();
    bad.then(|| "stdout is not one JSON document".to_owned())
}

fn meaning(fitted: &Fitted, reply: &Reply) -> Vec<String> {
    let said = fitted.verdict().kind();
    let mut faults = Vec::new();
    if reply.exit == 2 && matches!(said, VerdictKind::Pass | VerdictKind::Allow) {
        faults.push(format!("{} goes out with exit 2", said.word()));
    }
    if said != VerdictKind::Pass && *reply == Reply::silent() {
        faults.push(format!("{} is said by silence", said.word()));
    }
    faults
}

/// Formats a reply on one line, for reports.
pub fn show(reply: &Reply) -> String {
    format!("answered {:?}, stderr {:?}, exit {}", reply.stdout, reply.stderr, reply.exit)
}

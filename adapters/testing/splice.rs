//! Unwatched parts stay unchanged byte for byte, also around a change (J4, J8).

use std::collections::BTreeSet;

use super::decisions::{new_value, value};
use super::{Fixture, Suite, place};
use crate::Raw;
use crate::fit::{Limits, fit};
use crate::model::{Change, Command, Decision, HookEvent, Incoming, Target};
use crate::protocol::Native;

/// Numbers, key order and depth that any re-printing would lose.
const ODD: &str = r#"{"n":1.10,"big":123456789012345678901234567890,"e":1E400,"z":{"z":1,"a":2},"u":"\u00e9\/"}"#;

const DEPTH: usize = 100_000;

/// Finds unwatched parts that are lost or re-printed, in the message and around a change of the input or the request.
pub fn raw_intact(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    let mut deep = BTreeSet::new();
    for (fixture, event) in suite.judged() {
        let at = place(&event, fixture);
        // Depth is a matter of the row and costs time: one message for each will do.
        let odds = if deep.insert(event.row.key()) { 2 } else { 1 };
        for (name, odd) in
            [("odd numbers", ODD.to_owned()), ("depth", "[".repeat(DEPTH) + &"]".repeat(DEPTH))].into_iter().take(odds)
        {
            for target in [Target::Input, Target::Request] {
                let Some(part) = part(&event, target) else { continue };
                let Ok(object) = part.object() else { continue };
                let changed = object.with("zz_unwatched", &odd);
                let Some(message) = event.raw.replace(&part, changed.as_str()) else { continue };
                if let Some(fault) = survives(suite, fixture, target, &changed, &message, &odd) {
                    found.push(format!("{at}: {name} in the {}: {fault}", target.word()));
                }
            }
            let Ok(top) = event.raw.object() else { continue };
            let message = top.with("zz_unwatched", &odd);
            match parse(suite, fixture, &message) {
                Some(event) if event.raw == message => {}
                Some(_) => found.push(format!("{at}: {name} at the top: the message was not kept as sent")),
                None => found.push(format!("{at}: {name} at the top: the message is no longer read")),
            }
        }
    }
    found
}

/// Finds rewrites of a command that change more than the value with the command.
pub fn rewrite(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged() {
        let Some(call) = event.call() else { continue };
        let Some(change) = suite.protocol().rewrite(call, &|command| Some(wrapped(command))) else {
            continue;
        };
        let mut places = Vec::new();
        differences(&call.input, &change.value, "", &mut places);
        // Each command of a list is rewritten.
        let list = |place: &String| place.rsplit_once('/').map(|(list, _)| list.to_owned());
        let lists: BTreeSet<_> = places.iter().filter_map(list).collect();
        if let ([_, _, ..], Some(list)) = (places.as_slice(), lists.first().filter(|_| lists.len() == 1))
            && call.input.at(list).is_some_and(|list| list.array().is_ok())
        {
            places = vec![list.clone()];
        }
        let [only] = places.as_slice() else {
            found.push(format!("{}: a rewrite changes {places:?}, not one value", place(&event, fixture)));
            continue;
        };
        let spliced = call.input.at(only).zip(change.value.at(only)).and_then(|(old, new)| {
            let wrapped = match (old.text(), new.text()) {
                (Some(old), Some(new)) => new.value == format!("{WRAP} -- {}", old.value),
                (None, None) => is_wrapped(&old, &new)?,
                _ => false,
            };
            call.input.replace(&old, new.as_str()).filter(|_| wrapped)
        });
        if spliced.as_ref() != Some(&change.value) {
            found.push(format!("{}: a rewrite changes more than {only}: {:?}", place(&event, fixture), change.value));
        }
    }
    found
}

const WRAP: &str = "wrap";

fn wrapped(command: &Command) -> Command {
    match command {
        Command::Text(text) => format!("{WRAP} -- {text}").into(),
        Command::Argv(words) => [&[WRAP.to_owned()], words.as_slice()].concat().into(),
    }
}

/// Returns true if an array is the other one with each text wrapped, or with a word before it.
fn is_wrapped(old: &Raw, new: &Raw) -> Option<bool> {
    let texts = |value: &Raw| {
        let items = value.array().ok()?;
        items.iter().map(|item| Some(item.text()?.value)).collect::<Option<Vec<String>>>()
    };
    let (old, new) = (texts(old)?, texts(new)?);
    let each: Vec<_> = old.iter().map(|text| format!("{WRAP} -- {text}")).collect();
    Some(new == each || new == [&[WRAP.to_owned()], old.as_slice()].concat())
}

fn part(event: &HookEvent, target: Target) -> Option<Raw> {
    match target {
        Target::Request => match &event.detail {
            crate::model::Detail::Request { request } => Some(request.clone()),
            _ => None,
        },
        target => value(event, target),
    }
}

fn survives(
    suite: &Suite,
    fixture: &Fixture,
    target: Target,
    part_sent: &Raw,
    message: &Raw,
    odd: &str,
) -> Option<String> {
    let Some(event) = parse(suite, fixture, message) else {
        return Some("the message is no longer read".to_owned());
    };
    if part(&event, target).as_ref() != Some(part_sent) || event.raw != *message {
        return Some("it was not kept as sent".to_owned());
    }
    let change = Change::optional(target, new_value(&event, target)?);
    for decision in [Decision::pass(), Decision::allow()] {
        let (fitted, _) = fit(decision.change(change.clone()), &event, &Limits::default());
        fitted.change(target)?;
        let reply = suite.protocol().format(&event, &fitted);
        if !reply.stdout.contains(odd) {
            return Some(format!("it is not in the answer {}", reply.stdout.chars().take(300).collect::<String>()));
        }
    }
    None
}

fn differences(old: &Raw, new: &Raw, at: &str, out: &mut Vec<String>) {
    if old == new {
        return;
    }
    if let (Ok(old), Ok(new)) = (old.object(), new.object()) {
        let (old, new): (Vec<_>, Vec<_>) = (old.members().collect(), new.members().collect());
        if old.iter().map(|(key, _)| key).eq(new.iter().map(|(key, _)| key)) {
            for ((key, old), (_, new)) in old.iter().zip(&new) {
                differences(old, new, &format!("{at}/{key}"), out);
            }
            return;
        }
    } else if let (Ok(old), Ok(new)) = (old.array(), new.array())
        && old.len() == new.len()
    {
        for (index, (old, new)) in old.iter().zip(&new).enumerate() {
            differences(old, new, &format!("{at}/{index}"), out);
        }
        return;
    }
    out.push(at.to_owned());
}

fn parse(suite: &Suite, fixture: &Fixture, message: &Raw) -> Option<HookEvent> {
    let native =
        Native::new(message.as_str()).line(fixture.native.line.clone()).connection(fixture.native.connection.clone());
    match suite.protocol().parse(&native) {
        Ok(Incoming::Event(event)) => Some(*event),
        _ => None,
    }
}

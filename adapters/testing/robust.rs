//! A broken message is an error, never a panic and never another meaning.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::mutate::{MessageValue, RUBBISH, WRONG, spots, truncations};
use super::{Fixture, Suite, place};
use crate::model::{Action, Detail, HookEvent, Incoming};
use crate::protocol::{Absent, Native, ParseError};
use crate::raw::json_string;

/// Finds damaged messages on which the adapter panics, and damage to a watched field of a gate that results in another
/// event instead of an error.
///
/// A field is watched if another text in it changes the event, so no list of fields is needed.
pub fn robust(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for fixture in suite.fixtures() {
        let base = match parse(suite, fixture, fixture.native.body.as_str()) {
            Some(Ok(Incoming::Event(event))) if event.row.gates() => Some(event),
            _ => None,
        };
        let before = base.as_deref().map(facts);
        for (what, damage, text) in damages(suite, fixture, before.as_ref()) {
            let fault = match (parse(suite, fixture, &text), &before) {
                (None, _) => "the adapter panics",
                (Some(Ok(incoming)), Some(before)) if !kept(&incoming, before, damage) => "read as something else",
                _ => continue,
            };
            let at = base.as_ref().map_or_else(|| suite.id().to_owned(), |event| place(event, fixture));
            found.push(format!("{at}: {what}: {fault}: {}", text.chars().take(300).collect::<String>()));
        }
    }
    found
}

/// Returns every damaged form of a fixture for which the adapter returns an error.
pub(super) fn errors(suite: &Suite, fixture: &Fixture) -> Vec<String> {
    let damages = damages(suite, fixture, None).into_iter().map(|(_, _, text)| text);
    damages.filter(|text| matches!(parse(suite, fixture, text), Some(Err(_)))).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Damage {
    /// An error is required.
    Fatal,
    /// An error, or the same event: the field was not watched.
    Type,
    /// An error, or an event that is still a gate about the same tool: the field was optional.
    Gone,
}

fn damages(suite: &Suite, fixture: &Fixture, before: Option<&Facts>) -> Vec<(String, Damage, String)> {
    let message = &fixture.native.body;
    let mut out = Vec::new();
    for text in RUBBISH.iter().copied().map(str::to_owned).chain(truncations(message)) {
        out.push(("no whole message".to_owned(), Damage::Fatal, text));
    }
    for spot in spots(message) {
        let at = &spot.at;
        for wrong in WRONG {
            let emptied = wrong == "null" || (wrong.starts_with('{') && spot.value.object().is_ok());
            let damage = if emptied { Damage::Gone } else { Damage::Type };
            let text = spot.replaced(message, wrong).filter(|_| *wrong != *spot.value.as_str());
            out.extend(text.map(|text| (format!("{at} is {wrong}"), damage, text)));
        }
        out.extend(spot.dropped(message).map(|text| (format!("{at} is gone"), Damage::Gone, text)));
        let watched = before.is_some_and(|before| watched(suite, fixture, &spot, before));
        let damage = if watched { Damage::Fatal } else { Damage::Type };
        let twins = spot.twins(message, &json_string("zz other"));
        out.extend(twins.into_iter().map(|text| (format!("{at} has a twin"), damage, text)));
    }
    out
}

fn watched(suite: &Suite, fixture: &Fixture, spot: &MessageValue, before: &Facts) -> bool {
    let other = spot.value.text().and_then(|_| spot.replaced(&fixture.native.body, &json_string("zz other")));
    match other.and_then(|text| parse(suite, fixture, &text)) {
        Some(Ok(Incoming::Event(event))) => facts(&event) != *before,
        Some(_) => true,
        None => false,
    }
}

fn kept(incoming: &Incoming, before: &Facts, damage: Damage) -> bool {
    let after = match incoming {
        Incoming::Event(event) => facts(event),
        // A line without its id is a notification: nothing waits for an answer.
        Incoming::Observed(event) => return damage == Damage::Gone && facts(event).tool == before.tool,
        Incoming::Handshake { .. } => return false,
    };
    match damage {
        Damage::Fatal => false,
        Damage::Type => after == *before,
        // Its absence may be what tells one case of an event from another.
        Damage::Gone if before.tool.is_none() && after.native == before.native && after.case != before.case => true,
        Damage::Gone => {
            let judged = after.actions != [Action::Other] || before.actions == [Action::Other] || after.optional;
            after.gates && after.tool == before.tool && judged
        }
    }
}

#[derive(PartialEq)]
struct Facts {
    native: String,
    case: Option<&'static str>,
    gates: bool,
    tool: Option<String>,
    actions: Vec<Action>,
    /// True if the table allows such a call to lack every judged argument.
    optional: bool,
    prompt: Option<String>,
    cwd: Option<String>,
}

fn facts(event: &HookEvent) -> Facts {
    let call = event.call();
    let prompt = match &event.detail {
        Detail::Prompt { text } => Some(text.clone()),
        _ => None,
    };
    Facts {
        native: event.native.clone(),
        case: event.row.selector.case,
        gates: event.row.gates(),
        tool: call.map(|call| call.name.clone()),
        actions: call.map(|call| call.actions.clone()).unwrap_or_default(),
        optional: call
            .and_then(|call| call.row)
            .is_some_and(|row| row.actions.iter().any(|act| act.slot.absent == Absent::Nothing)),
        prompt,
        cwd: event.cwd.clone(),
    }
}

/// Returns `None` if the adapter panics.
fn parse(suite: &Suite, fixture: &Fixture, text: &str) -> Option<Result<Incoming, ParseError>> {
    let native = Native::new(text).line(fixture.native.line.clone()).connection(fixture.native.connection.clone());
    catch_unwind(AssertUnwindSafe(|| suite.protocol().parse(&native))).ok()
}

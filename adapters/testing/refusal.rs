//! A refusal is not empty at a gate, and empty at the end of a turn (V10).

use super::mutate::RUBBISH;
use super::replies::show;
use super::robust::errors;
use super::{REASON, Suite};
use crate::Raw;
use crate::model::{HookEvent, Incoming, Reply};
use crate::protocol::{Native, RegisteredLine, Transport};

/// The reply to an invalid message.
#[derive(Debug)]
#[non_exhaustive]
pub struct RefusedMessage {
    /// The event of the undamaged message.
    pub event: HookEvent,
    /// The reply.
    pub reply: Reply,
    /// The agent, the row, the fixture, the reply and the message, for reports.
    pub what: String,
}

/// Finds refusals that are empty at a gate, or that make an agent continue at the end of a turn.
pub fn refusal(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for RefusedMessage { event, reply, what } in refusals(suite) {
        if event.row.gates() && reply == Reply::silent() {
            found.push(format!("{what}: a refusal says nothing"));
        }
        if event.kind().ends_turn() && reply.exit != 0 {
            found.push(format!("{what}: a refusal is not a pass"));
        }
    }
    found
}

/// Returns the refusals of valid, damaged and unreadable messages.
///
/// Every command line is registered for its event. On a connection only a message whose id and method can still be read
/// is refused; a command line with one process per call must block in every case.
pub fn refusals(suite: &Suite) -> Vec<RefusedMessage> {
    let agent = suite.protocol().agent();
    let mut found = Vec::new();
    for fixture in suite.fixtures() {
        let Ok(Incoming::Event(event)) = suite.protocol().parse(&fixture.native) else { continue };
        let mut bodies = errors(suite, fixture);
        bodies.push(fixture.native.body.as_str().to_owned());
        match agent.transport {
            Transport::Lines => bodies.retain(|body| answerable(&event, body)),
            Transport::OneShot => bodies.extend(RUBBISH.map(str::to_owned)),
        }
        let line = RegisteredLine::default().event(event.row.native).role(fixture.native.line.role);
        for body in bodies {
            let native = Native::new(&body).line(line.clone()).connection(fixture.native.connection.clone());
            let named = event_name(&event, &body);
            if named.is_some_and(|named| named != event.row.native) {
                continue;
            }
            let reply = suite.protocol().refuse(&native, REASON);
            let said = show(&reply);
            let what = format!("{} {} [{}]: {said} to {}", agent.id, event.row.key(), fixture.stem, cut(&body));
            found.push(RefusedMessage { event: (*event).clone(), reply, what });
        }
    }
    found
}

/// Returns true if the id and the method of a damaged line can still be read.
fn answerable(event: &HookEvent, body: &str) -> bool {
    let Ok(body) = Raw::document(body).object() else { return false };
    let method = event.agent.event_at.trim_start_matches('/');
    let kept = |key: &str| matches!(body.get(key), Ok(Some(value)) if Some(&value) == event.raw.at(&format!("/{key}")).as_ref());
    kept("id") && kept(method)
}

fn event_name(event: &HookEvent, body: &str) -> Option<String> {
    Raw::document(body).at(event.agent.event_at)?.text().map(|text| text.value)
}

fn cut(body: &str) -> String {
    body.chars().take(200).collect()
}

//! A refusal blocks at a gate, and says nothing at the end of a turn (V10).

use super::monotone::show;
use super::mutate::RUBBISH;
use super::robust::errors;
use super::{REASON, Suite};
use crate::Raw;
use crate::host::Does;
use crate::model::{HookEvent, Incoming};
use crate::protocol::{Line, Native, Transport};

/// Finds refusals of good, damaged and unreadable messages that do not block at a gate, or that
/// keep an agent working at the end of its turn.
///
/// Every line is registered for its event. On a connection of lines only a message whose id and
/// method can still be read is refused; a one-shot line must block whatever it reads.
pub fn refusal(suite: &Suite) -> Vec<String> {
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
        let line = Line::default().event(event.row.native).role(fixture.native.line.role);
        for body in bodies {
            let native = Native::new(&body).line(line.clone()).connection(fixture.native.connection.clone());
            let named = event_name(&event, &body);
            if named.is_some_and(|named| named != event.row.native) {
                continue;
            }
            let refused = format!("{} {} [{}]", agent.id, event.row.key(), fixture.stem);
            found.extend(
                faults(suite, &event, &native).into_iter().map(|fault| format!("{refused}: {fault} {}", cut(&body))),
            );
        }
    }
    found
}

fn faults(suite: &Suite, event: &HookEvent, native: &Native) -> Vec<String> {
    let reply = suite.protocol().refuse(native, REASON);
    let said = (reply.stdout.is_empty(), reply.stderr.is_empty(), reply.exit);
    let mut faults = Vec::new();
    if event.row.gates() && said == (true, true, 0) {
        faults.push(format!("a refusal says nothing; {} to", show(&reply)));
    }
    if event.kind().ends_turn() && reply.exit != 0 {
        faults.push(format!("a refusal is not a pass; {} to", show(&reply)));
    }
    for host in event.row.hosts {
        let Some(side) = suite.protocol().host() else { continue };
        let does = side.interpret(event, host, &reply).does;
        let wrong = if event.row.gates() { !does.blocks() } else { event.kind().ends_turn() && does != Does::Flow };
        if wrong {
            faults.push(format!("on {host}: after a refusal the agent {}; {} to", does.word(), show(&reply)));
        }
    }
    faults
}

/// Whether a damaged line still says which request it is.
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

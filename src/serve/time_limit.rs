//! The time limit of a call: half of the agent's own limit, at most five seconds (S2).

use std::time::Duration;

use snaphook_adapters::protocol::{Agent, EventRow, Native};

use super::invocation::Invocation;

/// The time limit of an event.
pub(super) fn of_row(row: &EventRow) -> Duration {
    row.failure.timeout.map_or(LONGEST, |limit| (limit / 2).min(LONGEST))
}

/// The time limit of a message that was not parsed.
pub(super) fn of_message(agent: &'static Agent, native: &Native) -> Duration {
    agent.bare_event(native).map_or(LONGEST, |event| of_row(event.row))
}

/// The shortest time limit of any event.
pub(super) fn shortest(agent: &Agent) -> Duration {
    agent.events.iter().map(of_row).min().unwrap_or(LONGEST)
}

/// The time limit until the event is known: that of the registered event, else the shortest of any gate.
pub(super) fn before_event(invocation: &Invocation) -> Duration {
    let event = invocation.line.event.as_deref();
    let rows = invocation.protocol.agent().events.iter();
    let rows = rows.filter(|row| event.map_or(row.gates(), |event| row.native == event));
    invocation.deadline.or_else(|| rows.map(of_row).min()).unwrap_or(LONGEST)
}

const LONGEST: Duration = Duration::from_secs(5);

//! The page of one row: each distinct reply, and its effect for the user of the agent.

use snaphook_adapters::Raw;
use snaphook_adapters::model::Incoming;
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol};
use snaphook_adapters::testing::{Fixture, Suite};
use snaphook_hosts::Account;

use crate::replies::{Answer, Distinct, Replies};
use crate::text::{bytes, heading, prose};
use crate::words::{kind, role};

/// A fixture, read, with its row.
pub(crate) struct Message<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) row: &'static EventRow,
    pub(crate) incoming: Incoming,
}

/// Reads the fixtures of an agent.
pub(crate) fn messages(suite: &Suite) -> Vec<Message<'_>> {
    let agent = suite.protocol().agent();
    let read = |fixture| message(agent, suite.protocol(), fixture);
    suite.fixtures().iter().map(read).collect()
}

fn message<'a>(agent: &'static Agent, protocol: &dyn HookProtocol, fixture: &'a Fixture) -> Message<'a> {
    let incoming = protocol.parse(&fixture.native).unwrap_or_else(|error| panic!("{}: {error}", fixture.stem));
    let row = match &incoming {
        Incoming::Event(event) | Incoming::Observed(event) => Some(event.row),
        _ => {
            let name = fixture.native.body.at(agent.event_at);
            agent.events.iter().find(|row| name == Some(Raw::string(row.native)))
        }
    };
    let row = row.unwrap_or_else(|| panic!("{} {}: no row", agent.id, fixture.stem));
    Message { fixture, row, incoming }
}

/// Returns the rows of the agent's table and those of unlisted events that a fixture reaches, with their messages.
pub(crate) fn rows<'a>(
    agent: &'static Agent,
    messages: &'a [Message<'a>],
) -> Vec<(&'static EventRow, Vec<&'a Message<'a>>)> {
    let of = |row: &EventRow| messages.iter().filter(|message| message.row.key() == row.key()).collect::<Vec<_>>();
    let listed = agent.events.iter().map(|row| (row, of(row)));
    let unlisted = [agent.unknown, agent.unknown_call].into_iter().map(|row| (row, of(row)));
    listed.chain(unlisted.filter(|(_, messages)| !messages.is_empty())).collect()
}

/// Returns the name of a row's page.
pub(crate) fn name(row: &EventRow) -> String {
    row.key().replace(' ', "_")
}

/// Writes the page of a row.
pub(crate) fn page(
    protocol: &dyn HookProtocol,
    row: &EventRow,
    messages: &[&Message],
    account: Option<&Account>,
) -> String {
    assert!(!messages.is_empty(), "{} {}: no fixture reaches this row", protocol.agent().id, row.key());
    let mut out = String::new();
    prose(&mut out, "agent", protocol.agent().name);
    let gate = if row.gates() { ", a gate" } else { "" };
    prose(&mut out, "event", &format!("{} ({}){gate}", row.native, kind(row.kind)));
    for of in row.selector.roles {
        prose(&mut out, "role", role(*of));
    }
    let mut fact = |name: &str, values: &[&str]| {
        if !values.is_empty() {
            prose(&mut out, name, &values.join(", "));
        }
    };
    fact("dialect", row.selector.dialects);
    fact("case", row.selector.case.as_slice());
    fact("hosts", row.hosts);
    let replies = Replies::new(protocol, messages, account);
    match replies.example() {
        Some(fixture) => fact("example", &[fixture]),
        None => out.push_str("\nA notification, which is recorded and has no reply.\n"),
    }
    for reply in replies.distinct() {
        block(&mut out, &reply);
    }
    out
}

fn block(out: &mut String, distinct: &Distinct) {
    out.push('\n');
    for (fixtures, decisions) in &distinct.decisions {
        let only = if fixtures.is_empty() { String::new() } else { format!("only {}: ", fixtures.join(", ")) };
        heading(out, &format!("{only}{}", decisions.join(", ")));
    }
    let Answer { reply, seen, .. } = distinct.example;
    if !distinct.losses.is_empty() {
        prose(out, "  lost", &distinct.losses.join("; "));
    }
    prose(out, "  exit", &reply.exit.to_string());
    for (name, text) in [("  stdout", &reply.stdout), ("  stderr", &reply.stderr)] {
        if !text.is_empty() {
            bytes(out, name, text);
        }
    }
    if !seen.is_empty() {
        prose(out, "  user", seen);
    }
}

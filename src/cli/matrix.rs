//! Tables of agents, events and powers.

use std::fmt::Write;

use snaphook_adapters::model::EventKind;
use snaphook_adapters::protocol::{Agent, EventRow, Fails, HookProtocol, Power};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::is_verified;

use super::table::columns;

/// How an event has a power; empty if it does not have it.
type Cell = fn(&EventRow) -> &'static str;

/// The powers, by name.
const POWERS: [(&str, Cell); 8] = [
    ("deny", |row| yes(row, &[Power::Deny])),
    ("ask", |row| match () {
        () if row.can(Power::Ask) => "yes",
        () if row.can(Power::SilenceAsks) => "by silence",
        () if row.can(Power::AskLater) => "later",
        () => "",
    }),
    ("allow", |row| yes(row, &[Power::Allow])),
    ("respond", |row| yes(row, &[Power::Respond])),
    ("abort", |row| yes(row, &[Power::Abort, Power::HardAbort])),
    ("keep going", |row| yes(row, &[Power::KeepGoing])),
    ("change", |row| {
        let change = |power: &&Power| matches!(power, Power::Change(_));
        match row.can.iter().find(change) {
            Some(Power::Change(target)) => target.word(),
            _ => "",
        }
    }),
    ("context", |row| match () {
        () if row.can(Power::Context) => "yes",
        () if row.can(Power::ContextWithoutChange) => "without a change",
        () if row.can(Power::ContextOnKeepGoing) => "with keep going",
        () => "",
    }),
];

fn yes(row: &EventRow, any: &[Power]) -> &'static str {
    if any.iter().any(|power| row.can(*power)) { "yes" } else { "" }
}

fn name(row: &EventRow) -> String {
    format!("{}{}", row.key(), if row.gates() { " *" } else { "" })
}

/// Writes the table for a terminal. It lists the powers in words, since most events have few.
pub(super) fn terminal<'a>(agents: impl Iterator<Item = &'a Agent>, out: &mut String) {
    for agent in agents {
        let mut rows = vec![["event", "an answer can", "on failure", "limit"].map(str::to_owned).to_vec()];
        rows.extend(agent.events.iter().map(|row| vec![name(row), powers(row), fails(row).to_owned(), limit(row)]));
        let _ = writeln!(out, "{} ({}){}", agent.id, agent.name, mark(agent));
        out.push_str(&columns(&rows, "  "));
        out.push('\n');
    }
    out.push_str(
        "* a gate: the answer decides if something happens, and a failure of snaphook blocks it\n\
         on failure: what the agent does by itself when its hook fails; limit: its time limit for the hook\n",
    );
}

fn mark(agent: &Agent) -> &'static str {
    if is_verified(agent.id) { "" } else { ", unverified" }
}

/// The powers of an event, in words.
fn powers(row: &EventRow) -> String {
    let word = |&(name, cell): &(&'static str, Cell)| match cell(row) {
        "" => None,
        "yes" => Some(name.to_owned()),
        how => Some(format!("{name} {how}")),
    };
    let words: Vec<_> = POWERS.iter().filter_map(word).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

fn fails(row: &EventRow) -> &'static str {
    match row.failure.effect {
        Fails::Open => "continues",
        Fails::Closed => "blocks",
    }
}

/// The agent's own time limit.
fn limit(row: &EventRow) -> String {
    row.failure.timeout.map_or_else(|| "none".to_owned(), |limit| format!("{} s", limit.as_secs_f32()))
}

/// Writes the overview of the README: for each agent, the powers over a tool call before it runs.
pub(super) fn overview(registry: &Registry, out: &mut String) {
    const COLUMNS: [&str; 5] = ["deny", "ask", "allow", "respond", "change"];
    let columns: Vec<_> = POWERS.iter().filter(|(name, _)| COLUMNS.contains(name)).collect();
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(out, "| agent | {} | if the hook fails | evidence |", names.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(names.len() + 3));
    for agent in registry.iter().map(HookProtocol::agent) {
        let is_call = |row: &&EventRow| matches!(row.kind, EventKind::PreTool | EventKind::Permission) && row.gates();
        let rows: Vec<_> = agent.events.iter().filter(is_call).collect();
        let cells: Vec<_> = columns.iter().map(|(_, cell)| share(&rows, |row| !cell(row).is_empty())).collect();
        let fails = match share(&rows, |row| row.failure.effect == Fails::Closed) {
            "yes" => "blocks",
            "partly" => "depends",
            _ => "continues",
        };
        let (id, name) = (agent.id, agent.name);
        let evidence = if is_verified(id) { "measured" } else { "unverified" };
        let _ = writeln!(out, "| [{name}](docs/agents/{id}.md) | {} | {fails} | {evidence} |", cells.join(" | "));
    }
}

/// `yes` if all rows have a power, `partly` if some have it, empty if none has it.
fn share(rows: &[&EventRow], can: impl Fn(&EventRow) -> bool) -> &'static str {
    match rows.iter().filter(|row| can(row)).count() {
        0 => "",
        all if all == rows.len() => "yes",
        _ => "partly",
    }
}

/// Writes the table of one agent's events in Markdown, and one line with the events that no answer affects.
pub(super) fn markdown(agent: &Agent, out: &mut String) {
    let headings: Vec<_> = POWERS.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(out, "| event | {} | on failure | limit |", headings.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(headings.len() + 3));
    let (judged, observed): (Vec<&EventRow>, Vec<&EventRow>) =
        agent.events.iter().partition(|row| row.gates() || POWERS.iter().any(|(_, cell)| !cell(row).is_empty()));
    for row in judged {
        let gate = if row.gates() { " **gate**" } else { "" };
        let cells: Vec<_> = POWERS.iter().map(|(_, cell)| cell(row)).collect();
        let _ = writeln!(out, "| `{}`{gate} | {} | {} | {} |", row.key(), cells.join(" | "), fails(row), limit(row));
    }
    let observed: Vec<_> = observed.iter().map(|row| format!("`{}`", row.key())).collect();
    if !observed.is_empty() {
        let _ = writeln!(out, "\nOnly observed: {}.", observed.join(", "));
    }
}

//! Agents × events × powers, from the rows.

use std::fmt::Write;

use snaphook_adapters::protocol::{Agent, EventRow, Fails, Power};
use snaphook_adapters::registry::Registry;

/// The columns: a heading and the powers that fill it.
const COLUMNS: [(&str, fn(&EventRow) -> &'static str); 9] = [
    ("deny", |row| yes(row, &[Power::Deny])),
    ("ask", |row| match () {
        () if row.can(Power::Ask) => "yes",
        () if row.can(Power::SilenceAsks) => "silence",
        () if row.can(Power::AskLater) => "later",
        () => "",
    }),
    ("allow", |row| yes(row, &[Power::Allow])),
    ("respond", |row| yes(row, &[Power::Respond])),
    ("abort", |row| yes(row, &[Power::Abort, Power::HardAbort])),
    ("go on", |row| yes(row, &[Power::KeepGoing])),
    ("change", |row| {
        let change = |power: &&Power| matches!(power, Power::Change(_));
        match row.can.iter().find(change) {
            Some(Power::Change(target)) => target.word(),
            _ => "",
        }
    }),
    ("context", |row| yes(row, &[Power::Context])),
    ("on failure", |row| match row.fails {
        Fails::Open => "goes on",
        Fails::Closed => "blocks",
    }),
];

fn yes(row: &EventRow, any: &[Power]) -> &'static str {
    if any.iter().any(|power| row.can(*power)) { "yes" } else { "" }
}

/// The rows of one agent as lines of cells, the name first.
fn lines(agent: &Agent) -> impl Iterator<Item = Vec<String>> {
    agent.events.iter().map(|row| {
        let gate = if row.gates() { " *" } else { "" };
        let mut cells = vec![format!("{}{gate}", row.key())];
        cells.extend(COLUMNS.iter().map(|(_, cell)| cell(row).to_owned()));
        cells
    })
}

fn headings() -> Vec<String> {
    std::iter::once("event").chain(COLUMNS.iter().map(|(name, _)| *name)).map(str::to_owned).collect()
}

/// Writes the table for a terminal.
pub(super) fn terminal<'a>(agents: impl Iterator<Item = &'a Agent>, out: &mut String) {
    for agent in agents {
        let rows: Vec<_> = std::iter::once(headings()).chain(lines(agent)).collect();
        let _ = writeln!(out, "{} ({})", agent.id, agent.name);
        out.push_str(&columns(&rows, "  "));
        out.push('\n');
    }
    out.push_str("* a gate: something happens or not by the answer, and a failure of ours blocks it\n");
}

/// Writes the table for a README.
pub(super) fn markdown(registry: &Registry, out: &mut String) {
    for protocol in registry.iter() {
        let agent = protocol.agent();
        let headings = headings();
        let _ = writeln!(out, "### {}\n\n| {} |\n|{}", agent.id, headings.join(" | "), "---|".repeat(headings.len()));
        for cells in lines(agent) {
            let _ = writeln!(out, "| {} |", cells.join(" | ").replace(" * |", " **gate** |"));
        }
        out.push('\n');
    }
}

/// Writes lines of cells in columns of even width.
pub(super) fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |n: usize| rows.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..count).map(|n| width(n).unwrap_or_default()).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "{indent}{}", line.trim_end());
    }
    out
}

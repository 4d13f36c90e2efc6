//! Formats records as rows of a table.

use snaphook_adapters::registry::Registry;

use super::super::table::{Widths, cell};
use super::filter::local_time;
use super::subject::subject;
use crate::audit::AuditEntry;

/// A column of the table. A column that is empty in all rows is left out.
struct Column {
    heading: &'static str,
    /// True if only `--wide` shows it.
    is_wide: bool,
    /// The greatest width; names come from the agent or the model and can be long.
    most: usize,
    text: fn(&Registry, &AuditEntry) -> String,
}

const COLUMNS: &[Column] = &[
    column("time", false, 32, |_, entry| local_time(&entry.time)),
    column("agent", false, 32, |_, entry| entry.agent.clone()),
    column("event", true, 32, |_, entry| entry.event.clone()),
    column("tool", false, 32, |_, entry| tool(entry)),
    column("call", false, 60, subject),
    column("verdict", false, 32, |_, entry| verdict(entry)),
    column("with", false, 32, |_, entry| with(entry)),
    column("sent as", true, 32, |_, entry| entry.form.clone()),
    column("ms", true, 32, |_, entry| format!("{:.1}", entry.ms)),
    column("id", false, 32, |_, entry| entry.id.clone()),
    column("lost", false, usize::MAX, |_, entry| lost(entry)),
];

const fn column(
    heading: &'static str,
    is_wide: bool,
    most: usize,
    text: fn(&Registry, &AuditEntry) -> String,
) -> Column {
    Column { heading, is_wide, most, text }
}

pub(super) struct RecordTable<'a> {
    registry: &'a Registry,
    /// The columns, and whether a row has something in them.
    columns: Vec<(&'static Column, bool)>,
    widths: Widths,
}

impl<'a> RecordTable<'a> {
    pub(super) fn new(registry: &'a Registry, is_wide: bool) -> Self {
        let columns = COLUMNS.iter().filter(|column| is_wide || !column.is_wide).map(|column| (column, false));
        let mut table = Self { registry, columns: columns.collect(), widths: Widths::default() };
        table.widths.take(&table.columns.iter().map(|(column, _)| column.heading.to_owned()).collect::<Vec<_>>());
        table
    }

    /// Makes room for a record.
    pub(super) fn take(&mut self, entry: &AuditEntry) {
        let row = self.row(entry);
        for ((_, is_used), cell) in self.columns.iter_mut().zip(&row) {
            *is_used |= !cell.is_empty();
        }
        self.widths.take(&row);
    }

    pub(super) fn heading(&self) -> String {
        self.line(self.columns.iter().map(|(column, _)| column.heading.to_owned()).collect())
    }

    pub(super) fn text(&self, entry: &AuditEntry) -> String {
        let mut row = self.row(entry);
        let last = row.len().saturating_sub(1);
        row.iter_mut().take(last).filter(|cell| cell.is_empty()).for_each(|cell| "-".clone_into(cell));
        self.line(row)
    }

    fn line(&self, cells: Vec<String>) -> String {
        let used = |(cell, (_, is_used)): (String, &(_, bool))| is_used.then_some(cell);
        let cells: Vec<_> = cells.into_iter().zip(&self.columns).filter_map(used).collect();
        self.widths.only(self.columns.iter().map(|(_, is_used)| *is_used)).line(&cells)
    }

    fn row(&self, entry: &AuditEntry) -> Vec<String> {
        self.columns.iter().map(|(column, _)| cell(&(column.text)(self.registry, entry), column.most)).collect()
    }
}

/// The tool, or the event if the record is not about a tool.
fn tool(entry: &AuditEntry) -> String {
    let event = || if entry.event.is_empty() { String::new() } else { format!("({})", entry.event) };
    entry.tool.clone().unwrap_or_else(event)
}

/// The verdict that was decided, and the one that was sent if it is another; or one that was not enforced.
pub(in crate::cli) fn verdict(entry: &AuditEntry) -> String {
    if let Some(would) = entry.would {
        return format!("{} (would {})", entry.sent.word(), would.word());
    }
    match (entry.wanted.word(), entry.sent.word()) {
        (wanted, sent) if wanted == sent => wanted.to_owned(),
        (wanted, sent) => format!("{wanted} > {sent}"),
    }
}

/// The changes of an answer, and whether the command runs in the sandbox.
pub(super) fn with(entry: &AuditEntry) -> String {
    let sandbox = entry.isolated.map(|isolated| if isolated { "sandbox" } else { "no sandbox" }.to_owned());
    // The wrapper replaces the input of an isolated command, so that change is not listed separately.
    let changed = entry.changed.iter().filter(|target| entry.isolated != Some(true) || *target != "input");
    sandbox.into_iter().chain(changed.map(|target| format!("new {target}"))).collect::<Vec<_>>().join(", ")
}

/// The failure of a call, and the parts of the answer that the agent could not express.
pub(super) fn lost(entry: &AuditEntry) -> String {
    let wrong = entry.failure.iter().map(|what| format!("failed: {what}"));
    let wrong = wrong.chain(entry.incident.iter().map(|what| format!("incident: {what}")));
    wrong.chain(entry.losses.iter().cloned()).collect::<Vec<_>>().join("; ")
}

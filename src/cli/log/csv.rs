//! Formats records as comma-separated values.

use snaphook_adapters::registry::Registry;

use super::subject::subject;
use super::table::{lost, with};
use crate::audit::AuditEntry;

const HEADING: [&str; 15] = [
    "time", "id", "agent", "event", "session", "tool", "call", "wanted", "sent", "sent as", "with", "rule", "reason",
    "lost", "ms",
];

pub(super) fn heading() -> String {
    line(HEADING.map(str::to_owned))
}

pub(super) fn record(registry: &Registry, entry: &AuditEntry) -> String {
    let rule = entry.causes.first().map(|cause| cause.rule.clone());
    line([
        entry.time.clone(),
        entry.id.clone(),
        entry.agent.clone(),
        entry.event.clone(),
        entry.session.clone().unwrap_or_default(),
        entry.tool.clone().unwrap_or_default(),
        subject(registry, entry),
        entry.wanted.word().to_owned(),
        entry.sent.word().to_owned(),
        entry.form.clone(),
        with(entry),
        rule.unwrap_or_default(),
        entry.reason.clone(),
        lost(entry),
        entry.ms.to_string(),
    ])
}

/// A spreadsheet would execute a text of the model that begins like a formula; with an apostrophe it is shown.
fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}

fn line(cells: [String; 15]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(cells.map(harmless)).ok().and_then(|()| writer.into_inner().ok());
    String::from_utf8(written.unwrap_or_default()).unwrap_or_default()
}

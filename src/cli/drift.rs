//! `snaphook drift`: compares the messages of agents with the fixtures from which their adapters were written.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::json;
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::log::filter::LogSource;
use super::{Failure, one_line};
use crate::drift::{DriftKind, MessageDrift, compare, placeholder, seen, shapes_file};
use crate::files::write_private;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook drift
  snaphook drift claude-code --json
  snaphook drift --fixtures new/       write a message to send in for each difference

Needs `[audit] shapes = true`, which records the names and types of members of messages, never a value. A member that a
fixture does not have may be new, or may occur only sometimes. A written message has placeholders for all values.

Exit code: 0 if there is no difference, else 1.")]
pub(crate) struct DriftArgs {
    /// Only these agents
    agents: Vec<String>,
    #[command(flatten)]
    source: LogSource,
    /// Write a fixture for each event and tool with differences into this folder
    #[arg(long, value_name = "FOLDER")]
    fixtures: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(registry: &Registry, what: &DriftArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let log = what.source.path(registry)?;
    let mut shapes = seen(&log).map_err(|error| Failure(format!("{}: {error}", shapes_file(&log).display())))?;
    shapes.retain(|shape| what.agents.is_empty() || what.agents.contains(&shape.agent));
    if shapes.is_empty() {
        let says = "no shape of a message is recorded; set `shapes = true` in `[audit]` and use the agent";
        return Err(Failure(format!("{}: {says}", shapes_file(&log).display())));
    }
    let found = compare(registry, &shapes);
    if let Some(folder) = &what.fixtures {
        for drift in &found {
            let file = folder.join(&drift.agent).join(format!("{}.json", stem(drift)));
            write(drift, &file).map_err(|error| Failure(format!("{}: {error}", file.display())))?;
        }
    }
    if what.json {
        out.push_str(&visible_json(&serde_json::to_string_pretty(&found)?));
        out.push('\n');
    } else {
        let _ = writeln!(out, "{} shapes compared, {} with differences", shapes.len(), found.len());
        for drift in &found {
            text(drift, out);
        }
    }
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(drift: &MessageDrift, out: &mut String) {
    let dialect = drift.dialect.as_ref().map(|dialect| format!(" ({dialect})")).unwrap_or_default();
    let event = if drift.event.is_empty() { "a message" } else { &drift.event };
    let tool = drift.tool.as_ref().map(|tool| format!(", tool {tool}")).unwrap_or_default();
    let _ = writeln!(out, "\n{}", one_line(format!("{}{dialect}  {event}{tool}", drift.agent)));
    for one in &drift.differences {
        let types = match (one.kind, one.found) {
            (DriftKind::Retyped, Some(found)) => format!("  {} > {found}", one.expected.join(" or ")),
            (_, Some(found)) => format!("  {found}"),
            _ => String::new(),
        };
        let line = format!("{:<9}  {}{types}", one.kind.words(), one.name);
        let _ = writeln!(out, "  {}", one_line(line.trim_end()));
    }
}

/// Writes a message that an adapter can be tested with.
fn write(drift: &MessageDrift, file: &Path) -> std::io::Result<()> {
    let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let day = time.get(..10).unwrap_or(&time);
    let source = format!("shape of a recorded message, the values are placeholders; {}; {day}", drift.agent);
    let fixture = json!({"source": source, "stdin": placeholder(&drift.example)});
    write_private(file, (serde_json::to_string_pretty(&fixture)? + "\n").as_bytes())
}

/// The name of a fixture: the event and the tool in snake case.
fn stem(drift: &MessageDrift) -> String {
    let parts = [drift.dialect.as_deref(), Some(drift.event.as_str()), drift.tool.as_deref()];
    let name: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).map(snake_case).collect();
    if name.is_empty() { "unreadable".to_owned() } else { name.join("_") }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !text.is_empty() && !text.ends_with(['_', '-']) {
            text.push('_');
        }
        text.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    text
}

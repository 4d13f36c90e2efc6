//! `snaphook why ID`: which rule decided, on which action, and what was sent.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use super::{Failure, audit_log, isolation, part_said, visible};
use crate::audit::{Entry, Log, find};

pub(super) fn run(
    registry: &Registry,
    id: &str,
    audit: Option<PathBuf>,
    policy: Option<PathBuf>,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let path = audit_log::path(registry, audit, policy)?;
    let found = Log::open(&path).and_then(|log| find(&log, id)).map_err(|error| audit_log::unread(&path, &error))?;
    let Some(entry) = found else {
        return Err(Failure(format!("{}: no record has the id {id}", path.display())));
    };
    let mut text = String::new();
    show(&entry, &mut text);
    out.push_str(&visible(&text));
    Ok(ExitCode::SUCCESS)
}

fn show(entry: &Entry, out: &mut String) {
    let dialect = if entry.dialect.is_empty() { String::new() } else { format!(" ({})", entry.dialect) };
    let tool = entry.tool.as_ref().map(|tool| format!(", tool {tool}")).unwrap_or_default();
    let _ = writeln!(out, "{}  {}{dialect}  {}{tool}", entry.time, entry.agent, entry.event);
    if let Some(session) = &entry.session {
        let _ = writeln!(out, "session   {session}");
    }
    if let Some(input) = &entry.input {
        let _ = writeln!(out, "input     {input}");
    }
    let _ = writeln!(out, "verdict   {}", entry.wanted.word());
    for cause in &entry.causes {
        let place = match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!(", {file}:{line}"),
            (Some(file), None) => format!(", {file}"),
            _ => String::new(),
        };
        let action = cause.action.as_ref().map(|action| format!(" on {action}")).unwrap_or_default();
        let _ = writeln!(out, "because   {} says {}{action}{place}", cause.rule, cause.verdict.word());
    }
    if entry.causes.is_empty() && entry.failure.is_none() {
        let _ = writeln!(out, "because   no rule speaks about it");
    }
    for part in &entry.parts {
        let _ = writeln!(out, "part      {}", part_said(part));
    }
    if let Some(word) = &entry.word {
        let _ = writeln!(out, "unclear   the command is not understood: {word}");
    }
    if let Some(isolated) = entry.isolated {
        let _ = writeln!(out, "sandbox   {}", isolation(isolated));
    }
    if let Some(incident) = &entry.incident {
        let _ = writeln!(out, "incident  {incident}");
    }
    if let Some(failure) = &entry.failure {
        let _ = writeln!(out, "failure   {failure}");
    }
    let _ = writeln!(out, "sent      {} ({})", entry.sent.word(), entry.form);
    if !entry.changed.is_empty() {
        let _ = writeln!(out, "changed   {}", entry.changed.join(", "));
    }
    if !entry.reason.is_empty() {
        let _ = writeln!(out, "reason    {}", entry.reason);
    }
    for loss in &entry.losses {
        let _ = writeln!(out, "lost      {loss}");
    }
    for remark in &entry.remarks {
        let _ = writeln!(out, "remark    {remark}");
    }
    let _ = writeln!(out, "policy    {}\ntook      {} ms", entry.policy, entry.ms);
}

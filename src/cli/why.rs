//! `snaphook why`: shows which rule decided a call, on which action, and what was sent.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::{Failure, allow_once, audit_log, isolation, one_line, part_verdict};
use crate::audit::{AuditEntry, Log, find};

pub(super) fn run(
    registry: &Registry,
    id: &str,
    audit: Option<PathBuf>,
    policy: Option<PathBuf>,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let path = audit_log::path(registry, audit, policy)?;
    let log = Log::open(&path).map_err(|error| audit_log::unread(&path, &error))?;
    show(&entry(&log, id, &path)?, out);
    Ok(ExitCode::SUCCESS)
}

/// Finds the record with an id, or the newest one of a call that did not simply run.
pub(super) fn entry(log: &Log, id: &str, path: &Path) -> Result<AuditEntry, Failure> {
    let is_last = id == LAST;
    let found = if is_last { last_stopped(log) } else { find(log, id) };
    let Some(entry) = found.map_err(|error| audit_log::unread(path, &error))? else {
        let what = if is_last {
            "no call was denied, asked about or failed".to_owned()
        } else {
            format!("no record with the id {id}")
        };
        return Err(Failure(format!("{}: {what}", path.display())));
    };
    Ok(entry)
}

/// Stands for the newest call that did not simply run.
const LAST: &str = "last";

/// Finds the newest record of a call that was denied, asked about, answered by snaphook, or that failed.
fn last_stopped(log: &Log) -> std::io::Result<Option<AuditEntry>> {
    let ran =
        |entry: &AuditEntry| matches!(entry.sent, VerdictKind::Pass | VerdictKind::Allow) && entry.failure.is_none();
    for line in log.lines_backward() {
        let entry = AuditEntry::parse(&line?.bytes).filter(|entry| !ran(entry));
        if entry.is_some() {
            return Ok(entry);
        }
    }
    Ok(None)
}

fn show(entry: &AuditEntry, out: &mut String) {
    let dialect = if entry.dialect.is_empty() { String::new() } else { format!(" ({})", entry.dialect) };
    let tool = entry.tool.as_ref().map(|tool| format!(", tool {tool}")).unwrap_or_default();
    let head = format!("{}  {}{dialect}  {}{tool}", entry.time, entry.agent, entry.event);
    let _ = writeln!(out, "{}", one_line(head));
    // Names, rules and commands come from the model or a project, so none of them may start a new line.
    let mut say = |label: &str, text: &str| {
        let _ = writeln!(out, "{label:<9} {}", one_line(text));
    };
    if let Some(session) = &entry.session {
        say("session", session);
    }
    if let Some(input) = &entry.input {
        say("input", input);
    }
    say("verdict", entry.wanted.word());
    if let (Some(would), Some(waived)) = (entry.would, &entry.waived) {
        say("instead", &format!("of {}, which was not enforced: {waived}", would.word()));
    }
    for cause in &entry.causes {
        let place = match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!(", {file}:{line}"),
            (Some(file), None) => format!(", {file}"),
            _ => String::new(),
        };
        let action = cause.action.as_ref().map(|action| format!(" on {action}")).unwrap_or_default();
        say("because", &format!("{} says {}{action}{place}", cause.rule, cause.verdict.word()));
    }
    if entry.causes.is_empty() && entry.failure.is_none() {
        say("because", "no rule matches");
    }
    for part in &entry.parts {
        say("part", &part_verdict(part));
    }
    if let Some(word) = &entry.word {
        say("unclear", &format!("the command is not understood: {word}"));
    }
    if let Some(isolated) = entry.isolated {
        say("sandbox", isolation(isolated));
    }
    if let Some(incident) = &entry.incident {
        say("incident", incident);
    }
    if let Some(failure) = &entry.failure {
        say("failure", failure);
    }
    say("sent", &format!("{} ({})", entry.sent.word(), entry.form));
    if !entry.changed.is_empty() {
        say("changed", &entry.changed.join(", "));
    }
    if !entry.reason.is_empty() {
        say("reason", &entry.reason);
    }
    for loss in &entry.losses {
        say("lost", loss);
    }
    for remark in &entry.remarks {
        say("remark", remark);
    }
    if allow_once::allowable(entry).is_some() {
        say("override", &format!("to let the same call pass once, in your terminal: snaphook allow-once {}", entry.id));
    }
    say("policy", &entry.policy);
    say("took", &format!("{} ms", entry.ms));
}

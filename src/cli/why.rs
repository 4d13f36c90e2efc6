//! `snaphook why`: shows which rule decided a call, on which action, and what was sent.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::reach::{RegisteredPolicy, places_for_override};
use super::{Failure, allow_once, audit_log, isolation, one_line, part_verdict};
use crate::audit::{AuditEntry, Log, find};
use crate::setup::target::SetupContext;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook why k3f9abc
  snaphook why last       the newest call that did not simply run
  snaphook why k3f9abc --audit old.jsonl")]
pub(crate) struct WhyArgs {
    #[command(flatten)]
    record: NamedRecord,
    /// The policy that names the log
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

/// The arguments that name one record.
#[derive(clap::Args)]
pub(super) struct NamedRecord {
    /// The id from a block message, such as k3f9abc, or `last`
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// The log to read; default: the one of the policy
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
}

impl NamedRecord {
    /// Finds the record in the log that is named here, else in the one of a policy.
    /// Returns it with the path of this log.
    pub(super) fn find(&self, registry: &Registry, policy: Option<PathBuf>) -> Result<(AuditEntry, PathBuf), Failure> {
        let path = audit_log::path(registry, self.audit.clone(), policy)?;
        let log = Log::open(&path).map_err(|error| audit_log::unread(&path, &error))?;
        Ok((entry(&log, &self.id, &path)?, path))
    }
}

pub(super) fn run(registry: &Registry, what: &WhyArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let (found, log) = what.record.find(registry, what.policy.clone())?;
    show(&found, out);
    if allow_once::allowable(&found).is_some() {
        let context = SetupContext::from_environment()?;
        let places = &context.places;
        let registered = RegisteredPolicy::all(&context, allow_once::agent(registry, &found));
        let policy = places_for_override(&registered, places).map_or(&what.policy, |places| &places.policy);
        let command = allow_once::command(registry, &found, &log, policy.as_ref(), places);
        say("override", &format!("to let the same call pass once, in your terminal: {command}"), out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds the record with an id, or the newest one of a call that did not simply run.
fn entry(log: &Log, id: &str, path: &Path) -> Result<AuditEntry, Failure> {
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
    let mut say = |label: &str, text: &str| say(label, text, out);
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
    say("policy", &entry.policy);
    say("took", &format!("{} ms", entry.ms));
}

/// Prints one line. Names, rules and commands come from the model or a project, so none of them may start a new line.
fn say(label: &str, text: &str, out: &mut String) {
    let _ = writeln!(out, "{label:<9} {}", one_line(text));
}

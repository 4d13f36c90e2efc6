//! `snaphook replay`: judges recorded calls again by another policy.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use snaphook_adapters::model::{Detail, EventKind, HookEvent, VerdictKind};
use snaphook_adapters::protocol::{ActionKind, EventRow, HookProtocol};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Cause;

use super::log::filter::LogFilter;
use super::log::reader::RecordReader;
use super::log::subject::{recorded_call, subject};
use super::policy::verdict_of_rules;
use super::table::cell;
use super::{Failure, audit_log, one_line};
use crate::audit::{AuditEntry, Log};
use crate::decide::policy_call;
use crate::policy::{LoadedPolicy, Places};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook replay                          by the policy as it is now
  snaphook replay --policy new.toml --since 7days
  snaphook replay --suggest                allow rules for commands that you always approved

Only calls whose arguments are recorded can be judged again: [audit] inputs = \"redacted\". Secrets in them are masked.
Project policies count as they are now, handlers are not asked.
Exit code: 0 if every call is decided as before, 1 if not.")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    filter: LogFilter,
    /// The policy by which calls are judged; default: your own. Given again: a file with further rules
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// The log to read; default: the one of your policy
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Print allow rules for commands that an agent asked about at least three times, and that always ran then
    #[arg(long)]
    suggest: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A recorded call that is decided differently.
struct ChangedCall {
    id: String,
    agent: String,
    subject: String,
}

/// The reason why a record is not judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NotJudged {
    WithoutArguments,
    Failed,
    Elsewhere,
}

impl NotJudged {
    fn describe(self) -> &'static str {
        match self {
            Self::WithoutArguments => "without recorded arguments",
            Self::Failed => "that failed",
            Self::Elsewhere => "decided by a handler or the sandbox",
        }
    }
}

/// The verdicts before and now, and the rule that made the difference, with a preposition.
type VerdictChange = (VerdictKind, VerdictKind, String);

#[derive(Default)]
struct Replayed {
    judged: usize,
    changes: BTreeMap<VerdictChange, Vec<ChangedCall>>,
    left_out: BTreeMap<NotJudged, usize>,
    approvals: Approvals,
}

pub(super) fn run(registry: &Registry, what: &ReplayArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let path = audit_log::path(registry, what.audit.clone(), None)?;
    let unread = |error| audit_log::unread(&path, &error);
    let reading = RecordReader::new(&what.filter, Log::open(&path).map_err(unread)?, 0).map_err(unread)?;
    let mut places = Places::from_environment();
    what.policy.iter().for_each(|file| places.add_policy(file.clone()));
    let mut policies = BTreeMap::new();
    let mut replayed = Replayed::default();
    for record in reading.records() {
        let (_, entry) = record.map_err(unread)?;
        let Some(row) = row(registry, &entry) else { continue };
        replayed.approvals.add(row.kind, &entry, registry);
        if entry.tool.is_none() || !row.gates() {
            continue;
        }
        let policy = match policies.entry(entry.cwd.clone()) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                new.insert(LoadedPolicy::load(&places, entry.cwd.as_deref(), registry)?)
            }
        };
        match judged_again(registry, &entry, row, policy) {
            Err(why) => *replayed.left_out.entry(why).or_default() += 1,
            Ok((now, cause)) => replayed.add(registry, &entry, now, cause.as_ref()),
        }
    }
    if what.json {
        replayed.json(out)?;
    } else if what.suggest {
        replayed.suggest(out);
    } else {
        replayed.text(out);
    }
    Ok(ExitCode::from(u8::from(!what.suggest && !replayed.changes.is_empty())))
}

/// The row of the event of a record; `None` if the agent is gone or the event is not listed.
fn row(registry: &Registry, entry: &AuditEntry) -> Option<&'static EventRow> {
    registry.get(&entry.agent)?.agent().events.iter().find(|row| {
        let dialects = row.selector.dialects;
        row.native == entry.event
            && (dialects.is_empty() || dialects.contains(&entry.dialect.as_str()))
            && entry.tool.as_deref().is_none_or(|tool| row.is_about(tool))
    })
}

fn judged_again(
    registry: &Registry,
    entry: &AuditEntry,
    row: &'static EventRow,
    policy: &LoadedPolicy,
) -> Result<(VerdictKind, Option<Cause>), NotJudged> {
    if entry.failure.is_some() {
        return Err(NotJudged::Failed);
    }
    let decided = entry.causes.first().filter(|cause| cause.verdict == entry.decided());
    if decided.is_some_and(|cause| !is_of_rules(cause)) {
        return Err(NotJudged::Elsewhere);
    }
    let (agent, call) = registry
        .get(&entry.agent)
        .map(HookProtocol::agent)
        .zip(recorded_call(registry, entry))
        .ok_or(NotJudged::WithoutArguments)?;
    let mut event = HookEvent::new(agent, row, call.input.clone());
    event.detail = Detail::Tool(call);
    policy.teach(&mut event).map_err(|_| NotJudged::Failed)?;
    let call = event.call().ok_or(NotJudged::WithoutArguments)?;
    Ok(verdict_of_rules(policy, &policy_call(agent, call), entry.cwd.as_deref()))
}

/// Returns true for a rule or a built-in check of the rules. A handler is not about an action.
fn is_of_rules(cause: &Cause) -> bool {
    if cause.file.is_some() { cause.action.is_some() } else { cause.rule.starts_with("protect.") }
}

impl Replayed {
    fn add(&mut self, registry: &Registry, entry: &AuditEntry, now: VerdictKind, cause: Option<&Cause>) {
        self.judged += 1;
        if now == entry.decided() {
            return;
        }
        let by = cause.or(entry.causes.first()).map(|cause| match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!("{} ({file}:{line})", cause.rule),
            _ => cause.rule.clone(),
        });
        let preposition = if cause.is_some() { "by" } else { "without" };
        let by = by.map_or_else(|| "by no rule".to_owned(), |by| format!("{preposition} {by}"));
        let call = ChangedCall { id: entry.id.clone(), agent: entry.agent.clone(), subject: subject(registry, entry) };
        self.changes.entry((entry.decided(), now, by)).or_default().push(call);
    }

    fn text(&self, out: &mut String) {
        let changed: usize = self.changes.values().map(Vec::len).sum();
        let _ = writeln!(
            out,
            "{} judged again, {} decided differently",
            calls(self.judged),
            match changed {
                0 => "none".to_owned(),
                many => many.to_string(),
            }
        );
        for ((before, now, by), changed) in &self.changes {
            let _ = writeln!(
                out,
                "\n{} instead of {}, {}: {}",
                now.word(),
                before.word(),
                one_line(by),
                calls(changed.len())
            );
            for call in changed.iter().take(SHOWN) {
                let _ =
                    writeln!(out, "  {}  {}  {}", cell(&call.id, 16), cell(&call.agent, 24), cell(&call.subject, 80));
            }
            if changed.len() > SHOWN {
                let _ = writeln!(out, "  and {} more; --json shows all", changed.len() - SHOWN);
            }
        }
        let left: Vec<_> = self.left_out.iter().map(|(why, many)| format!("{many} {}", why.describe())).collect();
        if !left.is_empty() {
            let _ = writeln!(out, "\nnot judged again: {}", left.join(", "));
        }
    }

    fn json(&self, out: &mut String) -> Result<(), Failure> {
        let changes = self.changes.iter().map(|((before, now, by), changed)| {
            let calls = changed.iter().map(|call| json!({"id": call.id, "agent": call.agent, "call": call.subject}));
            json!({"before": before, "now": now, "by": by, "calls": calls.collect::<Vec<_>>()})
        });
        let left: BTreeMap<_, _> = self.left_out.iter().map(|(why, many)| (why.describe(), many)).collect();
        let suggested: Vec<_> =
            self.approvals.rules().into_iter().map(|(rule, times)| json!({"rule": rule, "approved": times})).collect();
        let all = json!({
            "judged": self.judged, "changes": changes.collect::<Vec<_>>(), "not_judged": left, "suggested": suggested,
        });
        out.push_str(&serde_json::to_string_pretty(&all)?);
        out.push('\n');
        Ok(())
    }

    fn suggest(&self, out: &mut String) {
        let rules = self.approvals.rules();
        if rules.is_empty() {
            out.push_str("no command was asked about at least three times and always ran then\n");
            return;
        }
        out.push_str("[permissions]\nallow = [\n");
        for (rule, times) in rules {
            let rule = toml_edit::Value::from(rule).to_string();
            let _ = writeln!(out, "  {}, # asked about and approved {times} times", one_line(rule.trim()));
        }
        out.push_str("]\n");
    }
}

fn calls(count: usize) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

/// The number of calls that are shown of each change.
const SHOWN: usize = 10;
/// The number of approvals after which a rule is suggested.
const OFTEN: usize = 3;

/// The commands that an agent asked about, and what became of them.
#[derive(Default)]
struct Approvals {
    /// By session and digest: the command of which the approval is not yet known.
    open: BTreeMap<(String, String), String>,
    /// By command: how often it ran after the question, and whether a question had another end.
    asked: BTreeMap<String, (usize, bool)>,
}

impl Approvals {
    fn add(&mut self, kind: EventKind, entry: &AuditEntry, registry: &Registry) {
        let (Some(session), Some(digest)) = (&entry.session, &entry.digest) else { return };
        let key = (session.clone(), digest.clone());
        match kind {
            EventKind::Permission => {
                let Some(command) = command(registry, entry) else { return };
                let was_stopped = !matches!(entry.sent, VerdictKind::Pass | VerdictKind::Ask);
                self.asked.entry(command.clone()).or_default().1 |= was_stopped;
                // An earlier question that no call followed was refused.
                if !was_stopped && let Some(refused) = self.open.insert(key, command) {
                    self.asked.entry(refused).or_default().1 = true;
                }
            }
            EventKind::PostTool => {
                if let Some(command) = self.open.remove(&key) {
                    self.asked.entry(command).or_default().0 += 1;
                }
            }
            _ if entry.sent.blocks() => {
                if let Some(command) = command(registry, entry) {
                    self.asked.entry(command).or_default().1 = true;
                }
            }
            _ => {}
        }
    }

    /// The rules with the number of approvals, the most often approved first.
    fn rules(&self) -> Vec<(String, usize)> {
        let is_open = |command: &str| self.open.values().any(|open| open == command);
        let approved =
            self.asked.iter().filter(|(command, (ran, stopped))| *ran >= OFTEN && !stopped && !is_open(command));
        let mut rules: Vec<_> = approved.map(|(command, (ran, _))| (format!("Bash({command})"), *ran)).collect();
        rules.sort_by_key(|(_, ran)| std::cmp::Reverse(*ran));
        rules
    }
}

/// The command of a call that runs only that; `None` also if it cannot be written as a rule, or a secret in it is masked.
fn command(registry: &Registry, entry: &AuditEntry) -> Option<String> {
    let call = recorded_call(registry, entry)?;
    let [action] = call.actions.as_slice() else { return None };
    let (kind, text, _) = ActionKind::of(action)?;
    let is_plain = !text.contains(['*', '(', ')', '\n', '\\']) && !text.trim().is_empty();
    (kind == ActionKind::Shell && is_plain).then_some(text)
}

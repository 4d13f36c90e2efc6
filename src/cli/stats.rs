//! `snaphook stats`: counts the recorded decisions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::log::filter::{LogFilter, LogSource, local_time};
use super::log::reader::RecordReader;
use super::table::{cell, columns};
use super::{Failure, audit_log};
use crate::audit::{AuditEntry, Log};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook stats                          the whole log
  snaphook stats --since 7days
  snaphook stats --agent codex --verdict deny

Days and times are local. Calls are counted by the verdict that was sent to the agent.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    filter: LogFilter,
    #[command(flatten)]
    source: LogSource,
    /// Only the N rules that decided most often; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    rules: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The number of calls by the verdict that was sent.
#[derive(Debug, Default, Clone, Serialize)]
struct Counts {
    calls: usize,
    #[serde(flatten)]
    sent: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, entry: &AuditEntry) {
        self.calls += 1;
        *self.sent.entry(entry.sent.word()).or_default() += 1;
    }

    fn row(&self, name: &str, verdicts: &[&'static str]) -> Vec<String> {
        let count = |verdict: &&str| self.sent.get(verdict).copied().unwrap_or_default();
        let shown = |count: usize| if count == 0 { "-".to_owned() } else { count.to_string() };
        [cell(name, 48), self.calls.to_string()].into_iter().chain(verdicts.iter().map(count).map(shown)).collect()
    }
}

/// The counts of a log.
#[derive(Debug, Default, Serialize)]
struct Statistics {
    all: Counts,
    first: Option<String>,
    last: Option<String>,
    failed: usize,
    lost: usize,
    /// The times of all calls in milliseconds; sorted when they are shown.
    #[serde(skip)]
    times: Vec<f64>,
    /// The time that half of the calls took at most, in milliseconds, and 99 of 100.
    median_ms: f64,
    p99_ms: f64,
    agents: BTreeMap<String, Counts>,
    /// By the rule that decided; calls that no rule decided are left out.
    rules: BTreeMap<String, Counts>,
    days: BTreeMap<String, Counts>,
}

impl Statistics {
    fn add(&mut self, entry: &AuditEntry) {
        self.all.add(entry);
        self.first.get_or_insert_with(|| entry.time.clone());
        self.last = Some(entry.time.clone());
        self.failed += usize::from(entry.failure.is_some() || entry.incident.is_some());
        self.lost += usize::from(!entry.losses.is_empty());
        self.times.push(entry.ms);
        self.agents.entry(entry.agent.clone()).or_default().add(entry);
        if let Some(cause) = entry.causes.first() {
            self.rules.entry(cause.rule.clone()).or_default().add(entry);
        }
        let day = local_time(&entry.time);
        self.days.entry(day.get(..10).unwrap_or(&day).to_owned()).or_default().add(entry);
    }

    fn finish(&mut self) {
        self.times.sort_by(f64::total_cmp);
        let at = |hundredths: usize| self.times.get(self.times.len().saturating_sub(1) * hundredths / 100);
        (self.median_ms, self.p99_ms) = (at(50).copied().unwrap_or_default(), at(99).copied().unwrap_or_default());
    }

    fn text(&self, rules: usize, out: &mut String) {
        let words = VerdictKind::ALL.map(VerdictKind::word).into_iter();
        let verdicts: Vec<_> = words.filter(|word| self.all.sent.contains_key(word)).collect();
        let [first, last] = [&self.first, &self.last].map(|time| local_time(time.as_deref().unwrap_or_default()));
        let plural = if self.all.calls == 1 { "call" } else { "calls" };
        let _ = writeln!(
            out,
            "{} {plural} from {first} to {last}, {} failed, {} not expressed in full\ntime of a call: median {:.1} ms, 99 of 100 within {:.1} ms",
            self.all.calls, self.failed, self.lost, self.median_ms, self.p99_ms
        );
        let by = |what: &str, counts: Vec<(&String, &Counts)>, out: &mut String| {
            if counts.is_empty() {
                return;
            }
            let heading = [what, "calls"].into_iter().chain(verdicts.iter().copied()).map(str::to_owned).collect();
            let rows = counts.iter().map(|(name, counts)| counts.row(name, &verdicts));
            out.push('\n');
            out.push_str(&columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>(), ""));
        };
        by("agent", most_first(&self.agents), out);
        let mut often = most_first(&self.rules);
        let all = often.len();
        often.truncate(if rules == 0 { all } else { rules });
        let hidden = all - often.len();
        by("rule that decided", often, out);
        if hidden > 0 {
            let _ = writeln!(out, "and {hidden} more; -n 0 shows all");
        }
        by("day", self.days.iter().collect(), out);
    }
}

fn most_first(counts: &BTreeMap<String, Counts>) -> Vec<(&String, &Counts)> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.calls));
    sorted
}

pub(super) fn run(registry: &Registry, what: &StatsArgs, out: &mut String) -> Result<ExitCode, Failure> {
    what.filter.check(registry)?;
    let path = what.source.path(registry)?;
    let unread = |error| audit_log::unread(&path, &error);
    let reading = RecordReader::new(&what.filter, Log::open(&path).map_err(unread)?, 0).map_err(unread)?;
    let mut statistics = Statistics::default();
    for record in reading.records() {
        statistics.add(&record.map_err(unread)?.1);
    }
    statistics.finish();
    if what.json {
        out.push_str(&serde_json::to_string_pretty(&statistics)?);
        out.push('\n');
    } else if statistics.all.calls == 0 {
        return Err(Failure(format!("{}: no matching records", path.display())));
    } else {
        statistics.text(what.rules, out);
    }
    Ok(ExitCode::SUCCESS)
}

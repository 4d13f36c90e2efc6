//! `snaphook stats`: counts the recorded decisions.

use std::fmt::Write as _;
use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use super::log::filter::{LogFilter, LogSource, local_time};
use super::log::reader::RecordReader;
use super::log::statistics::{Counts, Statistics, most_first};
use super::table::{cell, columns};
use super::{Failure, audit_log, one_line};
use crate::audit::Log;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook stats                          the whole log
  snaphook stats --since 7days
  snaphook stats --agent codex --verdict deny

Days and times are local. Calls are counted by the verdict that was sent to the agent. `would deny` counts those of
them that the policy denies, if this was not enforced because of monitor mode, a pause or allow-once.")]
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

fn text(all: &Statistics, rules: usize, out: &mut String) {
    let (sent, would) = (all.sent(), all.would());
    let [first, last] = [&all.first, &all.last].map(|time| local_time(time.as_deref().unwrap_or_default()));
    let plural = if all.all.calls == 1 { "call" } else { "calls" };
    let _ = writeln!(
        out,
        "{} {plural} from {first} to {last}, {} failed, {} not expressed in full\ntime of a call: median {:.1} ms, 99 of 100 within {:.1} ms",
        all.all.calls, all.failed, all.lost, all.median_ms, all.p99_ms
    );
    if !all.waived.is_empty() {
        let by: Vec<_> = all.waived.iter().map(|(why, count)| format!("{} {count}", one_line(why))).collect();
        let _ = writeln!(out, "not enforced: {}", by.join(", "));
    }
    let by = |what: &str, counts: Vec<(&String, &Counts)>, out: &mut String| {
        if counts.is_empty() {
            return;
        }
        let known = [what, "calls"].into_iter().chain(sent.iter().copied()).map(str::to_owned);
        let heading = known.chain(would.iter().map(|word| format!("would {word}"))).collect();
        let rows = counts.iter().map(|(name, counts)| row(name, counts, &sent, &would));
        out.push('\n');
        out.push_str(&columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>(), ""));
    };
    by("agent", most_first(&all.agents), out);
    let mut often = most_first(&all.rules);
    let known = often.len();
    often.truncate(if rules == 0 { known } else { rules });
    let hidden = known - often.len();
    by("rule that decided", often, out);
    if hidden > 0 {
        let _ = writeln!(out, "and {hidden} more; -n 0 shows all");
    }
    let handlers = all.slowest_handlers();
    if !handlers.is_empty() {
        let heading = ["handler", "calls", "median ms", "99 of 100", "slowest"].map(str::to_owned).to_vec();
        let rows = handlers.iter().map(|(name, times)| [vec![cell(name, 48)], times.cells().to_vec()].concat());
        out.push('\n');
        out.push_str(&columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>(), ""));
    }
    by("day", all.days.iter().collect(), out);
}

fn row(name: &str, counts: &Counts, sent: &[&str], would: &[&str]) -> Vec<String> {
    let sent = sent.iter().map(|word| counts.sent.get(word));
    let counted = sent.chain(would.iter().map(|word| counts.would.get(word)));
    let shown = counted.map(|count| count.map_or_else(|| "-".to_owned(), usize::to_string));
    [cell(name, 48), counts.calls.to_string()].into_iter().chain(shown).collect()
}

pub(super) fn run(registry: &Registry, what: &StatsArgs, out: &mut String) -> Result<ExitCode, Failure> {
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
        text(&statistics, what.rules, out);
    }
    Ok(ExitCode::SUCCESS)
}

//! Writes records as one page for a browser.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::super::table::cell;
use super::filter::local_time;
use super::reader::RecordReader;
use super::statistics::{Counts, HandlerTimes, Statistics, most_first};
use super::subject::subject;
use super::table::verdict;
use crate::audit::AuditEntry;
use crate::files::write_private;

const PAGE: &str = include_str!("page.html");

/// The reason why there is no page.
pub(super) enum PageError {
    /// The log cannot be read.
    Unread(io::Error),
    /// The page cannot be written.
    Unwritten(io::Error),
}

/// Writes the records to a file that only the user can read.
pub(super) fn write(registry: &Registry, reading: &RecordReader<'_>, file: &Path) -> Result<ExitCode, PageError> {
    let mut page = LogPage::default();
    for record in reading.records() {
        page.add(registry, &record.map_err(PageError::Unread)?.1);
    }
    page.statistics.finish();
    let html = PAGE.replace("{{content}}", &page.content());
    write_private(file, html.as_bytes()).map_err(PageError::Unwritten)?;
    Ok(ExitCode::SUCCESS)
}

/// A record as the page shows it.
struct PageRow {
    ms: f64,
    /// The time, the agent, the call, the verdict, the rule that decided and the id.
    cells: [String; 6],
}

#[derive(Default)]
struct LogPage {
    statistics: Statistics,
    /// The newest calls that did not simply run, newest first.
    stopped: VecDeque<PageRow>,
    /// The calls that took longest, the slowest first.
    slow: Vec<PageRow>,
    /// The number of calls by what the agent could not express, and by what failed.
    losses: BTreeMap<String, usize>,
    failures: BTreeMap<String, usize>,
}

impl LogPage {
    fn add(&mut self, registry: &Registry, entry: &AuditEntry) {
        self.statistics.add(entry);
        for (counts, texts) in [
            (&mut self.losses, entry.losses.iter().collect::<Vec<_>>()),
            (&mut self.failures, entry.failure.iter().chain(&entry.incident).collect()),
        ] {
            for text in texts {
                *counts.entry(text.clone()).or_default() += 1;
            }
        }
        let row = || PageRow {
            ms: entry.ms,
            cells: [
                local_time(&entry.time),
                entry.agent.clone(),
                [entry.tool.as_deref().unwrap_or(&entry.event), &subject(registry, entry)].join(" "),
                verdict(entry),
                entry.causes.first().map(|cause| cause.rule.clone()).unwrap_or_default(),
                entry.id.clone(),
            ],
        };
        if !matches!(entry.sent, VerdictKind::Pass | VerdictKind::Allow) {
            self.stopped.push_front(row());
            self.stopped.truncate(STOPPED);
        }
        if self.slow.len() < SLOW || self.slow.last().is_some_and(|last| last.ms < entry.ms) {
            let at = self.slow.partition_point(|slow| slow.ms >= entry.ms);
            self.slow.insert(at, row());
            self.slow.truncate(SLOW);
        }
    }

    fn content(&self) -> String {
        let all = &self.statistics;
        let mut out = String::new();
        let [first, last] = [&all.first, &all.last].map(|time| local_time(time.as_deref().unwrap_or_default()));
        let _ = write!(out, "<h1>snaphook log</h1>\n<p>{} to {}</p>\n", escaped(&first), escaped(&last));
        out.push_str("<div class=\"figures\">");
        let figure = |out: &mut String, what: &str, value: &str| {
            let _ = write!(out, "<div><b>{value}</b>{what}</div>");
        };
        figure(&mut out, "calls", &all.all.calls.to_string());
        let verdicts = all.sent();
        for (word, count) in verdicts.iter().filter_map(|word| all.all.sent.get_key_value(word)) {
            figure(&mut out, word, &count.to_string());
        }
        for (word, count) in all.would().iter().filter_map(|word| all.all.would.get_key_value(word)) {
            figure(&mut out, &format!("would {word}, not enforced"), &count.to_string());
        }
        figure(&mut out, "failed", &all.failed.to_string());
        figure(&mut out, "not expressed in full", &all.lost.to_string());
        figure(&mut out, "median time", &format!("{:.1} ms", all.median_ms));
        figure(&mut out, "99 of 100 within", &format!("{:.1} ms", all.p99_ms));
        out.push_str("</div>\n<h2>By day</h2>\n<p class=\"legend\">");
        for word in &verdicts {
            let _ = write!(out, "<span><i class=\"{}\"></i>{word}</span>", class(word));
        }
        out.push_str("</p>\n");
        bars(&mut out, &verdicts, &all.days.iter().collect::<Vec<_>>());
        out.push_str("<h2>By agent</h2>\n");
        bars(&mut out, &verdicts, &most_first(&all.agents));
        let mut rules = most_first(&all.rules);
        rules.truncate(RULES);
        if !rules.is_empty() {
            out.push_str("<h2>By the rule or handler that decided</h2>\n");
            bars(&mut out, &verdicts, &rules);
        }
        rows(&mut out, "Newest calls that did not simply run", self.stopped.iter(), false);
        counted(&mut out, "What agents could not express", &self.losses);
        counted(&mut out, "Failures", &self.failures);
        handlers(&mut out, &all.slowest_handlers());
        rows(&mut out, "Slowest calls", self.slow.iter(), true);
        out
    }
}

/// Writes one bar for each name, as long as its share of the longest one.
fn bars(out: &mut String, verdicts: &[&str], counts: &[(&String, &Counts)]) {
    let longest = counts.iter().map(|(_, counts)| counts.calls).max().unwrap_or(1).max(1);
    let share = |count: usize| 100.0 * ratio(count, longest);
    out.push_str("<div class=\"bars\">\n");
    for (name, counts) in counts {
        let _ = write!(out, "<span>{}</span><span class=\"bar\">", escaped(name));
        for (word, count) in verdicts.iter().filter_map(|word| counts.sent.get_key_value(word)) {
            let _ = write!(
                out,
                "<span class=\"{}\" style=\"width:{:.2}%\" title=\"{count} {word}\"></span>",
                class(word),
                share(*count)
            );
        }
        let _ = writeln!(out, "</span><span>{}</span>", counts.calls);
    }
    out.push_str("</div>\n");
}

fn ratio(count: usize, of: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(count) / number(of)
}

fn class(word: &str) -> &str {
    if matches!(word, "allow" | "pass" | "ask" | "deny") { word } else { "other" }
}

fn rows<'r>(out: &mut String, heading: &str, rows: impl Iterator<Item = &'r PageRow>, has_time: bool) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let ms = if has_time { "<th class=\"n\">ms</th>" } else { "" };
    let _ = write!(
        out,
        "<h2>{heading}</h2>\n<div class=\"scroll\"><table>\n<tr><th>time</th><th>agent</th><th>call</th><th>verdict</th><th>rule</th>{ms}<th>id</th></tr>\n"
    );
    for PageRow { ms, cells: [time, agent, call, verdict, rule, id] } in rows {
        let ms = if has_time { format!("<td class=\"n\">{ms:.1}</td>") } else { String::new() };
        let [time, agent, verdict, id] = [time, agent, verdict, id].map(|text| escaped(text));
        let [call, rule] = [call, rule].map(|text| escaped(&cell(text, LONG)));
        let _ = writeln!(
            out,
            "<tr><td>{time}</td><td>{agent}</td><td class=\"c\">{call}</td><td>{verdict}</td><td class=\"c\">{rule}</td>{ms}<td>{id}</td></tr>"
        );
    }
    out.push_str("</table></div>\n");
}

fn handlers(out: &mut String, slowest: &[(&String, &HandlerTimes)]) {
    if slowest.is_empty() {
        return;
    }
    out.push_str("<h2>Slowest handlers</h2>\n<div class=\"scroll\"><table>\n<tr><th>handler</th>");
    for heading in ["calls", "median ms", "99 of 100 within ms", "slowest ms"] {
        let _ = write!(out, "<th class=\"n\">{heading}</th>");
    }
    out.push_str("</tr>\n");
    for (name, times) in slowest.iter().take(RULES) {
        let _ = write!(out, "<tr><td class=\"c\">{}</td>", escaped(&cell(name, LONG)));
        for value in times.cells() {
            let _ = write!(out, "<td class=\"n\">{value}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn counted(out: &mut String, heading: &str, counts: &BTreeMap<String, usize>) {
    if counts.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{heading}</h2>\n<div class=\"scroll\"><table>\n");
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (text, count) in sorted.into_iter().take(RULES) {
        let _ = writeln!(out, "<tr><td class=\"n\">{count}</td><td>{}</td></tr>", escaped(&cell(text, LONG)));
    }
    out.push_str("</table></div>\n");
}

/// A text of a model or project as HTML, on one line and without invisible characters.
fn escaped(text: &str) -> String {
    let text = super::super::one_line(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// The number of calls in the lists of stopped and slow calls, and of rules.
const STOPPED: usize = 200;
const SLOW: usize = 10;
const RULES: usize = 50;
/// The greatest width of a call.
const LONG: usize = 300;

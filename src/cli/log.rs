//! `snaphook log`: prints the recorded decisions, one per line, the newest last.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::table::{Widths, cell};
use super::{Failure, audit_log, one_line, unwritten};
use crate::audit::{AuditEntry, Log};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook log                                    the last 50 records
  snaphook log --verdict deny --since 2h          what was denied in the last two hours
  snaphook log --agent codex --lost --last 0      every decision that Codex could not express
  snaphook log --json --last 0 > records.jsonl    for another program

Times are UTC. A verdict such as `ask > deny` was decided as the one and sent as the other.
In the column `with`, `sandbox` and `no sandbox` say how a command runs, and `new input` that its arguments changed.
`snaphook why ID` says more about a record.")]
pub(crate) struct LogArgs {
    /// Only calls of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only this event, in the agent's own spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only this tool, in the agent's own spelling
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only calls decided or answered with this verdict: pass, allow, ask, deny, respond, abort, hard-abort,
    /// keep-going
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    verdict: Option<VerdictKind>,
    /// Only calls where the agent could not express the whole decision
    #[arg(long)]
    lost: bool,
    /// Only calls that failed, or that ran outside the sandbox although the policy requires it
    #[arg(long)]
    failed: bool,
    /// Only records since this time: 30m, 2h, 3days, 2026-11-22, 2026-11-22T08:00:00Z or
    /// 2026-11-22T10:00:00+02:00
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<SystemTime>,
    /// Only the newest N matching records; 0 prints all
    #[arg(long, value_name = "N", default_value_t = 50)]
    last: usize,
    /// Print the records as stored, one JSON object per line
    #[arg(long)]
    json: bool,
    /// The log to read; default: the one of the policy
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The policy that names the log
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

fn verdict(text: &str) -> Result<VerdictKind, String> {
    let word = |kind: VerdictKind| kind.word().replace(' ', "-");
    let known = VerdictKind::ALL.into_iter().find(|kind| word(*kind).eq_ignore_ascii_case(text));
    known.ok_or_else(|| format!("unknown verdict; expected one of {}", VerdictKind::ALL.map(word).join(", ")))
}

fn since(text: &str) -> Result<SystemTime, String> {
    if let Ok(ago) = humantime::parse_duration(text) {
        return Ok(SystemTime::now().checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH));
    }
    let time = if text.contains(['T', ' ']) { at_an_offset(text) } else { rfc3339(&format!("{text}T00:00:00Z")) };
    time.ok_or_else(|| {
        "expected a duration (30m, 2h, 3days) or a date (2026-11-22, 2026-11-22T08:00:00Z, 2026-11-22T10:00:00+02:00)"
            .to_owned()
    })
}

fn rfc3339(text: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339_weak(text).ok()
}

/// Parses a time that may have an offset from UTC.
fn at_an_offset(text: &str) -> Option<SystemTime> {
    let Some((time, offset)) = text.split_at_checked(text.len().saturating_sub("+00:00".len())) else {
        return rfc3339(text);
    };
    let east = match offset.as_bytes().first() {
        Some(b'+') => true,
        Some(b'-') if offset.contains(':') => false,
        _ => return rfc3339(text),
    };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let number = |digits: &str, below: u64| {
        let sound = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|number| sound && *number < below)
    };
    let offset = Duration::from_secs((number(hours, 24)? * 60 + number(minutes, 60)?) * 60);
    let time = rfc3339(time)?;
    if east { time.checked_sub(offset) } else { time.checked_add(offset) }
}

pub(super) fn run(registry: &Registry, what: &LogArgs) -> Result<ExitCode, Failure> {
    if let Some(agent) = &what.agent {
        super::agents::find(registry, agent)?;
    }
    let path = audit_log::path(registry, what.audit.clone(), what.policy.clone())?;
    let unread = |error| audit_log::unread(&path, &error);
    let reading = RecordReader::new(what, Log::open(&path).map_err(unread)?).map_err(unread)?;
    let mut table = RecordTable::new();
    if !what.json {
        for record in reading.records() {
            table.take(&record.map_err(unread)?.1);
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut shown = 0_usize;
    for record in reading.records() {
        let (line, entry) = record.map_err(unread)?;
        let text = if what.json { as_json(&line) } else { table.text(&entry, shown == 0) };
        if let Err(error) = out.write_all(text.as_bytes()) {
            return unwritten(&error);
        }
        shown += 1;
    }
    if let Err(error) = out.flush() {
        return unwritten(&error);
    }
    print_notes(what, &reading, shown, &path);
    Ok(ExitCode::SUCCESS)
}

/// A stored record as JSON. Earlier versions did not escape invisible characters.
fn as_json(line: &[u8]) -> String {
    visible_json(&String::from_utf8_lossy(line)).into_owned() + "\n"
}

/// Reports records that are not in the table. Writes to stderr, so that pipes see only the table.
fn print_notes(what: &LogArgs, reading: &RecordReader, shown: usize, path: &Path) {
    use crate::serve::print_error;
    let path = one_line(path.to_string_lossy());
    if shown == 0 {
        print_error(&format!("{path}: no matching records"));
    }
    if reading.more && !what.json {
        print_error(&format!("showing the newest {shown} records; --last 0 shows all"));
    }
    match reading.foreign.get() {
        0 => {}
        1 => print_error(&format!("{path}: 1 line is not a valid record")),
        many => print_error(&format!("{path}: {many} lines are not valid records")),
    }
}

/// Reads the matching records one at a time.
struct RecordReader<'a> {
    what: &'a LogArgs,
    log: Log,
    /// Positions and lengths of the newest matching records, oldest first; absent if all are wanted.
    newest: Option<Vec<(u64, usize)>>,
    /// True if there are older matching records.
    more: bool,
    /// The number of lines that are not valid records.
    foreign: Cell<usize>,
}

impl<'a> RecordReader<'a> {
    fn new(what: &'a LogArgs, log: Log) -> io::Result<Self> {
        let mut reading = Self { what, log, newest: None, more: false, foreign: Cell::new(0) };
        if what.last > 0 {
            let mut newest = Vec::new();
            for line in reading.log.lines_backward() {
                let line = line?;
                if reading.taken(&line.bytes).is_none() {
                    continue;
                }
                if newest.len() == what.last {
                    reading.more = true;
                    break;
                }
                newest.push((line.at, line.bytes.len()));
            }
            newest.reverse();
            reading.newest = Some(newest);
        }
        Ok(reading)
    }

    /// The records and their lines, oldest first.
    fn records(&self) -> Box<dyn Iterator<Item = io::Result<(Vec<u8>, AuditEntry)>> + '_> {
        let lines: Box<dyn Iterator<Item = io::Result<Vec<u8>>>> = match &self.newest {
            None => {
                self.foreign.set(0);
                Box::new(self.log.lines_forward().map(|line| Ok(line?.bytes)))
            }
            Some(newest) => Box::new(newest.iter().map(|(at, len)| self.log.read(*at, *len))),
        };
        Box::new(lines.filter_map(|line| match line {
            Ok(line) => self.taken(&line).map(|entry| Ok((line, entry))),
            Err(error) => Some(Err(error)),
        }))
    }

    /// Parses a line; `None` if it does not match the filters.
    fn taken(&self, line: &[u8]) -> Option<AuditEntry> {
        let entry = AuditEntry::parse(line);
        if entry.is_none() && !line.trim_ascii().is_empty() {
            self.foreign.set(self.foreign.get() + 1);
        }
        entry.filter(|entry| self.what.takes(entry))
    }
}

impl LogArgs {
    fn takes(&self, entry: &AuditEntry) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| wanted.as_deref().is_none_or(|wanted| Some(wanted) == is);
        is(&self.agent, Some(&entry.agent))
            && is(&self.event, Some(&entry.event))
            && is(&self.tool, entry.tool.as_deref())
            && is(&self.session, entry.session.as_deref())
            && self.verdict.is_none_or(|verdict| [entry.wanted, entry.sent].contains(&verdict))
            && (!self.lost || !entry.losses.is_empty())
            && (!self.failed || entry.failure.is_some() || entry.incident.is_some())
            && self.since.is_none_or(|since| rfc3339(&entry.time).is_some_and(|at| at >= since))
    }
}

/// Formats records as rows of a table.
struct RecordTable(Widths);

impl RecordTable {
    const HEADING: [&str; 10] = ["time", "agent", "event", "tool", "verdict", "with", "sent as", "ms", "id", "lost"];
    /// The greatest width of a column; names come from the agent or the model and can be long.
    const MOST: usize = 32;

    fn new() -> Self {
        let mut widths = Widths::default();
        widths.take(&Self::HEADING.map(str::to_owned));
        Self(widths)
    }

    fn take(&mut self, entry: &AuditEntry) {
        self.0.take(&Self::row(entry));
    }

    /// One record as a row, after the heading if it is the first.
    fn text(&self, entry: &AuditEntry, first: bool) -> String {
        let heading = first.then(|| self.0.line(&Self::HEADING.map(str::to_owned)));
        heading.unwrap_or_default() + &self.0.line(&Self::row(entry))
    }

    fn row(entry: &AuditEntry) -> [String; 10] {
        let verdict = match (entry.wanted.word(), entry.sent.word()) {
            (wanted, sent) if wanted == sent => wanted.to_owned(),
            (wanted, sent) => format!("{wanted} > {sent}"),
        };
        // The table shows seconds; the log has the full precision.
        let time = entry.time.get(..19).unwrap_or(&entry.time).replace('T', " ");
        let wrong = entry.failure.iter().map(|what| format!("failed: {what}"));
        let wrong = wrong.chain(entry.incident.iter().map(|what| format!("incident: {what}")));
        let lost: Vec<_> = wrong.chain(entry.losses.iter().cloned()).collect();
        let name = |text: &str| cell(if text.is_empty() { "-" } else { text }, Self::MOST);
        [
            name(&time),
            name(&entry.agent),
            name(&entry.event),
            name(entry.tool.as_deref().unwrap_or_default()),
            verdict,
            name(&with(entry)),
            name(&entry.form),
            format!("{:.1}", entry.ms),
            name(&entry.id),
            cell(&lost.join("; "), usize::MAX),
        ]
    }
}

/// The changes of an answer, and whether the command runs in the sandbox.
fn with(entry: &AuditEntry) -> String {
    let sandbox = entry.isolated.map(|isolated| if isolated { "sandbox" } else { "no sandbox" }.to_owned());
    // The wrapper replaces the input of an isolated command, so that change is not listed separately.
    let changed = entry.changed.iter().filter(|target| entry.isolated != Some(true) || *target != "input");
    sandbox.into_iter().chain(changed.map(|target| format!("new {target}"))).collect::<Vec<_>>().join(", ")
}

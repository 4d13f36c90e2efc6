//! `snaphook log`: prints the recorded decisions, one per line, the newest last.

mod csv;
pub(super) mod filter;
mod follow;
mod html;
pub(super) mod reader;
mod send;
pub(super) mod statistics;
pub(super) mod subject;
pub(super) mod table;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use self::filter::{LogFilter, LogSource};
use self::follow::NewLines;
use self::reader::RecordReader;
use self::table::RecordTable;
use super::{Failure, audit_log, one_line, unwritten};
use crate::audit::{AuditEntry, Log};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook log                                   the last 50 records
  snaphook log -f                                the same, and each new record
  snaphook log --verdict deny --since 2h         what was denied in the last two hours
  snaphook log --agent codex --lost -n 0         every decision that Codex could not express
  snaphook log --html log.html --since 30days    for a browser
  snaphook log --csv -n 0 > records.csv          for a spreadsheet
  snaphook log --json -n 0 > records.jsonl       for another program
  snaphook log --send                            send the records to the collector of the policy now

Times are local; with --csv and --json they are UTC. A verdict such as `ask > deny` was decided as the one and sent as the
other. The column `call` has the command, path or address, if `[audit] inputs = \"redacted\"` records them. In the column
`with`, `sandbox` and `no sandbox` say how a command runs, and `new input` that its arguments changed. Columns that are
empty in all rows are left out. `snaphook why ID` says more about a record, `snaphook stats` counts them.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct LogArgs {
    #[command(flatten)]
    filter: LogFilter,
    #[command(flatten)]
    source: LogSource,
    /// Only the newest N matching records; 0 takes all [default: 50; with --html all]
    #[arg(short = 'n', long, value_name = "N")]
    last: Option<usize>,
    /// Go on printing records as they are written
    #[arg(short, long)]
    follow: bool,
    /// Also show the event, the form of the answer and the time that it took
    #[arg(short, long, conflicts_with_all = ["json", "csv"])]
    wide: bool,
    /// Print the records as stored, one JSON object per line
    #[arg(long)]
    json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write one page for a browser, without scripts and without links to other places
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv", "wide", "follow"])]
    html: Option<PathBuf>,
    /// Send the records that the collector of `[audit] otlp` does not have yet
    #[arg(long, conflicts_with_all = ["LogFilter", "json", "csv", "wide", "follow", "html", "last"])]
    send: bool,
    /// Leave the session of the agent, and wait a moment for more records
    #[arg(long, requires = "send", hide = true)]
    in_background: bool,
}

/// The format in which records are printed.
enum RecordFormat<'a> {
    Table(RecordTable<'a>),
    Csv,
    Json,
}

pub(super) fn run(registry: &Registry, what: &LogArgs) -> Result<ExitCode, Failure> {
    if what.send {
        return send::run(registry, what);
    }
    let path = what.source.path(registry)?;
    let unread = |error| audit_log::unread(&path, &error);
    let log = Log::open(&path).map_err(unread)?;
    let newest = log.newest().map_err(unread)?;
    let usual = if what.html.is_some() { 0 } else { 50 };
    let reading = RecordReader::new(&what.filter, log, what.last.unwrap_or(usual)).map_err(unread)?;
    if let Some(page) = &what.html {
        return html::write(registry, &reading, page).map_err(|error| match error {
            html::PageError::Unread(error) => unread(error),
            html::PageError::Unwritten(error) => Failure(format!("{}: {error}", page.display())),
        });
    }
    let format = if what.json {
        RecordFormat::Json
    } else if what.csv {
        RecordFormat::Csv
    } else {
        let mut table = RecordTable::new(registry, what.wide);
        for record in reading.records() {
            table.take(&record.map_err(unread)?.1);
        }
        RecordFormat::Table(table)
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut shown = 0_usize;
    for record in reading.records() {
        let (line, entry) = record.map_err(unread)?;
        let heading = if shown == 0 { format.heading() } else { String::new() };
        if let Err(error) = out.write_all((heading + &format.text(registry, &line, &entry)).as_bytes()) {
            return unwritten(&error);
        }
        shown += 1;
    }
    if let Err(error) = out.flush() {
        return unwritten(&error);
    }
    print_notes(what, &reading, shown, &path);
    if !what.follow {
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = NewLines::after(&path, newest);
    loop {
        let line = lines.next().map_err(unread)?;
        let Some(entry) = reading.taken(&line) else { continue };
        let text = format.text(registry, &line, &entry);
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            return unwritten(&error);
        }
    }
}

impl RecordFormat<'_> {
    fn heading(&self) -> String {
        match self {
            Self::Table(table) => table.heading(),
            Self::Csv => csv::heading(),
            Self::Json => String::new(),
        }
    }

    fn text(&self, registry: &Registry, line: &[u8], entry: &AuditEntry) -> String {
        match self {
            Self::Table(table) => table.text(entry),
            Self::Csv => csv::record(registry, entry),
            // Earlier versions did not escape invisible characters.
            Self::Json => visible_json(&String::from_utf8_lossy(line)).into_owned() + "\n",
        }
    }
}

/// Reports records that are not in the table. Writes to stderr, so that pipes see only the table.
fn print_notes(what: &LogArgs, reading: &RecordReader, shown: usize, path: &Path) {
    use crate::serve::print_error;
    let path = one_line(path.to_string_lossy());
    if shown == 0 {
        print_error(&format!("{path}: no matching records"));
    }
    if reading.more && !what.json {
        print_error(&format!("showing the newest {shown} records; -n 0 shows all"));
    }
    match reading.foreign.get() {
        0 => {}
        1 => print_error(&format!("{path}: 1 line is not a valid record")),
        many => print_error(&format!("{path}: {many} lines are not valid records")),
    }
}

//! Sends what was not sent yet.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::iter::successors;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::value::RawValue;
use snaphook_adapters::fit::one_paragraph;
use snaphook_policy::{HttpEndpoint, sending_folder};

use super::background::{open_lock, postpone};
use super::otlp::request;
use super::position::{SendFailure, SendPosition, lock_file};
use crate::audit::{Log, append_line, log_of_refused, refused_file};
use crate::files;
use crate::handlers::{Children, HttpAnswer, post};
use crate::platform::files as platform;

/// When sending ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendUntil {
    /// After the last record.
    AllSent,
    /// After the records of the next moment.
    Idle,
}

/// What was sent.
#[derive(Debug, Default)]
pub(crate) struct SendReport {
    /// The number of records that were sent or refused.
    done: u64,
    pub(crate) refused: u64,
    /// The number of the refused records that are in the file of refused records.
    pub(crate) set_aside: u64,
}

impl SendReport {
    pub(crate) fn sent(&self) -> u64 {
        self.done.saturating_sub(self.refused)
    }
}

/// The reason why not everything was sent.
#[derive(Debug)]
pub(crate) enum SendError {
    /// Another process sends the records of this log.
    Busy,
    /// The log, or what is beside it, cannot be read or written.
    Files(io::Error),
    /// The collector did not take a batch.
    Collector(String),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("another process is sending the records of this log"),
            Self::Files(error) => write!(f, "{error}"),
            Self::Collector(what) => f.write_str(what),
        }
    }
}

impl From<io::Error> for SendError {
    fn from(error: io::Error) -> Self {
        Self::Files(error)
    }
}

/// Sends all records of a log that were not sent yet. A file of refused records is then removed, but for the records that were
/// refused again.
///
/// # Errors
/// They could not be sent. The position says so too, unless it cannot be written.
pub(crate) fn send(log: &Path, endpoint: &HttpEndpoint, until: SendUntil) -> Result<SendReport, SendError> {
    let ends = Instant::now() + LINGER;
    // One lock for a log and its file of refused records, to which sending the log appends.
    let lock = lock_file(successors(Some(log), |file| log_of_refused(file)).last().unwrap_or(log));
    let held = open_lock(&lock)?;
    if !files::lock(&held, Instant::now() + LOCK_WAIT)? {
        return Err(SendError::Busy);
    }
    let mut run =
        SendRun { log, endpoint, position: SendPosition::read(log)?, report: SendReport::default(), held: Vec::new() };
    loop {
        let before = run.report.done;
        if let Err(error) = run.send_all() {
            let wait = run.failed(&error)?;
            postpone(&lock, wait)?;
            return Err(error.error);
        }
        let left = ends.saturating_duration_since(Instant::now());
        if run.report.done == before {
            if until == SendUntil::AllSent || left.is_zero() {
                if log_of_refused(log).is_some() && log.exists() {
                    remove_sent(log)?;
                }
                return Ok(run.report);
            }
            std::thread::sleep(left);
        }
    }
}

/// The number of records that were not sent yet.
///
/// # Errors
/// The log or the position cannot be read.
pub(crate) fn unsent(log: &Path, position: &SendPosition) -> io::Result<usize> {
    let mut count = 0;
    for (file, is_moved) in files_of(open(log)?.as_ref()) {
        let mut at = position.sent(file)?;
        while let Some(batch) = Batch::read(file, at, is_moved, usize::MAX)? {
            count += batch.lines().count();
            at = batch.end;
        }
    }
    Ok(count)
}

fn remove_sent(refused: &Path) -> io::Result<()> {
    let again = refused_file(refused);
    if again.exists() {
        fs::rename(again, refused)?;
    } else {
        fs::remove_file(refused)?;
    }
    fs::remove_dir_all(sending_folder(refused))
}

/// One run of the sender.
struct SendRun<'a> {
    log: &'a Path,
    endpoint: &'a HttpEndpoint,
    position: SendPosition,
    report: SendReport,
    /// Records that were refused alone before the first one was accepted. The fault may be in the collector, so the position
    /// that is written stays in front of them.
    held: Vec<Vec<u8>>,
}

/// A failure, and the time that the collector asks to wait.
struct AttemptError {
    error: SendError,
    retry_after: Option<Duration>,
}

impl<E: Into<SendError>> From<E> for AttemptError {
    fn from(error: E) -> Self {
        Self { error: error.into(), retry_after: None }
    }
}

impl SendRun<'_> {
    fn send_all(&mut self) -> Result<(), AttemptError> {
        let log = open(self.log)?;
        let mut is_first = self.report.done == 0;
        let mut last_refusal = None;
        for (file, is_moved) in files_of(log.as_ref()) {
            let mut most = BATCH_RECORDS;
            loop {
                let sent = self.position.sent(file)?;
                let Some(batch) = Batch::read(file, sent, is_moved, most)? else { break };
                // On a full disk, the same batch would be sent for ever.
                if std::mem::take(&mut is_first) {
                    self.position.write(self.log)?;
                }
                let lines: Vec<_> = batch.lines().collect();
                let answer = if lines.is_empty() { Ok(0) } else { self.post(&lines) };
                match (answer, lines.as_slice()) {
                    (Ok(refused), _) => {
                        most = (most * 2).min(BATCH_RECORDS);
                        self.report.done += lines.len() as u64;
                        self.report.refused += refused;
                    }
                    (Err(error), [line]) if error.is_about_records() => {
                        self.position.refused_because = error.to_string();
                        self.held.push(line.to_vec());
                        if self.held.len() > HELD_RECORDS {
                            return Err(error.into());
                        }
                        last_refusal = Some(error);
                    }
                    (Err(error), _) if error.is_about_records() => {
                        most = lines.len() / 2;
                        continue;
                    }
                    (Err(error), _) => return Err(error.into()),
                }
                self.position.set_sent(file, batch.end)?;
                // A collector that accepts no record would refuse all of them.
                if self.report.done > 0 {
                    self.set_aside()?;
                }
                if self.held.is_empty() {
                    self.position.failure = None;
                    self.position.write(self.log)?;
                }
            }
        }
        if let Some(error) = last_refusal.filter(|_| !self.held.is_empty()) {
            return Err(error.into());
        }
        self.position.keep(files_of(log.as_ref()).map(|(file, _)| file))?;
        if self.position.failure.take().is_some() {
            self.position.write(self.log)?;
        }
        Ok(())
    }

    /// Sends a batch. Returns the number of records that the collector refuses for good.
    fn post(&mut self, lines: &[&[u8]]) -> Result<u64, PostError> {
        let answer = post(self.endpoint, &request(lines), REQUEST, &Children::new());
        let HttpAnswer { status, body, retry_after } =
            answer.map_err(|failure| PostError::Unsent(failure.to_string()))?;
        if !status.starts_with('2') {
            let body = said(&String::from_utf8_lossy(&body));
            return Err(PostError::Status { status, body, retry_after });
        }
        let accepted = if body.trim_ascii().is_empty() { Ok(None) } else { partial_success(&body) };
        let partial = accepted.map_err(|error| {
            PostError::Unsent(format!("the answer is not one of OTLP ({error}); check the address of the collector"))
        })?;
        let Some(PartialSuccess { refused, reason }) = partial else { return Ok(0) };
        let refused = refused.map_or(0, |number| number.get().trim_matches('"').parse().unwrap_or(0));
        if refused > 0 {
            self.position.refused += refused;
            self.position.refused_because = said(&reason);
        }
        Ok(refused)
    }

    /// Appends the records that the collector refuses alone to a file, so that the records behind them are sent.
    fn set_aside(&mut self) -> io::Result<()> {
        let file = refused_file(self.log);
        for line in self.held.drain(..) {
            append_line(&file, &line)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
            self.report.done += 1;
            self.report.refused += 1;
            self.report.set_aside += 1;
        }
        Ok(())
    }

    /// Notes a failure. Returns the time to wait before the next attempt.
    fn failed(&mut self, error: &AttemptError) -> io::Result<Duration> {
        self.position = SendPosition::read(self.log)?;
        let before = self.position.failure.take();
        let attempts = before.as_ref().map_or(0, |failure| failure.attempts).saturating_add(1);
        let now = || humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let since = before.map_or_else(now, |failure| failure.since);
        self.position.failure = Some(SendFailure { since, attempts, what: error.error.to_string() });
        self.position.write(self.log)?;
        let usual = FIRST_WAIT * 2_u32.saturating_pow(attempts.min(6) - 1);
        Ok(error.retry_after.unwrap_or(usual))
    }
}

/// The reason why a batch was not taken.
enum PostError {
    Unsent(String),
    Status { status: String, body: String, retry_after: String },
}

impl PostError {
    /// Returns true if the collector may take other records: it cannot read the request, or it is too large.
    fn is_about_records(&self) -> bool {
        matches!(self, Self::Status { status, .. } if ["400", "413", "422"].contains(&status.as_str()))
    }
}

impl fmt::Display for PostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(what) => f.write_str(what),
            Self::Status { status, body, .. } if body.is_empty() => {
                write!(f, "the collector answers with status {status}")
            }
            Self::Status { status, body, .. } => write!(f, "the collector answers with status {status}: {body}"),
        }
    }
}

impl From<PostError> for AttemptError {
    fn from(error: PostError) -> Self {
        let retry_after = match &error {
            PostError::Unsent(_) => None,
            PostError::Status { retry_after, .. } => waiting_time(retry_after),
        };
        Self { error: SendError::Collector(error.to_string()), retry_after }
    }
}

/// What a collector says, for a message; empty if it says nothing.
fn said(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { one_paragraph(text, BODY_SHOWN) }
}

/// Reads the header `Retry-After`: seconds or a date.
fn waiting_time(header: &str) -> Option<Duration> {
    let header = header.trim();
    let seconds = header.parse().ok().map(Duration::from_secs);
    let until = || {
        let date = jiff::fmt::rfc2822::parse(header).ok()?;
        SystemTime::from(date.timestamp()).duration_since(SystemTime::now()).ok()
    };
    seconds.or_else(until)
}

/// What a collector says about records that it does not take.
#[derive(Debug, Deserialize)]
struct PartialSuccess<'a> {
    /// A 64-bit integer, which may be a string.
    #[serde(borrow, rename = "rejectedLogRecords")]
    refused: Option<&'a RawValue>,
    #[serde(default, rename = "errorMessage")]
    reason: String,
}

fn partial_success(body: &[u8]) -> serde_json::Result<Option<PartialSuccess<'_>>> {
    #[derive(Deserialize)]
    struct OtlpAnswer<'a> {
        #[serde(borrow, rename = "partialSuccess")]
        partial_success: Option<PartialSuccess<'a>>,
    }
    serde_json::from_slice::<OtlpAnswer<'_>>(body).map(|answer| answer.partial_success)
}

/// Opens a log; `None` if there is none.
fn open(log: &Path) -> io::Result<Option<Log>> {
    match Log::open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        log => log.map(Some),
    }
}

/// The files of a log, oldest first, and true for those that were moved.
fn files_of(log: Option<&Log>) -> impl Iterator<Item = (&File, bool)> {
    let count = log.map_or(0, |log| log.files().count());
    log.into_iter().flat_map(Log::files).enumerate().map(move |(at, file)| (file, at + 1 < count))
}

/// Complete lines of a file.
struct Batch {
    bytes: Vec<u8>,
    /// The offset of what follows.
    end: u64,
}

impl Batch {
    /// Reads lines from an offset; `None` if there are none. Nothing follows the last line of a file that was moved.
    fn read(file: &File, from: u64, is_moved: bool, most: usize) -> io::Result<Option<Self>> {
        let left = file.metadata()?.len().saturating_sub(from);
        let mut size = BATCH_BYTES;
        loop {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(size);
            let mut bytes = vec![0; wanted];
            platform::read_exact_at(file, &mut bytes, from)?;
            let is_all = wanted as u64 == left;
            let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
            let whole = if is_all && is_moved { wanted } else { whole };
            if whole == 0 && !is_all {
                // A line that is longer.
                size *= 2;
                continue;
            }
            bytes.truncate(whole);
            if let Some(end) = memchr::memchr_iter(b'\n', &bytes).nth(most.saturating_sub(1)) {
                bytes.truncate(end + 1);
            }
            let end = from + bytes.len() as u64;
            return Ok((!bytes.is_empty()).then_some(Self { bytes, end }));
        }
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
    }
}

/// The size of a batch.
const BATCH_RECORDS: usize = 500;
const BATCH_BYTES: usize = 512 << 10;
/// The number of records that are refused alone in a row until no other record is tried.
const HELD_RECORDS: usize = 8;
/// Time limit of a request.
const REQUEST: Duration = Duration::from_secs(30);
/// The time for which a process in the background waits for more records.
pub(super) const LINGER: Duration = Duration::from_secs(2);
/// The longest wait for another process that is sending.
const LOCK_WAIT: Duration = Duration::from_secs(3);
/// The time before the second attempt. It doubles with each attempt, up to 32 times as much.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// The maximum length of what a collector says, in a message.
const BODY_SHOWN: usize = 300;

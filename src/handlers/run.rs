//! Runs one program: writes the event to its stdin and reads its answer from its stdout.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use snaphook_adapters::fit::one_paragraph;
use snaphook_adapters::model::HookEvent;

use super::children::Children;
use super::wire::Event;
use crate::platform::pipes::ChildPipes;

/// The maximum size of an answer.
pub(crate) const ANSWER_BYTES: usize = 16 << 20;
/// The amount of stderr that is kept. Only its first line is shown.
pub(crate) const STDERR_BYTES: usize = 4096;
/// The maximum length of that line in a message.
const STDERR_LINE_BYTES: usize = 200;
pub(crate) const CHUNK_BYTES: usize = 64 << 10;

/// The output of a program that exited.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    /// The first bytes of stderr.
    pub(super) stderr: String,
    /// The first line of stderr.
    pub(super) stderr_line: Option<String>,
    pub(super) exit: u8,
}

impl Output {
    /// # Errors
    /// The program did not exit with 0.
    pub(super) fn success(self) -> Result<Self, HandlerFailure> {
        match self.exit {
            0 => Ok(self),
            exit => Err(HandlerFailure { what: format!("exited with {exit}"), stderr_line: self.stderr_line }),
        }
    }
}

/// What a program reads from its stdin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    /// The event of snaphook.
    Event(&'a HookEvent),
    /// The message of an agent.
    Message(&'a str),
}

/// The failure of a program, with the first line of its stderr.
#[derive(Debug)]
pub(crate) struct HandlerFailure {
    pub(super) what: String,
    pub(super) stderr_line: Option<String>,
}

impl HandlerFailure {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), stderr_line: None }
    }
}

impl fmt::Display for HandlerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.stderr_line.iter().try_for_each(|line| write!(f, ": {line}"))
    }
}

/// Starts a program without a shell, writes its input to it, and returns its output. `variable` is added to the
/// environment.
///
/// Waits for the exit of the child only. The rest of its process group is then killed, also on
/// success.
pub(super) fn run(
    command: &[String],
    variable: Option<(&str, &str)>,
    input: Input<'_>,
    time: Duration,
    children: &Children,
) -> Result<Output, HandlerFailure> {
    let until = Instant::now() + time;
    let Some((program, arguments)) = command.split_first() else { return Err(HandlerFailure::new("has no command")) };
    let mut command = Command::new(program);
    command.args(arguments).envs(variable).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let cannot = |error: io::Error| HandlerFailure::new(format!("cannot be started: {error}"));
    let mut running = children.start(&mut command).map_err(cannot)?;
    let mut pipes = ChildPipes::new(&mut running.child, until).map_err(cannot)?;
    let exchanged = write_input(&mut pipes, input).and_then(|()| pipes.read_answer());
    let (stdout, stderr) = pipes.into_output();
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    let stderr_line = first_line(&stderr);
    if let Err(fault) = exchanged {
        let what = match fault {
            ExchangeError::TimedOut => format!("gave no answer within {} ms", time.as_millis()),
            ExchangeError::TooLarge => format!("printed more than {} MiB", ANSWER_BYTES >> 20),
            ExchangeError::Io(error) => format!("cannot exchange data: {error}"),
        };
        return Err(HandlerFailure { what, stderr_line });
    }
    let status = running.end().map_err(|error| HandlerFailure::new(format!("cannot wait for its exit: {error}")))?;
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(exit) => Ok(Output { stdout, stderr, stderr_line, exit }),
        None => Err(HandlerFailure { what: format!("ended by {status}"), stderr_line }),
    }
}

/// Writes the input and closes the child's stdin.
fn write_input(pipes: &mut ChildPipes, input: Input<'_>) -> Result<(), ExchangeError> {
    let mut out = BufWriter::with_capacity(CHUNK_BYTES, &mut *pipes);
    let written = match input {
        Input::Event(event) => serde_json::to_writer(&mut out, &Event::from(event)).map_err(io::Error::from),
        Input::Message(text) => out.write_all(text.as_bytes()),
    };
    let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    drop(out);
    pipes.close_input(written)
}

/// The reason why a program gave no usable output.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    TimedOut,
    TooLarge,
    Io(io::Error),
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The first non-blank line of stderr, shortened for a message.
fn first_line(stderr: &str) -> Option<String> {
    let line = stderr.lines().find(|line| !line.trim().is_empty())?;
    Some(one_paragraph(line, STDERR_LINE_BYTES))
}

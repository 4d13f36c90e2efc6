//! Runs one program: writes the event to its stdin and reads its answer from its stdout.
//!
//! One thread polls all pipes, so that neither side can block the other: it reads the output of the
//! child while it writes the event. A second thread waits for the exit of the child, because a pipe
//! does not signal the exit while a grandchild keeps it open.

use std::fmt;
use std::io::{self, BufWriter, PipeReader, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, retry_on_intr};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use snaphook_adapters::fit::one_paragraph;
use snaphook_adapters::model::HookEvent;

use super::children::Children;
use super::wire::Event;

/// The maximum size of an answer.
const ANSWER_BYTES: usize = 16 << 20;
/// The amount of stderr that is kept. Only its first line is shown.
const STDERR_BYTES: usize = 4096;
/// The maximum length of that line in a message.
const STDERR_LINE_BYTES: usize = 200;
const CHUNK_BYTES: usize = 64 << 10;

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
pub(super) struct HandlerFailure {
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
    let child = &mut running.child;
    let mut pipes = ChildPipes {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        exit: exit_pipe(running.pid).map_err(cannot)?,
        until,
        answer: Vec::new(),
        stderr_bytes: Vec::new(),
        exited: false,
        fault: None,
    };
    let exchanged = pipes.write_input(input).and_then(|()| pipes.read_answer());
    let stderr_line = pipes.stderr_line();
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
        Some(exit) => {
            let stderr = String::from_utf8_lossy(&pipes.stderr_bytes).into_owned();
            Ok(Output { stdout: pipes.answer, stderr, stderr_line, exit })
        }
        None => Err(HandlerFailure { what: format!("ended by {status}"), stderr_line }),
    }
}

/// Creates a pipe that hangs up when the child has exited. The child is not reaped, so that its process id is not reused.
fn exit_pipe(pid: Pid) -> io::Result<PipeReader> {
    let (reader, writer) = io::pipe()?;
    thread::Builder::new().name("handler exit".to_owned()).spawn(move || {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        // A failed wait is reported when the child is reaped.
        let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), exited));
        drop(writer);
    })?;
    Ok(reader)
}

#[derive(Debug)]
enum ExchangeError {
    TimedOut,
    TooLarge,
    Io(io::Error),
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Errno> for ExchangeError {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// The parent's ends of the pipes. Each is `None` once closed.
struct ChildPipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exit: PipeReader,
    until: Instant,
    answer: Vec<u8>,
    stderr_bytes: Vec<u8>,
    exited: bool,
    fault: Option<ExchangeError>,
}

impl ChildPipes {
    /// Writes the input and closes the child's stdin.
    fn write_input(&mut self, input: Input<'_>) -> Result<(), ExchangeError> {
        if let Some(stdin) = &self.stdin {
            ioctl_fionbio(stdin, true)?;
        }
        let mut out = BufWriter::with_capacity(CHUNK_BYTES, &mut *self);
        let written = match input {
            Input::Event(event) => serde_json::to_writer(&mut out, &Event::from(event)).map_err(io::Error::from),
            Input::Message(text) => out.write_all(text.as_bytes()),
        };
        let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        drop(out);
        self.stdin = None;
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(written?),
        }
    }

    /// Reads until the child has exited.
    fn read_answer(&mut self) -> Result<(), ExchangeError> {
        while !self.exited {
            self.step()?;
        }
        Ok(())
    }

    /// Waits for the next event and reads available output.
    fn step(&mut self) -> Result<(), ExchangeError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ExchangeError::TimedOut);
        }
        let left = Timespec::try_from(left).ok();
        let mut fds = vec![PollFd::new(&self.exit, PollFlags::IN)];
        let stdout = self.stdout.as_ref().map(|fd| watch(&mut fds, PollFd::new(fd, PollFlags::IN)));
        let stderr = self.stderr.as_ref().map(|fd| watch(&mut fds, PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.stdin.as_ref().map(|fd| PollFd::new(fd, PollFlags::OUT)));
        match poll(&mut fds, left.as_ref()) {
            Err(Errno::INTR) => return Ok(()),
            ready => ready?,
        };
        let ready = |at: Option<usize>| at.and_then(|at| fds.get(at)).is_some_and(|fd| !fd.revents().is_empty());
        let (exited, stdout, stderr) = (ready(Some(0)), ready(stdout), ready(stderr));
        if stdout && !exited {
            take(&mut self.stdout, &mut self.answer, CHUNK_BYTES)?;
        }
        if stderr && !exited {
            take(&mut self.stderr, &mut self.stderr_bytes, CHUNK_BYTES)?;
            self.stderr_bytes.truncate(STDERR_BYTES);
        }
        if exited {
            // All output of the child is in the pipes now. Later output can only come from a grandchild.
            drain(&mut self.stdout, &mut self.answer)?;
            drain(&mut self.stderr, &mut self.stderr_bytes)?;
            self.stdin = None;
            self.exited = true;
        }
        if self.answer.len() > ANSWER_BYTES { Err(ExchangeError::TooLarge) } else { Ok(()) }
    }

    /// The first non-blank line of stderr, shortened for a message.
    fn stderr_line(&self) -> Option<String> {
        let stderr_bytes = String::from_utf8_lossy(&self.stderr_bytes);
        let line = stderr_bytes.lines().find(|line| !line.trim().is_empty())?;
        Some(one_paragraph(line, STDERR_LINE_BYTES))
    }
}

/// Writes to the child, and reads from it while it does not read. A child may close its stdin early:
/// the rest of the event is then discarded.
impl Write for ChildPipes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while let Some(stdin) = &mut self.stdin {
            match stdin.write(bytes) {
                Ok(written) => return Ok(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            }
            if let Err(fault) = self.step() {
                self.stdin = None;
                self.fault = Some(fault);
                return Err(io::Error::other("the exchange failed"));
            }
        }
        self.stdin = None;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn watch<'fd>(fds: &mut Vec<PollFd<'fd>>, fd: PollFd<'fd>) -> usize {
    fds.push(fd);
    fds.len() - 1
}

/// Reads once, at most `bytes`, from a pipe that is ready.
fn take(from: &mut Option<impl Read>, into: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
    let Some(pipe) = from else { return Ok(()) };
    let mut chunk = vec![0; bytes];
    match pipe.read(&mut chunk) {
        Ok(0) => *from = None,
        Ok(read) => into.extend(chunk.iter().take(read)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Reads the bytes that are in a pipe now, and closes it.
fn drain(from: &mut Option<impl Read + std::os::fd::AsFd>, into: &mut Vec<u8>) -> io::Result<()> {
    let Some(pipe) = from.take() else { return Ok(()) };
    let left = ioctl_fionread(&pipe)?;
    pipe.take(left).read_to_end(into)?;
    Ok(())
}

//! One conversation with a program: the event on its stdin, its answer from its stdout.
//!
//! One thread does all of it by readiness, so neither side can wait for the other: while the event
//! is written, what the child says is read. A second thread does nothing but wait for the child's
//! exit, since a pipe tells nothing about that where a grandchild holds it open.

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

/// The most that a handler may print.
const ANSWER_BYTES: usize = 16 << 20;
/// How much of its stderr is kept; only the first line of it is shown.
const STDERR_BYTES: usize = 4096;
/// The longest part of that line in a message.
const SAID_BYTES: usize = 200;
const PIECE_BYTES: usize = 64 << 10;

/// Holds what a program printed before it exited with 0.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    /// The first line of its stderr.
    pub(super) said: Option<String>,
}

/// Says what went wrong with a program, and what it said about it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) what: String,
    pub(super) said: Option<String>,
}

impl Failure {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), said: None }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.said.iter().try_for_each(|line| write!(f, ": {line}"))
    }
}

/// Starts a program without a shell, gives it the event, and returns what it printed.
///
/// What counts is the child's own exit. What it leaves running in its process group is killed, on
/// success too.
pub(super) fn run(
    command: &[String],
    event: &HookEvent,
    time: Duration,
    children: &Children,
) -> Result<Output, Failure> {
    let until = Instant::now() + time;
    let Some((program, arguments)) = command.split_first() else { return Err(Failure::new("has no command")) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let cannot = |error: io::Error| Failure::new(format!("cannot be started: {error}"));
    let mut running = children.start(&mut command).map_err(cannot)?;
    let child = &mut running.child;
    let mut talk = Talk {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        exit: hangs_up_at_exit(running.pid).map_err(cannot)?,
        until,
        answer: Vec::new(),
        complaint: Vec::new(),
        exited: false,
        fault: None,
    };
    let told = talk.tell(event).and_then(|()| talk.listen());
    let said = talk.said();
    if let Err(fault) = told {
        let what = match fault {
            Fault::Late => format!("gave no answer within {} ms", time.as_millis()),
            Fault::TooMuch => format!("printed more than {} MiB", ANSWER_BYTES >> 20),
            Fault::Io(error) => format!("could not be talked to: {error}"),
        };
        return Err(Failure { what, said });
    }
    let status = running.end().map_err(|error| Failure::new(format!("could not be waited for: {error}")))?;
    if status.success() {
        return Ok(Output { stdout: talk.answer, said });
    }
    let what = match status.code() {
        Some(code) => format!("exited with {code}"),
        None => format!("ended by {status}"),
    };
    Err(Failure { what, said })
}

/// A pipe that hangs up when the child has exited, without reaping it: its id stays its own.
fn hangs_up_at_exit(pid: Pid) -> io::Result<PipeReader> {
    let (reader, writer) = io::pipe()?;
    thread::Builder::new().name("handler exit".to_owned()).spawn(move || {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        // A child that cannot be waited for shows when it is reaped.
        let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), exited));
        drop(writer);
    })?;
    Ok(reader)
}

#[derive(Debug)]
enum Fault {
    Late,
    TooMuch,
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// Our ends of the pipes, each `None` once it is closed.
struct Talk {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exit: PipeReader,
    until: Instant,
    answer: Vec<u8>,
    complaint: Vec<u8>,
    exited: bool,
    fault: Option<Fault>,
}

impl Talk {
    /// Writes the event and closes the child's stdin.
    fn tell(&mut self, event: &HookEvent) -> Result<(), Fault> {
        if let Some(stdin) = &self.stdin {
            ioctl_fionbio(stdin, true)?;
        }
        let mut out = BufWriter::with_capacity(PIECE_BYTES, &mut *self);
        let written = serde_json::to_writer(&mut out, &Event::from(event)).map_err(io::Error::from);
        let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        drop(out);
        self.stdin = None;
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(written?),
        }
    }

    /// Reads until the child has exited.
    fn listen(&mut self) -> Result<(), Fault> {
        while !self.exited {
            self.step()?;
        }
        Ok(())
    }

    /// Waits for the next thing to happen, and takes in what was said.
    fn step(&mut self) -> Result<(), Fault> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Fault::Late);
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
            take(&mut self.stdout, &mut self.answer, PIECE_BYTES)?;
        }
        if stderr && !exited {
            take(&mut self.stderr, &mut self.complaint, PIECE_BYTES)?;
            self.complaint.truncate(STDERR_BYTES);
        }
        if exited {
            // All that the child itself wrote is in the pipes by now; more can only be a grandchild's.
            drain(&mut self.stdout, &mut self.answer)?;
            drain(&mut self.stderr, &mut self.complaint)?;
            self.stdin = None;
            self.exited = true;
        }
        if self.answer.len() > ANSWER_BYTES { Err(Fault::TooMuch) } else { Ok(()) }
    }

    /// The first line on stderr that is not blank, fit for a message.
    fn said(&self) -> Option<String> {
        let complaint = String::from_utf8_lossy(&self.complaint);
        let line = complaint.lines().find(|line| !line.trim().is_empty())?;
        Some(one_paragraph(line, SAID_BYTES))
    }
}

/// Writes to the child, and listens to it whenever it does not read. A child that has closed its
/// stdin has heard enough: the rest counts as written.
impl Write for Talk {
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
                return Err(io::Error::other("the conversation is over"));
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
    let mut piece = vec![0; bytes];
    match pipe.read(&mut piece) {
        Ok(0) => *from = None,
        Ok(read) => into.extend(piece.iter().take(read)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Reads exactly what lies in a pipe now, and closes it.
fn drain(from: &mut Option<impl Read + std::os::fd::AsFd>, into: &mut Vec<u8>) -> io::Result<()> {
    let Some(pipe) = from.take() else { return Ok(()) };
    let left = ioctl_fionread(&pipe)?;
    pipe.take(left).read_to_end(into)?;
    Ok(())
}

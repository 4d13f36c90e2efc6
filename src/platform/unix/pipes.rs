//! Data exchange with a child process.
//!
//! One thread polls all pipes, so that neither side can block the other: it reads the output of the child while it
//! writes to it. A second thread waits for the exit of the child, because a pipe does not signal the exit while a
//! grandchild keeps it open.

use std::io::{self, PipeReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::thread;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, retry_on_intr};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::handlers::{ANSWER_BYTES, CHUNK_BYTES, ExchangeError, STDERR_BYTES};

/// The parent's ends of the pipes. Each is `None` once closed.
pub(crate) struct ChildPipes {
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
    /// Takes the pipes of a child.
    pub(crate) fn new(child: &mut Child, until: Instant) -> io::Result<Self> {
        let exit = exit_pipe(Pid::from_child(child))?;
        let stdin = child.stdin.take();
        if let Some(stdin) = &stdin {
            ioctl_fionbio(stdin, true)?;
        }
        Ok(Self {
            stdin,
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            exit,
            until,
            answer: Vec::new(),
            stderr_bytes: Vec::new(),
            exited: false,
            fault: None,
        })
    }

    /// Closes the child's stdin after a write, and returns what failed.
    pub(crate) fn close_input(&mut self, written: io::Result<()>) -> Result<(), ExchangeError> {
        self.stdin = None;
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(written?),
        }
    }

    /// Reads until the child has exited.
    pub(crate) fn read_answer(&mut self) -> Result<(), ExchangeError> {
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
            ready => ready.map_err(io::Error::from)?,
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

    /// The output of the child, and the first bytes of its stderr.
    pub(crate) fn into_output(self) -> (Vec<u8>, Vec<u8>) {
        (self.answer, self.stderr_bytes)
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

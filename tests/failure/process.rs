//! Starts the program as an agent does, and waits for what it says.

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use snaphook_adapters::model::Reply;
use tempfile::TempDir;

use crate::subject::Subject;

/// A process that has not ended after this time never will.
pub(crate) const NEVER: Duration = Duration::from_mins(2);

/// Policies, logs and pipes of one test.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// A pipe with a name, opened so that nobody waits for the other end.
    pub(crate) fn fifo(&self, name: &str) -> File {
        let made = Command::new("mkfifo").arg(self.path(name)).status().unwrap();
        assert!(made.success());
        File::options().read(true).write(true).open(self.path(name)).unwrap()
    }
}

/// Waits until something arrives in a named pipe.
pub(crate) fn arrived(mut fifo: File) -> Vec<u8> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = vec![0; 64];
        let count = fifo.read(&mut bytes).unwrap();
        bytes.truncate(count);
        let _ = sender.send(bytes);
    });
    receiver.recv_timeout(NEVER).expect("a handler is started")
}

/// No rule speaks.
pub(crate) const SILENT: &str = "[permissions]\ndeny = []\n[protect]\nsnaphook = \"off\"\nagents = \"off\"\n";
/// Every tool call is denied.
pub(crate) const DENY: &str = "[permissions]\ndeny = [\"*\"]\n";

/// Where the program's stdout leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Pipe,
    Closed,
    Unread,
    Full,
    /// A pipe in which there is no room, and which nobody reads.
    Stuck,
}

/// One start of the program.
pub(crate) struct Start {
    command: Vec<String>,
    out: Out,
    home: PathBuf,
}

impl Start {
    /// The line that the agent has registered, with our own files named.
    pub(crate) fn new(subject: &Subject, place: &Place, policy: &Path, flags: &[String]) -> Self {
        let line = ["hook", subject.id(), "--policy", policy.to_str().unwrap()];
        let mut command = vec![env!("CARGO_BIN_EXE_snaphook").to_owned()];
        command.extend(line.iter().map(|&word| word.to_owned()).chain(flags.iter().cloned()));
        Self { command, out: Out::Pipe, home: place.0.path().to_owned() }.flag(&["--no-audit"])
    }

    /// More words on the line. Naming a log takes back that there is none.
    pub(crate) fn flag(mut self, words: &[&str]) -> Self {
        if words.contains(&"--audit") {
            self.command.retain(|word| word != "--no-audit");
        }
        self.command.extend(words.iter().map(|&word| word.to_owned()));
        self
    }

    /// Runs it by another program, such as one that drops rights.
    pub(crate) fn by(mut self, words: &[&str]) -> Self {
        self.command.splice(0..0, words.iter().map(|&word| word.to_owned()));
        self
    }

    pub(crate) fn out(mut self, out: Out) -> Self {
        self.out = out;
        if out == Out::Closed {
            return self.by(&["/bin/sh", "-c", "exec \"$0\" \"$@\" >&-"]);
        }
        self
    }

    /// Starts it; its stdin stays open for as long as the result is kept.
    pub(crate) fn start(self) -> Running {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(&self.home);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.home);
        let (stdin, writer) = pipe().unwrap();
        let (stuck, room) = pipe().unwrap();
        let reader = stdin.try_clone().unwrap();
        command.stdin(stdin).stderr(Stdio::piped()).stdout(match self.out {
            Out::Pipe | Out::Closed => Stdio::piped(),
            Out::Unread => Stdio::from(pipe().unwrap().1),
            Out::Stuck => {
                fill(&room);
                Stdio::from(room)
            }
            Out::Full => Stdio::from(File::options().write(true).open("/dev/full").unwrap()),
        });
        let mut child = command.spawn().unwrap();
        drop(command);
        let (pid, ended) = (Pid::from_child(&child), mpsc::channel());
        let lines = child.stdout.take().map(heard);
        let errors = heard(child.stderr.take().unwrap());
        let sender = ended.0;
        thread::spawn(move || sender.send(status(&mut child)));
        Running {
            pid,
            stdin: Some(writer),
            unread: Some(reader),
            _stuck: stuck,
            stdout: lines,
            said: Vec::new(),
            stderr: errors,
            status: ended.1,
        }
    }

    /// Gives it this and the end of input, and waits for its end.
    pub(crate) fn with(self, bytes: &[u8]) -> Ended {
        let mut running = self.start();
        running.unread = None;
        let mut stdin = running.stdin.take().unwrap();
        thread::scope(|scope| {
            // Who refuses early does not read to the end.
            scope.spawn(move || drop(stdin.write_all(bytes)));
            running.ended()
        })
    }
}

/// What the program answers to one message: on a connection of its own where the agent keeps one.
pub(crate) fn answered(subject: &Subject, start: Start, message: &[u8]) -> Ended {
    if !subject.is_lines() {
        return start.with(message);
    }
    let greeting = subject.greeting.iter().map(|text| [text.as_bytes(), b"\n"].concat()).collect::<Vec<_>>().concat();
    let mut ended = start.with(&[&greeting, message, b"\n"].concat());
    if !greeting.is_empty() {
        let rest = ended.stdout.split_once('\n').map(|(_, rest)| rest.to_owned());
        ended.stdout = rest.unwrap_or_default();
    }
    ended
}

/// Writes into a pipe until there is no room; it blocks again afterwards.
fn fill(mut pipe: &PipeWriter) {
    let flags = rustix::fs::fcntl_getfl(pipe).unwrap();
    rustix::fs::fcntl_setfl(pipe, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while pipe.write(&[b'x'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(pipe, flags).unwrap();
}

fn status(child: &mut Child) -> Option<i32> {
    child.wait().unwrap().code()
}

fn heard(mut from: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut piece = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The program, running.
pub(crate) struct Running {
    pub(crate) pid: Pid,
    pub(crate) stdin: Option<PipeWriter>,
    unread: Option<PipeReader>,
    _stuck: PipeReader,
    stdout: Option<mpsc::Receiver<Vec<u8>>>,
    /// What has arrived of it and was not asked for yet.
    said: Vec<u8>,
    stderr: mpsc::Receiver<Vec<u8>>,
    status: mpsc::Receiver<Option<i32>>,
}

impl Running {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Waits until everything that was sent has been read: the program then waits for more.
    pub(crate) fn has_read_all(&mut self) {
        let until = std::time::Instant::now() + NEVER;
        let unread = self.unread.as_ref().unwrap();
        while rustix::io::ioctl_fionread(unread).unwrap() > 0 {
            assert!(std::time::Instant::now() < until, "nothing reads the input");
            thread::yield_now();
        }
    }

    /// Waits until the program has two threads: then it heeds signals.
    pub(crate) fn is_watched(&self) {
        let tasks = format!("/proc/{}/task", self.pid.as_raw_nonzero());
        let until = std::time::Instant::now() + NEVER;
        // One that has ended is waited for no longer.
        while std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() == 1) {
            assert!(std::time::Instant::now() < until, "no watchdog");
            thread::yield_now();
        }
    }

    pub(crate) fn stop(&self) {
        // One that has ended shows how.
        let _ = kill_process(self.pid, Signal::TERM);
    }

    /// The next line of stdout.
    pub(crate) fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.said.iter().position(|byte| *byte == b'\n') {
                return String::from_utf8(self.said.drain(..=end).collect()).unwrap();
            }
            self.said.extend(self.stdout.as_ref().unwrap().recv_timeout(NEVER).expect("an answer"));
        }
    }

    /// Closes its stdin and waits for its end.
    pub(crate) fn closed(mut self) -> Ended {
        self.unread = None;
        self.stdin = None;
        self.ended()
    }

    /// Waits for its end, whatever its stdin does.
    pub(crate) fn ended(&mut self) -> Ended {
        let Ok(code) = self.status.recv_timeout(NEVER) else {
            kill_process(self.pid, Signal::KILL).unwrap();
            panic!("the process does not end");
        };
        let whole = |from: &mpsc::Receiver<Vec<u8>>| from.iter().collect::<Vec<_>>().concat();
        let stdout = [self.said.clone(), self.stdout.as_ref().map(whole).unwrap_or_default()].concat();
        Ended {
            code,
            stdout: String::from_utf8(stdout).expect("stdout is text"),
            stderr: String::from_utf8(whole(&self.stderr)).expect("stderr is text"),
        }
    }
}

/// Everything that went wrong in one table, told at its end.
#[derive(Default)]
pub(crate) struct Faults(Vec<String>);

impl Faults {
    pub(crate) fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.push(what());
        }
    }

    pub(crate) fn none(self) {
        assert!(self.0.is_empty(), "{} faults:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// What is left of the program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// What the log says failed, record by record.
    pub(crate) fn failures_in(log: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        records.filter_map(|record| Some(record["failure"].as_str()?.to_owned())).collect()
    }

    /// The answer, after what holds for every end: exit 0 or 2, at most one document on stdout, a
    /// reason for every exit 2, and no panic.
    pub(crate) fn reply(&self, subject: &Subject, what: &str) -> Reply {
        let at = || format!("{subject}: {what}: {self:?}");
        assert!(matches!(self.code, Some(0 | 2)), "{}", at());
        assert!(self.code == Some(0) || (self.stdout.is_empty() && !self.stderr.trim().is_empty()), "{}", at());
        assert!(!self.stderr.contains("panicked"), "{}", at());
        let document = serde_json::from_str::<serde::de::IgnoredAny>(&self.stdout);
        let lines = self.stdout.trim_end_matches('\n').lines().count();
        assert!(self.stdout.is_empty() || (lines == 1 && (subject.event.row.plain || document.is_ok())), "{}", at());
        let mut reply = Reply::document(self.stdout.trim_end_matches('\n'));
        self.stderr.trim_end().clone_into(&mut reply.stderr);
        reply.exit = if self.code == Some(2) { 2 } else { 0 };
        reply
    }
}

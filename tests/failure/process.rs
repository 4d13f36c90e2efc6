//! Starts the program as an agent does and waits for its answers.

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use rustix::process::{Pid, Signal, kill_process};
use snaphook_adapters::model::Reply;
use tempfile::TempDir;

use crate::subject::Subject;

/// A process that is still running after this time is considered hung.
pub(crate) const NEVER: Duration = Duration::from_mins(2);

/// The policies, logs and pipes of one test.
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

    /// A named pipe, opened so that neither end blocks.
    pub(crate) fn fifo(&self, name: &str) -> File {
        let made = Command::new("mkfifo").arg(self.path(name)).status().unwrap();
        assert!(made.success());
        File::options().read(true).write(true).open(self.path(name)).unwrap()
    }
}

/// Waits until data arrives in a named pipe.
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

/// A policy without a matching rule.
pub(crate) const SILENT: &str = "[permissions]\ndeny = []\n[protect]\nsnaphook = \"off\"\nagents = \"off\"\n";
/// A policy that denies every tool call.
pub(crate) const DENY: &str = "[permissions]\ndeny = [\"*\"]\n";

/// The destination of the program's stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Pipe,
    Closed,
    Unread,
    Full,
    /// A full pipe without a reader.
    Stuck,
}

/// The configuration of one start of the program.
pub(crate) struct Start {
    command: Vec<String>,
    out: Out,
    home: PathBuf,
}

impl Start {
    /// The registered command line of the agent, with the files of the test.
    pub(crate) fn new(subject: &Subject, place: &Place, policy: &Path, flags: &[String]) -> Self {
        let line = ["hook", subject.id(), "--policy", policy.to_str().unwrap()];
        let mut command = vec![env!("CARGO_BIN_EXE_snaphook").to_owned()];
        command.extend(line.iter().map(|&word| word.to_owned()).chain(flags.iter().cloned()));
        Self { command, out: Out::Pipe, home: place.0.path().to_owned() }.flag(&["--no-audit"])
    }

    /// Appends arguments. Naming a log removes `--no-audit`.
    pub(crate) fn flag(mut self, words: &[&str]) -> Self {
        if words.contains(&"--audit") {
            self.command.retain(|word| word != "--no-audit");
        }
        self.command.extend(words.iter().map(|&word| word.to_owned()));
        self
    }

    /// Starts the program through another one, such as one that drops privileges.
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

    /// Starts the program. Its stdin stays open while the result is alive.
    pub(crate) fn start(self) -> Running {
        // With the search path set below, a program without a path would be started by a slow `fork`.
        let search: &[_] = if self.command[0].contains('/') { &[] } else { &["/usr/bin/env".to_owned()] };
        let words = [search, &self.command].concat();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.home);
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

    /// Sends these bytes and the end of input, then waits for the exit.
    pub(crate) fn with(self, bytes: &[u8]) -> Ended {
        let mut running = self.start();
        running.unread = None;
        let mut stdin = running.stdin.take().unwrap();
        thread::scope(|scope| {
            // A program that refuses early does not read all input.
            scope.spawn(move || drop(stdin.write_all(bytes)));
            running.ended()
        })
    }
}

/// The answer to one message, on a separate connection if the agent keeps one open.
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

/// The same for a message that takes long to judge. A connection stays open until it is answered, because a process whose
/// input has ended has little time left.
pub(crate) fn answered_at_length(subject: &Subject, start: Start, message: &[u8]) -> Ended {
    if !subject.is_lines() {
        return start.with(message);
    }
    let mut running = start.start();
    running.unread = None;
    if let Some(greeting) = &subject.greeting {
        running.send(format!("{greeting}\n").as_bytes());
        running.line();
    }
    running.send(&[message, b"\n"].concat());
    let answer = running.line();
    let mut ended = running.closed();
    ended.stdout.insert_str(0, &answer);
    ended
}

/// Fills a pipe; afterwards it is blocking again.
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

/// The running program.
pub(crate) struct Running {
    pub(crate) pid: Pid,
    pub(crate) stdin: Option<PipeWriter>,
    unread: Option<PipeReader>,
    _stuck: PipeReader,
    stdout: Option<mpsc::Receiver<Vec<u8>>>,
    /// Output that was read and not requested yet.
    said: Vec<u8>,
    stderr: mpsc::Receiver<Vec<u8>>,
    status: mpsc::Receiver<Option<i32>>,
}

impl Running {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Waits until the program has read all input and waits for more.
    pub(crate) fn has_read_all(&mut self) {
        let until = std::time::Instant::now() + NEVER;
        let unread = self.unread.as_ref().unwrap();
        while rustix::io::ioctl_fionread(unread).unwrap() > 0 {
            assert!(std::time::Instant::now() < until, "nothing reads the input");
            thread::yield_now();
        }
    }

    /// Waits until the program has two threads, from which on it handles signals.
    pub(crate) fn is_watched(&self) {
        let tasks = format!("/proc/{}/task", self.pid.as_raw_nonzero());
        let until = std::time::Instant::now() + NEVER;
        // A program that has ended is not waited for.
        while std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() == 1) {
            assert!(std::time::Instant::now() < until, "no watchdog");
            thread::yield_now();
        }
    }

    pub(crate) fn stop(&self) {
        // Its exit shows how it ended.
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

    /// Closes stdin and waits for the exit.
    pub(crate) fn closed(mut self) -> Ended {
        self.unread = None;
        self.stdin = None;
        self.ended()
    }

    /// Waits for the exit without closing stdin.
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

/// Checks the items side by side, because they wait for most of the time, and fails with the faults of all.
pub(crate) fn each<T: Send>(items: impl IntoIterator<Item = T>, check: impl Fn(T, &mut Faults) + Sync) {
    let checked = |item| {
        let mut faults = Faults::default();
        check(item, &mut faults);
        faults.0
    };
    let items: Vec<_> = items.into_iter().collect();
    Faults(items.into_par_iter().flat_map_iter(checked).collect()).none();
}

/// Collects all failures of a table and reports them at the end.
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

/// The result of an ended process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// The failures of each record in the log.
    pub(crate) fn failures_in(log: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        records.filter_map(|record| Some(record["failure"].as_str()?.to_owned())).collect()
    }

    /// Parses the answer and checks what holds for every exit: code 0 or 2, at most one document on stdout, a
    /// reason for every exit 2, and no panic.
    pub(crate) fn reply(&self, subject: &Subject, what: &str) -> Reply {
        let at = || format!("{subject}: {what}: {self:?}");
        assert!(matches!(self.code, Some(0 | 2)), "{}", at());
        // A document beside exit code 2 has to say the same.
        let agrees = self.stdout.is_empty() || subject.blocked_by(&Reply::document(self.stdout.trim_end()));
        assert!(self.code == Some(0) || (agrees && !self.stderr.trim().is_empty()), "{}", at());
        assert!(!self.stderr.contains("panicked"), "{}", at());
        let document = serde_json::from_str::<serde::de::IgnoredAny>(&self.stdout);
        let lines = self.stdout.trim_end_matches('\n').lines().count();
        assert!(
            self.stdout.is_empty() || (lines == 1 && (subject.event.row.content.plain_text || document.is_ok())),
            "{}",
            at()
        );
        let mut reply = Reply::document(self.stdout.trim_end_matches('\n'));
        self.stderr.trim_end().clone_into(&mut reply.stderr);
        reply.exit = if self.code == Some(2) { 2 } else { 0 };
        reply
    }
}

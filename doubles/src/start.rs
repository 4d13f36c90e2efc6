//! How a host starts a hook for one event, and waits for it.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use snaphook_hosts::cases::{Heard, ReplyFault};

/// What a registration says is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a registration is one or the other")]
pub enum Registered {
    /// One command line, read by the host's shell where it has one.
    Line(String),
    /// A program and its arguments.
    Exec(Vec<String>),
}

/// How one agent starts its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manner {
    /// What reads a command line.
    pub shell: Shell,
    /// Whether the message ends in a line break.
    pub newline: bool,
    /// The only variables of the host's environment that a hook gets; absent: all.
    pub environment: Option<&'static [&'static str]>,
    /// Whether the hook is put into a session of its own.
    pub own_session: bool,
    /// How long the host waits for stdout and stderr after the hook itself has ended; absent: to the
    /// end of its time.
    pub stragglers: Option<Duration>,
}

/// What reads a registered command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three ways there are")]
pub enum Shell {
    /// Always `sh`.
    Sh,
    /// The user's own.
    Users,
    /// Nothing: the line is the name of a program.
    None,
}

/// What a hook is started with, beside how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Surroundings {
    /// The user's shell.
    pub shell: PathBuf,
    /// The working directory; absent: that of this process.
    pub cwd: Option<PathBuf>,
    /// Variables that the host has, or lacks, besides those of this process.
    pub environment: Vec<(String, Option<OsString>)>,
    /// How long the host waits.
    pub timeout: Duration,
}

impl Surroundings {
    /// The usual ones, with a time limit.
    pub fn new(timeout: Duration) -> Self {
        let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
        let shell = shell.map_or_else(|| PathBuf::from("/bin/sh"), PathBuf::from);
        Self { shell, cwd: None, environment: Vec::new(), timeout }
    }
}

/// Builds the process of a hook.
pub fn command(registered: &Registered, manner: &Manner, around: &Surroundings) -> Option<Command> {
    let mut command = match (registered, manner.shell) {
        (Registered::Exec(argv), _) => {
            let (program, arguments) = argv.split_first()?;
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        (Registered::Line(line), Shell::None) => Command::new(line),
        (Registered::Line(line), shell) => {
            let mut command = Command::new(if shell == Shell::Sh { "sh".into() } else { around.shell.clone() });
            command.arg("-c").arg(line);
            command
        }
    };
    for (name, value) in &around.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(kept) = manner.environment {
        keep_only(&mut command, kept, around);
    }
    if let Some(cwd) = &around.cwd {
        command.current_dir(cwd);
    }
    if manner.own_session {
        command.process_group(0);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// Starts a hook, hands it a message and listens until it ends or its time is over.
pub fn run(registered: &Registered, manner: &Manner, around: &Surroundings, message: &str) -> Heard {
    let Some(Ok(mut child)) = command(registered, manner, around).map(|mut command| command.spawn()) else {
        return Heard::fault(ReplyFault::Missing);
    };
    let begin = Instant::now();
    let mut bytes = message.as_bytes().to_vec();
    if manner.newline {
        bytes.push(b'\n');
    }
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not read its message does no harm.
        thread::spawn(move || drop(stdin.write_all(&bytes)));
    }
    let stdout = Listener::to(child.stdout.take());
    let stderr = Listener::to(child.stderr.take());
    let mut ended = None;
    let status = loop {
        let status = child.try_wait().ok().flatten();
        if status.is_some() && stdout.ended() && stderr.ended() {
            break status;
        }
        if status.is_some() {
            ended.get_or_insert_with(Instant::now);
        }
        let until = match (ended, manner.stragglers) {
            (Some(end), Some(patience)) => end + patience,
            _ => begin + around.timeout,
        };
        if Instant::now() >= until {
            kill(&mut child);
            break None;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let mut heard = Heard::default();
    (heard.stdout, heard.stderr) = (stdout.text(), stderr.text());
    match status {
        None => heard.fault = Some(ReplyFault::Timeout),
        Some(status) if status.signal().is_some() => heard.fault = Some(ReplyFault::Signal),
        Some(status) => heard.exit = status.code(),
    }
    heard
}

/// Kills a process, not its children, and takes its remains away.
pub(crate) fn kill(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

fn keep_only(command: &mut Command, kept: &[&str], around: &Surroundings) {
    let given: Vec<_> = kept
        .iter()
        .filter_map(|&name| {
            let ours = around.environment.iter().rev().find(|(ours, _)| ours == name);
            let value = ours.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone());
            value.map(|value| (name, value))
        })
        .collect();
    command.env_clear().envs(given);
}

/// Listens to one stream of a hook.
struct Listener {
    heard: Arc<Mutex<(Vec<u8>, bool)>>,
}

impl Listener {
    fn to(stream: Option<impl Read + Send + 'static>) -> Self {
        let heard = Arc::new(Mutex::new((Vec::new(), stream.is_none())));
        if let Some(mut stream) = stream {
            let heard = Arc::clone(&heard);
            thread::spawn(move || {
                let mut piece = [0; 8 * 1024];
                loop {
                    let read = stream.read(&mut piece).ok().and_then(|count| piece.get(..count));
                    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                    match read {
                        Some(bytes) if !bytes.is_empty() => heard.0.extend_from_slice(bytes),
                        _ => {
                            heard.1 = true;
                            break;
                        }
                    }
                }
            });
        }
        Self { heard }
    }

    fn ended(&self) -> bool {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().unwrap_or_else(PoisonError::into_inner).0).into_owned()
    }
}

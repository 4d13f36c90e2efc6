//! Starts a hook process as a host does, and waits for it.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use snaphook_hosts::cases::{Heard, HookStart, ReplyFault, Shell};

/// A registered command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a registration is one or the other")]
pub enum Registered {
    /// One command line, run by the host's shell if it has one.
    Line(String),
    /// A program and its arguments.
    Exec(Vec<String>),
}

/// The surroundings of a hook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookEnvironment {
    /// The user's shell.
    pub shell: PathBuf,
    /// The working directory; absent: that of this process.
    pub cwd: Option<PathBuf>,
    /// Environment variables of the host that differ from those of this process; absent: not set.
    pub variables: Vec<(String, Option<OsString>)>,
    /// The time limit.
    pub timeout: Duration,
}

impl HookEnvironment {
    /// The defaults, with a time limit.
    pub fn new(timeout: Duration) -> Self {
        let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
        let shell = shell.map_or_else(|| PathBuf::from("/bin/sh"), PathBuf::from);
        Self { shell, cwd: None, variables: Vec::new(), timeout }
    }
}

/// Builds the process of a hook.
pub fn command(registered: &Registered, start: &HookStart, environment: &HookEnvironment) -> Option<Command> {
    let mut command = match (registered, start.shell) {
        (Registered::Exec(argv), _) => {
            let (program, arguments) = argv.split_first()?;
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        (Registered::Line(line), None) => Command::new(line),
        (Registered::Line(line), Some(shell)) => {
            let mut command = Command::new(if shell == Shell::Sh { "sh".into() } else { environment.shell.clone() });
            command.arg("-c").arg(line);
            command
        }
    };
    for (name, value) in &environment.variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(kept) = &start.keeps {
        keep_only(&mut command, kept, environment);
    }
    if let Some(cwd) = &environment.cwd {
        command.current_dir(cwd);
    }
    if start.process_group {
        command.process_group(0);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// Starts a hook, hands it a message and listens until it ends or its time is over.
pub fn run(registered: &Registered, start: &HookStart, environment: &HookEnvironment, message: &str) -> Heard {
    let Some(Ok(mut child)) = command(registered, start, environment).map(|mut command| command.spawn()) else {
        return Heard::fault(ReplyFault::Missing);
    };
    let begin = Instant::now();
    let mut bytes = message.as_bytes().to_vec();
    if start.newline {
        bytes.push(b'\n');
    }
    if let Some(mut stdin) = child.stdin.take() {
        // A hook may end without reading its message.
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
        let until = match (ended, start.output_limit()) {
            (Some(end), Some(patience)) => end + patience,
            _ => begin + environment.timeout,
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

/// Kills a process, but not its children, and reaps it.
pub(crate) fn kill(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

fn keep_only(command: &mut Command, kept: &[String], environment: &HookEnvironment) {
    let given: Vec<_> = kept
        .iter()
        .filter_map(|name| {
            let ours = environment.variables.iter().rev().find(|(ours, _)| ours == name);
            let value = ours.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone());
            value.map(|value| (name, value))
        })
        .collect();
    command.env_clear().envs(given);
}

/// Reads one output stream of a hook in the background.
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

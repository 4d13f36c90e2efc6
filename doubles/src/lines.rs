//! Hosts that keep one hook running and write JSON-RPC lines to it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook_hosts::cases::{Cases, Heard, HookStart, ReplyFault, Report};

use crate::start::{HookEnvironment, Registered, command, kill};

/// The host stops reading after a line of this many bytes or more.
pub const LINE_LIMIT: usize = 1_048_576;
/// The time that the host waits for the hook to end after it has closed stdin.
pub const END_LIMIT: Duration = Duration::from_secs(2);

/// The time limits of a connection.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TimeLimits {
    /// For tool and model calls; 5 seconds.
    pub interceptor: Duration,
    /// For approvals; 60 seconds.
    pub approval: Duration,
    /// For the handshake. The real host has no limit.
    pub hello: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self { interceptor: Duration::from_secs(5), approval: Duration::from_mins(1), hello: Duration::from_mins(1) }
    }
}

impl TimeLimits {
    /// The limit of one method.
    pub fn of(&self, method: &str) -> Duration {
        match method {
            "hook.hello" => self.hello,
            "hook.approve_tool" => self.approval,
            _ => self.interceptor,
        }
    }
}

/// Plays one version of an agent that keeps its hook running. Calls may overlap.
#[derive(Debug)]
pub struct HookConnection<'a> {
    cases: &'a Cases,
    /// The version that is played.
    pub host: &'a str,
    /// The modes that the host announces.
    pub modes: Vec<String>,
    limits: TimeLimits,
    child: Mutex<Child>,
    writer: Mutex<RequestWriter>,
    shared: Arc<ConnectionState>,
}

#[derive(Debug)]
struct RequestWriter {
    stdin: Option<ChildStdin>,
    last_id: u64,
}

#[derive(Debug, Default)]
struct ConnectionState {
    waiting: Mutex<HashMap<u64, Sender<Heard>>>,
    lines: Mutex<Vec<String>>,
    stderr: Mutex<Vec<u8>>,
    gone: Mutex<bool>,
    /// The stdout of the hook, kept open after its reader has stopped, as in the host.
    stuck: Mutex<Option<BufReader<ChildStdout>>>,
}

impl<'a> HookConnection<'a> {
    /// Starts the hook and makes the handshake.
    ///
    /// # Errors
    /// Returns the report if the host would not start.
    pub fn start(
        cases: &'a Cases,
        host: &'a str,
        registered: &Registered,
        environment: &HookEnvironment,
        modes: &[&str],
        limits: TimeLimits,
    ) -> Result<Self, Box<Report>> {
        let refused = |fault| Box::new(cases.judge("hook.hello", host, Heard::fault(fault)));
        let mut child = command(registered, &HookStart::default(), environment)
            .and_then(|mut command| command.spawn().ok())
            .ok_or_else(|| refused(ReplyFault::Missing))?;
        let shared = Arc::new(ConnectionState::default());
        if let Some(stdout) = child.stdout.take() {
            let shared = Arc::clone(&shared);
            thread::spawn(move || listen(BufReader::new(stdout), &shared));
        }
        if let Some(mut stderr) = child.stderr.take() {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut piece = [0; 4096];
                while let Some(bytes) = stderr.read(&mut piece).ok().filter(|n| *n > 0).and_then(|n| piece.get(..n)) {
                    lock(&shared.stderr).extend_from_slice(bytes);
                }
            });
        }
        let writer = Mutex::new(RequestWriter { stdin: child.stdin.take(), last_id: 0 });
        let modes: Vec<_> = modes.iter().map(|&mode| mode.to_owned()).collect();
        let connection = Self { cases, host, modes, limits, child: Mutex::new(child), writer, shared };
        let hello = json!({"name": "gate", "version": 1, "modes": connection.modes});
        let report = connection.call("hook.hello", &hello);
        if report.effect.blocks() { Err(Box::new(report)) } else { Ok(connection) }
    }

    /// Calls a method and returns what the host does with the answer.
    pub fn call(&self, method: &str, params: &Value) -> Report {
        let limit = self.limits.of(method);
        let heard = match self.send(method, params) {
            None => Heard::fault(ReplyFault::Gone),
            Some(answer) => match answer.recv_timeout(limit) {
                Ok(heard) => heard,
                Err(RecvTimeoutError::Timeout) => Heard::fault(ReplyFault::Timeout),
                Err(RecvTimeoutError::Disconnected) => Heard::fault(ReplyFault::Gone),
            },
        };
        self.cases.judge(method, self.host, heard)
    }

    /// Sends a notification, which has no answer.
    pub fn notify(&self, method: &str, params: &Value) {
        let line = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        self.write_line(&self.cases.speaks.spelled(&line));
    }

    /// Writes a line as it is, also one that no host would write. Returns false if it cannot be written.
    pub fn write_line(&self, line: &str) -> bool {
        write(&mut lock(&self.writer), line)
    }

    /// The number of requests so far, including the handshake.
    pub fn asked(&self) -> u64 {
        lock(&self.writer).last_id
    }

    /// Every line that the hook printed, in order.
    pub fn lines(&self) -> Vec<String> {
        lock(&self.shared.lines).clone()
    }

    /// Returns the stderr of the hook.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&lock(&self.shared.stderr)).into_owned()
    }

    /// The process ID of the hook.
    pub fn process(&self) -> u32 {
        lock(&self.child).id()
    }

    /// Kills the hook, to simulate a crash.
    pub fn kill(&self) {
        kill(&mut lock(&self.child));
    }

    /// Closes stdin; answers are still read.
    pub fn close_input(&self) {
        lock(&self.writer).stdin = None;
    }

    /// Closes stdin and waits for the hook to end; kills it after the time that the host waits.
    pub fn stop(self) -> HookEnd {
        self.close_input();
        let begin = Instant::now();
        let mut child = lock(&self.child);
        loop {
            if let Some(status) = child.try_wait().ok().flatten() {
                return HookEnd { killed: false, exit: status.code() };
            }
            if begin.elapsed() > END_LIMIT {
                kill(&mut child);
                return HookEnd { killed: true, exit: None };
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn send(&self, method: &str, params: &Value) -> Option<Receiver<Heard>> {
        let mut writer = lock(&self.writer);
        writer.last_id += 1;
        let id = writer.last_id;
        let (answer, receiver) = channel();
        lock(&self.shared.waiting).insert(id, answer);
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
        let line = self.cases.speaks.spelled(&line);
        let gone = *lock(&self.shared.gone);
        (!gone && write(&mut writer, &line)).then_some(receiver)
    }
}

impl Drop for HookConnection<'_> {
    fn drop(&mut self) {
        kill(&mut lock(&self.child));
    }
}

/// How a hook ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookEnd {
    /// True if the host killed the hook after the time limit.
    pub killed: bool,
    /// The exit code.
    pub exit: Option<i32>,
}

fn write(writer: &mut RequestWriter, line: &str) -> bool {
    let line = format!("{line}\n");
    writer.stdin.as_mut().is_some_and(|stdin| stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_ok())
}

fn listen(mut stdout: BufReader<ChildStdout>, shared: &ConnectionState) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match stdout.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 => {}
            _ => break,
        }
        if line.len() >= LINE_LIMIT {
            *lock(&shared.stuck) = Some(stdout);
            return;
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        lock(&shared.lines).push(text.clone());
        if let Some((id, heard)) = answer(&text)
            && let Some(waiting) = lock(&shared.waiting).remove(&id)
        {
            // The caller may have timed out in the meantime.
            drop(waiting.send(heard));
        }
    }
    *lock(&shared.gone) = true;
    lock(&shared.waiting).clear();
}

/// The id of the request that a line answers, and the answer with the id 1, as in the cases. A line whose id is not a
/// number cannot be read.
fn answer(line: &str) -> Option<(u64, Heard)> {
    let mut answer: Value = serde_json::from_str(line).ok()?;
    let slot = answer.as_object_mut()?.get_mut("id")?;
    let id = slot.as_u64()?;
    *slot = Value::from(1);
    Some((id, Heard::line(answer.to_string())))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

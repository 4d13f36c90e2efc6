//! One process for one event: read, judge, record, write, end.
//!
//! A thread does all of that, and may hang anywhere: on a file, a lock, or in a loop. Normally it also ends the
//! process. From the first moment on the main thread waits for the deadline and for signals. When either comes, it
//! claims the answer, refuses the call in the agent's own form, and ends the process. It has to be the main thread:
//! the kernel gives signals to that one, and a thread that waits for a dead mount takes none.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use snaphook_adapters::model::{Reply, VerdictKind};
use snaphook_adapters::protocol::{Agent, Native};

use super::claim::Claim;
use super::desk::{Desk, FILING, Invocation, RECORDING};
use super::input::{InputFault, is_terminal, read};
use super::{output, signals};
use crate::engine::{Judged, failed};
use crate::policy::OnFailure;

/// Serves one event and returns the exit code: 0 or 2.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if is_terminal() {
        output::complain(&invocation.usage());
        return 2;
    }
    // What one process judges is kept for as long as it runs: freed piece by piece it would only cost time.
    let call: &'static Call = Box::leak(Box::new(Call::new(invocation)));
    let judge = std::thread::Builder::new().name("judge".to_owned()).stack_size(STACK);
    let watched = signals::take_over().and_then(|stop| judge.spawn(|| call.serve()).map(|_| stop));
    match watched {
        Ok(stop) => call.watch(&stop),
        Err(error) => call.refuse(&Cause::Failed(format!("no watchdog: {error}"))).unwrap_or(2),
    }
}

/// Says why a call is refused without a verdict.
#[derive(Debug)]
enum Cause {
    Late,
    Failed(String),
}

/// One call, as both threads see it.
struct Call {
    invocation: Invocation,
    started: Instant,
    /// How long the call may take, in nanoseconds; it changes when the event is known.
    time: AtomicU64,
    claim: Claim,
    /// Absent: the policy is still being read.
    desk: OnceLock<Desk>,
    /// Absent: the message is still being read.
    native: OnceLock<Native>,
    /// Whether the answer that is being written decides if something happens.
    gates: AtomicBool,
    /// Set when the answer has been written.
    code: OnceLock<u8>,
}

impl Call {
    fn new(invocation: Invocation) -> Self {
        let time = reading_time(&invocation);
        Self {
            invocation,
            started: Instant::now(),
            time: AtomicU64::new(nanoseconds(time)),
            claim: Claim::default(),
            desk: OnceLock::new(),
            native: OnceLock::new(),
            gates: AtomicBool::new(true),
            code: OnceLock::new(),
        }
    }

    fn time(&self) -> Duration {
        Duration::from_nanos(self.time.load(Ordering::Acquire))
    }

    fn deadline(&self) -> Instant {
        self.started + self.time()
    }

    /// Serves the call and ends the process, unless the watchdog has answered.
    fn serve(&'static self) {
        let served = catch_unwind(AssertUnwindSafe(|| {
            let code = match catch_unwind(AssertUnwindSafe(|| self.judged())) {
                Ok(Some((judged, reply))) => self.answer(&judged, &reply),
                Ok(None) => None,
                Err(_) => self.refuse(&Cause::Failed("failed inside".to_owned())),
            };
            if let (Some(_), Some(desk)) = (code, self.desk.get()) {
                desk.end_children();
                desk.file_away();
            }
            code
        }));
        match served {
            Ok(Some(code)) => end(code),
            Ok(None) => {}
            Err(_) => end(self.code.get().copied().unwrap_or(2)),
        }
    }

    fn judged(&self) -> Option<(Judged, Reply)> {
        let desk = self.desk.get_or_init(|| Desk::new(&self.invocation));
        let text = match read(std::io::stdin().as_fd(), desk.input_limit()) {
            Ok(text) => text,
            Err(fault) => return Some(self.unreadable(desk, &fault)),
        };
        let native = self.native.get_or_init(|| Native::new(text).line(self.invocation.line.clone()));
        let time = self.invocation.deadline.unwrap_or_else(|| own_time(self.invocation.protocol.agent(), native));
        self.time.store(nanoseconds(time), Ordering::Release);
        desk.judged(native, desk.parsed(native), (self.started, self.deadline()), &self.claim)
    }

    fn unreadable(&self, desk: &Desk, fault: &InputFault) -> (Judged, Reply) {
        let native = self.no_message();
        let what = format!("{}: {fault}", self.invocation.protocol.agent().id);
        let mut judged = failed(self.invocation.protocol, &native, None, desk.failures().input, &what);
        judged.over_limit = matches!(fault, InputFault::TooLarge(_));
        self.claim.reached(&judged);
        desk.recorded(judged, &native, (self.started, self.deadline()))
    }

    fn no_message(&self) -> Native {
        Native::new(String::new()).line(self.invocation.line.clone())
    }

    /// Writes what was judged.
    fn answer(&self, judged: &Judged, reply: &Reply) -> Option<u8> {
        let gates = judged.gates();
        if gates && !judged.wanted.blocks() && Instant::now() >= self.deadline() {
            return self.refuse(&Cause::Late);
        }
        self.claim.take().then(|| self.write(reply, gates, self.deadline()))
    }

    /// Writes the answer that this thread has claimed.
    fn write(&self, reply: &Reply, gates: bool, until: Instant) -> u8 {
        self.gates.store(gates, Ordering::Release);
        let code = output::write(reply, gates, until);
        *self.code.get_or_init(|| code)
    }

    /// Refuses the call from either thread; `None`: another thread answers it.
    fn refuse(&self, cause: &Cause) -> Option<u8> {
        if !self.claim.take() {
            return None;
        }
        let write = |reply: &Reply, gates| self.write(reply, gates, Instant::now() + WRITING);
        if let Some(block) = self.claim.block() {
            return Some(write(block, true));
        }
        let unread;
        let desk = if let Some(desk) = self.desk.get() {
            desk
        } else {
            let time = self.time().as_millis();
            unread = Desk::without_policy(&self.invocation, format!("reading it took longer than {time} ms"));
            &unread
        };
        let no_message;
        let native = if let Some(native) = self.native.get() {
            native
        } else {
            no_message = self.no_message();
            &no_message
        };
        let refused = catch_unwind(AssertUnwindSafe(|| match cause {
            Cause::Late => failed(self.invocation.protocol, native, None, desk.failures().deadline, &self.lateness()),
            Cause::Failed(what) => emergency(&self.invocation, native, what),
        }));
        let judged = refused.unwrap_or_else(|_| Judged {
            wanted: VerdictKind::Deny,
            ..Judged::reply_only(Reply::blocked("snaphook: failed inside: denied"))
        });
        if judged.gates() && !judged.wanted.blocks() && desk.failures().audit != OnFailure::Pass {
            // A call that must be recorded does not go on without its record.
            let (judged, reply) = self.noted(desk, judged, native).unwrap_or_else(|| {
                let what = "no record can be written in time";
                let judged = failed(self.invocation.protocol, native, None, desk.failures().audit, what);
                let reply = judged.reply.clone().unwrap_or_default();
                (judged, reply)
            });
            return Some(write(&reply, judged.gates()));
        }
        let code = write(&judged.reply.clone().unwrap_or_default(), judged.gates());
        let _ = self.noted(desk, judged, native);
        Some(code)
    }

    /// Records a refusal; `None`: that takes too long.
    fn noted(&self, desk: &Desk, judged: Judged, native: &Native) -> Option<(Judged, Reply)> {
        let (done, ready) = std::sync::mpsc::channel();
        desk.note(judged, native, self.started, move |noted| drop(done.send(noted)));
        ready.recv_timeout(RECORDING).ok()
    }

    fn lateness(&self) -> String {
        let time = self.time().as_millis();
        match (self.desk.get(), self.native.get()) {
            (None, _) => format!("no verdict within {time} ms: the policy could not be read in that time"),
            (_, None) => {
                format!("{}: the input was not complete within {time} ms", self.invocation.protocol.agent().id)
            }
            _ => format!("no verdict within {time} ms"),
        }
    }

    /// Answers the call where the judging thread does not in time; returns the exit code.
    fn watch(&self, stop: &UnixStream) -> u8 {
        let watched = catch_unwind(AssertUnwindSafe(|| {
            let cause = self.wait(stop);
            self.refuse(&cause)
        }));
        match watched {
            Ok(Some(code)) => {
                if let Some(desk) = self.desk.get() {
                    desk.end_children();
                }
                code
            }
            Ok(None) => self.written(),
            Err(_) => {
                output::complain("snaphook: failed inside: denied");
                2
            }
        }
    }

    /// Waits for the deadline or a signal.
    fn wait(&self, stop: &UnixStream) -> Cause {
        // The deadline changes when the event is known; it never comes before that of the most impatient event.
        let least = self.invocation.deadline.unwrap_or_else(|| least_time(self.invocation.protocol.agent()));
        loop {
            let left = self.deadline().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Cause::Late;
            }
            let mut polled = [PollFd::new(stop, PollFlags::IN)];
            match poll(&mut polled, Timespec::try_from(left.min(least.max(LEAST_STEP))).ok().as_ref()) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Cause::Failed("stopped by a signal".to_owned()),
                Err(error) => return Cause::Failed(format!("no watchdog: {error}")),
            }
        }
    }

    /// Waits a moment for the other thread to write its answer. Then nobody reads it.
    fn written(&self) -> u8 {
        let until = Instant::now() + WRITING;
        while Instant::now() < until {
            if let Some(code) = self.code.get() {
                // The other thread ends the process, unless something holds it up.
                std::thread::sleep(ENDING);
                return *code;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        if !self.gates.load(Ordering::Acquire) {
            return 0;
        }
        output::complain("snaphook: the answer cannot be written to stdout in time: denied");
        2
    }
}

/// The refusal of this event, or of this agent.
fn emergency(invocation: &Invocation, native: &Native, what: &str) -> Judged {
    let event = invocation.protocol.agent().bare_event(native);
    let gates = event.as_ref().is_none_or(|event| event.row.gates());
    let wanted = if gates { VerdictKind::Deny } else { VerdictKind::Pass };
    let reply = invocation.protocol.refuse(native, &format!("snaphook: {what}: denied"));
    Judged { event, wanted, failure: Some(what.to_owned()), ..Judged::reply_only(reply) }
}

/// Ends the process from the judging thread.
#[expect(clippy::exit, reason = "the main thread need not wake up to return the code")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

/// How long this event may take: half of the agent's own limit, at most five seconds (S2).
fn own_time(agent: &'static Agent, native: &Native) -> Duration {
    agent.bare_event(native).map_or(LONGEST, |event| half(event.row.timeout_ms))
}

/// How long it may take until the event is known: as long as the registered event, else as the most
/// impatient gate.
fn reading_time(invocation: &Invocation) -> Duration {
    let event = invocation.line.event.as_deref();
    let rows = invocation.protocol.agent().events.iter();
    let rows = rows.filter(|row| event.map_or(row.gates(), |event| row.native == event));
    let time = invocation.deadline.or_else(|| rows.map(|row| half(row.timeout_ms)).min());
    time.unwrap_or(LONGEST)
}

/// The shortest time that any event may take.
pub(super) fn least_time(agent: &Agent) -> Duration {
    agent.events.iter().map(|row| half(row.timeout_ms)).min().unwrap_or(LONGEST)
}

pub(super) fn half(timeout_ms: u32) -> Duration {
    match timeout_ms {
        0 => LONGEST,
        limit => Duration::from_millis(u64::from(limit) / 2).min(LONGEST),
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

const LONGEST: Duration = Duration::from_secs(5);
/// As much stack as the main thread has, in bytes.
const STACK: usize = 8 << 20;
const LEAST_STEP: Duration = Duration::from_millis(1);
/// How long a refusal waits for somebody to read it, and how long the other thread may still take to write an
/// answer that it has claimed.
const WRITING: Duration = Duration::from_millis(300);
/// How long the other thread may take to end the process after its answer; it may still leave an index.
const ENDING: Duration = FILING.saturating_add(Duration::from_millis(200));

//! One process per event: read, judge, record, write, exit.
//!
//! The judging thread does all of that, and may block anywhere: on a file, a lock or in a loop. Normally it
//! also ends the process. The main thread waits for the deadline and for signals from the start. When either
//! arrives, it claims the answer, refuses the call in the agent's own form, and ends the process. This must be
//! the main thread: the kernel delivers signals to it, and a thread that is blocked on a dead mount receives
//! none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Incoming, Reply};
use snaphook_adapters::protocol::Native;
use snaphook_alloc::OwnLists;

use super::claim::Claim;
use super::input::{InputFault, read};
use super::invocation::Invocation;
use super::refusal::RefusalCause;
use super::service::{RequestTimes, Service};
use super::{STACK, output, time_limit};
use crate::engine::CallOutcome;
use crate::platform::serving::StopSignal;
use crate::platform::terminal;

/// Serves one event. Returns the exit code, 0 or 2.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if terminal::is_stdin() {
        output::print_error(&invocation.usage());
        return 2;
    }
    // The process ends soon, so freeing the call piece by piece would only cost time.
    let call: &'static OneShotCall = Box::leak(Box::new(OneShotCall::new(invocation)));
    let judge = std::thread::Builder::new().name("judge".to_owned()).stack_size(STACK);
    let work = || {
        let _lists = OwnLists::take();
        call.serve();
    };
    let watched = StopSignal::take_over().and_then(|stop| judge.spawn(work).map(|_| stop));
    match watched {
        Ok(stop) => call.watch(&stop),
        Err(error) => {
            call.refuse(&RefusalCause::Failed(format!("the watchdog cannot be started: {error}"))).unwrap_or(2)
        }
    }
}

/// The state of one call, shared by both threads.
struct OneShotCall {
    invocation: Invocation,
    started: Instant,
    /// The time limit of the call, in nanoseconds; it changes when the event is known.
    time: AtomicU64,
    claim: Claim,
    /// Absent until the policy has been read.
    service: OnceLock<Service>,
    /// Absent until the message has been read.
    native: OnceLock<Native>,
    /// True if the answer that is being written is that of a gate.
    gates: AtomicBool,
    /// The exit code, set when the answer has been written.
    code: OnceLock<u8>,
}

impl OneShotCall {
    fn new(invocation: Invocation) -> Self {
        let time = time_limit::before_event(&invocation);
        Self {
            invocation,
            started: Instant::now(),
            time: AtomicU64::new(nanoseconds(time)),
            claim: Claim::default(),
            service: OnceLock::new(),
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

    fn times(&self) -> RequestTimes {
        RequestTimes { started: self.started, deadline: self.deadline() }
    }

    /// Serves the call and ends the process, unless the watchdog has answered.
    fn serve(&'static self) {
        let served = catch_unwind(AssertUnwindSafe(|| {
            let (code, judged) = match catch_unwind(AssertUnwindSafe(|| self.judge())) {
                Ok(Some((judged, reply))) => (self.answer(&judged, &reply), Some(judged)),
                Ok(None) => (None, None),
                Err(_) => (self.refuse(&RefusalCause::Failed("internal error".to_owned())), None),
            };
            if let (Some(_), Some(service)) = (code, self.service.get()) {
                service.end_children();
                if let Some((native, judged)) = self.native.get().zip(judged) {
                    service.record_shape(native, &judged);
                }
                drop(service.record_sender().and_then(|sender| sender.start()));
            }
            code
        }));
        match served {
            Ok(Some(code)) => end(code),
            Ok(None) => {}
            Err(_) => end(self.code.get().copied().unwrap_or(2)),
        }
    }

    fn judge(&self) -> Option<(CallOutcome, Reply)> {
        let service = self.service.get_or_init(|| Service::new(&self.invocation));
        let agent = self.invocation.protocol.agent();
        let text = match read(service.input_limit()) {
            Ok(text) => text,
            Err(fault) => {
                let what = format!("{}: {fault}", agent.id);
                let over_limit = matches!(fault, InputFault::TooLarge(_));
                let (native, times) = (&self.no_message(), self.times());
                let judged = service.judge_unreadable(native, &what, over_limit, times, &self.claim);
                return Some(service.write_record(judged, native, times));
            }
        };
        let native = self.native.get_or_init(|| Native::new(text).line(self.invocation.line.clone()));
        service.recognise(native);
        let agent = service.protocol().agent();
        let parsed = service.parse(native);
        let limit = match &parsed {
            Ok(Incoming::Event(event) | Incoming::Observed(event)) => time_limit::of_row(event.row),
            _ => time_limit::of_message(agent, native),
        };
        self.time.store(nanoseconds(self.invocation.deadline.unwrap_or(limit)), Ordering::Release);
        let judged = service.judge(native, parsed, self.times(), &self.claim, &Arc::default())?;
        Some(service.write_record(judged, native, self.times()))
    }

    fn no_message(&self) -> Native {
        Native::new(String::new()).line(self.invocation.line.clone())
    }

    /// Writes the answer that was judged.
    fn answer(&self, judged: &CallOutcome, reply: &Reply) -> Option<u8> {
        let gates = judged.gates();
        if gates && !judged.wanted.blocks() && Instant::now() >= self.deadline() {
            return self.refuse(&RefusalCause::Late(self.lateness()));
        }
        self.claim.take().then(|| self.write(reply, gates, self.deadline()))
    }

    /// Writes the answer that this thread has claimed.
    fn write(&self, reply: &Reply, gates: bool, until: Instant) -> u8 {
        self.gates.store(gates, Ordering::Release);
        let code = output::write(reply, gates, until);
        *self.code.get_or_init(|| code)
    }

    /// Refuses the call; either thread may do so. Returns `None` if the other thread answers it.
    fn refuse(&self, cause: &RefusalCause) -> Option<u8> {
        if !self.claim.take() {
            return None;
        }
        let unread;
        let service = if let Some(service) = self.service.get() {
            service
        } else {
            unread = Service::without_policy(&self.invocation, self.time());
            &unread
        };
        let no_message;
        let native = if let Some(native) = self.native.get() {
            native
        } else {
            no_message = self.no_message();
            &no_message
        };
        let code = service.refuse(native, self.started, self.claim.block(), cause, |refused, reply| {
            self.write(reply, refused.gates(), Instant::now() + WRITING)
        });
        service.wait_for_records();
        Some(code)
    }

    fn lateness(&self) -> String {
        let time = self.time().as_millis();
        match (self.service.get(), self.native.get()) {
            (None, _) => format!("no verdict within {time} ms: the policy could not be read in that time"),
            (_, None) => {
                format!("{}: the input was not complete within {time} ms", self.invocation.protocol.agent().id)
            }
            _ => format!("no verdict within {time} ms"),
        }
    }

    /// Answers the call if the judging thread does not do so in time. Returns the exit code.
    fn watch(&self, stop: &StopSignal) -> u8 {
        let watched = catch_unwind(AssertUnwindSafe(|| {
            let cause = self.wait(stop);
            self.refuse(&cause)
        }));
        match watched {
            Ok(Some(code)) => {
                if let Some(service) = self.service.get() {
                    service.end_children();
                }
                code
            }
            Ok(None) => self.written(),
            Err(_) => {
                output::print_error("snaphook: internal error: denied");
                2
            }
        }
    }

    /// Waits for the deadline or a signal.
    fn wait(&self, stop: &StopSignal) -> RefusalCause {
        // The deadline changes when the event is known, but is never shorter than the shortest one of the
        // agent.
        let least = self.invocation.deadline.unwrap_or_else(|| time_limit::shortest(self.invocation.protocol.agent()));
        loop {
            let left = self.deadline().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return RefusalCause::Late(self.lateness());
            }
            match stop.wait(left.min(least.max(LEAST_STEP))) {
                Ok(false) => {}
                Ok(true) => return RefusalCause::Failed("stopped by a signal".to_owned()),
                Err(error) => return RefusalCause::Failed(format!("the watchdog cannot be started: {error}")),
            }
        }
    }

    /// Waits briefly for the other thread to write its answer. After that, the host is assumed not to read it.
    fn written(&self) -> u8 {
        let until = Instant::now() + WRITING;
        while Instant::now() < until {
            if let Some(code) = self.code.get() {
                // Normally the other thread ends the process before this.
                std::thread::sleep(ENDING);
                return *code;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        if !self.gates.load(Ordering::Acquire) {
            return 0;
        }
        output::print_error("snaphook: the answer cannot be written to stdout in time: denied");
        2
    }
}

/// Ends the process from the judging thread.
#[expect(clippy::exit, reason = "the main thread need not wake up to return the code")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

const LEAST_STEP: Duration = Duration::from_millis(1);
/// Time limit of writing a refusal, and of waiting for an answer that the other thread has claimed.
const WRITING: Duration = Duration::from_millis(300);
/// Time limit of the other thread to end the process after its answer.
const ENDING: Duration = Duration::from_millis(200);

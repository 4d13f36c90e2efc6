//! One process per event: read, judge, record, write, exit.
//!
//! The main thread does all of that and ends the process. Before something that may take any time, it starts a second
//! thread, the watchdog, which waits for the deadline and for signals. When either arrives, the watchdog claims the answer,
//! refuses the call in the agent's own form, and ends the process. If the main thread is blocked without a watchdog, the kernel kills
//! the process soon after the deadline, which the guard of the registered line turns into a denial.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Incoming, Reply};
use snaphook_adapters::protocol::Native;

use super::claim::Claim;
use super::input::{InputFault, read};
use super::invocation::Invocation;
use super::refusal::RefusalCause;
use super::service::{RequestTimes, Service};
use super::{STACK, output, time_limit};
use crate::engine::CallOutcome;
use crate::platform::serving::StopSignal;
use crate::platform::{HardStop, terminal};
use crate::watchdog::{Watched, before_waiting, watch_when_needed};

/// Serves one event. Returns the exit code, 0 or 2.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if terminal::is_stdin() {
        output::print_error(&invocation.usage());
        return 2;
    }
    // The process ends soon, so freeing the call piece by piece would only cost time.
    let call: &'static OneShotCall = Box::leak(Box::new(OneShotCall::new(invocation)));
    watch_when_needed(call);
    if let Err(error) = StopSignal::block() {
        return call.refuse(&cannot_watch(&error)).unwrap_or(2);
    }
    let hard_stop = HardStop::after(call.time() + GRACE);
    if hard_stop.is_none() {
        before_waiting();
    }
    call.serve(hard_stop)
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

    /// Serves the call and ends the process.
    fn serve(&self, mut hard_stop: Option<HardStop>) -> ! {
        let served = catch_unwind(AssertUnwindSafe(|| {
            let (code, judged) = match catch_unwind(AssertUnwindSafe(|| self.judge(hard_stop.as_mut()))) {
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
            // The watchdog has answered, and ends the process.
            Ok(None) => loop {
                std::thread::park();
            },
            Err(_) => end(self.code.get().copied().unwrap_or(2)),
        }
    }

    fn judge(&self, hard_stop: Option<&mut HardStop>) -> Option<(CallOutcome, Reply)> {
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
        if text.len() > LONG {
            before_waiting();
        }
        let native = self.native.get_or_init(|| Native::new(text).line(self.invocation.line.clone()));
        service.recognise(native);
        let agent = service.protocol().agent();
        let parsed = service.parse(native);
        let limit = match &parsed {
            Ok(Incoming::Event(event) | Incoming::Observed(event)) => time_limit::of_row(event.row),
            _ => time_limit::of_message(agent, native),
        };
        self.limit(self.invocation.deadline.unwrap_or(limit), hard_stop);
        let judged = service.judge(native, parsed, self.times(), &self.claim, &Arc::default())?;
        Some(service.write_record(judged, native, self.times()))
    }

    /// Changes the time limit of the call.
    fn limit(&self, time: Duration, hard_stop: Option<&mut HardStop>) {
        if self.time.swap(nanoseconds(time), Ordering::AcqRel) != nanoseconds(time)
            && let Some(hard_stop) = hard_stop
            && !hard_stop.set(self.deadline().saturating_duration_since(Instant::now()) + GRACE)
        {
            before_waiting();
        }
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

    /// Answers the call if the main thread does not do so in time. Returns the exit code.
    fn watch(&self, stop: &StopSignal) -> u8 {
        let watched = catch_unwind(AssertUnwindSafe(|| {
            let cause = StopSignal::unblock().map_or_else(|error| cannot_watch(&error), |()| self.wait(stop));
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
                Err(error) => return cannot_watch(&error),
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

impl Watched for OneShotCall {
    fn start_watchdog(&'static self) {
        let thread = std::thread::Builder::new().name("watchdog".to_owned()).stack_size(STACK);
        let started = StopSignal::take_over().and_then(|stop| thread.spawn(move || end(self.watch(&stop))));
        if let Err(error) = started {
            end(self.refuse(&cannot_watch(&error)).unwrap_or(2));
        }
    }
}

fn cannot_watch(error: &io::Error) -> RefusalCause {
    RefusalCause::Failed(format!("the watchdog cannot be started: {error}"))
}

/// Ends the process.
#[expect(clippy::exit, reason = "either thread may end it")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The length of a message that may take long to judge, in bytes.
const LONG: usize = 8 << 10;
/// The time from the deadline to the end of the process, in which a refusal is written and recorded.
const GRACE: Duration = Duration::from_millis(500);
const LEAST_STEP: Duration = Duration::from_millis(1);
/// Time limit of writing a refusal, and of waiting for an answer that the other thread has claimed.
const WRITING: Duration = Duration::from_millis(300);
/// Time limit of the other thread to end the process after its answer.
const ENDING: Duration = Duration::from_millis(200);

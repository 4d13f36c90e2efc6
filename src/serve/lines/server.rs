//! The threads that read and judge the messages of one connection. Each may block while it judges.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Incoming, Reply};
use snaphook_adapters::protocol::{Connection, EventRow, Native};
use snaphook_alloc::OwnLists;
use snaphook_policy::SharedFacts;

use super::input::{InputLine, LineFault, LineReader};
use super::output::{Answers, WriteProgress};
use crate::audit::Unwritten;
use crate::engine::CallOutcome;
use crate::platform::serving::Waker;
use crate::serve::claim::Claim;
use crate::serve::invocation::Invocation;
use crate::serve::records::{JudgedMessage, PreparedRecord};
use crate::serve::refusal::RefusalCause;
use crate::serve::service::{RequestTimes, Service};
use crate::serve::{STACK, time_limit};

/// The state that is common to messages that were read together.
struct Arrival {
    at: Instant,
    current: OnceLock<Current>,
}

/// The policy in force, and the facts that messages share. Both were obtained after the messages had arrived, so they hold for
/// each of them.
#[derive(Clone)]
struct Current {
    service: Arc<Service>,
    shared: Arc<SharedFacts>,
}

/// A message whose record is not written yet.
struct UnrecordedMessage {
    message: Arc<PendingMessage>,
    service: Arc<Service>,
    outcome: CallOutcome,
    record: PreparedRecord,
}

/// One message to answer.
pub(super) struct PendingMessage {
    native: Native,
    fault: Option<LineFault>,
    arrival: Arc<Arrival>,
    pub(super) deadline: OnceLock<Instant>,
    pub(super) claim: Claim,
}

/// The state shared by all threads. Each lock except that of the input is held briefly and never during file
/// access.
pub(super) struct Server {
    pub(super) invocation: Invocation,
    /// The policy in force.
    service: Mutex<Arc<Service>>,
    connection: Mutex<Arc<Connection>>,
    /// Locked by the thread that waits for input.
    input: Mutex<LineReader>,
    pub(super) answers: Answers,
    /// Messages that are answered once their records are written, which are written together.
    unrecorded: Mutex<Vec<UnrecordedMessage>>,
    pub(super) state: Mutex<ServerState>,
    /// Tells a resting thread that there is something to do.
    arrivals: Condvar,
    /// Set when the first message has been parsed: later messages depend on it if it is a handshake.
    is_greeted: AtomicBool,
    /// The number of processors, and of threads that judge when many messages wait.
    processors: usize,
    wakes: Waker,
}

#[derive(Default)]
pub(super) struct ServerState {
    /// Messages that no thread has taken yet.
    pub(super) waiting: VecDeque<Arc<PendingMessage>>,
    /// Messages that a thread is judging, or that are not recorded yet.
    pub(super) judging: Vec<Arc<PendingMessage>>,
    /// The number of messages taken so far.
    pub(super) taken: u64,
    /// The number of threads that read and judge.
    pub(super) threads: usize,
    /// The number of those that wait for something to do.
    resting: usize,
    /// The number of threads that wait for the record of a refusal.
    pub(super) refusing: usize,
    /// True if one of them reads.
    pub(super) is_reading: bool,
    /// True if the watchdog sleeps until it is woken.
    pub(super) is_idle: bool,
    /// The time at which all unanswered messages are refused; absent while the input is open.
    pub(super) last_call: Option<Instant>,
}

impl ServerState {
    /// Adds lines, unless the process is ending.
    fn add(&mut self, messages: Vec<Arc<PendingMessage>>) {
        if self.last_call.is_none() {
            self.waiting.extend(messages);
        }
    }

    /// Returns true if reading pauses until some messages are answered.
    fn is_full(&self) -> bool {
        self.waiting.len() + self.judging.len() >= MOST
    }

    fn can_read(&self) -> bool {
        !self.is_reading && self.last_call.is_none() && !self.is_full()
    }

    pub(super) fn all_answered(&self) -> bool {
        self.waiting.is_empty() && self.judging.is_empty() && self.refusing == 0
    }
}

/// The next task of a thread.
enum NextTask {
    Judge(Arc<PendingMessage>),
    /// Write records. The log may hang, so a thread does not hold the place of the reader meanwhile.
    Record,
    Read,
    /// Nothing to do while another thread reads.
    Rest,
    End,
}

impl PendingMessage {
    pub(super) fn started(&self) -> Instant {
        self.arrival.at
    }

    pub(super) fn deadline(&self, invocation: &Invocation, row: Option<&EventRow>) -> Instant {
        let of_message = || time_limit::of_message(invocation.protocol.agent(), &self.native);
        let limit = || invocation.deadline.unwrap_or_else(|| row.map_or_else(of_message, time_limit::of_row));
        *self.deadline.get_or_init(|| self.started() + limit())
    }
}

impl Server {
    pub(super) fn new(
        invocation: Invocation,
        service: Service,
        input: LineReader,
        answers: Answers,
        wakes: Waker,
    ) -> Self {
        Self {
            invocation,
            service: Mutex::new(Arc::new(service)),
            connection: Mutex::default(),
            input: Mutex::new(input),
            answers,
            unrecorded: Mutex::default(),
            state: Mutex::default(),
            arrivals: Condvar::new(),
            is_greeted: AtomicBool::new(false),
            processors: available_parallelism().map_or(1, NonZero::get),
            wakes,
        }
    }

    /// Wakes the resting threads and starts more for the waiting messages, or one reader if there is none.
    pub(super) fn start_more(self: &Arc<Self>) {
        let state = locked(&self.state);
        let waiting = if self.is_greeted.load(Ordering::Acquire) { state.waiting.len().min(MORE) } else { 0 };
        let wanted = waiting.max(usize::from(state.can_read())).saturating_sub(state.resting);
        let wanted = wanted.min(JUDGES.saturating_sub(state.threads));
        drop(state);
        self.arrivals.notify_all();
        for _ in 0..wanted {
            let _ = self.start();
        }
    }

    /// Starts a thread that reads and judges. If that fails, messages are refused at their deadlines.
    pub(super) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let server = Arc::clone(self);
        locked(&self.state).threads += 1;
        let work = move || {
            let _lists = OwnLists::take();
            let worked = catch_unwind(AssertUnwindSafe(|| server.work()));
            let mut state = locked(&server.state);
            state.threads -= 1;
            // A second reader waits for the input lock.
            state.is_reading &= worked.is_ok();
        };
        let started = std::thread::Builder::new().name("judge".to_owned()).stack_size(STACK).spawn(work);
        locked(&self.state).threads -= usize::from(started.is_err());
        started.map(drop)
    }

    /// Reads and judges messages until other threads have taken over.
    fn work(self: &Arc<Self>) {
        let mut judged = None;
        let mut unwritten: Option<Instant> = None;
        loop {
            match self.next(judged.take()) {
                NextTask::Judge(message) => {
                    self.judge(&message);
                    let now = Instant::now();
                    let since = *unwritten.get_or_insert(now);
                    let is_urgent = message.deadline.get().is_none_or(|deadline| now + OVERLAP >= *deadline);
                    if is_urgent || now.duration_since(since) >= GATHERING {
                        self.record();
                        self.write();
                        unwritten = None;
                    }
                    judged = Some(message);
                }
                NextTask::Record => self.record(),
                NextTask::Read => {
                    self.write();
                    unwritten = None;
                    self.send_records();
                    self.read();
                }
                NextTask::Rest => {
                    self.write();
                    unwritten = None;
                    self.rest();
                }
                NextTask::End => return self.write(),
            }
        }
    }

    fn next(&self, judged: Option<Arc<PendingMessage>>) -> NextTask {
        let mut state = locked(&self.state);
        // The watchdog refuses a message whose verdict came too late.
        if let Some(judged) = judged.filter(|judged| judged.claim.is_taken()) {
            state.judging.retain(|message| !Arc::ptr_eq(message, &judged));
        }
        if let Some(message) = if self.may_judge(&state) { state.waiting.pop_front() } else { None } {
            state.taken += 1;
            state.judging.push(Arc::clone(&message));
            return NextTask::Judge(message);
        }
        if !locked(&self.unrecorded).is_empty() {
            return NextTask::Record;
        }
        if state.can_read() {
            state.is_reading = true;
            return NextTask::Read;
        }
        let has_ended = state.last_call.is_some();
        if state.is_reading && !has_ended && state.threads <= self.processors {
            return NextTask::Rest;
        }
        drop(state);
        if has_ended {
            self.wake();
        }
        NextTask::End
    }

    /// Returns true for the first message, and when it has been parsed.
    fn may_judge(&self, state: &ServerState) -> bool {
        state.taken == 0 || self.is_greeted.load(Ordering::Acquire)
    }

    /// Waits until there is something to do.
    fn rest(&self) {
        let is_idle = |state: &mut ServerState| {
            let judges = !state.waiting.is_empty() && self.may_judge(state);
            !judges && state.is_reading && state.last_call.is_none()
        };
        let mut state = locked(&self.state);
        state.resting += 1;
        state = self.arrivals.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        state.resting -= 1;
    }

    /// Waits for lines.
    fn read(self: &Arc<Self>) {
        let mut input = locked(&self.input);
        let mut lines = self.arrived(&mut input);
        while lines.is_empty() && !input.has_ended() {
            input.read();
            lines = self.arrived(&mut input);
        }
        let count = lines.len();
        let (is_idle, threads, resting) = {
            let mut state = locked(&self.state);
            state.is_reading = false;
            state.add(lines);
            (std::mem::take(&mut state.is_idle), state.threads, state.resting)
        };
        if count == 0 {
            self.end();
        } else if is_idle {
            self.wake();
        }
        if count > 1 && resting > 0 {
            self.arrivals.notify_all();
        }
        // If no thread can be started, this one judges all.
        if count >= MANY && threads < self.processors {
            let _ = self.start();
        }
    }

    /// Takes the lines that arrived while every thread was judging, so that their deadlines start.
    pub(super) fn read_ahead(&self) {
        if !locked(&self.state).can_read() {
            return;
        }
        let Ok(mut input) = self.input.try_lock() else { return };
        let mut lines = self.arrived(&mut input);
        if lines.is_empty() && input.is_ready() {
            input.read();
            lines = self.arrived(&mut input);
        }
        if lines.is_empty() && input.has_ended() {
            self.end();
        }
        locked(&self.state).add(lines);
    }

    fn arrived(&self, input: &mut LineReader) -> Vec<Arc<PendingMessage>> {
        let arrival = Arc::new(Arrival { at: Instant::now(), current: OnceLock::new() });
        let message = |line| {
            let (text, fault) = match line {
                InputLine::Text(text) => (text, None),
                InputLine::Faulty { head, fault } => (head, Some(fault)),
            };
            let native = Native::new(text).line(self.invocation.line.clone());
            let arrival = Arc::clone(&arrival);
            Arc::new(PendingMessage { native, fault, arrival, deadline: OnceLock::new(), claim: Claim::default() })
        };
        std::iter::from_fn(|| input.next()).take(BATCH).map(message).collect()
    }

    /// Stops reading.
    pub(super) fn end(&self) {
        locked(&self.state).last_call.get_or_insert_with(|| Instant::now() + LAST_CALL);
        self.arrivals.notify_all();
        self.wake();
    }

    pub(super) fn has_ended(&self) -> bool {
        locked(&self.state).last_call.is_some()
    }

    /// Wakes the watchdog.
    pub(super) fn wake(&self) {
        self.wakes.wake();
    }

    fn write(&self) {
        if matches!(self.answers.write(), WriteProgress::Part | WriteProgress::Failed) {
            self.wake();
        }
    }

    /// Writes the records of judged messages and queues their answers.
    fn record(&self) {
        let mut unrecorded = std::mem::take(&mut *locked(&self.unrecorded));
        // The watchdog refuses a message whose time is up.
        unrecorded.retain(|one| !one.message.claim.is_taken() && Instant::now() < self.deadline_of(&one.message));
        for together in unrecorded.chunk_by_mut(|one, other| Arc::ptr_eq(&one.service, &other.service)) {
            self.record_together(together);
        }
        if unrecorded.is_empty() {
            return;
        }
        unrecorded
            .retain(|one| Instant::now() < self.deadline_of(&one.message) && self.answer(&one.message, &one.outcome));
        locked(&self.state).judging.retain(|message| !message.claim.is_taken());
        for UnrecordedMessage { message, outcome, .. } in unrecorded {
            self.record_shape(&message, &outcome);
        }
    }

    /// Writes records of one policy with a single write. Those that fail change the answers as the policy says.
    fn record_together(&self, messages: &mut [UnrecordedMessage]) {
        let deadlines = messages.iter().map(|one| self.deadline_of(&one.message));
        let (Some(until), Some(first)) = (deadlines.min(), messages.first()) else { return };
        let (service, file) = (Arc::clone(&first.service), first.record.file.clone());
        let lines: Vec<_> = messages.iter_mut().map(|one| std::mem::take(&mut one.record.line)).collect();
        let Err(Unwritten { whole, error }) = service.write_records(&file, &lines, until) else { return };
        for one in messages.iter_mut().skip(whole) {
            let native = self.connected(&one.message);
            service.without_record(&mut one.outcome, &native, &file, &error);
        }
    }

    /// Writes the pending records on another thread, because the thread that would write them hangs.
    pub(super) fn record_apart(self: &Arc<Self>) {
        if !locked(&self.unrecorded).is_empty() {
            let server = Arc::clone(self);
            drop(std::thread::Builder::new().name("log".to_owned()).spawn(move || {
                server.record();
                server.write();
            }));
        }
    }

    fn deadline_of(&self, message: &PendingMessage) -> Instant {
        message.deadline(&self.invocation, None)
    }

    /// Records the shape of a message. That takes longer than a moment, so answers are written first.
    fn record_shape(&self, message: &PendingMessage, judged: &CallOutcome) {
        let service = self.service();
        if service.records_shapes() {
            self.write();
            service.record_shape(&message.native, judged);
        }
    }

    /// Sends the records on another thread, which delays no answer.
    fn send_records(&self) {
        let Some(sender) = self.service().record_sender() else { return };
        let send = move || sender.start().map(|mut process| process.wait());
        drop(std::thread::Builder::new().name("send".to_owned()).spawn(send));
    }

    /// The policy in force.
    pub(super) fn service(&self) -> Arc<Service> {
        Arc::clone(&locked(&self.service))
    }

    /// Reloads the policy if its file has changed, for the messages that arrived together and all later ones.
    fn current(&self, arrival: &Arrival) -> Current {
        if let Some(known) = arrival.current.get() {
            return known.clone();
        }
        let mut service = self.service();
        if let Some(changed) = service.refreshed().map(Arc::new) {
            *locked(&self.service) = Arc::clone(&changed);
            service = changed;
        }
        // If two threads check the policy at the same time, both use the same result.
        arrival.current.get_or_init(|| Current { service, shared: Arc::default() }).clone()
    }

    /// The message together with the state of its connection.
    fn connected(&self, message: &PendingMessage) -> Native {
        message.native.clone().connection(Arc::clone(&locked(&self.connection)))
    }

    /// Answers a message. Returns false if the watchdog has refused it.
    fn answer(&self, message: &PendingMessage, judged: &CallOutcome) -> bool {
        let is_open = message.claim.take();
        if is_open {
            self.queue(judged, &judged.reply.clone().unwrap_or_default());
        }
        is_open
    }

    /// Queues an answer, after what later messages depend on has been noted.
    fn queue(&self, judged: &CallOutcome, reply: &Reply) {
        let mut connection = locked(&self.connection);
        if let Some(modes) = &judged.greeting {
            Arc::make_mut(&mut connection).modes.clone_from(modes);
        }
        if let (Some(event), Some(fitted)) = (&judged.event, &judged.fitted) {
            self.invocation.protocol.remember(Arc::make_mut(&mut connection), event, fitted);
        }
        drop(connection);
        self.answers.push(reply);
    }

    /// Judges a message, and answers it if it is not recorded. If its time is up, the watchdog refuses it instead.
    fn judge(&self, message: &Arc<PendingMessage>) {
        match catch_unwind(AssertUnwindSafe(|| self.judged(message))) {
            Ok(Some((service, JudgedMessage { outcome, record: Some(record) }))) => {
                let message = Arc::clone(message);
                locked(&self.unrecorded).push(UnrecordedMessage { message, service, outcome, record });
            }
            Ok(Some((_, JudgedMessage { outcome, record: None }))) if Instant::now() < self.deadline_of(message) => {
                if self.answer(message, &outcome) {
                    self.record_shape(message, &outcome);
                }
            }
            Err(_) if message.claim.take() => self.refuse(message, &RefusalCause::Failed("internal error".to_owned())),
            Ok(_) | Err(_) => {}
        }
        self.is_greeted.store(true, Ordering::Release);
    }

    /// Judges a message. Returns `None` if it has been answered in the meantime.
    fn judged(&self, message: &PendingMessage) -> Option<(Arc<Service>, JudgedMessage)> {
        let PendingMessage { fault, arrival, claim, .. } = message;
        let native = &self.connected(message);
        let times = |row| RequestTimes { started: arrival.at, deadline: message.deadline(&self.invocation, row) };
        if let Some(LineFault { what, over_limit }) = fault {
            self.is_greeted.store(true, Ordering::Release);
            let (times, Current { service, .. }) = (times(None), self.current(arrival));
            let judged = service.judge_unreadable(native, what, *over_limit, times, claim);
            return Some((service, judged));
        }
        let service = self.service();
        let parsed = service.parse(native);
        let row = match &parsed {
            // A handshake is answered under any policy.
            Ok(Incoming::Handshake { reply, modes }) => {
                let greeting = Some(modes.clone());
                let outcome = CallOutcome { greeting, ..CallOutcome::reply_only(reply.clone()) };
                return Some((service, JudgedMessage::unrecorded(outcome)));
            }
            Ok(Incoming::Event(event) | Incoming::Observed(event)) => Some(event.row),
            _ => None,
        };
        self.is_greeted.store(true, Ordering::Release);
        let times = times(row);
        let Current { service, shared } = self.current(arrival);
        let judged = service.judge(native, parsed, times, claim, &shared)?;
        Some((service, judged))
    }

    /// Refuses a message that the calling thread has claimed.
    pub(super) fn refuse(&self, message: &PendingMessage, cause: &RefusalCause) {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let native = &self.connected(message);
            let answer = |refused: &CallOutcome, reply: &Reply| self.queue(refused, reply);
            self.service().refuse(native, message.started(), message.claim.block(), cause, answer);
        }));
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// If no thread takes a message for this long, more threads are started.
pub(super) const OVERLAP: Duration = Duration::from_millis(50);
/// The number of lines that have to arrive together before more than one thread judges.
const MANY: usize = 8;
/// Time to gather answers for a single write.
const GATHERING: Duration = Duration::from_millis(1);
/// The number of lines that are read before they are judged.
const BATCH: usize = 256;
/// The number of unanswered messages at which reading pauses.
const MOST: usize = 1024;
/// The maximum number of judging threads. If all of them hang, further messages are refused at their deadlines.
const JUDGES: usize = 256;
/// The number of threads that are started at once.
const MORE: usize = 16;
/// Time limit for pending messages once the input has ended; agents kill the process after 2 s.
const LAST_CALL: Duration = Duration::from_millis(1200);

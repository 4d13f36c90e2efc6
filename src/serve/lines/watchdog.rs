//! Enforces the deadline of every message, on a thread that opens no file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::output::WriteProgress;
use super::server::{OVERLAP, PendingMessage, Server, locked};
use crate::platform::serving::{StopSignal, Waiter};
use crate::serve::refusal::RefusalCause;

/// Refuses messages whose time is up, and starts another thread if the judging threads hang.
pub(super) struct Watchdog {
    server: Arc<Server>,
    stop: StopSignal,
    woken: Waiter,
    /// The shortest time limit of any message.
    shortest: Duration,
    /// The time of the next check that the judging threads make progress.
    check: Instant,
    /// The number of messages taken at the last check.
    taken: u64,
}

/// The time for which the watchdog may sleep.
enum Wait {
    Until(Instant),
    UntilWoken,
    /// Every message is answered, and the input has ended.
    NoMore,
}

impl Watchdog {
    pub(super) fn new(server: Arc<Server>, stop: StopSignal, woken: Waiter, shortest: Duration) -> Self {
        Self { server, stop, woken, shortest, check: Instant::now() + OVERLAP, taken: 0 }
    }

    /// Runs until the input has ended or a signal arrives, and every message is answered.
    pub(super) fn run(mut self) {
        loop {
            let until = match self.look() {
                Wait::Until(until) => Some(until),
                Wait::UntilWoken => None,
                Wait::NoMore => return,
            };
            self.wait(until);
            if until.is_none() {
                self.expect_progress();
            }
        }
    }

    /// Waits for a signal, another thread, room to write, or the given time.
    fn wait(&self, until: Option<Instant>) {
        let stop = (!self.server.has_ended()).then_some(&self.stop);
        let answers = &self.server.answers;
        let output = (answers.write() == WriteProgress::Part).then(|| answers.output());
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if self.woken.wait(stop, output, left) {
            self.server.end();
        }
    }

    /// Handles overdue messages and hanging threads.
    fn look(&mut self) -> Wait {
        let now = Instant::now();
        let is_due = now >= self.check;
        if is_due {
            self.server.read_ahead();
        }
        let deadline = self.refuse_late(now);
        let written = self.server.answers.write();
        let is_quiet = is_due && !self.expect_progress();
        if is_quiet {
            self.server.start_more();
            self.server.record_apart();
        }
        let mut state = locked(&self.server.state);
        let all_answered = state.all_answered();
        if written == WriteProgress::Failed || state.last_call.is_some() && all_answered {
            return Wait::NoMore;
        }
        let is_busy = !all_answered || !is_quiet || !state.is_reading || written == WriteProgress::ByAnother;
        if !is_busy {
            state.is_idle = true;
            return Wait::UntilWoken;
        }
        let last_call = state.last_call.filter(|_| !all_answered);
        Wait::Until([Some(self.check), deadline, last_call].into_iter().flatten().min().unwrap_or(now))
    }

    /// Schedules the next check. Returns false if no message has been taken since the last call.
    fn expect_progress(&mut self) -> bool {
        let taken = locked(&self.server.state).taken;
        self.check = Instant::now() + OVERLAP;
        std::mem::replace(&mut self.taken, taken) != taken
    }

    /// Refuses each message whose time is up. Returns the earliest time at which another may be overdue.
    fn refuse_late(&self, now: Instant) -> Option<Instant> {
        let server = &self.server;
        let mut state = locked(&server.state);
        let all = state.last_call.is_some_and(|call| call <= now);
        let mut next = None;
        let mut soonest = |deadline: Instant| {
            next = Some(next.map_or(deadline, |next: Instant| next.min(deadline)));
        };
        let mut late: Vec<Arc<PendingMessage>> = Vec::new();
        for message in state.waiting.iter().chain(&state.judging) {
            // The exact deadline is known once the message is parsed.
            let earliest = message.deadline.get().copied().unwrap_or(message.started() + self.shortest);
            if all || earliest <= now { late.push(Arc::clone(message)) } else { soonest(earliest) }
        }
        drop(state);
        late.retain(|message| {
            let deadline = message.deadline(&server.invocation, None);
            let is_late = all || deadline <= now;
            if !is_late {
                soonest(deadline);
            }
            is_late && message.claim.take()
        });
        if late.is_empty() {
            return next;
        }
        state = locked(&server.state);
        state.waiting.retain(|message| !message.claim.is_taken());
        state.judging.retain(|message| !late.iter().any(|late| Arc::ptr_eq(message, late)));
        state.refusing += late.len();
        drop(state);
        for message in late {
            self.refuse(message);
        }
        next
    }

    /// Refuses a message that this thread has claimed. If the refusal may wait for its record, another thread
    /// does it.
    fn refuse(&self, message: Arc<PendingMessage>) {
        let server = Arc::clone(&self.server);
        let waits = server.service().may_wait_for_record();
        let refuse = move || {
            let what = format!("no verdict within {} ms", message.started().elapsed().as_millis());
            server.refuse(&message, &RefusalCause::Late(what));
            locked(&server.state).refusing -= 1;
            server.wake();
        };
        if !waits {
            return refuse();
        }
        if std::thread::Builder::new().name("refusal".to_owned()).spawn(refuse).is_err() {
            locked(&self.server.state).refusing -= 1;
        }
    }
}

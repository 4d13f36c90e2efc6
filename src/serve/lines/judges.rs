//! The threads that judge the messages of one connection. Each may hang.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use snaphook_adapters::model::{Incoming, Reply, VerdictKind};
use snaphook_adapters::protocol::{Connection, Native};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::{JUDGES, MORE};
use crate::engine::{Judged, failed};
use crate::serve::claim::Claim;
use crate::serve::desk::Desk;

/// The deadline of a message, and its number.
pub(super) type Key = (Instant, u64);

/// Holds one message that is to be answered.
pub(super) struct Message {
    pub(super) key: Key,
    pub(super) native: Native,
    /// What is wrong with its line, and whether that is its length.
    pub(super) fault: Option<(String, bool)>,
    pub(super) started: Instant,
    pub(super) claim: Claim,
}

/// Holds what the threads share. Each lock is held for a moment only, never while a file is looked at.
pub(super) struct Judges {
    /// The policy in force, and what else messages are judged with.
    current: Mutex<Arc<Desk>>,
    connection: Mutex<Arc<Connection>>,
    queue: Mutex<Queue>,
    done: UnboundedSender<(Key, Reply)>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Arc<Message>>,
    threads: usize,
    /// How many messages have been taken from the queue, and how many had been at the last look.
    taken: u64,
    taken_before: u64,
    /// Whether the first message is known: others depend on it if it is a greeting.
    is_greeted: bool,
}

impl Judges {
    pub(super) fn new(desk: Desk, done: UnboundedSender<(Key, Reply)>) -> Self {
        let current = Mutex::new(Arc::new(desk));
        Self { current, connection: Mutex::default(), queue: Mutex::default(), done }
    }

    /// Adds a message, and starts a thread if there is none.
    pub(super) fn push(self: &Arc<Self>, message: Arc<Message>) {
        let mut queue = locked(&self.queue);
        queue.waiting.push_back(message);
        if queue.threads == 0 {
            self.start(&mut queue);
        }
    }

    /// Starts more threads if messages wait and none has been taken since the last time.
    pub(super) fn relieve(self: &Arc<Self>) {
        let mut queue = locked(&self.queue);
        if queue.taken == queue.taken_before && queue.is_greeted {
            for _ in 0..queue.waiting.len().min(MORE) {
                self.start(&mut queue);
            }
        }
        queue.taken_before = queue.taken;
    }

    /// Where no thread can be had, messages are refused by their deadlines.
    fn start(self: &Arc<Self>, queue: &mut Queue) {
        if queue.threads >= JUDGES {
            return;
        }
        let judges = Arc::clone(self);
        let started = catch_unwind(AssertUnwindSafe(|| spawn_blocking(move || judges.work())));
        queue.threads += usize::from(started.is_ok());
    }

    /// Judges messages until none waits.
    fn work(&self) {
        while let Some(message) = self.next() {
            if let Some((judged, reply)) = self.judged(&message) {
                self.remember(&judged);
                let _ = self.done.send((message.key, reply));
            }
            self.is_greeted();
        }
    }

    fn next(&self) -> Option<Arc<Message>> {
        let mut queue = locked(&self.queue);
        let next = queue.waiting.pop_front();
        match next {
            Some(_) => queue.taken += 1,
            None => queue.threads -= 1,
        }
        next
    }

    fn is_greeted(&self) {
        locked(&self.queue).is_greeted = true;
    }

    /// What messages are judged with now.
    pub(super) fn desk(&self) -> Arc<Desk> {
        Arc::clone(&locked(&self.current))
    }

    /// Reads the policy again if it has changed, for this message and those that come later.
    fn refreshed(&self) -> Arc<Desk> {
        let desk = self.desk();
        let Some(changed) = desk.refreshed().map(Arc::new) else { return desk };
        *locked(&self.current) = Arc::clone(&changed);
        changed
    }

    /// A message with what is known of its connection.
    pub(super) fn connected(&self, message: &Message) -> Native {
        message.native.clone().connection(Arc::clone(&locked(&self.connection)))
    }

    /// Notes what a later message depends on.
    pub(super) fn remember(&self, judged: &Judged) {
        let mut connection = locked(&self.connection);
        if let Some(modes) = &judged.greeting {
            Arc::make_mut(&mut connection).modes.clone_from(modes);
        }
        if let (Some(event), Some(fitted)) = (&judged.event, &judged.fitted) {
            self.desk().protocol.remember(Arc::make_mut(&mut connection), event, fitted);
        }
    }

    /// Judges a message; a panic inside is a refusal. `None`: it has been answered meanwhile.
    fn judged(&self, message: &Message) -> Option<(Judged, Reply)> {
        let Message { key: (deadline, _), fault, started, claim, .. } = message;
        let (native, times) = (&self.connected(message), (*started, *deadline));
        let judged = catch_unwind(AssertUnwindSafe(|| {
            if let Some((what, over_limit)) = fault {
                let desk = self.refreshed();
                let mut judged = failed(desk.protocol, native, None, desk.failures().input, what);
                judged.over_limit = *over_limit;
                claim.reached(&judged);
                return Some(desk.recorded(judged, native, times));
            }
            let parsed = self.desk().parsed(native);
            // A greeting is answered whatever the policy is.
            let desk = if matches!(parsed, Ok(Incoming::Handshake { .. })) {
                self.desk()
            } else {
                self.is_greeted();
                self.refreshed()
            };
            desk.judged(native, parsed, times, claim)
        }));
        judged.unwrap_or_else(|_| {
            let desk = self.desk();
            let reply = desk.protocol.refuse(native, "snaphook: failed inside: denied");
            let refused = || {
                let event = desk.protocol.agent().bare_event(native);
                let gates = event.as_ref().is_none_or(|event| event.row.gates());
                let wanted = if gates { VerdictKind::Deny } else { VerdictKind::Pass };
                let failure = Some("failed inside".to_owned());
                desk.recorded(Judged { event, wanted, failure, ..Judged::reply_only(reply.clone()) }, native, times)
            };
            let refused = catch_unwind(AssertUnwindSafe(refused));
            Some(refused.unwrap_or_else(|_| (Judged::reply_only(reply.clone()), reply.clone())))
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

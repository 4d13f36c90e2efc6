//! A long-lived process for one agent: JSON-RPC 2.0, one message a line.
//!
//! One thread reads lines, keeps the time and writes answers. It opens no file and takes no lock of a file: each
//! message is judged and recorded on a thread of a pool, which may hang, and whatever it does the message is
//! answered by its deadline. Messages are judged one after the other as long as that is quick. After a moment the
//! next one is begun beside it, so that answers go out in any order. Nothing that comes in ends the process.

mod pipe;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Incoming, Reply, VerdictKind};
use snaphook_adapters::protocol::{Connection, Native};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, LocalSet, spawn_blocking};

use self::pipe::{Line, Lines, Sink};
use super::claim::Claim;
use super::desk::{Desk, Invocation, RECORDING};
use super::one_shot::{half, least_time};
use super::output::{complain, complain_until};
use super::signals;
use crate::engine::{Judged, failed};
use crate::policy::OnFailure;

/// Serves until the input ends, then writes what is still pending; returns the exit code.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if super::input::is_terminal() {
        complain(&invocation.usage());
        return 2;
    }
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let served = builder.enable_all().max_blocking_threads(JUDGES).build().and_then(|runtime| {
        let served = LocalSet::new().block_on(&runtime, run(invocation));
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("snaphook: cannot serve: {error}"));
            2
        }
    }
}

async fn run(invocation: Invocation) -> std::io::Result<()> {
    let stop = signals::take_over()?;
    stop.set_nonblocking(true)?;
    let stop = tokio::net::UnixStream::from_std(stop)?;
    let desk = first_desk(&invocation).await;
    let mut lines = Lines::open(desk.input_limit())?;
    let (answers, pending) = mpsc::unbounded_channel();
    let writer = tokio::task::spawn_local(write(Sink::open()?, pending));
    let (closing, closed) = watch::channel(false);
    let server = Rc::new(Server {
        invocation,
        current: Arc::new(Mutex::new(Arc::new(desk))),
        connection: RefCell::default(),
        answers,
        closed,
    });
    let mut tasks = JoinSet::new();
    let mut is_first = true;
    let mut patience = OVERLAP;
    loop {
        let arrived = async {
            tokio::select! {
                line = lines.next() => line,
                _ = stop.readable() => None,
                () = server.answers.closed() => None,
            }
        };
        let Some(line) = arrived.await else { break };
        let (answered, done) = oneshot::channel::<()>();
        let (sorted, is_call) = oneshot::channel();
        let serving = Rc::clone(&server).serve(line, sorted);
        tasks.spawn_local(async move {
            serving.await;
            drop(answered);
        });
        // Messages depend on a greeting, which comes first.
        let overlap = async {
            if is_first && is_call.await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(patience).await;
        };
        // Where everything hangs, only the first message holds up the next one for long.
        patience = tokio::select! {
            _ = done => OVERLAP,
            () = overlap => patience / 2,
            _ = stop.readable() => break,
        };
        is_first = false;
        while tasks.try_join_next().is_some() {}
    }
    closing.send_replace(true);
    while tasks.join_next().await.is_some() {}
    let desk = server.desk();
    desk.end_children();
    let noted = async {
        while desk.is_noting() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let _ = tokio::time::timeout(RECORDING, noted).await;
    drop(server);
    match tokio::time::timeout(LAST_WRITE, writer).await {
        Ok(Ok(written)) => written,
        // Nobody reads the last answers: who does not want them has gone.
        _ => Ok(()),
    }
}

/// Reads the policy. Where that takes long, messages are served without one, and denied, until it has been read.
async fn first_desk(invocation: &Invocation) -> Desk {
    let reading = invocation.clone();
    let least = least_time(invocation.protocol.agent());
    let time = invocation.deadline.map_or(least, |deadline| deadline.min(least)) / 2;
    let read = tokio::time::timeout(time, spawn_blocking(move || Desk::new(&reading))).await;
    match read {
        Ok(Ok(desk)) => desk,
        _ => Desk::without_policy(invocation, format!("reading it took longer than {} ms", time.as_millis())),
    }
}

struct Server {
    invocation: Invocation,
    /// The policy in force, and what else messages are judged with. It is locked for a moment only, never while a
    /// file is looked at.
    current: Arc<Mutex<Arc<Desk>>>,
    connection: RefCell<Arc<Connection>>,
    answers: mpsc::UnboundedSender<String>,
    closed: watch::Receiver<bool>,
}

/// Holds one message that is being judged.
struct Message {
    native: Native,
    /// What is wrong with its line, and whether that is its length.
    fault: Option<(String, bool)>,
    started: Instant,
    deadline: Instant,
    claim: Claim,
}

impl Server {
    fn desk(&self) -> Arc<Desk> {
        in_force(&self.current)
    }

    /// Answers one line by its deadline.
    ///
    /// `sorted` is told as soon as the message is known to be none that others depend on.
    async fn serve(self: Rc<Self>, line: Line, sorted: oneshot::Sender<()>) {
        let (text, fault) = match line {
            Line::Text(text) => (text, None),
            Line::Faulty { head, what, over_limit } => (head, Some((what, over_limit))),
        };
        let native = Native::new(text).line(self.invocation.line.clone());
        let native = native.connection(Arc::clone(&self.connection.borrow()));
        let started = Instant::now();
        let time = self.invocation.deadline.unwrap_or_else(|| self.own_time(&native));
        let message = Arc::new(Message { native, fault, started, deadline: started + time, claim: Claim::default() });
        let (current, judging) = (Arc::clone(&self.current), Arc::clone(&message));
        // Without a thread to judge on the message is refused by its deadline.
        let judged = catch_unwind(AssertUnwindSafe(|| spawn_blocking(move || judged(&current, &judging, sorted))));
        let judged = async {
            match judged {
                Ok(judged) => judged.await.ok().flatten(),
                Err(_) => None,
            }
        };
        let mut closed = self.closed.clone();
        let ending = async {
            let _ = closed.wait_for(|closed| *closed).await;
            tokio::time::sleep(LAST_CALL).await;
        };
        let answered = tokio::select! {
            biased;
            () = tokio::time::sleep_until(message.deadline.into()) => None,
            Some(answered) = judged => Some(answered),
            () = ending => None,
        };
        let answered = match answered {
            Some(answered) => answered,
            None => self.late(&message).await,
        };
        drop(message);
        self.answer(&answered);
    }

    /// Refuses a message that has no verdict in time.
    async fn late(&self, message: &Message) -> (Judged, Reply) {
        message.claim.take();
        let (desk, native) = (self.desk(), &message.native);
        let what = format!("no verdict within {} ms", message.started.elapsed().as_millis());
        let refused = |on| failed(desk.protocol, native, None, on, &what);
        if let Some(block) = message.claim.block() {
            return (refused(OnFailure::Deny), block.clone());
        }
        let judged = refused(desk.failures().deadline);
        let reply = judged.reply.clone().unwrap_or_default();
        if !judged.gates() || judged.wanted.blocks() || desk.failures().audit == OnFailure::Pass {
            desk.note(judged, native, message.started, drop);
            return (refused(desk.failures().deadline), reply);
        }
        // A call that must be recorded does not go on without its record.
        let (done, noted) = oneshot::channel();
        desk.note(judged, native, message.started, move |noted| drop(done.send(noted)));
        if let Ok(Ok(noted)) = tokio::time::timeout(RECORDING, noted).await {
            return noted;
        }
        let judged = failed(desk.protocol, native, None, desk.failures().audit, "no record can be written in time");
        let reply = judged.reply.clone().unwrap_or_default();
        (judged, reply)
    }

    /// Notes what a later message depends on, then queues the answer.
    fn answer(&self, (judged, reply): &(Judged, Reply)) {
        let mut connection = self.connection.borrow_mut();
        if let Some(modes) = &judged.greeting {
            Arc::make_mut(&mut connection).modes.clone_from(modes);
        }
        if let (Some(event), Some(fitted)) = (&judged.event, &judged.fitted) {
            self.invocation.protocol.remember(Arc::make_mut(&mut connection), event, fitted);
        }
        if !reply.stdout.is_empty() {
            let _ = self.answers.send(format!("{}\n", reply.stdout));
        }
        if !reply.stderr.is_empty() {
            // Nothing waits here.
            complain_until(&reply.stderr, Instant::now());
        }
    }

    fn own_time(&self, native: &Native) -> Duration {
        half(self.invocation.protocol.agent().bare_event(native).map_or(0, |event| event.row.timeout_ms))
    }
}

fn in_force(current: &Mutex<Arc<Desk>>) -> Arc<Desk> {
    Arc::clone(&current.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Reads the policy again if it has changed, for this message and those that come later.
fn refreshed(current: &Mutex<Arc<Desk>>) -> Arc<Desk> {
    let desk = in_force(current);
    let Some(changed) = desk.refreshed().map(Arc::new) else { return desk };
    *current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&changed);
    changed
}

/// Judges a message on a thread that may hang; a panic inside is a refusal. `None`: it has been answered meanwhile.
fn judged(current: &Mutex<Arc<Desk>>, message: &Message, sorted: oneshot::Sender<()>) -> Option<(Judged, Reply)> {
    let Message { native, fault, started, deadline, claim } = message;
    let times = (*started, *deadline);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        if let Some((what, over_limit)) = fault {
            let _ = sorted.send(());
            let desk = refreshed(current);
            let mut judged = failed(desk.protocol, native, None, desk.failures().input, what);
            judged.over_limit = *over_limit;
            claim.reached(&judged);
            return Some(desk.recorded(judged, native, times));
        }
        let parsed = in_force(current).parsed(native);
        // A greeting is answered whatever the policy is.
        let greets = matches!(parsed, Ok(Incoming::Handshake { .. }));
        let desk = if greets {
            in_force(current)
        } else {
            let _ = sorted.send(());
            refreshed(current)
        };
        desk.judged(native, parsed, times, claim)
    }));
    judged.unwrap_or_else(|_| {
        let desk = in_force(current);
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

/// Writes every answer that is queued with one write, until nobody can queue any more.
async fn write(mut sink: Sink, mut pending: mpsc::UnboundedReceiver<String>) -> std::io::Result<()> {
    let mut batch = Vec::new();
    while pending.recv_many(&mut batch, 1024).await > 0 {
        sink.write(batch.concat().as_bytes()).await?;
        batch.clear();
    }
    Ok(())
}

/// How many messages may be judged at once. With so many that hang, further ones are refused by their deadlines.
const JUDGES: usize = 256;
/// How long a message may take until the next one is begun beside it.
const OVERLAP: Duration = Duration::from_millis(50);
/// How long a pending judgement may still take once the input has ended; agents kill after 2 s.
const LAST_CALL: Duration = Duration::from_millis(1200);
const LAST_WRITE: Duration = Duration::from_millis(400);

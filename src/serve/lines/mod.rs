//! A long-lived process for one agent: JSON-RPC 2.0, one message a line.
//!
//! Requests of several sessions overlap on the one pipe, so reading goes on while something is
//! judged outside; answers go out in any order through one writer. Nothing that comes in ends it.

mod pipe;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Reply, VerdictKind};
use snaphook_adapters::protocol::{Connection, Native};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinSet, LocalSet};

use self::pipe::{Line, Lines, Sink};
use super::desk::Desk;
use super::one_shot::half;
use super::output::complain;
use super::signals::Signals;
use crate::engine::{Judged, failed};

/// Serves until the input ends, then writes what is still pending; returns the exit code.
pub(crate) fn serve(desk: Desk) -> u8 {
    if super::input::is_terminal() {
        complain(&desk.usage());
        return 2;
    }
    let served = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let children = desk.clone();
        let served = LocalSet::new().block_on(&runtime, run(desk));
        children.end_children();
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

async fn run(desk: Desk) -> std::io::Result<()> {
    let mut lines = Lines::open(desk.input_limit())?;
    let stop = Signals::install()?.waking()?;
    stop.set_nonblocking(true)?;
    let stop = tokio::net::UnixStream::from_std(stop)?;
    let (answers, pending) = mpsc::unbounded_channel();
    let writer = tokio::task::spawn_local(write(Sink::open()?, pending));
    let (closing, closed) = watch::channel(false);
    let server = Rc::new(Server {
        desk: RefCell::new(desk),
        connection: RefCell::default(),
        answers,
        closed,
        outside: Arc::new(Semaphore::new(OUTSIDE)),
    });
    let mut tasks = JoinSet::new();
    let mut taken = 0;
    loop {
        // What came in together needs no waiting, only now and then a turn for who writes.
        if taken < TURN
            && let Some(line) = lines.buffered()
        {
            taken += 1;
            Rc::clone(&server).take(line, &mut tasks);
            continue;
        }
        if taken == TURN {
            tokio::task::yield_now().await;
        }
        taken = 0;
        let line = tokio::select! {
            line = lines.next() => line,
            _ = stop.readable() => None,
            () = server.answers.closed() => None,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
        };
        match line {
            Some(line) => {
                server.desk.borrow_mut().refresh();
                Rc::clone(&server).take(line, &mut tasks);
            }
            None => break,
        }
    }
    closing.send_replace(true);
    while tasks.join_next().await.is_some() {}
    drop(server);
    match tokio::time::timeout(LAST_WRITE, writer).await {
        Ok(Ok(written)) => written,
        // Nobody reads the last answers: who does not want them has gone.
        _ => Ok(()),
    }
}

struct Server {
    desk: RefCell<Desk>,
    connection: RefCell<Arc<Connection>>,
    answers: mpsc::UnboundedSender<String>,
    closed: watch::Receiver<bool>,
    outside: Arc<Semaphore>,
}

impl Server {
    /// Takes one line: judges it here, or on another thread where something outside must be asked.
    fn take(self: Rc<Self>, line: Line, tasks: &mut JoinSet<()>) {
        let started = Instant::now();
        let native = |text: String, desk: &Desk| {
            Native::new(text).line(desk.line.clone()).connection(Arc::clone(&self.connection.borrow()))
        };
        let desk = self.desk.borrow();
        let native = match line {
            Line::Text(text) => native(text, &desk),
            Line::Faulty { head, what, over_limit } => {
                let native = native(head, &desk);
                let mut judged = failed(desk.protocol, &native, None, desk.failures().input, &what);
                judged.over_limit = over_limit;
                let answered = desk.recorded(judged, &native, started);
                drop(native);
                return self.answer(&desk, &answered);
            }
        };
        if desk.asks_outside() {
            let deadline = started + desk.deadline.unwrap_or_else(|| own_time(&desk, &native));
            let desk = desk.clone();
            tasks.spawn_local(Rc::clone(&self).outside(desk, native, started, deadline));
        } else {
            // Nothing is asked that could be late.
            let answered = caught(&desk, &native, started, started + half(0));
            drop(native);
            self.answer(&desk, &answered);
        }
    }

    async fn outside(self: Rc<Self>, desk: Desk, native: Native, started: Instant, deadline: Instant) {
        let judging = async {
            let permit = Arc::clone(&self.outside).acquire_owned().await;
            let (desk, native) = (desk.clone(), native.clone());
            tokio::task::spawn_blocking(move || {
                let _permit = permit;
                caught(&desk, &native, started, deadline)
            })
            .await
        };
        let mut closed = self.closed.clone();
        let ending = async {
            let _ = closed.wait_for(|closed| *closed).await;
            tokio::time::sleep(LAST_CALL).await;
        };
        let answered = tokio::select! {
            Ok(answered) = judging => answered,
            () = tokio::time::sleep_until(deadline.into()) => late(&desk, &native, started),
            () = ending => late(&desk, &native, started),
        };
        drop(native);
        self.answer(&desk, &answered);
    }

    /// Notes what a later message depends on, then queues the answer.
    fn answer(&self, desk: &Desk, (judged, reply): &(Judged, Reply)) {
        let mut connection = self.connection.borrow_mut();
        if let Some(modes) = &judged.greeting {
            Arc::make_mut(&mut connection).modes.clone_from(modes);
        }
        if let (Some(event), Some(fitted)) = (&judged.event, &judged.fitted) {
            desk.protocol.remember(Arc::make_mut(&mut connection), event, fitted);
        }
        if !reply.stdout.is_empty() {
            let _ = self.answers.send(format!("{}\n", reply.stdout));
        }
        if !reply.stderr.is_empty() {
            complain(&reply.stderr);
        }
    }
}

/// Judges; a panic inside is a refusal.
fn caught(desk: &Desk, native: &Native, started: Instant, deadline: Instant) -> (Judged, Reply) {
    let judged = catch_unwind(AssertUnwindSafe(|| desk.judged(native, started, deadline, |_| {})));
    judged.unwrap_or_else(|_| {
        let reply = desk.protocol.refuse(native, "snaphook: failed inside: denied");
        let refused = || {
            let event = desk.protocol.agent().bare_event(native);
            let gates = event.as_ref().is_none_or(|event| event.row.gates());
            let wanted = if gates { VerdictKind::Deny } else { VerdictKind::Pass };
            let failure = Some("failed inside".to_owned());
            desk.recorded(Judged { event, wanted, failure, ..Judged::reply_only(reply.clone()) }, native, started)
        };
        catch_unwind(AssertUnwindSafe(refused)).unwrap_or_else(|_| (Judged::reply_only(reply.clone()), reply.clone()))
    })
}

fn late(desk: &Desk, native: &Native, started: Instant) -> (Judged, Reply) {
    let what = format!("no verdict within {} ms", started.elapsed().as_millis());
    let judged = failed(desk.protocol, native, None, desk.failures().deadline, &what);
    desk.recorded(judged, native, started)
}

fn own_time(desk: &Desk, native: &Native) -> Duration {
    half(desk.protocol.agent().bare_event(native).map_or(0, |event| event.row.timeout_ms))
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

/// How many lines are judged before those who wait for something get a turn.
const TURN: usize = 32;
/// How many requests may wait for something outside at once.
const OUTSIDE: usize = 256;
/// How long a pending judgement may still take once the input has ended; agents kill after 2 s.
const LAST_CALL: Duration = Duration::from_millis(1200);
const LAST_WRITE: Duration = Duration::from_millis(400);

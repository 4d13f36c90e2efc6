//! A long-lived process for one agent: JSON-RPC 2.0, one message a line.
//!
//! One thread reads lines, keeps the time and writes answers. It opens no file and takes no lock of a file.
//! Messages are judged and recorded by another thread, one after the other as long as that is quick. It may hang:
//! then more threads take over the messages that wait, and the one that hangs is answered by its deadline. So
//! answers go out in any order. Nothing that comes in ends the process.

mod judges;
mod pipe;

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook_adapters::model::Reply;
use snaphook_adapters::protocol::Native;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet, spawn_blocking};

use self::judges::{Judges, Key, Message};
use self::pipe::{Line, Lines, Sink};
use super::claim::Claim;
use super::desk::{Desk, Invocation, RECORDING};
use super::one_shot::{half, least_time};
use super::output::{complain, put_until};
use super::signals;
use crate::engine::{Judged, failed};
use crate::policy::OnFailure;

/// Serves until the input ends, then writes what is still pending; returns the exit code.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if super::input::is_terminal() {
        complain(&invocation.usage());
        return 2;
    }
    let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned();
    let streams = own(std::io::stdin().as_fd()).and_then(|input| Ok((input, own(std::io::stdout().as_fd())?)));
    let served = streams.and_then(|(input, output)| serve_on(invocation, input, output, signals::take_over()?));
    match served {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("snaphook: cannot serve: {error}"));
            2
        }
    }
}

/// Serves until the input ends, or until `stop` can be read.
pub(crate) fn serve_on(
    invocation: Invocation,
    input: OwnedFd,
    output: OwnedFd,
    stop: std::os::unix::net::UnixStream,
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(JUDGES).build()?;
    let served = LocalSet::new().block_on(&runtime, run(invocation, input, output, stop));
    runtime.shutdown_background();
    served
}

async fn run(
    invocation: Invocation,
    input: OwnedFd,
    output: OwnedFd,
    stop: std::os::unix::net::UnixStream,
) -> std::io::Result<()> {
    stop.set_nonblocking(true)?;
    let stop = tokio::net::UnixStream::from_std(stop)?;
    let desk = first_desk(&invocation).await;
    let mut lines = Lines::open(input, desk.input_limit())?;
    let (answers, pending) = mpsc::unbounded_channel();
    let writer = tokio::task::spawn_local(write(Sink::open(output)?, pending));
    let (done, mut judged) = mpsc::unbounded_channel();
    let pool = Arc::new(Judges::new(desk, done));
    let mut server = Server {
        invocation,
        pool,
        answers: Rc::new(answers),
        unanswered: BTreeMap::new(),
        number: 0,
        check: Instant::now(),
        last_call: None,
        late: JoinSet::new(),
    };
    while server.last_call.is_none() || !server.unanswered.is_empty() {
        let reads = server.last_call.is_none();
        let wakes = server.wakes();
        tokio::select! {
            line = lines.next(), if reads && server.unanswered.len() < MOST => match line {
                Some(line) => {
                    server.take(line);
                    // What came in together needs no waiting, only now and then a turn for who writes.
                    for _ in 1..TURN {
                        let Some(line) = lines.buffered() else { break };
                        server.take(line);
                    }
                }
                None => server.end(),
            },
            Some((key, reply)) = judged.recv() => {
                server.judged(key, &reply);
                while let Ok((key, reply)) = judged.try_recv() {
                    server.judged(key, &reply);
                }
            }
            _ = stop.readable(), if reads => server.end(),
            () = server.answers.closed(), if reads => server.end(),
            () = tokio::time::sleep_until(wakes.unwrap_or_else(Instant::now).into()), if wakes.is_some() => {
                server.keep_time();
            }
        }
    }
    while server.late.join_next().await.is_some() {}
    let desk = server.pool.desk();
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

type Answers = Rc<mpsc::UnboundedSender<String>>;

/// What the thread that keeps the time knows.
struct Server {
    invocation: Invocation,
    pool: Arc<Judges>,
    answers: Answers,
    /// Messages without an answer, the next deadline first.
    unanswered: BTreeMap<Key, Arc<Message>>,
    /// How many messages have come in.
    number: u64,
    /// When it is next looked whether messages wait for a thread.
    check: Instant,
    /// When all that is unanswered is refused; absent: the input has not ended.
    last_call: Option<Instant>,
    late: JoinSet<()>,
}

impl Server {
    /// Hands one line to the threads that judge.
    fn take(&mut self, line: Line) {
        let (text, fault) = match line {
            Line::Text(text) => (text, None),
            Line::Faulty { head, what, over_limit } => (head, Some((what, over_limit))),
        };
        let native = Native::new(text).line(self.invocation.line.clone());
        let started = Instant::now();
        let time = self.invocation.deadline.unwrap_or_else(|| {
            half(self.invocation.protocol.agent().bare_event(&native).map_or(0, |event| event.row.timeout_ms))
        });
        self.number += 1;
        let key = (started + time, self.number);
        if self.unanswered.is_empty() {
            self.check = started + OVERLAP;
        }
        let message = Arc::new(Message { key, native, fault, started, claim: Claim::default() });
        self.unanswered.insert(key, Arc::clone(&message));
        self.pool.push(message);
    }

    /// Takes no more lines.
    fn end(&mut self) {
        self.last_call = Some(Instant::now() + LAST_CALL);
    }

    fn judged(&mut self, key: Key, reply: &Reply) {
        // A verdict that is ready after the deadline is refused with the others that are late.
        if Instant::now() < key.0 && self.unanswered.remove(&key).is_some() {
            answer(&self.answers, reply);
        }
    }

    /// When there is something to do although nothing happens.
    fn wakes(&self) -> Option<Instant> {
        let (deadline, _) = self.unanswered.first_key_value()?.0;
        Some(self.last_call.map_or(*deadline, |call| call.min(*deadline)).min(self.check))
    }

    /// Refuses what is late, and has other threads judge what waits behind one that hangs.
    fn keep_time(&mut self) {
        let now = Instant::now();
        if now >= self.check {
            self.pool.relieve();
            self.check = now + OVERLAP;
        }
        let all = self.last_call.is_some_and(|call| now >= call);
        while let Some(entry) = self.unanswered.first_entry().filter(|entry| all || entry.key().0 <= now) {
            self.late.spawn_local(refuse(Arc::clone(&self.pool), entry.remove(), Rc::clone(&self.answers)));
        }
        while self.late.try_join_next().is_some() {}
    }
}

/// Refuses a message that has no verdict in time.
async fn refuse(pool: Arc<Judges>, message: Arc<Message>, answers: Answers) {
    message.claim.take();
    let (desk, native) = (pool.desk(), pool.connected(&message));
    let what = format!("no verdict within {} ms", message.started.elapsed().as_millis());
    let refused = |on, what: &str| failed(desk.protocol, &native, None, on, what);
    let reply_of = |judged: &Judged| judged.reply.clone().unwrap_or_default();
    if let Some(block) = message.claim.block() {
        pool.remember(&refused(OnFailure::Deny, &what));
        return answer(&answers, block);
    }
    let judged = refused(desk.failures().deadline, &what);
    if !judged.gates() || judged.wanted.blocks() || desk.failures().audit == OnFailure::Pass {
        pool.remember(&judged);
        answer(&answers, &reply_of(&judged));
        return desk.note(judged, &native, message.started, drop);
    }
    // A call that must be recorded does not go on without its record.
    let (done, noted) = oneshot::channel();
    desk.note(judged, &native, message.started, move |noted| drop(done.send(noted)));
    let noted = tokio::time::timeout(RECORDING, noted).await.ok().and_then(Result::ok);
    let (judged, reply) = noted.unwrap_or_else(|| {
        let judged = refused(desk.failures().audit, "no record can be written in time");
        let reply = reply_of(&judged);
        (judged, reply)
    });
    pool.remember(&judged);
    answer(&answers, &reply);
}

/// Queues an answer.
fn answer(answers: &Answers, reply: &Reply) {
    if !reply.stdout.is_empty() {
        let _ = answers.send(format!("{}\n", reply.stdout));
    }
    if !reply.stderr.is_empty() {
        // Nothing waits here.
        put_until(&reply.stderr, Instant::now());
    }
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

/// How many lines are taken before answers get a turn.
const TURN: usize = 32;
/// How many messages may be without an answer before no more are read.
const MOST: usize = 1024;
/// How many threads may judge at once. With so many that hang, further messages are refused by their deadlines.
const JUDGES: usize = 256;
/// How many of them are started at once.
const MORE: usize = 16;
/// How long a message may wait for a thread until another one is started.
const OVERLAP: Duration = Duration::from_millis(50);
/// How long a pending judgement may still take once the input has ended; agents kill after 2 s.
const LAST_CALL: Duration = Duration::from_millis(1200);
const LAST_WRITE: Duration = Duration::from_millis(400);

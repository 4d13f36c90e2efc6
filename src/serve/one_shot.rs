//! One process for one event: read, judge, record, write, end.
//!
//! The call runs on the main thread. Where something without a proven bound is ahead (a handler, a
//! large message), a worker that owns its input does the work, and the main thread keeps the deadline.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Reply, VerdictKind};
use snaphook_adapters::protocol::{Agent, HookProtocol, Native};

use super::desk::Desk;
use super::input::{InputFault, Ready, is_terminal, read, wait};
use super::output::{self, Patience};
use super::signals::Signals;
use crate::engine::{Judged, failed};
use crate::policy::OnFailure;

/// Serves one event and returns the exit code: 0 or 2.
pub(crate) fn serve(desk: &'static Desk) -> u8 {
    let code = answer(desk);
    desk.file_away();
    code
}

fn answer(desk: &'static Desk) -> u8 {
    if is_terminal() {
        output::complain(&desk.usage());
        return 2;
    }
    let started = Instant::now();
    let native = Native::new(String::new()).line(desk.line.clone());
    let signals = match Signals::install() {
        Ok(signals) => signals,
        Err(error) => {
            let what = format!("signals cannot be taken over: {error}");
            return emergency(desk, &native, started, &what, Patience::brief());
        }
    };
    let within = desk.deadline.unwrap_or_else(|| reading_time(desk.protocol.agent(), desk.line.event.as_deref()));
    let patience = Patience { until: started + within, signals: Some(&signals) };
    let stdin = std::io::stdin();
    let text = match read(stdin.as_fd(), &signals, within, desk.input_limit()) {
        Ok(text) => text,
        Err(fault) => return refuse(desk, &native, started, &fault, patience),
    };
    let large = text.len() > LARGE;
    let native = for_good(Native::new(text).line(desk.line.clone()));
    let deadline = started + desk.deadline.unwrap_or_else(|| own_time(desk.protocol, native));
    let patience = Patience { until: deadline, ..patience };
    if large || desk.asks_outside() {
        return watched(desk, native, started, deadline, &signals);
    }
    let judged = catch_unwind(AssertUnwindSafe(|| desk.judged(native, started, deadline, |_| {})));
    match judged {
        Ok(_) if signals.arrived() => emergency(desk, native, started, "stopped by a signal", patience),
        // Nobody watched over it.
        Ok((judged, _)) if judged.gates() && !judged.wanted.blocks() && Instant::now() >= deadline => {
            late(desk, native, started, patience)
        }
        Ok((judged, reply)) => output::write(&reply, judged.gates(), patience),
        Err(_) => emergency(desk, native, started, "failed inside", patience),
    }
}

/// Keeps what one process judges for as long as it runs: freed piece by piece it would only cost time.
pub(crate) fn for_good<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Judges on a worker; the main thread answers where the worker hangs, dies or is too slow.
fn watched(desk: &'static Desk, native: &'static Native, started: Instant, deadline: Instant, signals: &Signals) -> u8 {
    let patience = Patience { until: deadline, signals: Some(signals) };
    let pair = UnixStream::pair().and_then(|pair| Ok((pair, signals.fd()?)));
    let ((done, wakes), signal) = match pair {
        Ok(pair) => pair,
        Err(error) => return emergency(desk, native, started, &format!("no watchdog: {error}"), patience),
    };
    let (sender, receiver) = channel();
    // What hangs behind the verdict, which is the log, takes no block back (C9).
    let reached: &OnceLock<Reply> = for_good(OnceLock::new());
    let block = move |judged: &Judged| {
        if judged.gates() && judged.wanted.blocks() {
            let _ = reached.set(judged.reply.clone().unwrap_or_default());
        }
    };
    let started_worker = std::thread::Builder::new().name("judge".to_owned()).spawn(move || {
        let _wakes_on_end = wakes;
        let judged = desk.judged(native, started, deadline, block);
        let _ = sender.send(judged);
    });
    if let Err(error) = started_worker {
        return emergency(desk, native, started, &format!("no watchdog: {error}"), patience);
    }
    let ready = wait([done.as_fd(), signal], deadline);
    let code = match ready {
        Ok(Ready::First) => match received(&receiver) {
            Some((judged, reply)) => output::write(&reply, judged.gates(), patience),
            None => emergency(desk, native, started, "failed inside", patience),
        },
        Ok(Ready::Second) => emergency(desk, native, started, "stopped by a signal", patience),
        Ok(Ready::Neither) => match reached.get() {
            Some(reply) => output::write(reply, true, patience),
            None => late(desk, native, started, patience),
        },
        Err(error) => emergency(desk, native, started, &format!("cannot wait: {error}"), patience),
    };
    desk.end_children();
    code
}

fn received(receiver: &Receiver<(Judged, Reply)>) -> Option<(Judged, Reply)> {
    receiver.recv().ok()
}

fn late(desk: &Desk, native: &Native, started: Instant, patience: Patience<'_>) -> u8 {
    let what = format!("no verdict within {} ms", patience.until.saturating_duration_since(started).as_millis());
    let judged = failed(desk.protocol, native, None, desk.failures().deadline, &what);
    said_first(desk, native, started, judged, patience)
}

fn refuse(desk: &Desk, native: &Native, started: Instant, fault: &InputFault, patience: Patience<'_>) -> u8 {
    let failures = desk.failures();
    let on = if matches!(fault, InputFault::Deadline(_)) { failures.deadline } else { failures.input };
    let what = format!("{}: {fault}", desk.protocol.agent().id);
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let mut judged = failed(desk.protocol, native, None, on, &what);
        judged.over_limit = matches!(fault, InputFault::TooLarge(_));
        if matches!(fault, InputFault::Deadline(_) | InputFault::Signal) {
            return said_first(desk, native, started, judged, patience);
        }
        let (judged, reply) = desk.recorded(judged, native, started);
        output::write(&reply, judged.gates(), patience)
    }));
    answered.unwrap_or_else(|_| emergency(desk, native, started, &what, patience))
}

/// The refusal of this event, or of this agent, or at the very least exit 2 with a reason.
fn emergency(desk: &Desk, native: &Native, started: Instant, what: &str, patience: Patience<'_>) -> u8 {
    let reason = format!("snaphook: {what}: denied");
    let refused = catch_unwind(AssertUnwindSafe(|| {
        let event = desk.protocol.agent().bare_event(native);
        let wanted =
            if event.as_ref().is_none_or(|event| event.row.gates()) { VerdictKind::Deny } else { VerdictKind::Pass };
        let reply = desk.protocol.refuse(native, &reason);
        Judged { event, wanted, failure: Some(what.to_owned()), ..Judged::reply_only(reply) }
    }));
    match refused {
        Ok(judged) => said_first(desk, native, started, judged, patience),
        Err(_) => output::write(&Reply::blocked(&reason), true, patience),
    }
}

/// Answers in a hurry: a refusal goes out before it is recorded, and the record is not waited for long.
fn said_first(desk: &Desk, native: &Native, started: Instant, judged: Judged, patience: Patience<'_>) -> u8 {
    if judged.gates() && !judged.wanted.blocks() && desk.failures().audit != OnFailure::Pass {
        // What may happen must not happen where the policy wants a record and there is none.
        let (judged, reply) = desk.recorded(judged, native, started);
        return output::write(&reply, judged.gates(), patience);
    }
    let code = output::write(&judged.reply.clone().unwrap_or_default(), judged.gates(), patience);
    let _ = desk.note(judged, native, started).recv_timeout(RECORDING);
    code
}

/// How long this event may take: half of the agent's own limit, at most five seconds (S2).
fn own_time(protocol: &dyn HookProtocol, native: &Native) -> Duration {
    let event = protocol.agent().bare_event(native);
    event.map_or(LONGEST, |event| half(event.row.timeout_ms))
}

/// How long a message whose event is not known yet may take to arrive: as for the registered event,
/// else as for the most impatient gate.
fn reading_time(agent: &Agent, event: Option<&str>) -> Duration {
    let rows = || agent.events.iter().filter(|row| event.map_or(row.gates(), |event| row.native == event));
    rows().map(|row| half(row.timeout_ms)).min().unwrap_or(LONGEST)
}

pub(super) fn half(timeout_ms: u32) -> Duration {
    match timeout_ms {
        0 => LONGEST,
        limit => Duration::from_millis(u64::from(limit) / 2).min(LONGEST),
    }
}

const LONGEST: Duration = Duration::from_secs(5);
/// How long the record of a refusal that has gone out may take.
const RECORDING: Duration = Duration::from_millis(100);
/// From this size on a message is judged under a watchdog, in bytes: a long command beside many rules takes
/// its time.
const LARGE: usize = 4 << 10;

//! A long-lived process for one agent: JSON-RPC 2.0, one message per line.
//!
//! A judging thread reads lines, judges them one after the other, and writes their records and then their answers. Lines that are
//! read together share lookups in the file system, and records of messages that were judged within a millisecond are written
//! together. If many lines arrive together, there is such a thread for each processor. It may block anywhere while it judges.
//! The main thread is the watchdog: it refuses a message whose time is up, and starts another thread that takes over the input
//! and the waiting messages. It opens no file and takes no file lock. Answers may therefore be written in any order, and no
//! input can end the process.

mod input;
mod output;
mod server;
mod watchdog;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use self::input::LineReader;
use self::output::{Answers, WriteProgress, unwritable};
use self::server::Server;
use self::watchdog::Watchdog;
use super::invocation::Invocation;
use super::output::print_error;
use super::service::Service;
use super::time_limit;
use crate::platform::serving::{StdinStream, StdoutStream, StopSignal, waiter};
use crate::platform::terminal;

/// Serves until the input ends, then writes the pending answers. Returns the exit code.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if terminal::is_stdin() {
        print_error(&invocation.usage());
        return 2;
    }
    let streams =
        StdinStream::stdin().and_then(|input| Ok((input, StdoutStream::stdout().map_err(|error| unwritable(&error))?)));
    let served = streams.and_then(|(input, output)| serve_on(invocation, input, output, StopSignal::take_over()?));
    match served {
        Ok(()) => 0,
        Err(error) => {
            print_error(&format!("snaphook: cannot serve: {error}"));
            2
        }
    }
}

/// Serves until the input ends or a signal arrives.
fn serve_on(invocation: Invocation, input: StdinStream, output: StdoutStream, stop: StopSignal) -> io::Result<()> {
    let answers = Answers::new(output);
    let (woken, wakes) = waiter()?;
    let shortest = time_limit::shortest(invocation.protocol.agent());
    let shortest = invocation.deadline.unwrap_or(shortest);
    let service = first_service(&invocation, shortest / 2);
    let lines = LineReader::new(input, service.input_limit());
    let server = Arc::new(Server::new(invocation, service, lines, answers, wakes));
    server.start()?;
    Watchdog::new(Arc::clone(&server), stop, woken, shortest).run();
    let service = server.service();
    service.end_children();
    service.wait_for_records();
    let written = write_the_rest(&server.answers);
    drop(service.record_sender().and_then(|sender| sender.start()));
    written
}

/// Serves on sockets, until the input ends or `stop` becomes readable.
#[cfg(feature = "fuzzing")]
pub(crate) fn on_sockets(
    invocation: Invocation,
    input: std::os::unix::net::UnixStream,
    output: std::os::unix::net::UnixStream,
    stop: std::os::unix::net::UnixStream,
) -> io::Result<()> {
    let (input, output) = (std::os::fd::OwnedFd::from(input), std::os::fd::OwnedFd::from(output));
    serve_on(invocation, input.into(), output.try_into()?, stop.into())
}

/// Reads the policy. If that takes too long, messages are denied until the policy has been read.
fn first_service(invocation: &Invocation, time: Duration) -> Service {
    let (done, ready) = channel();
    let reading = invocation.clone();
    let read = move || drop(done.send(Service::new(&reading)));
    let started = std::thread::Builder::new().name("policy".to_owned()).spawn(read);
    let service = started.ok().and_then(|_| ready.recv_timeout(time).ok());
    service.unwrap_or_else(|| Service::without_policy(invocation, time))
}

/// Writes the remaining answers, within the time limit for a slow reader.
fn write_the_rest(answers: &Answers) -> io::Result<()> {
    let until = Instant::now() + LAST_WRITE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match answers.write() {
            WriteProgress::Failed => return answers.error().map_or(Ok(()), Err),
            WriteProgress::All => return Ok(()),
            // The agent does not read them.
            _ if left.is_zero() => return Ok(()),
            WriteProgress::Part => answers.output().wait_for_room(left),
            WriteProgress::ByAnother => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

const LAST_WRITE: Duration = Duration::from_millis(400);

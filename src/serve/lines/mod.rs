//! A long-lived process for one agent: JSON-RPC 2.0, one message per line.
//!
//! A judging thread reads lines, judges and records them one after the other, and writes their answers. It may
//! block anywhere while it judges. The main thread is the watchdog: it refuses a message whose time is up, and
//! starts another thread that takes over the input and the waiting messages. It opens no file and takes no file
//! lock. Answers may therefore be written in any order, and no input can end the process.

mod input;
mod output;
mod server;
mod watchdog;

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::io::ioctl_fionbio;

use self::input::LineReader;
use self::output::{Answers, WriteProgress};
use self::server::Server;
use self::watchdog::Watchdog;
use super::invocation::Invocation;
use super::output::print_error;
use super::service::Service;
use super::{signals, time_limit};

/// Serves until the input ends, then writes the pending answers. Returns the exit code.
pub(crate) fn serve(invocation: Invocation) -> u8 {
    if super::input::is_terminal() {
        print_error(&invocation.usage());
        return 2;
    }
    let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned();
    let streams = own(io::stdin().as_fd()).and_then(|input| Ok((input, own(io::stdout().as_fd())?)));
    let served = streams.and_then(|(input, output)| serve_on(invocation, input, output, signals::take_over()?));
    match served {
        Ok(()) => 0,
        Err(error) => {
            print_error(&format!("snaphook: cannot serve: {error}"));
            2
        }
    }
}

/// Serves until the input ends or `stop` becomes readable.
pub(crate) fn serve_on(invocation: Invocation, input: OwnedFd, output: OwnedFd, stop: UnixStream) -> io::Result<()> {
    let answers = Answers::open(output)?;
    let (woken, wakes) = wakes()?;
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
    write_the_rest(&server.answers)
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

/// A non-blocking pipe that wakes the watchdog.
fn wakes() -> io::Result<(PipeReader, PipeWriter)> {
    let (woken, wakes) = io::pipe()?;
    ioctl_fionbio(&woken, true)?;
    ioctl_fionbio(&wakes, true)?;
    Ok((woken, wakes))
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
            WriteProgress::Part => drop(poll(&mut [answers.room()], Timespec::try_from(left).ok().as_ref())),
            WriteProgress::ByAnother => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

const LAST_WRITE: Duration = Duration::from_millis(400);

//! Data exchange with a child process. A thread per pipe reads or writes it, and another one waits for the exit.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use crate::handlers::{ANSWER_BYTES, CHUNK_BYTES, ExchangeError, STDERR_BYTES};

/// The parent's ends of the pipes.
pub(crate) struct ChildPipes {
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    news: Receiver<News>,
    until: Instant,
    open: usize,
    answer: Vec<u8>,
    stderr_bytes: Vec<u8>,
}

/// What a thread reports.
enum News {
    Answer(Vec<u8>),
    Stderr(Vec<u8>),
    Closed,
}

impl ChildPipes {
    /// Takes the pipes of a child.
    pub(crate) fn new(child: &mut Child, until: Instant) -> io::Result<Self> {
        let (tells, news) = channel();
        let mut open = 0;
        if let Some(pipe) = child.stdout.take() {
            read_on(pipe, tells.clone(), News::Answer)?;
            open += 1;
        }
        if let Some(pipe) = child.stderr.take() {
            read_on(pipe, tells.clone(), News::Stderr)?;
            open += 1;
        }
        let stdin = child.stdin.take();
        let (answer, stderr_bytes, input) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { stdin, input, news, until, open, answer, stderr_bytes })
    }

    /// Sends the input to the child and closes its stdin. A child may close it early: the rest is then discarded.
    pub(crate) fn close_input(&mut self, written: io::Result<()>) -> Result<(), ExchangeError> {
        written?;
        let (input, Some(mut stdin)) = (std::mem::take(&mut self.input), self.stdin.take()) else { return Ok(()) };
        thread::Builder::new().name("handler input".to_owned()).spawn(move || drop(stdin.write_all(&input)))?;
        Ok(())
    }

    /// Reads until the child has closed its output. A grandchild that keeps it open is waited for until the time is up.
    pub(crate) fn read_answer(&mut self) -> Result<(), ExchangeError> {
        while self.open > 0 {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(News::Answer(bytes)) => self.answer.extend(bytes),
                Ok(News::Stderr(bytes)) => {
                    self.stderr_bytes.extend(bytes);
                    self.stderr_bytes.truncate(STDERR_BYTES);
                }
                Ok(News::Closed) => self.open -= 1,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Err(ExchangeError::TimedOut),
            }
            if self.answer.len() > ANSWER_BYTES {
                return Err(ExchangeError::TooLarge);
            }
        }
        Ok(())
    }

    /// The output of the child, and the first bytes of its stderr.
    pub(crate) fn into_output(self) -> (Vec<u8>, Vec<u8>) {
        (self.answer, self.stderr_bytes)
    }
}

/// Collects the input, which is sent when it is complete.
impl Write for ChildPipes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.input.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reports what can be read from a pipe until it is closed.
fn read_on(mut pipe: impl Read + Send + 'static, tells: Sender<News>, news: fn(Vec<u8>) -> News) -> io::Result<()> {
    let read = move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            if tells.send(news(chunk.iter().take(count).copied().collect())).is_err() {
                return;
            }
        }
        let _ = tells.send(News::Closed);
    };
    thread::Builder::new().name("handler output".to_owned()).spawn(read).map(drop)
}

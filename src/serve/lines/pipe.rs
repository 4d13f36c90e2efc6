//! Stdin and stdout of a long-lived process, by readiness where they are pipes or sockets.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use memchr::{memchr, memmem};
use rustix::fs::FileType;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

use crate::serve::output::is_null;
use crate::serve::scan::BOM;

/// Holds one line as it came in.
pub(super) enum Line {
    /// Text to parse.
    Text(String),
    /// A line that is too long or no text.
    Faulty {
        /// Its members before the parameters, closed: enough to answer it.
        head: String,
        /// What is wrong with it.
        what: String,
        /// Whether it is its length.
        over_limit: bool,
    },
}

/// Reads lines.
pub(super) struct Lines {
    source: Source,
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where no line end was found.
    seen: usize,
    limit: u64,
    /// Inside a line that was already answered as too long.
    skipping: bool,
    ended: bool,
}

impl Lines {
    pub(super) fn open(input: OwnedFd, limit: u64) -> io::Result<Self> {
        let source = Source::open(input)?;
        Ok(Self { source, buffer: Vec::new(), start: 0, seen: 0, limit, skipping: false, ended: false })
    }

    /// The next line of what has arrived that is not blank.
    pub(super) fn buffered(&mut self) -> Option<Line> {
        loop {
            let rest = self.buffer.get(self.seen..).unwrap_or_default();
            let Some(end) = memchr(b'\n', rest).map(|at| self.seen + at) else {
                self.seen = self.buffer.len();
                return None;
            };
            let line = self.buffer.get(self.start..end).map(<[u8]>::to_vec).unwrap_or_default();
            self.start = end + 1;
            self.seen = self.start;
            if !std::mem::take(&mut self.skipping) && !line.trim_ascii().is_empty() {
                return Some(self.line(line));
            }
        }
    }

    /// The next line that is not blank; `None` at the end of input. Safe to drop and call again.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.buffered() {
                return Some(line);
            }
            if self.skipping {
                self.start = self.seen;
            }
            self.buffer.drain(..self.start);
            self.seen -= self.start;
            self.start = 0;
            if self.seen as u64 > self.limit {
                self.skipping = true;
                return Some(self.too_long(&self.buffer));
            }
            if self.ended {
                let last = std::mem::take(&mut self.buffer);
                self.seen = 0;
                return Some(last).filter(|line| !line.trim_ascii().is_empty()).map(|line| self.line(line));
            }
            self.buffer.reserve(self.seen.clamp(PIECE, GROWTH));
            self.ended = !matches!(self.source.fill(&mut self.buffer).await, Ok(1..));
        }
    }

    /// A whole line, which may be too long even where it came in one piece.
    fn line(&self, line: Vec<u8>) -> Line {
        if line.len() as u64 > self.limit { self.too_long(&line) } else { text(line) }
    }

    fn too_long(&self, line: &[u8]) -> Line {
        let what = format!("the line is over {} bytes (`[limits] input` of the policy)", self.limit);
        Line::Faulty { head: head(line), what, over_limit: true }
    }
}

fn text(mut line: Vec<u8>) -> Line {
    if line.starts_with(BOM) {
        line.drain(..BOM.len());
    }
    String::from_utf8(line).map_or_else(
        |error| Line::Faulty {
            head: head(error.as_bytes()),
            what: "the line is not UTF-8".to_owned(),
            over_limit: false,
        },
        Line::Text,
    )
}

/// The members before `"params"` as an object of their own, so that a line nobody can read whole
/// still shows its id and method; empty where they do not come first.
fn head(line: &[u8]) -> String {
    let start = line.get(..line.len().min(HEAD)).unwrap_or_default();
    let Some(at) = memmem::find(start, b"\"params\":") else { return String::new() };
    let members = start.get(..at).and_then(|members| std::str::from_utf8(members).ok());
    members.map(|members| format!("{members}\"params\":null}}")).unwrap_or_default()
}

enum Source {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
    /// A file or terminal: read by a thread, never made non-blocking.
    Thread(mpsc::Receiver<Vec<u8>>),
}

impl Source {
    fn open(fd: OwnedFd) -> io::Result<Self> {
        Ok(match kind(&fd)? {
            FileType::Fifo => Self::Pipe(pipe::Receiver::from_owned_fd(fd)?),
            FileType::Socket => Self::Socket(socket(fd)?),
            _ => {
                let (sender, receiver) = mpsc::channel(4);
                std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
                    let mut piece = vec![0; PIECE];
                    while let Ok(count @ 1..) = rustix::io::read(&fd, piece.as_mut_slice()) {
                        let filled = piece.get(..count).unwrap_or_default().to_vec();
                        if sender.blocking_send(filled).is_err() {
                            return;
                        }
                    }
                })?;
                Self::Thread(receiver)
            }
        })
    }

    /// Adds what has arrived; 0 at the end.
    async fn fill(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.read_buf(buffer).await,
            Self::Socket(socket) => socket.read_buf(buffer).await,
            Self::Thread(pieces) => {
                let piece = pieces.recv().await.unwrap_or_default();
                buffer.extend_from_slice(&piece);
                Ok(piece.len())
            }
        }
    }
}

/// Writes answers.
pub(super) enum Sink {
    Pipe(pipe::Sender),
    Socket(UnixStream),
    /// A file or terminal: written at once.
    Direct(OwnedFd),
}

impl Sink {
    /// Fails where stdout was closed when we were started: nobody would ever read an answer.
    pub(super) fn open(fd: OwnedFd) -> io::Result<Self> {
        if is_null(fd.as_fd()) {
            return Err(unwritable(&rustix::io::Errno::BADF.into()));
        }
        Ok(match kind(&fd)? {
            FileType::Fifo => Self::Pipe(pipe::Sender::from_owned_fd(fd)?),
            FileType::Socket => Self::Socket(socket(fd)?),
            _ => Self::Direct(fd),
        })
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.all(bytes).await.map_err(|error| unwritable(&error))
    }

    async fn all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Pipe(pipe) => pipe.write_all(bytes).await,
            Self::Socket(socket) => socket.write_all(bytes).await,
            Self::Direct(fd) => {
                while !bytes.is_empty() {
                    let written = rustix::io::retry_on_intr(|| rustix::io::write(&*fd, bytes))?;
                    bytes = bytes.get(written..).unwrap_or_default();
                }
                Ok(())
            }
        }
    }
}

fn unwritable(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("answers cannot be written: {error}"))
}

fn kind(fd: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

const PIECE: usize = 64 << 10;
const GROWTH: usize = 2 << 20;
/// How far the members before the parameters are looked for, in bytes.
const HEAD: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_an_unreadable_line_keeps_id_and_method() {
        let line = br#"{"jsonrpc":"2.0","id":7,"method":"hook.before_tool","params":{"x"#;
        assert_eq!(head(line), r#"{"jsonrpc":"2.0","id":7,"method":"hook.before_tool","params":null}"#);
        assert_eq!(head(b"{\"x\":1}"), "");
    }
}

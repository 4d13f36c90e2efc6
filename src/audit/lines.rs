//! The lines of a log from either end, one at a time: a log may be larger than memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;

/// Holds a log as long as it was when it was opened; calls go on being recorded meanwhile.
#[derive(Debug)]
pub struct Log {
    file: File,
    len: u64,
}

/// Holds one line without its end, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// How many bytes of the log stand before it.
    pub at: u64,
    /// The line; it may be no record.
    pub bytes: Vec<u8>,
}

impl Log {
    /// Opens a log. A pipe is copied to a temporary file.
    ///
    /// # Errors
    /// The log cannot be read, is neither a file nor a pipe, or is a pipe that nobody writes to for three seconds.
    pub fn open(path: &Path) -> io::Result<Self> {
        let at_once = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
        let mut file = File::options().read(true).custom_flags(at_once).open(path)?;
        let kind = file.metadata()?.file_type();
        if kind.is_fifo() || kind.is_socket() {
            let mut copy = tempfile::tempfile()?;
            io::copy(&mut Piped(file), &mut copy)?;
            file = copy;
        } else if !kind.is_file() {
            return Err(io::Error::other("neither a regular file nor a pipe"));
        }
        let len = file.seek(io::SeekFrom::End(0))?;
        Ok(Self { file, len })
    }

    /// The bytes of a line.
    ///
    /// # Errors
    /// The log cannot be read, or has become shorter.
    pub fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }

    /// The lines, oldest first.
    pub fn onwards(&self) -> impl Iterator<Item = io::Result<Line>> {
        let mut input = BufReader::with_capacity(PIECE, Part { log: self, at: 0 });
        let mut at = 0;
        std::iter::from_fn(move || {
            let mut bytes = Vec::new();
            match input.read_until(b'\n', &mut bytes) {
                Err(error) => Some(Err(error)),
                Ok(0) => None,
                Ok(read) => {
                    let line = Line { at, bytes: without_end(bytes) };
                    at += read as u64;
                    Some(Ok(line))
                }
            }
        })
    }

    /// The lines, newest first.
    pub fn backwards(&self) -> impl Iterator<Item = io::Result<Line>> {
        // What is held begins at `start`; where its lines begin is not known yet of the first bytes.
        let (mut start, mut held, mut unseen) = (self.len, Vec::new(), 0_usize);
        let mut ended = self.len == 0;
        std::iter::from_fn(move || {
            while !ended {
                // The last byte ends the last line, every other end stands before one.
                let among = held.get(..unseen.min(held.len().saturating_sub(1))).unwrap_or_default();
                if let Some(end) = memchr::memrchr(b'\n', among) {
                    let bytes = held.split_off(end + 1);
                    unseen = end;
                    return Some(Ok(Line { at: start + end as u64 + 1, bytes: without_end(bytes) }));
                }
                if start == 0 {
                    ended = true;
                    return Some(Ok(Line { at: 0, bytes: without_end(std::mem::take(&mut held)) }));
                }
                // A long line is read in ever larger pieces, or it would be moved for each.
                let before = (PIECE.max(held.len()) as u64).min(start);
                unseen = usize::try_from(before).unwrap_or(PIECE);
                let mut bytes = vec![0; unseen];
                start -= before;
                if let Err(error) = self.file.read_exact_at(&mut bytes, start) {
                    ended = true;
                    return Some(Err(error));
                }
                bytes.append(&mut held);
                held = bytes;
            }
            None
        })
    }
}

const PIECE: usize = 64 << 10;

fn without_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    line
}

/// Reads a pipe that may be slow, but not one that nobody writes to.
struct Piped(File);

impl Read for Piped {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut polled = [PollFd::new(&self.0, PollFlags::IN)];
        match rustix::event::poll(&mut polled, Some(&PIPE_WAIT)) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::TimedOut, "nothing was written to this pipe for 3 s")),
            Ok(_) => match self.0.read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::ErrorKind::Interrupted.into()),
                read => read,
            },
            Err(error) => Err(error.into()),
        }
    }
}

const PIPE_WAIT: Timespec = Timespec { tv_sec: 3, tv_nsec: 0 };

/// Reads a log from a place on, up to where it ended when it was opened.
struct Part<'a> {
    log: &'a Log,
    at: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.log.len.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = into.len().min(left);
        let read = self.log.file.read_at(into.get_mut(..room).unwrap_or_default(), self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_either_end_the_lines_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let wide = "x".repeat(3 * PIECE + 7);
        let edge = "y".repeat(PIECE - 1);
        for text in [
            String::new(),
            "\n".to_owned(),
            "\n\n".to_owned(),
            "a".to_owned(),
            "a\nb\n\nc".to_owned(),
            format!("{edge}\n{edge}\n{edge}"),
            format!("a\n{wide}\n{wide}b\n\n{edge}\nc\n"),
        ] {
            std::fs::write(&path, &text).unwrap();
            let log = Log::open(&path).unwrap();
            let all = |lines: Vec<io::Result<Line>>| lines.into_iter().map(Result::unwrap).collect::<Vec<_>>();
            let forward = all(log.onwards().collect());
            let want: Vec<_> = text.split_terminator('\n').map(str::as_bytes).collect();
            assert_eq!(forward.iter().map(|line| line.bytes.as_slice()).collect::<Vec<_>>(), want);
            let mut backward = all(log.backwards().collect());
            backward.reverse();
            assert_eq!(backward, forward);
            for line in &forward {
                assert_eq!(log.read(line.at, line.bytes.len()).unwrap(), line.bytes);
            }
        }
    }

    #[test]
    fn what_is_recorded_after_it_was_opened_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "a\nb\n").unwrap();
        let log = Log::open(&path).unwrap();
        std::fs::write(&path, "a\nb\nc\n").unwrap();
        assert_eq!((log.onwards().count(), log.backwards().count()), (2, 2));
    }
}

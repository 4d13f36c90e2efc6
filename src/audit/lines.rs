//! Iterates over the lines of a log and its older files in both directions, one at a time: a log may be larger than memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use super::rotate::older_files;
use crate::platform::files as platform;

/// An open log with its older files. Records that are appended after it was opened are not read.
#[derive(Debug)]
pub struct Log {
    /// The oldest first.
    files: Vec<LogFile>,
}

/// One file of the log.
#[derive(Debug)]
struct LogFile {
    file: File,
    /// The length of all older files.
    start: u64,
    len: u64,
}

/// One line of the log and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The offset of the line in bytes, counted from the beginning of the oldest file.
    pub at: u64,
    /// The line without its line feed. It may not be a valid record.
    pub bytes: Vec<u8>,
}

impl Log {
    /// Opens a log and its older files. A pipe is copied to a temporary file.
    ///
    /// # Errors
    /// The log cannot be read, is neither a file nor a pipe, or is a pipe to which nothing is written for three seconds.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Opened first: a log that is moved in the meantime is then found among the older files.
        let newest = open(path);
        let mut files = Vec::new();
        for path in older_files(path)? {
            match open(&path) {
                Ok(file) => files.push(file),
                // Deleted in the meantime, because it was too old.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        match newest {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !files.is_empty() => {}
            newest => {
                let newest = newest?;
                let identity = platform::identity(&newest.metadata()?);
                files.retain(|file| file.metadata().is_ok_and(|found| platform::identity(&found) != identity));
                files.push(newest);
            }
        }
        let mut start = 0;
        let place = |mut file: File| {
            let len = file.seek(io::SeekFrom::End(0))?;
            start += len;
            Ok(LogFile { file, start: start - len, len })
        };
        Ok(Self { files: files.into_iter().map(place).collect::<io::Result<_>>()? })
    }

    /// Reads the bytes of a line.
    ///
    /// # Errors
    /// The log cannot be read, or has become shorter.
    pub fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let file = self.files.iter().rev().find(|file| file.start <= at).ok_or(io::ErrorKind::UnexpectedEof)?;
        platform::read_exact_at(&file.file, &mut bytes, at - file.start)?;
        Ok(bytes)
    }

    /// The newest file, positioned behind the last record that was there when the log was opened.
    ///
    /// # Errors
    /// The process has too many open files.
    pub(crate) fn newest(&self) -> io::Result<Option<File>> {
        self.files.last().map(|newest| newest.file.try_clone()).transpose()
    }

    /// The files, oldest first.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().map(|file| &file.file)
    }

    /// Iterates over the lines, oldest first.
    pub fn lines_forward(&self) -> impl Iterator<Item = io::Result<LogLine>> {
        self.files.iter().flat_map(LogFile::lines_forward)
    }

    /// Iterates over the lines, newest first.
    pub fn lines_backward(&self) -> impl Iterator<Item = io::Result<LogLine>> {
        self.files.iter().rev().flat_map(LogFile::lines_backward)
    }
}

/// Opens a file of a log.
fn open(path: &Path) -> io::Result<File> {
    let file = platform::non_blocking(File::options().read(true)).open(path)?;
    let kind = file.metadata()?.file_type();
    if platform::is_pipe(kind) {
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut platform::TimedPipe(file), &mut copy)?;
        return Ok(copy);
    }
    if kind.is_file() { Ok(file) } else { Err(io::Error::other("neither a regular file nor a pipe")) }
}

impl LogFile {
    fn lines_forward(&self) -> impl Iterator<Item = io::Result<LogLine>> {
        let mut input = BufReader::with_capacity(PIECE, LogReader { log: self, at: 0 });
        let mut at = self.start;
        std::iter::from_fn(move || {
            let mut bytes = Vec::new();
            match input.read_until(b'\n', &mut bytes) {
                Err(error) => Some(Err(error)),
                Ok(0) => None,
                Ok(read) => {
                    let line = LogLine { at, bytes: without_line_feed(bytes) };
                    at += read as u64;
                    Some(Ok(line))
                }
            }
        })
    }

    fn lines_backward(&self) -> impl Iterator<Item = io::Result<LogLine>> {
        // `held` starts at offset `start`. Its first `unseen` bytes have not been searched for line feeds.
        let (mut start, mut held, mut unseen) = (self.len, Vec::new(), 0_usize);
        let mut ended = self.len == 0;
        std::iter::from_fn(move || {
            while !ended {
                // A line feed that is the last byte ends the last line; every other one precedes a line.
                let among = held.get(..unseen.min(held.len().saturating_sub(1))).unwrap_or_default();
                if let Some(end) = memchr::memrchr(b'\n', among) {
                    let bytes = held.split_off(end + 1);
                    unseen = end;
                    return Some(Ok(LogLine {
                        at: self.start + start + end as u64 + 1,
                        bytes: without_line_feed(bytes),
                    }));
                }
                if start == 0 {
                    ended = true;
                    return Some(Ok(LogLine { at: self.start, bytes: without_line_feed(std::mem::take(&mut held)) }));
                }
                // The chunk size grows with the line: fixed chunks would make long lines quadratic.
                let before = (PIECE.max(held.len()) as u64).min(start);
                unseen = usize::try_from(before).unwrap_or(PIECE);
                let mut bytes = vec![0; unseen];
                start -= before;
                if let Err(error) = platform::read_exact_at(&self.file, &mut bytes, start) {
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

fn without_line_feed(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    line
}

/// A reader of a file from an offset up to the length it had when it was opened.
struct LogReader<'a> {
    log: &'a LogFile,
    at: u64,
}

impl Read for LogReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.log.len.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = into.len().min(left);
        let read = platform::read_at(&self.log.file, into.get_mut(..room).unwrap_or_default(), self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_forward_and_backward_gives_the_same_lines() {
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
            let all = |lines: Vec<io::Result<LogLine>>| lines.into_iter().map(Result::unwrap).collect::<Vec<_>>();
            let forward = all(log.lines_forward().collect());
            let want: Vec<_> = text.split_terminator('\n').map(str::as_bytes).collect();
            assert_eq!(forward.iter().map(|line| line.bytes.as_slice()).collect::<Vec<_>>(), want);
            let mut backward = all(log.lines_backward().collect());
            backward.reverse();
            assert_eq!(backward, forward);
            for line in &forward {
                assert_eq!(log.read(line.at, line.bytes.len()).unwrap(), line.bytes);
            }
        }
    }

    #[test]
    fn records_appended_after_opening_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "a\nb\n").unwrap();
        let log = Log::open(&path).unwrap();
        std::fs::write(&path, "a\nb\nc\n").unwrap();
        assert_eq!((log.lines_forward().count(), log.lines_backward().count()), (2, 2));
    }
}

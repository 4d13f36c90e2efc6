//! Reads the records that a filter takes, one at a time.

use std::cell::Cell;
use std::io;

use super::filter::LogFilter;
use crate::audit::{AuditEntry, Log};

pub(in crate::cli) struct RecordReader<'a> {
    filter: &'a LogFilter,
    log: Log,
    /// Positions and lengths of the newest matching records, oldest first; absent if all are wanted.
    newest: Option<Vec<(u64, usize)>>,
    /// True if there are older matching records.
    pub(super) more: bool,
    /// The number of lines that are not valid records.
    pub(super) foreign: Cell<usize>,
}

impl<'a> RecordReader<'a> {
    /// Reads the newest `last` records; 0 means all.
    pub(in crate::cli) fn new(filter: &'a LogFilter, log: Log, last: usize) -> io::Result<Self> {
        let mut reading = Self { filter, log, newest: None, more: false, foreign: Cell::new(0) };
        if last > 0 {
            let mut newest = Vec::new();
            for line in reading.log.lines_backward() {
                let line = line?;
                if reading.taken(&line.bytes).is_none() {
                    continue;
                }
                if newest.len() == last {
                    reading.more = true;
                    break;
                }
                newest.push((line.at, line.bytes.len()));
            }
            newest.reverse();
            reading.newest = Some(newest);
        }
        Ok(reading)
    }

    /// The records and their lines, oldest first.
    pub(in crate::cli) fn records(&self) -> Box<dyn Iterator<Item = io::Result<(Vec<u8>, AuditEntry)>> + '_> {
        let lines: Box<dyn Iterator<Item = io::Result<Vec<u8>>>> = match &self.newest {
            None => {
                self.foreign.set(0);
                Box::new(self.log.lines_forward().map(|line| Ok(line?.bytes)))
            }
            Some(newest) => Box::new(newest.iter().map(|(at, len)| self.log.read(*at, *len))),
        };
        Box::new(lines.filter_map(|line| match line {
            Ok(line) => self.taken(&line).map(|entry| Ok((line, entry))),
            Err(error) => Some(Err(error)),
        }))
    }

    /// Parses a line; `None` if it does not match the filter.
    pub(super) fn taken(&self, line: &[u8]) -> Option<AuditEntry> {
        let entry = AuditEntry::parse(line);
        if entry.is_none() && !line.trim_ascii().is_empty() {
            self.foreign.set(self.foreign.get() + 1);
        }
        entry.filter(|entry| self.filter.takes(entry))
    }
}

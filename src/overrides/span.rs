//! The time for which an override holds, and its file.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use toml::de::{DeTable, DeValue};

use crate::files;
use crate::policy::{Places, read_own};

/// The largest file that is read, in bytes.
const MAX: u64 = 1 << 10;

/// A span of time, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverrideSpan {
    from: u64,
    until: u64,
}

impl OverrideSpan {
    /// The span that begins now.
    pub(crate) fn starting(now: SystemTime, length: Duration) -> Self {
        let from = seconds(now);
        Self { from, until: from.saturating_add(length.as_secs()) }
    }

    /// The end.
    pub(crate) fn end(self) -> SystemTime {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(self.until)).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Reads the span of a file. Returns `None` if there is no file, or if its time is over.
    ///
    /// # Errors
    /// The file cannot be used; the message has one line. The override has no effect then.
    pub(super) fn read(
        path: &Path,
        longest: Duration,
        places: &Places,
        now: SystemTime,
    ) -> Result<Option<Self>, String> {
        let says = |what: &str| format!("{}: {what}; it has no effect", places.shown(path));
        match files::link_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(says(&format!("cannot be read: {error}"))),
            Ok(found) if !found.is_file() => return Err(says("not a regular file; remove it")),
            Ok(found) if found.len() > MAX => return Err(says("larger than 1 KiB; remove it")),
            Ok(_) => {}
        }
        let text = read_own(path, places).map_err(|error| format!("{error}; it has no effect"))?;
        let span = Self::parse(&text).ok_or_else(|| says("expected only `from` and `until`; remove it"))?;
        let length = span.until.checked_sub(span.from).ok_or_else(|| says("it ends before it begins; remove it"))?;
        if length > longest.as_secs() {
            return Err(says("it lasts longer than is possible; remove it"));
        }
        let now = seconds(now);
        if now < span.from {
            return Err(says("it begins later than now, so the clock was set back; remove it"));
        }
        Ok((now < span.until).then_some(span))
    }

    fn parse(text: &str) -> Option<Self> {
        let table = DeTable::parse(text).ok()?;
        let number = |name: &str| match table.get_ref().get(name)?.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        let span = Self { from: number("from")?, until: number("until")? };
        (table.get_ref().len() == 2).then_some(span)
    }

    /// Writes the file of an override.
    ///
    /// # Errors
    /// The file cannot be written; the message has one line.
    pub(super) fn write(self, path: &Path, places: &Places) -> Result<(), String> {
        let says = |what: &dyn std::fmt::Display| format!("{}: {what}", places.shown(path));
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(says(&"not a regular file; remove it"));
        }
        let text = format!("from = {}\nuntil = {}\n", self.from, self.until);
        files::write_private(path, text.as_bytes()).map_err(|error| says(&format_args!("cannot be written: {error}")))
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn a_span_holds_from_its_start_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let (path, places) = (folder.path().join("span"), Places::default());
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let holds = |now| OverrideSpan::read(&path, HOUR, &places, at(now)).map(|span| span.is_some());
        assert_eq!(holds(0), Ok(false));
        OverrideSpan::starting(at(1000), HOUR).write(&path, &places).unwrap();
        assert!(holds(999).unwrap_err().contains("the clock was set back"));
        assert_eq!([1000, 4599, 4600, 9999].map(holds), [Ok(true), Ok(true), Ok(false), Ok(false)]);
        OverrideSpan::starting(at(1000), HOUR + Duration::from_secs(1)).write(&path, &places).unwrap();
        assert!(holds(1000).unwrap_err().contains("longer than is possible"));
    }

    #[test]
    fn only_the_text_that_is_written_is_read() {
        for text in [
            "",
            "from = 1",
            "from = 1\nuntil = 2\nmore = 3",
            "from = '1'\nuntil = 2",
            "from = -1\nuntil = 2",
            "from = 1.0\nuntil = 2",
            "from = 0x1\nuntil = 2",
            "from = 1\nuntil = 99999999999999999999",
            "from = 1\nfrom = 1\nuntil = 2",
        ] {
            assert_eq!(OverrideSpan::parse(text), None, "{text}");
        }
        assert_eq!(OverrideSpan::parse("from = 1\nuntil = 2\n"), Some(OverrideSpan { from: 1, until: 2 }));
    }
}

//! The file of the trust store.

use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use toml::de::{DeTable, DeValue};

use super::digest;
use crate::files;
use crate::policy::places::Places;
use crate::policy::source::{Owner, read};

/// The parsed trust store.
#[derive(Debug, Default)]
pub(crate) struct TrustStore {
    pub(super) entries: Vec<TrustedFile>,
}

#[derive(Debug)]
pub(super) struct TrustedFile {
    pub(super) path: String,
    pub(super) sha256: String,
    pub(super) date: String,
}

impl TrustStore {
    /// Reads the store. A missing store is empty. `Err` is a message of one line.
    pub(crate) fn read(places: &Places) -> Result<Self, String> {
        let Some(file) = places.trust_file() else { return Ok(Self::default()) };
        // Registrations name the store before any file is trusted, so a missing store is not an error.
        if files::link_metadata(&file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(Self::default());
        }
        let (source, _) = read(&file, Owner::User, places)?;
        let says = |at: usize, what: &str| {
            let (line, column) = source.place(at);
            format!("{}:{line}:{column}: {what}", source.shown)
        };
        let table = DeTable::parse(&source.text)
            .map_err(|error| says(error.span().map_or(0, |span| span.start), error.message()))?;
        let mut entries = Vec::new();
        for (key, value) in table.get_ref() {
            let DeValue::Array(items) = value.get_ref() else {
                return Err(says(
                    key.span().start,
                    "expected `[[trusted]]`; remove the file and run `snaphook trust` again",
                ));
            };
            for item in items {
                let text = |name: &str| match item.get_ref().as_table()?.get(name)?.get_ref() {
                    DeValue::String(text) => Some(text.clone().into_owned()),
                    _ => None,
                };
                let (Some(path), Some(sha256)) = (text("path"), text("sha256")) else {
                    return Err(says(
                        item.span().start,
                        "missing `path` or `sha256`; remove the file and run `snaphook trust` again",
                    ));
                };
                entries.push(TrustedFile { path, sha256, date: text("date").unwrap_or_default() });
            }
        }
        Ok(Self { entries })
    }

    /// The newest entry for a path.
    pub(super) fn last(&self, path: &Path) -> Option<&TrustedFile> {
        self.entries.iter().rfind(|entry| Path::new(&entry.path) == path)
    }

    /// Returns true if a file is trusted with exactly this content.
    pub(crate) fn trusts(&self, path: &Path, text: &str) -> bool {
        let mut of_path = self.entries.iter().filter(|entry| Path::new(&entry.path) == path).peekable();
        of_path.peek().is_some() && {
            let now = digest([text]);
            of_path.any(|entry| entry.sha256 == now)
        }
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::from("# Trusted project files; written by `snaphook trust`.\n");
        for TrustedFile { path, sha256, date } in &self.entries {
            let path = snaphook_adapters::raw::quoted(path);
            let _ = write!(out, "\n[[trusted]]\npath = {path}\nsha256 = \"{sha256}\"\ndate = \"{date}\"\n");
        }
        out
    }
}

/// The day in UTC, as `2026-11-20`.
pub(super) fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Days since 0000-03-01, so that a leap day is the last day of its year.
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + later)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_formatted_as_iso_8601() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_735_603_200, "2024-12-31"),
            (1_795_132_800, "2026-11-20"),
        ] {
            assert_eq!(date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), day);
        }
    }
}

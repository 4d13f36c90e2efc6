//! Which project files count whole (F4-F6): by path and content, recorded by a command only.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use snaphook_adapters::registry::Registry;
use toml::de::{DeTable, DeValue};

use super::load::{Counts, Owner, Source, project_files};
use super::path::Folders;
use super::places::Places;
use crate::files;

/// Describes one project file, as `snaphook trust` shows it before it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// Its resolved path.
    pub path: PathBuf,
    /// What stands in it.
    pub text: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Whether exactly this content is trusted already.
    pub trusted: bool,
    /// What is wrong with it; such a file cannot be trusted. Empty: nothing.
    pub errors: Vec<String>,
}

/// Shows the project files that apply in a folder, nearest first.
///
/// # Errors
/// A file or the trust store cannot be read, in one line.
pub fn show(places: &Places, folder: &Path, registry: &Registry) -> Result<Vec<Shown>, String> {
    let store = Store::read(places)?;
    let folder = super::path::text_of(folder);
    let mut shown = Vec::new();
    let found = project_files(Folders::at(Some(&folder)), places).into_iter();
    for path in found.filter(|file| file.counts == Counts::Whole).map(|file| file.path) {
        let source = Source::read(&path, Owner::Anyone, places)?;
        let text = source.text.clone();
        let errors = super::load::check(source, places, registry);
        let (sha256, trusted) = (digest([text.as_str()]), store.trusts(&path, &text));
        shown.push(Shown { path, text, sha256, trusted, errors });
    }
    Ok(shown)
}

/// Records that a file which was shown is trusted as it was shown.
///
/// # Errors
/// The file has errors, there is no place for the store, or it cannot be written; in one line.
pub fn record(places: &Places, shown: &Shown, now: SystemTime) -> Result<(), String> {
    if let Some(error) = shown.errors.first() {
        return Err(format!("not trusted: {error}"));
    }
    let file = places.trust_file().ok_or("no place for the trust store: set HOME or name it with --trust")?;
    let path = shown.path.to_str().ok_or("the path is not UTF-8, which the trust store needs")?;
    let unwritten = |error| format!("{}: cannot be written: {error}", places.shown(&file));
    let _alone = files::locked(&file.with_extension("lock")).map_err(unwritten)?;
    let mut store = Store::read(places)?;
    store.entries.retain(|entry| entry.path != path);
    store.entries.push(Entry { path: path.to_owned(), sha256: shown.sha256.clone(), date: date(now) });
    files::own(&file, store.text().as_bytes())
        .map_err(|error| format!("{}: cannot be written: {error}", places.shown(&file)))
}

/// SHA-256 of some texts as one, in hexadecimal.
pub(crate) fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Holds what is trusted.
#[derive(Debug, Default)]
pub(crate) struct Store {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    path: String,
    sha256: String,
    date: String,
}

impl Store {
    /// Reads the store; one that does not exist trusts nothing. `Err` is one whole line.
    pub(crate) fn read(places: &Places) -> Result<Self, String> {
        let Some(file) = places.trust_file() else { return Ok(Self::default()) };
        // Registrations name the store before anything is trusted, so that is no fault.
        if std::fs::symlink_metadata(&file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(Self::default());
        }
        let source = Source::read(&file, Owner::User, places)?;
        let says = |at: usize, what: &str| {
            let (line, column) = source.place(at);
            format!("{}:{line}:{column}: {what}", source.shown)
        };
        let table = DeTable::parse(&source.text)
            .map_err(|error| says(error.span().map_or(0, |span| span.start), error.message()))?;
        let mut entries = Vec::new();
        for (key, value) in table.get_ref() {
            let DeValue::Array(items) = value.get_ref() else {
                return Err(says(key.span().start, "is no `[[trusted]]`; remove the file and trust again"));
            };
            for item in items {
                let text = |name: &str| match item.get_ref().as_table()?.get(name)?.get_ref() {
                    DeValue::String(text) => Some(text.clone().into_owned()),
                    _ => None,
                };
                let (Some(path), Some(sha256)) = (text("path"), text("sha256")) else {
                    return Err(says(item.span().start, "lacks path or sha256; remove the file and trust again"));
                };
                entries.push(Entry { path, sha256, date: text("date").unwrap_or_default() });
            }
        }
        Ok(Self { entries })
    }

    /// Whether a file is trusted with exactly this content.
    pub(crate) fn trusts(&self, path: &Path, text: &str) -> bool {
        let mut of_path = self.entries.iter().filter(|entry| Path::new(&entry.path) == path).peekable();
        of_path.peek().is_some() && {
            let now = digest([text]);
            of_path.any(|entry| entry.sha256 == now)
        }
    }

    fn text(&self) -> String {
        let mut out = String::from("# Project files that count whole; written by `snaphook trust`.\n");
        for Entry { path, sha256, date } in &self.entries {
            let path = snaphook_adapters::raw::quoted(path);
            let _ = write!(out, "\n[[trusted]]\npath = {path}\nsha256 = \"{sha256}\"\ndate = \"{date}\"\n");
        }
        out
    }
}

/// The day in UTC, as `2026-11-20`.
fn date(now: SystemTime) -> String {
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
    fn a_day_is_written_as_people_write_it() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_735_603_200, "2024-12-31"),
            (1_795_132_800, "2026-11-20"),
        ] {
            assert_eq!(date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), day);
        }
    }

    #[test]
    fn f6_trust_is_for_one_path_and_one_content() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap().join("p");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let file = project.join(".snaphook.toml");
        std::fs::write(&file, "[permissions]\nallow = [\"Bash(ls)\"]\n").unwrap();
        let places = Places { trust: Some(dir.path().join("state/trust.toml")), ..Places::default() };
        let registry = crate::policy::testing::registry();
        let shown = show(&places, &project, &registry).unwrap().remove(0);
        assert!(!shown.trusted);
        record(&places, &shown, SystemTime::UNIX_EPOCH).unwrap();
        record(&places, &shown, SystemTime::UNIX_EPOCH).unwrap();
        assert!(show(&places, &project, &registry).unwrap().remove(0).trusted);
        let store = std::fs::read_to_string(dir.path().join("state/trust.toml")).unwrap();
        assert_eq!(store.matches("[[trusted]]").count(), 1);
        std::fs::write(&file, "[permissions]\nallow = [\"Bash\"]\n").unwrap();
        assert!(!show(&places, &project, &registry).unwrap().remove(0).trusted);
        std::fs::write(&file, "[permisions]\n").unwrap();
        let broken = show(&places, &project, &registry).unwrap().remove(0);
        assert!(record(&places, &broken, SystemTime::UNIX_EPOCH).is_err());
    }
}

//! The trust store (F4-F6): the project files that are applied in full, by path and content. Only a command of the user
//! adds files to it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{Folders, PolicyFile, ProjectScope, text_of};
use toml::de::{DeTable, DeValue};

use super::AgentNames;
use super::load::project_files;
use super::machine::LocalMachine;
use super::places::Places;
use super::source::{Owner, read};
use crate::files;

/// A project file as `snaphook trust` shows it to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustCandidate {
    /// The resolved path.
    pub path: PathBuf,
    /// The contents.
    pub text: String,
    /// SHA-256 of the contents, in hexadecimal.
    pub sha256: String,
    /// True if exactly this content is already trusted.
    pub trusted: bool,
    /// The errors of the file; empty if it is valid. An invalid file cannot be trusted.
    pub errors: Vec<String>,
}

/// Lists the project files that apply in a directory, nearest first.
///
/// # Errors
/// A file or the trust store cannot be read; the message has one line.
pub fn show(places: &Places, folder: &Path, registry: &Registry) -> Result<Vec<TrustCandidate>, String> {
    let store = TrustStore::read(places)?;
    let folder = text_of(folder);
    let machine = LocalMachine::new(&Arc::new(places.clone()), registry);
    let mut shown = Vec::new();
    let found = project_files(Folders::at(Some(&folder)), places).into_iter();
    for path in found.filter(|file| file.scope == ProjectScope::Full).map(|file| file.path) {
        let (source, _) = read(&path, Owner::Anyone, places)?;
        let text = source.text.clone();
        let checked = PolicyFile::read(source, &machine, &AgentNames(registry));
        let errors = checked.err().map_or_else(Vec::new, |fault| fault.errors);
        let (sha256, trusted) = (digest([text.as_str()]), store.trusts(&path, &text));
        shown.push(TrustCandidate { path, text, sha256, trusted, errors });
    }
    Ok(shown)
}

/// Records that the user trusts a file with the contents that were shown.
///
/// # Errors
/// The file has errors, or the store has no location or cannot be written; the message has one line.
pub fn record(places: &Places, shown: &TrustCandidate, now: SystemTime) -> Result<(), String> {
    if let Some(error) = shown.errors.first() {
        return Err(format!("not trusted: {error}"));
    }
    let file = places.trust_file().ok_or("no location for the trust store; set HOME or pass --trust")?;
    let path = shown.path.to_str().ok_or("the path is not valid UTF-8, which the trust store requires")?;
    let cannot_write = |error| format!("{}: cannot be written: {error}", places.shown(&file));
    let _lock = files::lock_path(&file.with_extension("lock")).map_err(cannot_write)?;
    let mut store = TrustStore::read(places)?;
    store.entries.retain(|entry| entry.path != path);
    store.entries.push(TrustedFile { path: path.to_owned(), sha256: shown.sha256.clone(), date: date(now) });
    files::write_private(&file, store.text().as_bytes())
        .map_err(|error| format!("{}: cannot be written: {error}", places.shown(&file)))
}

/// SHA-256 of the concatenated texts, in hexadecimal.
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

/// The parsed trust store.
#[derive(Debug, Default)]
pub(crate) struct TrustStore {
    entries: Vec<TrustedFile>,
}

#[derive(Debug)]
struct TrustedFile {
    path: String,
    sha256: String,
    date: String,
}

impl TrustStore {
    /// Reads the store. A missing store is empty. `Err` is a message of one line.
    pub(crate) fn read(places: &Places) -> Result<Self, String> {
        let Some(file) = places.trust_file() else { return Ok(Self::default()) };
        // Registrations name the store before any file is trusted, so a missing store is not an error.
        if std::fs::symlink_metadata(&file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
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

    /// Returns true if a file is trusted with exactly this content.
    pub(crate) fn trusts(&self, path: &Path, text: &str) -> bool {
        let mut of_path = self.entries.iter().filter(|entry| Path::new(&entry.path) == path).peekable();
        of_path.peek().is_some() && {
            let now = digest([text]);
            of_path.any(|entry| entry.sha256 == now)
        }
    }

    fn text(&self) -> String {
        let mut out = String::from("# Trusted project files; written by `snaphook trust`.\n");
        for TrustedFile { path, sha256, date } in &self.entries {
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

    #[test]
    fn f6_trust_covers_one_path_with_one_content() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap().join("p");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let file = project.join(".snaphook.toml");
        std::fs::write(&file, "[permissions]\nallow = [\"Bash(ls)\"]\n").unwrap();
        let places = Places { trust: Some(dir.path().join("state/trust.toml")), ..Places::default() };
        let registry = crate::testing::registry();
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

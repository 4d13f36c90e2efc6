//! Trust in project files (F4-F6): which ones are applied in full, by path and content. Only a command of the user adds
//! files to the store or removes them.

mod store;
mod texts;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{Folders, PolicyFile, ProjectScope, text_of};

pub(crate) use self::store::TrustStore;
use self::store::{TrustedFile, date};
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
    /// The content that was trusted last at this path, if it was another one.
    pub last: Option<LastTrusted>,
    /// The errors of the file; empty if it is valid. An invalid file cannot be trusted.
    pub errors: Vec<String>,
}

/// The content of a project file that was trusted before its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastTrusted {
    /// The day on which it was trusted, as `2026-11-20`.
    pub date: String,
    /// The text; `None` if it was not kept.
    pub text: Option<String>,
}

/// One entry of the trust store, compared with its file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct TrustEntry {
    /// The resolved path.
    pub path: String,
    /// The day on which it was trusted, as `2026-11-20`.
    pub date: String,
    /// SHA-256 of the trusted content, in hexadecimal.
    pub sha256: String,
    /// `trusted`, `changed` since then, `missing`, or `unreadable`.
    pub state: &'static str,
}

/// Lists the entries of the trust store.
///
/// # Errors
/// The trust store cannot be read; the message has one line.
pub fn list(places: &Places) -> Result<Vec<TrustEntry>, String> {
    let state = |entry: &TrustedFile| {
        let path = Path::new(&entry.path);
        match read(path, Owner::Anyone, places) {
            Ok((source, _)) if digest([&*source.text]) == entry.sha256 => "trusted",
            Ok(_) => "changed",
            Err(_) if std::fs::symlink_metadata(path).is_err_and(|error| is_missing(&error)) => "missing",
            Err(_) => "unreadable",
        }
    };
    let entries = TrustStore::read(places)?.entries.into_iter();
    let entries = entries.map(|entry| {
        let state = state(&entry);
        TrustEntry { path: entry.path, date: entry.date, sha256: entry.sha256, state }
    });
    Ok(entries.collect())
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
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
        let text = source.text.clone().into_owned();
        let checked = PolicyFile::read(source, &machine, &AgentNames::new(registry));
        let errors = checked.err().map_or_else(Vec::new, |fault| fault.errors);
        let (sha256, trusted) = (digest([text.as_str()]), store.trusts(&path, &text));
        let last = store.last(&path).filter(|_| !trusted).map(|entry| LastTrusted {
            date: entry.date.clone(),
            text: places.trust_file().and_then(|store| texts::read(&store, &entry.sha256)),
        });
        shown.push(TrustCandidate { path, text, sha256, trusted, last, errors });
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
    let path = shown.path.to_str().ok_or("the path is not valid UTF-8, which the trust store requires")?;
    change(places, |file, entries| {
        texts::write(file, &shown.sha256, &shown.text)?;
        entries.retain(|entry| entry.path != path);
        entries.push(TrustedFile { path: path.to_owned(), sha256: shown.sha256.clone(), date: date(now) });
        Ok(())
    })
}

/// Removes the entries with these paths.
///
/// # Errors
/// The store has no location or cannot be written; the message has one line.
pub fn revoke(places: &Places, paths: &[&str]) -> Result<(), String> {
    change(places, |_, entries| {
        entries.retain(|entry| !paths.contains(&entry.path.as_str()));
        Ok(())
    })
}

/// Changes the trust store.
fn change(
    places: &Places,
    change: impl FnOnce(&Path, &mut Vec<TrustedFile>) -> std::io::Result<()>,
) -> Result<(), String> {
    let file = places.trust_file().ok_or("no location for the trust store; set HOME or pass --trust")?;
    let cannot_write = |error| format!("{}: cannot be written: {error}", places.shown(&file));
    let _lock = files::lock_path(&file.with_extension("lock")).map_err(cannot_write)?;
    let mut store = TrustStore::read(places)?;
    change(&file, &mut store.entries).map_err(cannot_write)?;
    files::write_private(&file, store.text().as_bytes()).map_err(cannot_write)?;
    texts::keep_only(&file, &store.entries.iter().map(|entry| entry.sha256.as_str()).collect());
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

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

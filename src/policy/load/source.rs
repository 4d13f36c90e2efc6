//! Reads the bytes of a policy file, once, through one descriptor (F1, F2).

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::files;
use crate::policy::places::{Places, Stamp};

const MAX: u64 = 1 << 20;

/// Holds one file as it was read.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its resolved path; absent: the starter.
    pub(crate) path: Option<PathBuf>,
    /// As messages show it.
    pub(crate) shown: String,
    pub(crate) text: String,
    /// Absent: the starter.
    pub(crate) stamp: Option<Stamp>,
    /// Where lines of the file are missing in the text, and how many.
    left_out: Vec<(usize, usize)>,
}

/// Holds a file that may be read: it is a regular one, and belongs to whom it must.
#[derive(Debug)]
pub(crate) struct Opened<'p> {
    pub(crate) path: &'p Path,
    pub(crate) file: File,
    pub(crate) found: Metadata,
    shown: String,
}

/// Says whose file it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user's or root's, and nobody else may write it (F2).
    User,
    /// Anybody's: it counts only as far as it is trusted.
    Anyone,
}

impl Source {
    /// Takes a text that is built in.
    pub(crate) fn embedded(text: &str, shown: &str) -> Self {
        Self { path: None, shown: shown.to_owned(), text: text.to_owned(), stamp: None, left_out: Vec::new() }
    }

    /// Takes the text of a file without some of its lines.
    pub(crate) fn outline(path: &Path, shown: String, text: String, left_out: Vec<(usize, usize)>) -> Self {
        Self { path: Some(path.to_owned()), shown, text, stamp: None, left_out }
    }

    /// Reads a file. `Err` is one whole line.
    pub(crate) fn read(path: &Path, owner: Owner, places: &Places) -> Result<Self, String> {
        Opened::open(path, owner, places)?.read()
    }

    /// Line and column of a byte, from 1.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (self.line(at), column)
    }

    /// Line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let missing: usize = self.left_out.iter().filter(|(behind, _)| *behind <= at).map(|(_, lines)| lines).sum();
        before.bytes().filter(|b| *b == b'\n').count() + 1 + missing
    }

    /// The folder the file lies in.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }
}

impl<'p> Opened<'p> {
    /// Opens a file. `Err` is one whole line.
    pub(crate) fn open(path: &'p Path, owner: Owner, places: &Places) -> Result<Self, String> {
        let shown = places.shown(path);
        let (file, found) = files::open(path, File::options().read(true))
            .map_err(|error| format!("{shown}: cannot be read: {error}"))?;
        if owner == Owner::User {
            owned(&found).map_err(|what| format!("{shown}: {what}"))?;
        }
        Ok(Self { path, file, found, shown })
    }

    /// Reads it.
    pub(crate) fn read(self) -> Result<Source, String> {
        let Self { path, file, found, shown } = self;
        let says = |what: &str| format!("{shown}: {what}");
        let size = usize::try_from(found.len().min(MAX)).unwrap_or_default();
        let mut bytes = Vec::with_capacity(size + 1);
        file.take(MAX + 1).read_to_end(&mut bytes).map_err(|error| says(&format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX {
            return Err(says("over 1 MiB: is it the right file?"));
        }
        if bytes.is_empty() {
            return Err(says("empty file: write `[permissions]` if nothing shall be judged"));
        }
        let text = String::from_utf8(bytes).map_err(|_| says("is not UTF-8"))?;
        let stamp = Some(Stamp::of(path, &found));
        Ok(Source { path: Some(path.to_owned()), shown, text, stamp, left_out: Vec::new() })
    }
}

/// Reads a file that a policy names during a call: a regular one, at most 1 MiB, without waiting (S2).
pub(crate) fn read_named(path: &Path) -> io::Result<String> {
    let (file, found) = files::open(path, File::options().read(true))?;
    if found.len() > MAX {
        return Err(io::Error::other("over 1 MiB"));
    }
    let mut text = String::new();
    file.take(MAX).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(unix)]
fn owned(found: &Metadata) -> Result<(), &'static str> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user && found.uid() != 0 {
        return Err("belongs to another user: take it over with chown");
    }
    if found.mode() & 0o022 != 0 {
        return Err("can be written by group or others: run `chmod go-w` on it");
    }
    Ok(())
}

#[cfg(not(unix))]
fn owned(_: &Metadata) -> Result<(), &'static str> {
    Ok(())
}

//! Reads the contents of a policy file once, through one descriptor (F1, F2).

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::files;
use crate::policy::places::{Places, Stamp};

const MAX: u64 = 1 << 20;

/// The contents of one policy file.
#[derive(Debug)]
pub(crate) struct PolicySource {
    /// The path; `None` for the starter policy.
    pub(crate) path: Option<PathBuf>,
    /// The path as shown in messages.
    pub(crate) shown: String,
    pub(crate) text: String,
    /// `None` for the starter policy.
    pub(crate) stamp: Option<Stamp>,
}

/// The required owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user or root; no other user may have write permission (F2).
    User,
    /// Any user: the trust store decides how the file is used.
    Anyone,
}

impl PolicySource {
    /// Creates the source of a built-in policy.
    pub(crate) fn embedded(text: &str, shown: &str) -> Self {
        Self { path: None, shown: shown.to_owned(), text: text.to_owned(), stamp: None }
    }

    /// Reads a regular file with the required owner. `Err` is a message of one line.
    pub(crate) fn read(path: &Path, owner: Owner, places: &Places) -> Result<Self, String> {
        let shown = places.shown(path);
        let says = |what: &dyn std::fmt::Display| format!("{shown}: {what}");
        let unread = |error: io::Error| says(&format_args!("cannot be read: {error}"));
        let (file, found) = files::open(path, File::options().read(true)).map_err(unread)?;
        if owner == Owner::User {
            owned(&found).map_err(|what| says(&what))?;
        }
        let size = usize::try_from(found.len().min(MAX)).unwrap_or_default();
        let mut bytes = Vec::with_capacity(size + 1);
        file.take(MAX + 1).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 > MAX {
            return Err(says(&"larger than 1 MiB; expected a policy file"));
        }
        if bytes.is_empty() {
            return Err(says(&"empty file; write `[permissions]` for a policy without rules"));
        }
        let text = String::from_utf8(bytes).map_err(|_| says(&"not valid UTF-8"))?;
        let stamp = Some(Stamp::of(path, &found));
        Ok(Self { path: Some(path.to_owned()), shown, text, stamp })
    }

    /// The line and column of an offset, from 1.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (self.line(at), column)
    }

    /// The line of an offset, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1
    }

    /// The directory of the file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }
}

/// Reads a file that a policy names during a call: a regular file of at most 1 MiB, without blocking (S2).
pub(crate) fn read_named(path: &Path) -> io::Result<String> {
    let (file, found) = files::open(path, File::options().read(true))?;
    if found.len() > MAX {
        return Err(io::Error::other("larger than 1 MiB"));
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
        return Err("owned by another user; change the owner with chown");
    }
    if found.mode() & 0o022 != 0 {
        return Err("writable by group or others; run `chmod go-w` on it");
    }
    Ok(())
}

#[cfg(not(unix))]
fn owned(_: &Metadata) -> Result<(), &'static str> {
    Ok(())
}

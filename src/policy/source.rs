//! Reads the text of a policy file once, through one descriptor (F1, F2).

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, absolute};

use snaphook_policy::PolicySource;

use super::places::{Places, Stamp};
use crate::files;
use crate::platform::files::is_of_root_alone;
use crate::platform::{Writers, groups};

const MAX: u64 = 1 << 20;

/// The required owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Root, of the file and of its folder; no other user may have write permission.
    Root,
    /// The user or root; no other user may have write permission (F2).
    User,
    /// Any user: the trust store decides how the file is used.
    Anyone,
}

/// Reads a regular file with the required owner. `Err` is a message of one line.
pub(super) fn read(path: &Path, owner: Owner, places: &Places) -> Result<(PolicySource, Stamp), String> {
    let shown = places.shown(path);
    let says = |what: &dyn std::fmt::Display| format!("{shown}: {what}");
    let unread = |error: io::Error| says(&format_args!("cannot be read: {error}"));
    let (file, found) = files::open(path, File::options().read(true)).map_err(unread)?;
    match owner {
        Owner::Anyone => {}
        Owner::User => owned(&file, &found).map_err(|what| says(&what))?,
        Owner::Root => {
            let folder =
                path.parent().ok_or(io::ErrorKind::NotFound).map_err(io::Error::from).and_then(std::fs::metadata);
            if !is_of_root_alone(&found) {
                return Err(says(&"only root may own and write this file; run `chown root` and `chmod go-w` on it"));
            }
            if !is_of_root_alone(&folder.map_err(unread)?) {
                return Err(says(&"only root may own and write its folder; run `chown root` and `chmod go-w` on it"));
            }
        }
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
    let mut folder = absolute(path).unwrap_or_else(|_| path.to_owned());
    folder.pop();
    Ok((PolicySource::new(path, folder, shown, text), Stamp::of(path, &found)))
}

/// Reads a file of the user that no other user can write. `Err` is a message of one line.
pub(crate) fn read_own(path: &Path, places: &Places) -> Result<String, String> {
    read(path, Owner::User, places).map(|(source, _)| source.text.into_owned())
}

fn owned(file: &File, found: &Metadata) -> Result<(), &'static str> {
    match groups::writers(file, found) {
        Writers::User | Writers::PrivateGroup => Ok(()),
        Writers::Owner => Err("owned by another user; change the owner with chown"),
        Writers::Mode => Err("writable by group or others; run `chmod go-w` on it"),
    }
}

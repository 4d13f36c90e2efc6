//! The texts of the trusted files, which are kept beside the store so that a later change can be shown as a diff.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use snaphook_policy::Files as _;

use super::digest;
use crate::files;
use crate::policy::LocalFiles;

/// The folder with the texts, each named by its digest.
fn folder(store: &Path) -> PathBuf {
    store.with_extension("texts")
}

/// Reads the text with a digest. Returns `None` if it was not kept or if it was changed.
pub(super) fn read(store: &Path, sha256: &str) -> Option<String> {
    let text = LocalFiles.read(&folder(store).join(sha256)).ok()?;
    (digest([text.as_str()]) == sha256).then_some(text)
}

/// Keeps a text.
pub(super) fn write(store: &Path, sha256: &str, text: &str) -> io::Result<()> {
    files::write_private(&folder(store).join(sha256), text.as_bytes())
}

/// Removes the texts of files that are no longer trusted. One that cannot be removed is left; it has no effect.
pub(super) fn keep_only(store: &Path, digests: &HashSet<&str>) {
    let is_digest = |name: &str| name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    for entry in fs::read_dir(folder(store)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| is_digest(name) && !digests.contains(name)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

//! Files are replaced in one step: whoever reads sees the old bytes or the new ones.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Writes a file that is ours alone, with the folders that lead to it.
pub(crate) fn own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    rename_over(path, bytes, 0o600, None, &|| Ok(()))
}

/// Reads a file; absent: it is not there.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces the bytes of a file of somebody else; absent: the file goes, or is to come.
///
/// A symbolic link stays one and the file behind it is replaced; owner, group and mode stay.
///
/// # Errors
/// The file is not `before` any more, is write-protected, or cannot be replaced.
pub(crate) fn replace(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> io::Result<()> {
    let path = &behind_links(path)?;
    let unchanged = || {
        if read(path)?.as_deref() == before {
            return Ok(());
        }
        Err(io::Error::other("another program wrote to it in the meantime; run the command again"))
    };
    let found = match fs::metadata(path) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if found.as_ref().is_some_and(|found| found.permissions().mode() & 0o200 == 0) {
        return Err(io::Error::other("it is write-protected; give it write permission for the time of the change"));
    }
    let Some(bytes) = after else {
        unchanged()?;
        return fs::remove_file(path);
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = if found.is_some() { 0o600 } else { 0o666 };
    rename_over(path, bytes, mode, found.as_ref(), &unchanged)
}

/// Where a path leads; a link to nothing leads to where its file would be.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many symbolic links"))
}

fn rename_over(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    like: Option<&fs::Metadata>,
    last_look: &dyn Fn() -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.snaphook-{}", std::process::id()));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&temporary)?;
        file.write_all(bytes)?;
        if let Some(like) = like {
            use std::os::unix::fs::MetadataExt;
            // Only root may give files away; for others the file is theirs already, or stays refused.
            if file.metadata()?.uid() != like.uid() || file.metadata()?.gid() != like.gid() {
                std::os::unix::fs::fchown(&file, Some(like.uid()), Some(like.gid()))?;
            }
            file.set_permissions(Permissions::from_mode(like.permissions().mode()))?;
        }
        file.sync_all()?;
        last_look()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

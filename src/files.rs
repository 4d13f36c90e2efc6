//! Files are replaced in one step: whoever reads sees the old bytes or the new ones.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Writes a file that is ours alone, with the folders that lead to it.
pub(crate) fn own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let path = behind_links(path)?;
    rename_over(&path, bytes, 0o600, found(&path)?.as_ref(), &|| Ok(()))
}

/// Waits until nobody else of us holds a file, and holds it for as long as what is returned lives.
pub(crate) fn locked(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.lock()?;
    Ok(file)
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
    let found = found(path)?;
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
pub(crate) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many symbolic links"))
}

fn found(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The new bytes come in a file beside it, of a name that nobody knows before: what lies in wait under
/// a name that could be guessed is not followed.
fn rename_over(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    like: Option<&Metadata>,
    last_look: &dyn Fn() -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let prefix = format!(".{}.snaphook-", path.file_name().unwrap_or_default().to_string_lossy());
    let mut file =
        tempfile::Builder::new().prefix(&prefix).permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
    file.write_all(bytes)?;
    let written = file.as_file();
    if let Some(like) = like {
        let now = written.metadata()?;
        // Only root may give files away; for others the file is theirs already, or stays refused.
        if (now.uid(), now.gid()) != (like.uid(), like.gid()) {
            std::os::unix::fs::fchown(written, Some(like.uid()), Some(like.gid()))?;
        }
        written.set_permissions(Permissions::from_mode(like.permissions().mode()))?;
    }
    written.sync_all()?;
    last_look()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_keeps_its_mode_and_a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("dotfiles")).unwrap();
        fs::write(at("dotfiles/trust"), "old").unwrap();
        fs::set_permissions(at("dotfiles/trust"), Permissions::from_mode(0o640)).unwrap();
        symlink("dotfiles/trust", at("trust")).unwrap();
        own(&at("trust"), b"new").unwrap();
        replace(&at("trust"), Some(b"new"), Some(b"newer")).unwrap();
        assert!(fs::symlink_metadata(at("trust")).unwrap().is_symlink());
        assert_eq!(fs::read(at("dotfiles/trust")).unwrap(), b"newer");
        assert_eq!(fs::metadata(at("dotfiles/trust")).unwrap().permissions().mode() & 0o777, 0o640);
        own(&at("fresh/file"), b"").unwrap();
        assert_eq!(fs::metadata(at("fresh/file")).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(at("dotfiles")).unwrap().count(), 1, "a temporary file stays");
    }

    #[test]
    fn a_link_that_lies_in_wait_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("theirs"), "theirs").unwrap();
        for name in [format!(".file.snaphook-{}", std::process::id()), format!(".trust.{}.new", std::process::id())] {
            symlink(at("theirs"), at(&name)).unwrap();
        }
        own(&at("file"), b"ours").unwrap();
        assert_eq!(fs::read(at("theirs")).unwrap(), b"theirs");
        assert!(!fs::symlink_metadata(at("file")).unwrap().is_symlink());
    }
}

//! Reads and replaces files without blocking on other processes. A file is replaced atomically: a reader sees
//! either the old bytes or the new ones.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::disk::CachedLookup;
use crate::platform::files as platform;
use crate::watchdog::{before_looking_up, before_using, before_waiting};

/// Writes a file that only the user can read, and creates its missing parent directories.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        platform::create_private_folder(folder)?;
    }
    let path = follow_links(path)?;
    replace_atomically(&path, bytes, FileRights::Private, existing_metadata(&path)?.as_ref(), &|| Ok(()))
}

/// Locks a file against other runs of this program. The lock is released when the returned file is dropped.
///
/// # Errors
/// The file cannot be opened, is not a regular file, or stays locked for five seconds.
pub(crate) fn lock_path(path: &Path) -> io::Result<File> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        platform::create_private_folder(folder)?;
    }
    let (file, _) = open(path, platform::private(OpenOptions::new().create(true).append(true))).map_err(named)?;
    if lock(&file, Instant::now() + LOCK_TIMEOUT).map_err(named)? {
        return Ok(file);
    }
    Err(named(io::Error::new(io::ErrorKind::WouldBlock, "locked by another process")))
}

/// Takes the exclusive advisory lock of a file. Returns `false` if other processes held a lock until the deadline.
pub(crate) fn lock(file: &File, until: Instant) -> io::Result<bool> {
    retry_lock(|| file.try_lock(), until)
}

/// Takes the shared advisory lock of a file. Returns `false` if another process held the exclusive lock until the
/// deadline.
pub(crate) fn lock_shared(file: &File, until: Instant) -> io::Result<bool> {
    retry_lock(|| file.try_lock_shared(), until)
}

fn retry_lock(lock: impl Fn() -> Result<(), TryLockError>, until: Instant) -> io::Result<bool> {
    let mut pause = Duration::from_micros(100);
    loop {
        match lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => before_waiting(),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Opens a regular file without blocking on a pipe, a device or a lease.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    before_using(path);
    let file = platform::non_blocking(options).open(path)?;
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found)) } else { Err(io::Error::other("is not a regular file")) }
}

/// Reads the metadata of a path, without following a symbolic link at its end.
pub(crate) fn link_metadata(path: &Path) -> io::Result<Metadata> {
    if before_looking_up(path) == Some(CachedLookup::Missing) {
        return Err(io::ErrorKind::NotFound.into());
    }
    fs::symlink_metadata(path)
}

/// Reads a file. Returns `None` if it does not exist.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match open(path, OpenOptions::new().read(true)) {
        Ok((mut file, found)) => {
            let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or_default());
            file.read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a UTF-8 file. A missing file is an error.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read(path)?.ok_or(io::ErrorKind::NotFound)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8"))
}

/// What the rights of a new file allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileRights {
    /// The user alone may use it.
    Private,
    /// The usual rights.
    Usual,
    /// The usual rights of a program.
    Program,
}

/// Replaces the contents of a file that another program owns. If `before` is `None`, the file must not exist; if
/// `after` is `None`, the file is removed.
///
/// A symbolic link is kept and its target is replaced. Owner, group and mode are kept.
///
/// # Errors
/// The contents differ from `before`, the file is write-protected, or it cannot be replaced.
pub(crate) fn replace(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> io::Result<()> {
    replace_as(path, before, after, FileRights::Usual)
}

/// Like [`replace`], with the rights of a new file.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_as(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>, new: FileRights) -> io::Result<()> {
    let path = &follow_links(path)?;
    let unchanged = || {
        if read(path)?.as_deref() == before {
            return Ok(());
        }
        Err(io::Error::other("another program changed it in the meantime; run the command again"))
    };
    let found = existing_metadata(path)?;
    if found.as_ref().is_some_and(platform::is_write_protected) {
        return Err(io::Error::other("it is write-protected; make it writable for the duration of the change"));
    }
    let Some(bytes) = after else {
        unchanged()?;
        return fs::remove_file(path);
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let rights = if found.is_some() { FileRights::Private } else { new };
    replace_atomically(path, bytes, rights, found.as_ref(), &unchanged)
}

/// Follows symbolic links to the path of the target, which need not exist.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many symbolic links"))
}

fn existing_metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the new bytes to a temporary file in the same directory and renames it. The temporary name is random, so
/// that a symbolic link placed in advance under a guessed name is not followed.
fn replace_atomically(
    path: &Path,
    bytes: &[u8],
    rights: FileRights,
    like: Option<&Metadata>,
    before_rename: &dyn Fn() -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no parent directory"))?;
    let prefix = format!(".{}.snaphook-", path.file_name().unwrap_or_default().to_string_lossy());
    remove_abandoned(folder, &prefix);
    let mut file = platform::temporary(&prefix, folder, rights)?;
    // The lock shows other processes that the writer is still running.
    file.as_file().try_lock().map_err(io::Error::from)?;
    file.write_all(bytes)?;
    let written = file.as_file();
    if let Some(like) = like {
        platform::take_rights(written, like)?;
    }
    written.sync_all()?;
    before_rename()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Removes the temporary files of killed processes: those that are neither locked nor newer than a second.
/// Files that cannot be removed are left; they are harmless.
fn remove_abandoned(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let Some((file, found)) = is_file.then(|| open(&path, OpenOptions::new().read(true)).ok()).flatten() else {
            continue;
        };
        let is_ours = platform::is_of_user(&found);
        // A file that was created a moment ago may not be locked yet.
        let is_settled = found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > Duration::from_secs(1)));
        if is_ours && is_settled && file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The longest wait for a lock that another run holds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn replacing_a_file_keeps_its_mode_and_symbolic_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("dotfiles")).unwrap();
        fs::write(at("dotfiles/trust"), "old").unwrap();
        fs::set_permissions(at("dotfiles/trust"), Permissions::from_mode(0o640)).unwrap();
        symlink("dotfiles/trust", at("trust")).unwrap();
        write_private(&at("trust"), b"new").unwrap();
        replace(&at("trust"), Some(b"new"), Some(b"newer")).unwrap();
        assert!(fs::symlink_metadata(at("trust")).unwrap().is_symlink());
        assert_eq!(fs::read(at("dotfiles/trust")).unwrap(), b"newer");
        assert_eq!(fs::metadata(at("dotfiles/trust")).unwrap().permissions().mode() & 0o777, 0o640);
        write_private(&at("fresh/file"), b"").unwrap();
        assert_eq!(fs::metadata(at("fresh/file")).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(at("dotfiles")).unwrap().count(), 1, "a temporary file was left");
    }

    fn aged(path: &Path) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_mins(1)).unwrap();
    }

    #[test]
    fn temporary_files_of_killed_processes_are_removed_and_locked_ones_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".file.snaphook-dead00", ".file.snaphook-alive0", ".other.snaphook-x", "file.snaphook-x"] {
            fs::write(at(name), "half").unwrap();
            aged(&at(name));
        }
        fs::write(at(".file.snaphook-fresh0"), "half").unwrap();
        fs::create_dir(at(".file.snaphook-folder")).unwrap();
        symlink(at(".other.snaphook-x"), at(".file.snaphook-link00")).unwrap();
        let alive = File::open(at(".file.snaphook-alive0")).unwrap();
        alive.lock().unwrap();
        write_private(&at("file"), b"ours").unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let want = [
            ".file.snaphook-alive0",
            ".file.snaphook-folder",
            ".file.snaphook-fresh0",
            ".file.snaphook-link00",
            ".other.snaphook-x",
            "file",
            "file.snaphook-x",
        ];
        assert_eq!(left, want);
    }

    #[test]
    fn waiting_for_a_lock_ends_at_the_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock_path(&path).unwrap();
        let other = File::open(&path).unwrap();
        assert!(!lock(&other, Instant::now() + Duration::from_millis(50)).unwrap());
        drop(held);
        assert!(lock(&other, Instant::now()).unwrap());
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(read(path).unwrap_err().to_string().contains("is not a regular file"), "{}", path.display());
        }
        lock_path(&fifo).unwrap_err();
        lock_path(Path::new("/dev/null")).unwrap_err();
    }

    #[test]
    fn a_symbolic_link_at_a_guessed_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("theirs"), "theirs").unwrap();
        for name in [format!(".file.snaphook-{}", std::process::id()), format!(".trust.{}.new", std::process::id())] {
            symlink(at("theirs"), at(&name)).unwrap();
        }
        write_private(&at("file"), b"ours").unwrap();
        assert_eq!(fs::read(at("theirs")).unwrap(), b"theirs");
        assert!(!fs::symlink_metadata(at("file")).unwrap().is_symlink());
    }
}

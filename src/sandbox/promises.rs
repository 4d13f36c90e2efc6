//! Verifies the restrictions on paths from inside of the sandbox before the command starts. This detects a mistake in
//! one of the layers, or a concurrent change of the machine.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat};
use rustix::io::Errno;

use super::profile::Profile;

/// The maximum number of files of a hidden folder that are tried.
const MOST: usize = 32;

/// The device number of `/dev/null`.
#[cfg(target_os = "linux")]
const NULL: u64 = 0x103;
#[cfg(target_os = "macos")]
const NULL: i32 = 0x0300_0002;

/// Paths that a command must not read, and paths that it must not write to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Promises {
    hidden: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
}

impl Promises {
    pub(super) fn new(profile: &Profile) -> Self {
        let hidden = profile.hide_inside.iter().chain(&profile.hide_outside);
        Self { hidden: hidden.cloned().collect(), read_only: profile.read_only.clone() }
    }

    /// Tries the forbidden accesses. `Err` names a path at which one succeeded.
    pub(super) fn test(&self) -> Result<(), String> {
        if let Some(path) = self.hidden.iter().find_map(|path| readable(path)) {
            return Err(format!("{} is hidden by the policy and could still be read", path.display()));
        }
        if let Some(path) = self.read_only.iter().find(|path| is_writable(path)) {
            return Err(format!("{} must not be changed and could still be written to", path.display()));
        }
        Ok(())
    }

    /// Serializes the promises for another process.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let of = |kind: u8, paths: &[PathBuf]| -> Vec<u8> {
            paths.iter().flat_map(|path| [&[kind], path.as_os_str().as_bytes(), b"\0"].concat()).collect()
        };
        [of(b'h', &self.hidden), of(b'r', &self.read_only)].concat()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut promises = Self::default();
        for entry in bytes.split_inclusive(|byte| *byte == 0) {
            let (kind, path) = entry.strip_suffix(b"\0")?.split_first()?;
            let list = match kind {
                b'h' => &mut promises.hidden,
                b'r' => &mut promises.read_only,
                _ => return None,
            };
            list.push(PathBuf::from(OsStr::from_bytes(path)));
        }
        Some(promises)
    }
}

/// The first file at or below a path that can be opened.
fn readable(path: &Path) -> Option<PathBuf> {
    let (mut ahead, mut left) = (vec![path.to_owned()], MOST);
    while let Some(path) = ahead.pop() {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(opened) = rustix::fs::open(&path, flags, Mode::empty()) else { continue };
        let kind = fstat(&opened).map(|found| (FileType::from_raw_mode(found.st_mode), found.st_rdev));
        match kind {
            Ok((FileType::Directory, _)) => {}
            // An outer sandbox may have covered the path with this device.
            Ok((FileType::CharacterDevice, NULL)) => continue,
            _ => return Some(path),
        }
        // The names in a folder may be visible, but not the contents of its files.
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten().take(left) {
            left -= 1;
            ahead.push(entry.path());
        }
    }
    None
}

/// Returns true if a file can be opened for writing, or created in a folder. What it creates is removed.
fn is_writable(path: &Path) -> bool {
    let opened = if path.is_dir() {
        created_in(path)
    } else {
        opened(path, OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW)
    };
    match opened {
        // Any other error occurs after the permission check.
        Err(error) => !matches!(error, Errno::ROFS | Errno::ACCESS | Errno::PERM | Errno::NOENT | Errno::LOOP),
        Ok(_) => true,
    }
}

/// Creates a file without a name.
#[cfg(target_os = "linux")]
fn created_in(folder: &Path) -> Result<OwnedFd, Errno> {
    opened(folder, OFlags::TMPFILE)
}

/// Creates a file and removes it.
#[cfg(target_os = "macos")]
fn created_in(folder: &Path) -> Result<OwnedFd, Errno> {
    let path = folder.join(format!(".snaphook-{}", std::process::id()));
    let created = opened(&path, OFlags::CREATE | OFlags::EXCL)?;
    let _ = std::fs::remove_file(&path);
    Ok(created)
}

fn opened(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, flags | OFlags::WRONLY | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promises(hidden: &[&Path], read_only: &[&Path]) -> Promises {
        let owned = |paths: &[&Path]| paths.iter().map(|path| (*path).to_owned()).collect();
        Promises { hidden: owned(hidden), read_only: owned(read_only) }
    }

    #[test]
    fn a_promise_that_is_not_kept_is_named() {
        let place = tempfile::tempdir().unwrap();
        let (file, deep) = (place.path().join("file"), place.path().join("a/b"));
        std::fs::create_dir_all(&deep).unwrap();
        let (empty, gone) = (place.path().join("a/b/empty"), place.path().join("gone"));
        std::fs::create_dir(&empty).unwrap();
        std::fs::write(&file, "kept").unwrap();
        let said = |promises: Promises| promises.test().unwrap_err();
        assert!(said(promises(&[&file], &[])).contains("file is hidden"));
        assert!(said(promises(&[place.path()], &[])).contains("file is hidden"));
        assert!(said(promises(&[], &[&file])).contains("file must not be changed"));
        assert!(said(promises(&[], &[&deep])).contains("a/b must not be changed"));
        assert_eq!(promises(&[&empty, &deep, &gone, Path::new("/dev/null")], &[&gone]).test(), Ok(()));
        assert!(said(promises(&[Path::new("/dev/zero")], &[])).contains("/dev/zero is hidden"));
        assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 1, "nothing was made");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    }

    #[test]
    fn promises_are_passed_to_another_process_unchanged() {
        let all = promises(&[Path::new("/a b\n"), Path::new("/é")], &[Path::new("/c")]);
        assert_eq!(Promises::from_bytes(&all.bytes()), Some(all));
        assert_eq!(Promises::from_bytes(b""), Some(Promises::default()));
        assert_eq!(Promises::from_bytes(b"h/cut"), None);
        assert_eq!(Promises::from_bytes(b"x/a\0"), None);
    }
}

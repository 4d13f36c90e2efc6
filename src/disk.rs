//! Properties of the file system that a file is on.

use std::fs::File;
use std::path::Path;

/// Returns true if the file is on a local file system: there, appends are atomic and timestamps come from this
/// machine's clock.
pub(crate) fn is_local(file: &File) -> bool {
    #[cfg(target_os = "linux")]
    {
        const NETWORK: [i64; 5] = [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x6573_5546];
        rustix::fs::fstatfs(file).is_ok_and(|fs| !NETWORK.contains(&fs.f_type))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// What the kernel knows of a path without waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// There is no such file.
    Missing,
    /// The file is on a disk of this machine.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux answers from memory"))]
    OnDisk {
        /// True if it is a symbolic link.
        is_link: bool,
    },
    /// The kernel does not have the path in memory.
    Unread,
    /// The file may be on another machine, or belong to a file system that is a program.
    Elsewhere,
}

impl Known {
    /// Looks a path up in what the kernel has in memory. Follows a symbolic link at its end if `follows`.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(path: &Path, follows: bool) -> Self {
        use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags, openat2, statx};
        use rustix::io::Errno;
        let flags = OFlags::PATH | OFlags::CLOEXEC | if follows { OFlags::empty() } else { OFlags::NOFOLLOW };
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED) {
            Ok(file) => match statx(&file, "", AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE) {
                // Only the file systems on a disk have a major device number.
                Ok(found) if found.stx_dev_major != 0 => {
                    let is_link = FileType::from_raw_mode(found.stx_mode.into()) == FileType::Symlink;
                    Self::OnDisk { is_link }
                }
                _ => Self::Elsewhere,
            },
            Err(Errno::NOENT | Errno::NOTDIR) => Self::Missing,
            Err(Errno::AGAIN) => Self::Unread,
            Err(_) => Self::Elsewhere,
        }
    }

    /// Nothing is known.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: &Path, _: bool) -> Self {
        Self::Elsewhere
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    #[test]
    fn only_files_on_a_disk_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("/proc", at("away")).unwrap();
        let is_on_disk = rustix::fs::major(folder.path().metadata().unwrap().dev()) != 0;
        let of = |is_link| if is_on_disk { Known::OnDisk { is_link } } else { Known::Elsewhere };
        assert_eq!(Known::of(&at("file"), false), of(false));
        assert_eq!(Known::of(&at("link"), true), of(false));
        assert_eq!(Known::of(&at("link"), false), of(true));
        assert_eq!(Known::of(&at("away"), false), of(true));
        assert_eq!(Known::of(&at("away"), true), Known::Elsewhere);
        assert!(at("missing").symlink_metadata().is_err());
        assert!(matches!(Known::of(&at("missing"), true), Known::Missing | Known::Unread));
        assert_eq!(Known::of(Path::new("/proc"), true), Known::Elsewhere);
    }
}

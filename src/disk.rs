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

/// The result of looking up a path in the kernel's directory cache, which never blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CachedLookup {
    /// The path does not exist.
    Missing,
    /// The file is on a local disk.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can look up a path without blocking"))]
    OnDisk {
        /// True if it is a symbolic link.
        is_link: bool,
    },
    /// The cache does not have the path.
    NotCached,
    /// Using the file may block: it may be on a network mount, or its file system may be a program.
    MayBlock,
}

impl CachedLookup {
    /// Looks up a path. Follows a symbolic link at its end if `follows`.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(path: &Path, follows: bool) -> Self {
        use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags, openat2, statx};
        use rustix::io::Errno;
        let flags = OFlags::PATH | OFlags::CLOEXEC | if follows { OFlags::empty() } else { OFlags::NOFOLLOW };
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED) {
            Ok(file) => match statx(&file, "", AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE) {
                // The device number has a major part only if the file system is on a block device.
                Ok(found) if found.stx_dev_major != 0 => {
                    let is_link = FileType::from_raw_mode(found.stx_mode.into()) == FileType::Symlink;
                    Self::OnDisk { is_link }
                }
                _ => Self::MayBlock,
            },
            Err(Errno::NOENT | Errno::NOTDIR) => Self::Missing,
            Err(Errno::AGAIN) => Self::NotCached,
            Err(_) => Self::MayBlock,
        }
    }

    /// Returns [`Self::MayBlock`]: only Linux can look up a path without blocking.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: &Path, _: bool) -> Self {
        Self::MayBlock
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    #[test]
    fn only_files_on_a_local_disk_do_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("/proc", at("away")).unwrap();
        let is_on_disk = rustix::fs::major(folder.path().metadata().unwrap().dev()) != 0;
        let of = |is_link| if is_on_disk { CachedLookup::OnDisk { is_link } } else { CachedLookup::MayBlock };
        assert_eq!(CachedLookup::of(&at("file"), false), of(false));
        assert_eq!(CachedLookup::of(&at("link"), true), of(false));
        assert_eq!(CachedLookup::of(&at("link"), false), of(true));
        assert_eq!(CachedLookup::of(&at("away"), false), of(true));
        assert_eq!(CachedLookup::of(&at("away"), true), CachedLookup::MayBlock);
        assert!(at("missing").symlink_metadata().is_err());
        assert!(matches!(CachedLookup::of(&at("missing"), true), CachedLookup::Missing | CachedLookup::NotCached));
        assert_eq!(CachedLookup::of(Path::new("/proc"), true), CachedLookup::MayBlock);
    }
}

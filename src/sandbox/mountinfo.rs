//! Parses the mount table, to find all paths of the same files.
#![cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "other systems have no such table"))]

use std::path::{Path, PathBuf};

/// The mounts of this process, in the order in which they were created.
#[derive(Debug, Default)]
pub(crate) struct Mounts(Vec<Mount>);

#[derive(Debug)]
pub(super) struct Mount {
    id: u64,
    /// The file system, by device number.
    device: String,
    /// The folder of the file system that is mounted.
    root: PathBuf,
    pub(super) point: PathBuf,
    /// The type of the file system.
    pub(super) kind: String,
    pub(super) is_read_only: bool,
}

impl Mounts {
    #[cfg(target_os = "linux")]
    pub(super) fn read() -> Result<Self, String> {
        // The size of the file is unknown, and a small buffer would need many reads.
        let mut table = Vec::with_capacity(16 << 10);
        let read = std::fs::File::open("/proc/self/mountinfo")
            .and_then(|mut file| std::io::Read::read_to_end(&mut file, &mut table));
        read.map_err(|error| format!("/proc/self/mountinfo: the mounts cannot be listed: {error}"))?;
        Ok(Self::parse(&table))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
    pub(super) fn read() -> Result<Self, String> {
        Ok(Self::default())
    }

    fn parse(table: &[u8]) -> Self {
        let lines = table.split(|byte| *byte == b'\n');
        Self(lines.filter_map(|line| Mount::parse(line.split(|byte| *byte == b' '))).collect())
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Mount> {
        self.0.iter()
    }

    /// The mount that a path is in; `None` if the path does not exist or is not accessible.
    fn of(&self, path: &Path) -> Option<&Mount> {
        match mount_id(path).ok()? {
            Some(id) => self.iter().find(|mount| mount.id == id),
            None => self.by_name(path),
        }
    }

    /// The mount that a path is in, judged by its name: the last one that was created on the innermost mount point.
    pub(super) fn by_name(&self, path: &Path) -> Option<&Mount> {
        self.iter()
            .filter(|mount| below(path, &mount.point).is_some())
            .max_by_key(|mount| mount.point.as_os_str().len())
    }

    /// The other paths of a file, or of a folder or any part of it. The path must not contain links.
    pub(super) fn others(&self, path: &Path) -> Vec<PathBuf> {
        self.others_in(path, self.of(path))
    }

    /// The other paths that a missing file would have if it existed.
    pub(super) fn others_of_absent(&self, path: &Path) -> Vec<PathBuf> {
        self.others_in(path, None)
    }

    fn others_in(&self, path: &Path, found: Option<&Mount>) -> Vec<PathBuf> {
        let Some(own) = found.or_else(|| self.by_name(path)) else { return Vec::new() };
        // Another mount may cover it.
        let on_top = |other: &Path| if found.is_some() { self.of(other) } else { self.by_name(other) };
        let Some(rest) = below(path, &own.point) else { return Vec::new() };
        // A file system that is mounted below the path may have other paths too.
        let inner =
            self.iter().filter(|mount| below(&mount.point, path).is_some_and(|rest| !rest.as_os_str().is_empty()));
        let mut parts = vec![(own.device.as_str(), joined(&own.root, rest))];
        parts.extend(inner.map(|mount| (mount.device.as_str(), mount.root.clone())));
        let mut others = Vec::new();
        for mount in self.iter() {
            for (_, part) in parts.iter().filter(|(device, _)| *device == mount.device) {
                let other = match below(part, &mount.root) {
                    Some(rest) => joined(&mount.point, rest),
                    None if below(&mount.root, part).is_some() => mount.point.clone(),
                    None => continue,
                };
                let is_there = || on_top(&other).is_some_and(|on_top| on_top.id == mount.id);
                if below(&other, path).is_none() && !others.contains(&other) && is_there() {
                    others.push(other);
                }
            }
        }
        others
    }
}

impl Mount {
    fn parse<'l>(mut words: impl Iterator<Item = &'l [u8]>) -> Option<Self> {
        let (id, _, device) = (words.next()?, words.next()?, words.next()?);
        let (root, point, options) = (words.next()?, words.next()?, words.next()?);
        let kind = words.by_ref().skip_while(|word| *word != b"-").nth(1)?;
        Some(Self {
            id: std::str::from_utf8(id).ok()?.parse().ok()?,
            device: std::str::from_utf8(device).ok()?.to_owned(),
            root: unescaped(root),
            point: unescaped(point),
            kind: String::from_utf8_lossy(kind).into_owned(),
            is_read_only: options.split(|byte| *byte == b',').any(|option| option == b"ro"),
        })
    }
}

/// The part of a path below a folder; empty for the folder itself. Neither may have dots or a final slash.
fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    use std::os::unix::ffi::OsStrExt;
    let rest = path.as_os_str().as_bytes().strip_prefix(folder.as_os_str().as_bytes())?;
    let rest = match rest.strip_prefix(b"/") {
        Some(rest) => rest,
        None if rest.is_empty() || folder.as_os_str() == "/" => rest,
        None => return None,
    };
    Some(Path::new(std::ffi::OsStr::from_bytes(rest)))
}

/// Joins a path to a folder, without a final slash.
fn joined(folder: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) }
}

/// Unescapes a path of the table, in which blanks and backslashes are written as three octal digits.
fn unescaped(text: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, after @ ..] = rest {
        let code = match rest {
            [b'\\', digits @ ..] => digits.first_chunk::<3>().and_then(|digits| octal(*digits)),
            _ => None,
        };
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(std::ffi::OsString::from_vec(out))
}

fn octal(digits: [u8; 3]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()
}

/// The id of the mount that a path is in; `None` if the kernel does not report it (before Linux 5.8).
#[cfg(target_os = "linux")]
fn mount_id(path: &Path) -> std::io::Result<Option<u64>> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let found = statx(CWD, path, flags, StatxFlags::MNT_ID)?;
    Ok((found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id))
}

#[cfg(not(target_os = "linux"))]
fn mount_id(_: &Path) -> std::io::Result<Option<u64>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_mount_table_is_parsed() {
        let table = b"36 35 98:0 /a\\040b /mnt/c\\134d\\011 rw,noatime shared:1 master:2 - ext3 /dev/root ro\n\
                      37 36 0:21 / /proc ro - proc proc rw\nrubbish\n";
        let mounts = Mounts::parse(table);
        let [first, second] = mounts.0.as_slice() else { panic!("{mounts:?}") };
        assert_eq!((first.id, first.device.as_str(), first.kind.as_str()), (36, "98:0", "ext3"));
        assert_eq!((first.root.as_path(), first.point.as_path()), (Path::new("/a b"), Path::new("/mnt/c\\d\t")));
        assert_eq!((first.is_read_only, second.is_read_only), (false, true));
        assert_eq!(unescaped(b"a\\04\\x\\1234\\"), PathBuf::from("a\\04\\xS4\\"));
    }

    #[test]
    fn a_missing_file_also_has_other_paths() {
        let mounts = Mounts::parse(
            b"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /nowhere/u /mnt/u rw - ext4 a rw\n\
              3 1 8:2 / /mnt/other rw - ext4 b rw\n4 1 8:1 /nowhere/u/.x/y /mnt/part rw - ext4 a rw\n\
              5 2 8:3 / /mnt/u/.top rw - ext4 c rw\n",
        );
        let others = |path: &str| mounts.others(Path::new(path));
        assert_eq!(others("/nowhere/u/.netrc"), [PathBuf::from("/mnt/u/.netrc")]);
        assert_eq!(others("/nowhere/u/.x"), ["/mnt/u/.x", "/mnt/part"].map(PathBuf::from));
        assert_eq!(others("/nowhere/u/.top/x"), [] as [PathBuf; 0], "another mount is on top");
        assert_eq!(others("/mnt/u/.y"), [PathBuf::from("/nowhere/u/.y")]);
    }

    #[test]
    fn the_last_mount_at_a_point_is_on_top() {
        let mounts =
            Mounts::parse(b"1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /x rw - ext4 b rw\n3 2 8:3 / /x rw - ext4 c rw\n");
        let on = |path: &str| mounts.by_name(Path::new(path)).map(|mount| mount.id);
        assert_eq!((on("/x/y"), on("/xy")), (Some(3), Some(1)));
    }
}

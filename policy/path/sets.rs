//! Named sets of paths, which cannot be written as globs (P7).

use super::{Dir, PathContext, PathForm, relative, within};
use crate::machine::Files;

/// A named set of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedSet {
    /// Directories whose loss as a whole would be a disaster, such as `/` and the home directory.
    Critical,
    /// Paths neither in the project nor in a temporary directory.
    Outside,
    /// Block devices.
    Disks,
    /// Private keys and credentials.
    Keys,
}

/// The names in the syntax of rules.
pub(crate) const NAMES: [&str; 4] = ["<critical>", "<outside>", "<disks>", "<keys>"];

const DISKS: &[&str] = &["sd*", "hd*", "vd*", "xvd*", "nvme*", "mmcblk*", "md*", "dm-*", "disk*", "rdisk*"];
const DISK_FOLDERS: &[&str] = &["mapper/", "disk/"];
/// Paths below home, in addition to the keys in `.ssh`.
#[rustfmt::skip]
pub(super) const CREDENTIALS: &[&str] = &[
    ".gnupg", ".aws", ".azure", ".config/gcloud", ".config/gh", ".kube/config", ".docker/config.json", ".netrc",
    ".git-credentials", ".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".vault-token",
];

impl NamedSet {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        match text {
            "<critical>" => Ok(Self::Critical),
            "<outside>" => Ok(Self::Outside),
            "<disks>" => Ok(Self::Disks),
            "<keys>" => Ok(Self::Keys),
            _ => {
                Err(format!("is not a known set; expected one of {}", NAMES.map(|name| format!("`{name}`")).join(", ")))
            }
        }
    }

    /// Returns true for a set of single files, false for a part of the file system.
    pub(super) fn has_files(self) -> bool {
        matches!(self, Self::Disks | Self::Keys)
    }

    /// Returns true if a form of a path is in the set.
    pub(crate) fn holds(self, form: &PathForm, context: &PathContext) -> bool {
        match (self, form) {
            (Self::Critical, PathForm::Absolute(path)) => critical(path, context),
            (Self::Critical, PathForm::Unanchored(path)) => path.split('/').all(|step| matches!(step, "" | ".." | "*")),
            (Self::Critical | Self::Disks, PathForm::Below(_)) => false,
            (Self::Outside, PathForm::Absolute(path) | PathForm::Below(path)) => outside(path, context),
            (Self::Outside, PathForm::Unanchored(path)) => {
                path.starts_with("~/") || path == "~" || path.starts_with("..")
            }
            (Self::Disks, form) => disks(form.text()),
            (Self::Keys, PathForm::Absolute(path)) => match context.home() {
                Some(home) => home.forms().any(|home| relative(path, home).is_some_and(keys)),
                None => trailing(path).any(keys),
            },
            (Self::Keys, PathForm::Unanchored(path)) => trailing(path).any(keys),
            (Self::Keys, PathForm::Below(path)) => Self::Keys.holds(&PathForm::Absolute(format!("{path}/?")), context),
        }
    }
}

/// Returns true for the critical directories themselves and their ancestors, not for paths below them.
fn critical(path: &str, context: &PathContext) -> bool {
    let steps = path.split('/').filter(|step| !step.is_empty()).count();
    if steps < 2 {
        return true;
    }
    if context.home().into_iter().flat_map(Dir::forms).any(|home| matches!(relative(path, home), Some("" | "*"))) {
        return true;
    }
    let places = [context.cwd(), context.root()].into_iter().flatten().chain(context.guards());
    places.flat_map(Dir::forms).any(|place| within(place, path))
}

fn outside(path: &str, context: &PathContext) -> bool {
    let Some(root) = context.root() else { return true };
    !root.forms().chain(context.temps()).any(|folder| within(path, folder))
}

fn disks(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    DISKS.iter().any(|glob| fast_glob::glob_match(glob, name)) || DISK_FOLDERS.iter().any(|dir| name.starts_with(dir))
}

/// Returns true for a key, by its path below home.
fn keys(path: &str) -> bool {
    if CREDENTIALS.iter().any(|file| within(path, file)) {
        return true;
    }
    let Some(name) = path.strip_prefix(".ssh/") else { return false };
    let public = std::path::Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("pub"));
    let known = matches!(name, "config" | "authorized_keys") || name.starts_with("known_hosts");
    !name.is_empty() && !public && !known
}

/// The default names of keys from `ssh-keygen`.
const DEFAULT_KEYS: &[&str] = &["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"];

/// The files and directories of `<keys>` below a home directory. Not all of them exist.
pub fn key_files(home: &std::path::Path, files: &dyn Files) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> = CREDENTIALS.iter().map(|file| home.join(file)).collect();
    let named = |name: &std::ffi::OsStr| keys(&format!(".ssh/{}", name.to_string_lossy()));
    found.extend(DEFAULT_KEYS.iter().map(|name| home.join(".ssh").join(name)));
    let entries = files.entries(&home.join(".ssh")).into_iter().flatten().map(|entry| entry.path);
    found.extend(entries.filter(|path| path.file_name().is_some_and(named)));
    found
}

/// The suffixes of a path that start at a segment.
fn trailing(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_start_matches('/');
    std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1)).filter_map(move |at| path.get(at..))
}

#[cfg(test)]
mod tests {
    use super::super::{Folders, Tilde, forms};
    use super::*;
    use crate::testing::TestMachine;

    fn holds(set: &str, path: &str, cwd: Option<&str>) -> bool {
        let context =
            PathContext::new(Folders::at(cwd), TestMachine::with(Some(std::path::Path::new("/h/u")), &["/tmp"]));
        let set = NamedSet::read(set).unwrap();
        forms(path, Tilde::Either, None, &context).iter().any(|form| set.holds(form, &context))
    }

    #[test]
    fn p7_named_sets_contain_the_documented_paths() {
        for (set, path, held) in [
            ("<critical>", "/", true),
            ("<critical>", "/nothing", true),
            ("<critical>", "/*", true),
            ("<critical>", "~", true),
            ("<critical>", "~/*", true),
            ("<critical>", "~/work", false),
            ("<critical>", ".", true),
            ("<critical>", "..", true),
            ("<critical>", "src", false),
            ("<critical>", "/w/app/x/..", true),
            ("<outside>", "src", false),
            ("<outside>", "/tmp/x", false),
            ("<outside>", "/tmpx", true),
            ("<outside>", "~/work", true),
            ("<outside>", "../other", true),
            ("<disks>", "/dev/sda1", true),
            ("<disks>", "/dev/mapper/root", true),
            ("<disks>", "/dev/disk/by-id/x", true),
            ("<disks>", "/dev/null", false),
            ("<keys>", "~/.ssh/id_ed25519", true),
            ("<keys>", "~/.ssh/id_ed25519.pub", false),
            ("<keys>", "~/.ssh/known_hosts.old", false),
            ("<keys>", "~/.ssh/*", true),
            ("<keys>", "~/.gnupg/x", true),
            ("<keys>", "~/.aws/sso/cache/x.json", true),
            ("<keys>", "~/.azure/msal_token_cache.json", true),
            ("<keys>", "~/.config/gh/hosts.yml", true),
            ("<keys>", "~/.docker/config.json", true),
            ("<keys>", "~/.docker/contexts", false),
            ("<keys>", "~/.git-credentials", true),
            ("<keys>", "~/.npmrc", true),
            ("<keys>", ".npmrc", false),
            ("<keys>", "~/.pypirc", true),
            ("<keys>", "~/.cargo/credentials.toml", true),
            ("<keys>", "~/.cargo/config.toml", false),
            ("<keys>", "~/.vault-token", true),
        ] {
            assert_eq!(holds(set, path, Some("/w/app")), held, "{set} {path}");
        }
        for (set, path, held) in [
            ("<outside>", "/a", true),
            ("<outside>", "a", false),
            ("<critical>", "..", true),
            ("<critical>", "a", false),
            ("<keys>", ".ssh/id", true),
        ] {
            assert_eq!(holds(set, path, None), held, "{set} {path} without cwd");
        }
    }
}

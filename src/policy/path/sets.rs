//! Sets of paths that cannot be written as globs (P7).

use super::{Dir, Form, Ground, relative, within};

/// Names a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// What nobody wants to lose whole.
    Critical,
    /// Neither in the project nor in a temporary folder.
    Outside,
    /// Block devices.
    Disks,
    /// Private keys and credentials.
    Keys,
}

/// The names, as rules write them.
pub(crate) const NAMES: [&str; 4] = ["<critical>", "<outside>", "<disks>", "<keys>"];

const DISKS: &[&str] = &["sd*", "hd*", "vd*", "xvd*", "nvme*", "mmcblk*", "md*", "dm-*", "disk*", "rdisk*"];
const DISK_FOLDERS: &[&str] = &["mapper/", "disk/"];
/// Below home, beside the keys in `.ssh`.
pub(super) const CREDENTIALS: &[&str] = &[".gnupg", ".aws/credentials", ".kube/config", ".netrc", ".config/gcloud"];

impl Set {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        match text {
            "<critical>" => Ok(Self::Critical),
            "<outside>" => Ok(Self::Outside),
            "<disks>" => Ok(Self::Disks),
            "<keys>" => Ok(Self::Keys),
            _ => Err(format!("names no set; the sets are {}", NAMES.map(|name| format!("`{name}`")).join(", "))),
        }
    }

    /// Whether one form of a path is in the set.
    pub(crate) fn holds(self, form: &Form, ground: &Ground) -> bool {
        match (self, form) {
            (Self::Critical, Form::Absolute(path)) => critical(path, ground),
            (Self::Critical, Form::Loose(path)) => path.split('/').all(|step| matches!(step, "" | ".." | "*")),
            (Self::Critical | Self::Disks, Form::Below(_)) => false,
            (Self::Outside, Form::Absolute(path) | Form::Below(path)) => outside(path, ground),
            (Self::Outside, Form::Loose(path)) => path.starts_with("~/") || path == "~" || path.starts_with(".."),
            (Self::Disks, form) => disks(form.text()),
            (Self::Keys, Form::Absolute(path)) => match ground.home() {
                Some(home) => home.forms().any(|home| relative(path, home).is_some_and(keys)),
                None => trailing(path).any(keys),
            },
            (Self::Keys, Form::Loose(path)) => trailing(path).any(keys),
            (Self::Keys, Form::Below(path)) => Self::Keys.holds(&Form::Absolute(format!("{path}/?")), ground),
        }
    }
}

/// Exactly these, not what is below them.
fn critical(path: &str, ground: &Ground) -> bool {
    let steps = path.split('/').filter(|step| !step.is_empty()).count();
    if steps < 2 {
        return true;
    }
    if ground.home().into_iter().flat_map(Dir::forms).any(|home| matches!(relative(path, home), Some("" | "*"))) {
        return true;
    }
    let places = [ground.cwd(), ground.root()].into_iter().flatten().chain(ground.guards());
    places.flat_map(Dir::forms).any(|place| within(place, path))
}

fn outside(path: &str, ground: &Ground) -> bool {
    let Some(root) = ground.root() else { return true };
    !root.forms().chain(ground.temps()).any(|folder| within(path, folder))
}

fn disks(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    DISKS.iter().any(|glob| fast_glob::glob_match(glob, name)) || DISK_FOLDERS.iter().any(|dir| name.starts_with(dir))
}

/// Below home.
fn keys(path: &str) -> bool {
    if CREDENTIALS.iter().any(|file| within(path, file)) {
        return true;
    }
    let Some(name) = path.strip_prefix(".ssh/") else { return false };
    let public = std::path::Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("pub"));
    let known = matches!(name, "config" | "authorized_keys") || name.starts_with("known_hosts");
    !name.is_empty() && !public && !known
}

/// The names of the keys that `ssh-keygen` makes.
const MADE: &[&str] = &["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"];

/// The files and folders of `<keys>` below a home folder; not all of them exist.
pub(crate) fn key_files(home: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> = CREDENTIALS.iter().map(|file| home.join(file)).collect();
    let named = |name: &std::ffi::OsStr| keys(&format!(".ssh/{}", name.to_string_lossy()));
    let entries = std::fs::read_dir(home.join(".ssh")).into_iter().flatten().flatten();
    found.extend(MADE.iter().map(|name| home.join(".ssh").join(name)));
    found.extend(entries.filter(|entry| named(&entry.file_name())).map(|entry| entry.path()));
    found
}

/// The path from each of its steps on.
fn trailing(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_start_matches('/');
    std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1)).filter_map(move |at| path.get(at..))
}

#[cfg(test)]
mod tests {
    use super::super::{Folders, Tilde, forms};
    use super::*;

    fn holds(set: &str, path: &str, cwd: Option<&str>) -> bool {
        let ground = Ground::new(Folders::at(cwd), Some(std::path::Path::new("/h/u")), &["/tmp".to_owned()]);
        let set = Set::read(set).unwrap();
        forms(path, Tilde::Either, None, &ground).iter().any(|form| set.holds(form, &ground))
    }

    #[test]
    fn p7_sets_hold_what_their_names_say() {
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
            ("<keys>", "~/.aws/config", false),
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

//! Paths: how they are made comparable (P1, P2), and the patterns over them (P3-P7).

mod could;
mod ground;
mod pattern;
mod sets;
mod start;

pub(crate) use could::{Step, could_be, could_be_in};
pub use ground::Folders;
pub(crate) use ground::{Dir, Ground, is_marked};
pub(crate) use pattern::{PathPattern, comparable};
pub(crate) use sets::key_files;
pub(crate) use start::{Start, starts};

use std::borrow::Cow;
use std::path::Path;

use super::command::{Base, Place};

/// Whether file systems of this system ignore case; deny and ask then do too (P2).
pub(crate) const FOLDS: bool = cfg!(any(target_os = "macos", windows));

/// The greatest length of a path that systems look up, in bytes.
const LONGEST: usize = 4096;

/// Holds one path in the forms in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// Absolute, `.`, `..` and `//` folded.
    Absolute(String),
    /// Relative, and nobody knows to what (P5).
    Loose(String),
    /// Somewhere below this folder, and nobody knows where (B11).
    Below(String),
}

impl Form {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Absolute(text) | Self::Loose(text) | Self::Below(text) => text,
        }
    }
}

/// Says how a leading `~` of a path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tilde {
    /// A shell has to read it: the home folder.
    Home,
    /// It was quoted: itself.
    Itself,
    /// An argument of a tool: perhaps one, perhaps the other.
    Either,
}

/// The forms of a path: as written and as it resolves (P1); twice that where `~` may mean two things.
pub(crate) fn forms(path: &str, tilde: Tilde, cwd: Option<&str>, ground: &Ground) -> Vec<Form> {
    let path = unix(path);
    let home = (path == "~" || path.starts_with("~/"))
        .then(|| ground.home().map(|home| format!("{}{}", home.written, path.get(1..).unwrap_or_default())))
        .flatten();
    let mut forms = Vec::new();
    if let Some(home) = &home
        && tilde != Tilde::Itself
    {
        add(&mut forms, home, None, ground);
    }
    if home.is_none() || tilde != Tilde::Home {
        let below = |dir: &Dir| match cwd.map(unix) {
            Some(own) if own.starts_with('/') => own,
            Some(own) => format!("{}/{own}", dir.written),
            None => dir.written.clone(),
        };
        let own = cwd.map(unix).filter(|own| own.starts_with('/'));
        let base = own.or_else(|| ground.cwd().map(below));
        add(&mut forms, &path, base.as_deref(), ground);
        // Nothing that is relative to an unknown folder is allowed, so what the process knows helps guards alone.
        for start in ground.starts().iter().filter(|_| base.is_none()) {
            add(&mut forms, &path, Some(&below(start)), ground);
        }
    }
    forms
}

/// The forms of a path in a command, relative to any of its bases; what follows the last expansion
/// that nobody knows stands for all of it (B11).
pub(crate) fn forms_of(touched: &Place, bases: &[Base], cwd: Option<&str>, ground: &Ground) -> Vec<Form> {
    let mut all = Vec::new();
    if let Some(tail) = &touched.tail {
        if !tail.is_empty() {
            push(&mut all, Form::Loose(fold(tail.trim_start_matches('/'))));
        }
        let Some(below) = &touched.below else { return all };
        for form in on_bases(below, touched.home, bases, cwd, ground) {
            if let Form::Absolute(folder) = form {
                push(&mut all, Form::Below(folder));
            }
        }
        return all;
    }
    for form in on_bases(&touched.path, touched.home, bases, cwd, ground) {
        push(&mut all, form);
    }
    all
}

fn on_bases(path: &str, home: bool, bases: &[Base], cwd: Option<&str>, ground: &Ground) -> Vec<Form> {
    let tilde = if home { Tilde::Home } else { Tilde::Itself };
    let mut all = Vec::new();
    for base in bases {
        match base {
            Base::Own => all.extend(forms(path, tilde, cwd, ground)),
            Base::Dir(dir) => {
                let tilde_of = if dir.home { Tilde::Home } else { Tilde::Itself };
                let dirs = forms(&dir.path, tilde_of, cwd, ground);
                let is_known = matches!(dirs.first(), Some(Form::Absolute(_)));
                if !is_known {
                    all.push(Form::Loose(fold(path)));
                }
                let known = dirs.iter().filter(|dir| matches!(dir, Form::Absolute(_)));
                all.extend(
                    known
                        .take(if is_known { 1 } else { usize::MAX })
                        .flat_map(|dir| forms(path, tilde, Some(dir.text()), ground)),
                );
            }
            Base::Unknown if path.starts_with('/') || home => all.extend(forms(path, tilde, cwd, ground)),
            Base::Unknown => all.push(Form::Loose(fold(path))),
            Base::Apart => all.push(Form::Loose(fold(path.trim_start_matches('/')))),
        }
    }
    all
}

fn add(forms: &mut Vec<Form>, path: &str, base: Option<&str>, ground: &Ground) {
    let whole = match base {
        _ if path.starts_with('/') => path.to_owned(),
        Some(base) => format!("{base}/{path}"),
        None => {
            push(forms, Form::Loose(fold(path)));
            return;
        }
    };
    push(forms, Form::Absolute(fold(&whole)));
    if whole.len() > LONGEST {
        // The system cannot look it up either, so no rule allows it.
        push(forms, Form::Below(fold(&whole)));
    } else {
        push(forms, Form::Absolute(ground.resolve(&whole)));
    }
}

fn push(forms: &mut Vec<Form>, form: Form) {
    if !forms.contains(&form) {
        forms.push(form);
    }
}

/// On Windows `C:\a` is `/c/a`; elsewhere a path is what it is.
fn unix(path: &str) -> String {
    if !cfg!(windows) {
        return path.to_owned();
    }
    let path = path.replace('\\', "/");
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && rest.starts_with('/') => format!("/{}{rest}", drive.to_lowercase()),
        _ => path,
    }
}

/// Folds `.`, `..` and `//` as text. A relative path keeps its leading `..`.
pub(crate) fn fold(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if absolute => {}
            step => steps.push(step),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, steps.join("/"))
}

/// Follows the symbolic links of an absolute path as the system does; what does not exist is
/// appended as it is, and so is everything past the longest path that the system knows.
pub(crate) fn resolve(path: &str) -> String {
    follow(path, look_up)
}

/// What a path is to the file system.
#[derive(Debug, Clone)]
enum Entry {
    Link(String),
    Plain,
    /// It does not exist or cannot be reached, so nothing below it can be looked up.
    Absent,
}

fn look_up(path: &str) -> Entry {
    use std::io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
    match std::fs::read_link(path) {
        Ok(target) => Entry::Link(target.to_string_lossy().into_owned()),
        Err(error) => match error.kind() {
            NotFound | NotADirectory | PermissionDenied | InvalidFilename => Entry::Absent,
            _ => Entry::Plain,
        },
    }
}

fn follow(path: &str, look_up: impl Fn(&str) -> Entry) -> String {
    let mut left: Vec<Cow<'_, str>> = path.split('/').rev().map(Cow::Borrowed).collect();
    let mut here = String::with_capacity(path.len());
    // The length of the first folder that is absent.
    let mut absent: Option<usize> = None;
    let mut links = 0;
    while let Some(step) = left.pop() {
        match &*step {
            "" | "." => {}
            ".." => {
                here.truncate(here.rfind('/').unwrap_or_default());
                absent = absent.filter(|length| here.len() >= *length);
            }
            step => {
                let folder = here.len();
                here.push('/');
                here.push_str(step);
                if absent.is_some() {
                    continue;
                }
                match look_up(&here) {
                    Entry::Link(target) if links < 40 => {
                        links += 1;
                        here.truncate(if target.starts_with('/') { 0 } else { folder });
                        left.extend(target.split('/').rev().map(|step| Cow::Owned(step.to_owned())));
                    }
                    Entry::Absent => absent = Some(here.len()),
                    Entry::Link(_) | Entry::Plain => {}
                }
            }
        }
    }
    if here.is_empty() { "/".to_owned() } else { here }
}

/// Whether a path is a folder or lies below it.
pub(crate) fn within(path: &str, folder: &str) -> bool {
    relative(path, folder).is_some()
}

/// What of a path lies below a folder; empty for the folder itself.
pub(crate) fn relative<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// A path as text, with `/` between its steps.
pub(crate) fn text_of(path: &Path) -> String {
    unix(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p1_paths_are_folded_as_text() {
        for (path, folded) in [
            ("/a/./b//c/../d", "/a/b/d"),
            ("/..", "/"),
            ("a/../..", ".."),
            ("../../x", "../../x"),
            ("./", ""),
            ("/a/b/", "/a/b"),
        ] {
            assert_eq!(fold(path), folded, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn p1_links_are_followed_before_the_file_exists_and_loops_end() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name).to_string_lossy().into_owned();
        std::fs::create_dir(base.join("real")).unwrap();
        symlink("real", base.join("link")).unwrap();
        symlink("real/new", base.join("dangling")).unwrap();
        symlink("loop", base.join("loop")).unwrap();
        let ground = Ground::new(Folders::default(), None, &[]);
        for (path, leads_to) in [
            ("link/x/y", "real/x/y"),
            ("link/x", "real/x"),
            ("link", "real"),
            ("dangling", "real/new"),
            ("dangling/x", "real/new/x"),
            ("link/../x", "x"),
            ("link/./x//y/", "real/x/y"),
            ("loop/x", "loop/x"),
        ] {
            assert_eq!(resolve(&at(path)), at(leads_to), "{path}");
            assert_eq!(ground.resolve(&at(path)), at(leads_to), "{path}");
        }
        assert_eq!(ground.resolve("/"), "/");
    }
}

//! Normalizes paths for comparison (P1, P2) and matches patterns over them (P3-P7).

mod context;
mod expansion;
mod git_ignore;
mod lookups;
mod partial;
mod pattern;
mod sets;
mod walked;

pub use context::{Dir, Folders, PathContext, is_marked};
pub(crate) use lookups::SharedLookups;
pub(crate) use partial::{
    PossiblePaths, ProtectedPath, Segment, is_known, known_folder, may_be_below, may_overlap_file, without_depth,
};
pub(crate) use pattern::{PathPattern, comparable};
pub use sets::key_files;
pub(crate) use walked::WalkedFolder;

use std::borrow::Cow;
use std::path::Path;

pub use snaphook_shell::paths::{fold, within};
pub(crate) use snaphook_shell::paths::{is_folded, relative};
use snaphook_shell::{Base, CommandPath};

use crate::machine::{Files, Lookup};

/// True if the file systems of the operating system usually ignore case. Deny and ask rules then ignore it too (P2).
pub(crate) const FOLDS: bool = cfg!(any(target_os = "macos", windows));

/// The maximum length of a path in a system call, in bytes.
const LONGEST: usize = 4096;

/// One form of a path for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathForm {
    /// An absolute path without `.`, `..` and `//`.
    Absolute(String),
    /// A path relative to an unknown directory (P5).
    Unanchored(String),
    /// An unknown path below this directory (B11).
    Below(String),
}

impl PathForm {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Absolute(text) | Self::Unanchored(text) | Self::Below(text) => text,
        }
    }
}

/// The meaning of a leading `~` in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tilde {
    /// The home directory: a shell expands it.
    Home,
    /// A literal `~`: it was quoted.
    Itself,
    /// Unknown, as in an argument of a tool.
    Either,
}

/// The forms of a path: as written and with symbolic links resolved (P1), for each possible meaning of `~`.
pub(crate) fn forms<'c>(path: &str, tilde: Tilde, cwd: Option<&'c str>, context: &'c PathContext) -> Vec<PathForm> {
    let path = &*unix(path);
    let home = (path == "~" || path.starts_with("~/"))
        .then(|| context.home().map(|home| format!("{}{}", home.written, path.get(1..).unwrap_or_default())))
        .flatten();
    let mut forms = Vec::new();
    if let Some(home) = &home
        && tilde != Tilde::Itself
    {
        add(&mut forms, home, None, context);
    }
    if home.is_none() || tilde != Tilde::Home {
        let cwd = cwd.map(unix);
        let below = |dir: &'c Dir| match &cwd {
            Some(own) if own.starts_with('/') => Cow::Borrowed(&**own),
            Some(own) => Cow::Owned(format!("{}/{own}", dir.written)),
            None => Cow::Borrowed(dir.written.as_str()),
        };
        let own = cwd.as_deref().filter(|own| own.starts_with('/')).map(Cow::Borrowed);
        let base = own.or_else(|| context.cwd().map(below));
        add(&mut forms, path, base.as_deref(), context);
        // No path relative to an unknown folder is allowed, so the directory of the process is used only for guards.
        if base.is_none() {
            for start in context.starts() {
                add(&mut forms, path, Some(&below(start)), context);
            }
        }
    }
    forms
}

/// The forms of a path in a command, relative to any of its bases. If the path has unknown expansions, the text after
/// the last one is used (B11).
pub(crate) fn forms_of(
    touched: &CommandPath,
    bases: &[Base],
    cwd: Option<&str>,
    context: &PathContext,
) -> Vec<PathForm> {
    let mut all = Vec::new();
    if let Some(tail) = &touched.tail {
        if !tail.is_empty() {
            push(&mut all, PathForm::Unanchored(fold(tail.trim_start_matches('/'))));
        }
        let Some(below) = &touched.below else { return all };
        for form in on_bases(below, touched.home, bases, cwd, context) {
            if let PathForm::Absolute(folder) = form {
                push(&mut all, PathForm::Below(folder));
            }
        }
        return all;
    }
    for form in on_bases(&touched.path, touched.home, bases, cwd, context) {
        push(&mut all, form);
    }
    all
}

fn on_bases(path: &str, home: bool, bases: &[Base], cwd: Option<&str>, context: &PathContext) -> Vec<PathForm> {
    let tilde = if home { Tilde::Home } else { Tilde::Itself };
    let mut all = Vec::new();
    for base in bases {
        match base {
            Base::Own => all.extend(forms(path, tilde, cwd, context)),
            Base::Dir(dir) => {
                let tilde_of = if dir.home { Tilde::Home } else { Tilde::Itself };
                let dirs = forms(&dir.path, tilde_of, cwd, context);
                let is_known = matches!(dirs.first(), Some(PathForm::Absolute(_)));
                if !is_known {
                    all.push(PathForm::Unanchored(fold(path)));
                }
                let known = dirs.iter().filter(|dir| matches!(dir, PathForm::Absolute(_)));
                all.extend(
                    known
                        .take(if is_known { 1 } else { usize::MAX })
                        .flat_map(|dir| forms(path, tilde, Some(dir.text()), context)),
                );
            }
            Base::Unknown if path.starts_with('/') || home => all.extend(forms(path, tilde, cwd, context)),
            Base::Unknown => all.push(PathForm::Unanchored(fold(path))),
            Base::Apart => all.push(PathForm::Unanchored(fold(path.trim_start_matches('/')))),
        }
    }
    all
}

fn add(forms: &mut Vec<PathForm>, path: &str, base: Option<&str>, context: &PathContext) {
    let whole = match base {
        _ if path.starts_with('/') => path.to_owned(),
        Some(base) => [base, "/", path].concat(),
        None => {
            push(forms, PathForm::Unanchored(fold(path)));
            return;
        }
    };
    if whole.len() > LONGEST {
        push(forms, PathForm::Absolute(fold(&whole)));
        // System calls reject such a path, so no rule has to allow it.
        push(forms, PathForm::Below(fold(&whole)));
    } else {
        let resolved = context.resolve(&whole);
        push(forms, PathForm::Absolute(fold(&whole)));
        push(forms, PathForm::Absolute(resolved));
    }
}

fn push(forms: &mut Vec<PathForm>, form: PathForm) {
    if !forms.contains(&form) {
        forms.push(form);
    }
}

/// Converts a Windows path: `C:\a` becomes `/c/a`. On other systems, returns the path unchanged.
fn unix(path: &str) -> Cow<'_, str> {
    if !cfg!(windows) {
        return Cow::Borrowed(path);
    }
    let path = path.replace('\\', "/");
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && rest.starts_with('/') => {
            format!("/{}{rest}", drive.to_lowercase()).into()
        }
        _ => path.into(),
    }
}

/// Resolves the symbolic links of an absolute path like the kernel. Missing segments, and everything past the maximum
/// length of a path, are kept unchanged.
pub fn resolve(path: &str, files: &dyn Files) -> String {
    follow("", path, |path| files.link(path)).path
}

/// The result of following a path.
struct Followed {
    path: String,
    /// The length of its prefix up to the first missing folder.
    absent: Option<usize>,
    /// True if there were too many links; the last of them was treated as a folder.
    loops: bool,
}

/// Follows the rest of a path after an existing folder whose path has no links.
fn follow(folder: &str, rest: &str, look_up: impl Fn(&str) -> Lookup) -> Followed {
    let mut left: Vec<Cow<'_, str>> = rest.split('/').rev().map(Cow::Borrowed).collect();
    let mut here = String::with_capacity(folder.len() + rest.len() + 1);
    here.push_str(folder);
    let mut absent: Option<usize> = None;
    let mut links = 0;
    let mut loops = false;
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
                    Lookup::Link(target) if links < 40 => {
                        links += 1;
                        here.truncate(if target.starts_with('/') { 0 } else { folder });
                        left.extend(target.split('/').rev().map(|step| Cow::Owned(step.to_owned())));
                    }
                    Lookup::Absent => absent = Some(here.len()),
                    Lookup::Link(_) => loops = true,
                    Lookup::NotALink => {}
                }
            }
        }
    }
    if here.is_empty() {
        here.push('/');
    }
    Followed { path: here, absent, loops }
}

/// Converts a path to text with `/` as the separator.
pub fn text_of(path: &Path) -> String {
    let text = path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed);
    unix(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestMachine;

    #[test]
    fn p1_paths_are_normalized_lexically() {
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
    fn p1_links_to_missing_files_are_resolved_and_loops_end() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name).to_string_lossy().into_owned();
        std::fs::create_dir(base.join("real")).unwrap();
        symlink("real", base.join("link")).unwrap();
        symlink("real/new", base.join("dangling")).unwrap();
        symlink("loop", base.join("loop")).unwrap();
        let machine = TestMachine::with(None, &[]);
        let contexts =
            [Folders::default(), Folders::at(base.to_str())].map(|folders| PathContext::new(folders, machine));
        for (path, leads_to) in [
            ("link/x/y", "real/x/y"),
            ("link/x", "real/x"),
            ("link", "real"),
            ("dangling", "real/new"),
            ("dangling/x", "real/new/x"),
            ("link/../x", "x"),
            ("link/./x//y/", "real/x/y"),
            ("loop/x", "loop/x"),
            ("gone", "gone"),
            ("gone/x", "gone/x"),
            ("gone/../link", "real"),
            ("gone/.//x/../../link/gone", "real/gone"),
            ("gone/x/y", "gone/x/y"),
            ("gones", "gones"),
        ] {
            assert_eq!(resolve(&at(path), machine), at(leads_to), "{path}");
            for context in &contexts {
                context.cwd();
                assert_eq!(context.resolve(&at(path)), at(leads_to), "{path}");
            }
        }
        assert!(contexts.iter().all(|context| context.resolve("/") == "/"));
    }
}

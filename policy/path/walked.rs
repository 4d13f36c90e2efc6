//! Looks for files that a rule speaks of in a folder that a program walks. Only files that exist count: a rule such as `Read(.env)`
//! would otherwise apply to each folder.

use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

use snaphook_shell::Extent;

use super::pattern::{Anchor, Meaning, PathPattern, is_literal};
use super::{Dir, FOLDS, PathContext, PathForm, relative, text_of, within};
use crate::list::Side;
use crate::machine::Lookup;

/// The maximum number of entries that are looked at in a folder and below it, the nearest first.
const MAX_ENTRIES: usize = 10_000;
/// The number of entries that count as much as opening a folder, which takes longer than reading an entry.
const OPENING: usize = 16;
/// The maximum number of lines of a `.gitignore`. A longer one excludes nothing.
const MAX_LINES: usize = 1000;

const REPOSITORY: &str = ".git";
const GIT_IGNORE: &str = ".gitignore";
/// Files of `rg` that can include again what `.gitignore` excludes.
const RG_IGNORE: [&str; 2] = [".ignore", ".rgignore"];

/// A folder that a program walks.
pub(crate) struct WalkedFolder<'w> {
    pub(crate) path: &'w str,
    pub(crate) extent: Extent,
    /// Returns true if the program reads files of this path, judged by its name and its folders.
    pub(crate) may_read: &'w dyn Fn(&str) -> bool,
}

/// What is in a folder that a program walks, and below it.
#[derive(Debug)]
pub(super) struct WalkedEntries {
    /// The paths, the nearest first.
    paths: Vec<String>,
    /// True if the folder itself has more entries.
    is_cut: bool,
}

impl PathPattern {
    /// Returns true if a file that the pattern matches is read in a folder, or if a folder exists there that may have one.
    pub(crate) fn exists_in(&self, folder: &WalkedFolder<'_>, context: &PathContext, own: Option<&Dir>) -> bool {
        let Self::Glob { anchor, glob, means, .. } = self else {
            return may_have_keys(folder.path, folder.extent, context);
        };
        if matches!(anchor, Anchor::Folder | Anchor::Anywhere) || glob.starts_with("**/") {
            return *means != Meaning::None && self.has_entry_in(folder, glob, context, own);
        }
        let literal = glob.split('/').take_while(is_literal).collect::<Vec<_>>().join("/");
        anchor.folders(context, own).iter().any(|base| {
            let path = [base.trim_end_matches('/'), "/", &literal].concat();
            let path = path.trim_end_matches('/');
            (within(path, folder.path) || within(folder.path, path))
                && exists(path, context)
                && ((folder.may_read)(path) || is_folder(path, context))
                && !is_excluded(path, folder.path, folder.extent, context)
        })
    }

    /// Returns true if a pattern that applies in any folder, such as `.env` or `*.pem`, matches a file below a folder.
    fn has_entry_in(&self, folder: &WalkedFolder<'_>, glob: &str, context: &PathContext, own: Option<&Dir>) -> bool {
        let &WalkedFolder { path: root, extent, may_read } = folder;
        let is_hidden = glob.split('/').any(|step| step.starts_with('.'));
        if extent == Extent::Visible && is_hidden && !root.contains("/.") {
            return false;
        }
        let matches = |path: &str| self.matches(Side::Guard, &[PathForm::Absolute(path.to_owned())], context, own);
        let longest = self.longest().filter(|_| !FOLDS);
        let has_text = |path: &str| longest.is_none_or(|text| path.contains(text));
        let walk = context.walk(root, extent);
        let is_read = |path: &String| {
            !context.budget().spend(1)
                || (has_text(path) && matches(path) && may_read(path) && !is_excluded(path, root, extent, context))
        };
        walk.is_cut || walk.paths.iter().any(is_read)
    }
}

impl PathContext<'_> {
    /// Lists what is below a folder that a program walks. The result is kept for other patterns.
    fn walk(&self, folder: &str, extent: Extent) -> Rc<WalkedEntries> {
        let mut walks = self.walks.borrow_mut();
        let walk = walks.entry((folder.to_owned(), extent));
        Rc::clone(walk.or_insert_with(|| Rc::new(WalkedEntries::of(folder, extent, self))))
    }
}

impl WalkedEntries {
    fn of(root: &str, extent: Extent, context: &PathContext) -> Self {
        let mut walk = Self { paths: Vec::new(), is_cut: false };
        let excluded = if extent == Extent::Walked { Vec::new() } else { excluded_names(context) };
        let is_excluded = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name == REPOSITORY
                || (excluded.iter().any(|other| other == name) && is_excluded(path, root, extent, context))
        };
        let is_entered = |path: &str| {
            // Links are not followed.
            matches!(context.entry(path), Lookup::NotALink) && (extent == Extent::Walked || !is_excluded(path))
        };
        let mut folders = VecDeque::from([root.to_owned()]);
        let mut left = MAX_ENTRIES;
        while let Some(folder) = folders.pop_front() {
            if folder != root && !is_entered(&folder) {
                continue;
            }
            left = left.saturating_sub(OPENING);
            for entry in context.machine().entries(Path::new(&folder)).take(left) {
                left -= 1;
                let path = text_of(&entry.path);
                if extent == Extent::Visible && path.rsplit('/').next().is_some_and(|name| name.starts_with('.')) {
                    continue;
                }
                if entry.may_be_folder {
                    folders.push_back(path.clone());
                }
                walk.paths.push(path);
            }
            if left == 0 || !context.budget().spend(OPENING) {
                walk.is_cut = folder == root;
                break;
            }
        }
        walk
    }
}

/// The names in the lines of `.gitignore` that consist of a name.
fn excluded_names(context: &PathContext) -> Vec<String> {
    let file = context.root().map(|root| [&root.resolved, "/", GIT_IGNORE].concat());
    let text = file.and_then(|file| context.machine().read(Path::new(&file)).ok()).unwrap_or_default();
    text.lines().take(MAX_LINES).map(|line| line.trim_matches(['/', ' ']).to_owned()).collect()
}

fn is_folder(path: &str, context: &PathContext) -> bool {
    exists(&[path, "/."].concat(), context)
}

fn exists(path: &str, context: &PathContext) -> bool {
    !matches!(context.entry(path), Lookup::Absent)
}

/// Returns true if a folder may contain the files of `<keys>`, all of which are in hidden folders of the home folder.
fn may_have_keys(folder: &str, extent: Extent, context: &PathContext) -> bool {
    let Some(home) = context.home() else { return true };
    home.forms().any(|home| {
        let is_hidden = relative(folder, home).is_some_and(|below| below.starts_with('.'));
        is_hidden || (extent != Extent::Visible && within(home, folder))
    })
}

/// Returns true if a walk of a folder excludes a path.
fn is_excluded(path: &str, folder: &str, extent: Extent, context: &PathContext) -> bool {
    let is_hidden = || relative(path, folder).is_some_and(|below| below.split('/').any(|step| step.starts_with('.')));
    match extent {
        Extent::Visible => is_hidden() || is_ignored(path, folder, context),
        Extent::Unignored => is_ignored(path, folder, context),
        _ => false,
    }
}

/// Returns true if the `.gitignore` in the root of the repository excludes a path below a folder, and no other file can include it
/// again.
fn is_ignored(path: &str, folder: &str, context: &PathContext) -> bool {
    let Some(project) = context.root() else { return false };
    let Some(root) = project.forms().find(|root| within(path, root)) else { return false };
    let has = |folder: &str, name: &str| exists(&[folder, "/", name].concat(), context);
    let above = Path::new(path).ancestors().skip(1).map(text_of).take_while(|folder| within(folder, root));
    let above: Vec<_> = above.collect();
    let decides_alone = |above: &String| {
        let is_root = above == root;
        let others = RG_IGNORE.iter().any(|name| has(above, name)) || (!is_root && has(above, GIT_IGNORE));
        has(above, REPOSITORY) == is_root && !others
    };
    let file = [root, "/", GIT_IGNORE].concat();
    // Git does not follow a link.
    let is_file = matches!(context.entry(&file), Lookup::NotALink);
    if !is_file || !above.iter().any(|above| above == folder) || !above.iter().all(decides_alone) {
        return false;
    }
    let Ok(text) = context.machine().read(Path::new(&file)) else { return false };
    let lines = || text.lines().map(|line| line.trim_end_matches(' '));
    // A line with `!` may include again what another line excludes.
    if lines().nth(MAX_LINES).is_some() || lines().any(|line| line.starts_with('!')) {
        return false;
    }
    let excludes = |line: &str| {
        if line.is_empty() || line.starts_with('#') || line.contains('\\') || !context.budget().spend(64) {
            return false;
        }
        // A `/` at the beginning or in the middle ties a line to the folder of the file.
        let is_tied = line.trim_end_matches('/').contains('/') && !line.starts_with('/');
        let Ok(pattern) = PathPattern::read(&[if is_tied { "/" } else { "" }, line].concat()) else { return false };
        let matches =
            |path: &str| pattern.matches(Side::Guard, &[PathForm::Absolute(path.to_owned())], context, Some(project));
        // A `/` at the end speaks of folders only.
        let is_meant = !line.ends_with('/') || is_folder(path, context);
        let excluded = if is_meant { Some(path) } else { path.rsplit_once('/').map(|(parent, _)| parent) };
        // `rg` searches a folder that is named, even if a line excludes it.
        excluded.is_some_and(matches) && !matches(folder)
    };
    lines().any(excludes)
}

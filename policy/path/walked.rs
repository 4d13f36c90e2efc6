//! Looks for files that a rule speaks of in a folder that a program walks. Only files that exist count: a rule such as `Read(.env)`
//! would otherwise apply to each folder.

use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

use snaphook_shell::{Extent, base_name};

use super::git_ignore::REPOSITORY;
use super::pattern::{Anchor, Meaning, PathPattern, is_literal};
use super::{Dir, FOLDS, PathContext, PathForm, relative, text_of, within};
use crate::list::Side;
use crate::machine::Lookup;

/// The maximum number of entries that are looked at in a folder and below it, the nearest first.
const MAX_ENTRIES: usize = 10_000;
/// The cost of opening a folder, in entries.
const OPENING: usize = 16;

/// A folder that a program walks.
pub(crate) struct WalkedFolder<'w> {
    pub(crate) path: &'w str,
    pub(crate) extent: Extent,
    /// True if files that are too far away to be looked at count as matching.
    pub(crate) whole: bool,
    /// Returns true if the program may read the file at a path. It is false for files whose names the program does not search.
    pub(crate) may_read: &'w dyn Fn(&str) -> bool,
}

/// The files and folders below a folder that a program walks.
#[derive(Debug)]
pub(super) struct WalkedEntries {
    /// Their paths, the nearest first.
    paths: Vec<String>,
    /// True if the folder has more direct entries than were looked at, or a folder or link that cannot be looked at.
    is_cut: bool,
    /// True if there are more entries below it.
    is_incomplete: bool,
    /// The paths of links.
    links: Vec<String>,
}

impl PathPattern {
    /// Returns true if a walk of a folder may read a file that the pattern matches.
    pub(crate) fn exists_in(&self, folder: &WalkedFolder<'_>, context: &PathContext, own: Option<&Dir>) -> bool {
        if folder.whole && !is_folder(folder.path, context) {
            return true;
        }
        let Self::Glob { anchor, glob, means, .. } = self else {
            return may_have_keys(folder.path, folder.extent, context);
        };
        if folder.whole {
            return self.has_entry_in(folder, glob, context, own);
        }
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
        let &WalkedFolder { path: root, extent, whole, may_read } = folder;
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
        walk.is_cut || (whole && walk.is_incomplete) || walk.paths.iter().any(is_read)
    }
}

impl PathContext<'_> {
    /// Returns the links below a folder, those that are near enough to be looked at. `None` if an entry cannot be looked at.
    pub(super) fn links_below(&self, folder: &str) -> Option<Vec<String>> {
        let walk = self.walk(folder, Extent::Walked);
        (!walk.is_cut).then(|| walk.links.clone())
    }

    /// Lists the files and folders below a folder that a program walks. The list is kept for other patterns.
    fn walk(&self, folder: &str, extent: Extent) -> Rc<WalkedEntries> {
        let mut walks = self.walks.borrow_mut();
        let walk = walks.entry((folder.to_owned(), extent));
        Rc::clone(walk.or_insert_with(|| Rc::new(WalkedEntries::of(folder, extent, self))))
    }
}

impl WalkedEntries {
    fn of(root: &str, extent: Extent, context: &PathContext) -> Self {
        let mut walk = Self { paths: Vec::new(), is_cut: false, is_incomplete: false, links: Vec::new() };
        // A folder that no line names is rarely excluded, so it is entered.
        let is_excluded = |path: &str| {
            let name = base_name(path);
            let is_named = || context.git_ignore().is_some_and(|file| file.has_name(name));
            name == REPOSITORY || (is_named() && is_excluded(path, root, extent, context))
        };
        let is_entered = |path: &str| {
            // Links are not followed.
            matches!(context.entry(path), Lookup::NotALink) && (extent == Extent::Walked || !is_excluded(path))
        };
        let mut folders = VecDeque::from([root.to_owned()]);
        let mut left = MAX_ENTRIES;
        while let Some(folder) = folders.pop_front() {
            if folder != root && !is_entered(&folder) {
                if matches!(context.entry(&folder), Lookup::Link(_)) {
                    walk.links.push(folder);
                }
                continue;
            }
            left = left.saturating_sub(OPENING);
            let Some(entries) = context.machine().entries(Path::new(&folder)) else {
                // Another user may read it.
                walk.is_cut |= folder == root;
                walk.is_incomplete = true;
                continue;
            };
            for entry in entries.take(left) {
                left -= 1;
                let path = text_of(&entry.path);
                // The name is not UTF-8 and cannot be looked up.
                walk.is_cut |= entry.may_be_folder && path.contains(char::REPLACEMENT_CHARACTER);
                if extent == Extent::Visible && base_name(&path).starts_with('.') {
                    continue;
                }
                if entry.may_be_folder {
                    folders.push_back(path.clone());
                }
                walk.paths.push(path);
            }
            if left == 0 || !context.budget().spend(OPENING) {
                walk.is_cut |= folder == root;
                walk.is_incomplete = true;
                break;
            }
        }
        walk
    }
}

pub(super) fn is_folder(path: &str, context: &PathContext) -> bool {
    exists(&[path, "/."].concat(), context)
}

pub(super) fn exists(path: &str, context: &PathContext) -> bool {
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
    let is_ignored = || context.git_ignore().is_some_and(|file| file.excludes(path, folder, context));
    match extent {
        Extent::Visible => is_hidden() || is_ignored(),
        Extent::Unignored => is_ignored(),
        _ => false,
    }
}

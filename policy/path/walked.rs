//! Matches rules with what a program reads below a folder. Only what exists counts: otherwise a rule for files in any folder
//! would speak of every folder.

use std::path::Path;

use snaphook_shell::Extent;

use super::pattern::{Anchor, Meaning, PathPattern, is_literal};
use super::{Dir, PathContext, PathForm, relative, text_of, within};
use crate::list::Side;

/// The number of entries of a folder that are compared with a pattern, and of lines of `.gitignore` that are read.
const MOST: usize = 1000;

const REPOSITORY: &str = ".git";
const GIT_IGNORE: &str = ".gitignore";
/// Files that can take back what `.gitignore` leaves out.
const OVERRIDES: [&str; 2] = [".ignore", ".rgignore"];

impl PathPattern {
    /// Returns true if a program that reads what lies below a folder reads a file or folder that the pattern matches. `may_be` tells
    /// whether some path below the folder could match.
    pub(crate) fn is_read_below(
        &self,
        folder: &str,
        extent: Extent,
        may_be: &dyn Fn() -> bool,
        context: &PathContext,
        own: Option<&Dir>,
    ) -> bool {
        let Self::Glob { anchor, glob, means, .. } = self else {
            return may_have_credentials(folder, extent, context) && may_be();
        };
        let is_read = |path: &str| !is_left_out(path, folder, extent, context);
        if self.is_for_any_folder() {
            let entries = || self.entries_in(folder, glob, context, own);
            return *means != Meaning::None && entries().iter().any(|path| is_read(path));
        }
        let named: Vec<_> = glob.split('/').take_while(is_literal).collect();
        let exists = anchor.folders(context, own).iter().any(|base| {
            let path = [base.trim_end_matches('/'), "/", &named.join("/")].concat();
            let path = path.trim_end_matches('/');
            let is_near = within(path, folder) || within(folder, path);
            is_near && context.exists(path) && is_read(path)
        });
        exists && may_be()
    }

    /// Returns true for a pattern that may match in any folder, such as `.env` or `~/**/.env`.
    fn is_for_any_folder(&self) -> bool {
        let Self::Glob { anchor, glob, .. } = self else { return false };
        matches!(anchor, Anchor::Folder | Anchor::Anywhere) || glob.starts_with("**/")
    }

    /// The entries of a folder that a pattern for any folder matches, such as `.env` or `*.pem`.
    fn entries_in(&self, folder: &str, glob: &str, context: &PathContext, own: Option<&Dir>) -> Vec<String> {
        let folder = folder.trim_end_matches('/');
        let name = glob.trim_start_matches("**/");
        let matches = |path: &String| self.matches(Side::Guard, &[PathForm::Absolute(path.clone())], context, own);
        if name.split('/').all(|step| is_literal(&step)) {
            let path = [folder, "/", name].concat();
            return Some(path).filter(|path| matches(path) && context.exists(path)).into_iter().collect();
        }
        let entries = context.machine().entries(Path::new(if folder.is_empty() { "/" } else { folder }));
        let entries = entries.take(MOST).take_while(|_| context.budget().spend(32)).map(|entry| text_of(&entry.path));
        entries.filter(matches).collect()
    }
}

/// Returns true if credentials in the home folder, all of which are hidden, may lie below a folder.
fn may_have_credentials(folder: &str, extent: Extent, context: &PathContext) -> bool {
    let Some(home) = context.home() else { return true };
    home.forms().any(|home| {
        let is_hidden = relative(folder, home).is_some_and(|below| below.starts_with('.'));
        is_hidden || (extent != Extent::Visible && within(home, folder))
    })
}

/// Returns true if a search of a folder leaves out a path below it.
fn is_left_out(path: &str, folder: &str, extent: Extent, context: &PathContext) -> bool {
    let is_hidden = || relative(path, folder).is_some_and(|below| below.split('/').any(|step| step.starts_with('.')));
    match extent {
        Extent::Visible => is_hidden() || is_ignored(path, folder, context),
        Extent::Unignored => is_ignored(path, folder, context),
        _ => false,
    }
}

/// Returns true if the `.gitignore` of the repository leaves out a path below a folder, and no other file can take that back. A line
/// about the folder itself does not count, because the folder was named.
fn is_ignored(path: &str, folder: &str, context: &PathContext) -> bool {
    let Some(project) = context.root() else { return false };
    let Some(root) = project.forms().find(|root| within(path, root)) else { return false };
    let has = |folder: &str, name: &str| context.exists(&[folder, "/", name].concat());
    let folders = Path::new(path).ancestors().skip(1).map(text_of).take_while(|folder| within(folder, root));
    let mut found = [false; 2];
    for above in folders {
        let is_root = above == root;
        let is_changed = OVERRIDES.iter().any(|name| has(&above, name));
        if is_changed || has(&above, REPOSITORY) != is_root || has(&above, GIT_IGNORE) && !is_root {
            return false;
        }
        found[0] |= is_root;
        found[1] |= above == folder;
    }
    if found != [true; 2] {
        return false;
    }
    let Ok(text) = context.machine().read(&Path::new(root).join(GIT_IGNORE)) else { return false };
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#')).take(MOST);
    let mut ignored = false;
    for line in lines {
        // A line with `!` may take back any line above it.
        if line.starts_with('!') || !context.budget().spend(64) {
            return false;
        }
        let is_anchored = line.trim_end_matches('/').contains('/') && !line.starts_with(['/', '*']);
        let pattern = if is_anchored { PathPattern::read(&format!("/{line}")) } else { PathPattern::read(line) };
        let Ok(pattern) = pattern else { continue };
        let leaves_out =
            |path: &str| pattern.matches(Side::Guard, &[PathForm::Absolute(path.to_owned())], context, Some(project));
        ignored |= leaves_out(path) && !leaves_out(folder);
    }
    ignored
}

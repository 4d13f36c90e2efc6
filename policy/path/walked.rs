//! Looks for files that a rule speaks of in a folder that a program walks. Only files that exist count: a rule such as `Read(.env)`
//! would otherwise apply to each folder.

use std::path::Path;

use snaphook_shell::Extent;

use super::pattern::{Anchor, Meaning, PathPattern, is_literal};
use super::{Dir, PathContext, PathForm, relative, text_of, within};
use crate::list::Side;
use crate::machine::Lookup;

/// The maximum number of entries of a folder that are compared with a pattern. If it has more, one of them may match.
const MAX_ENTRIES: usize = 1000;
/// The maximum number of lines of a `.gitignore`. A longer one excludes nothing.
const MAX_LINES: usize = 1000;

const REPOSITORY: &str = ".git";
const GIT_IGNORE: &str = ".gitignore";
/// Files of `rg` that can include again what `.gitignore` excludes.
const RG_IGNORE: [&str; 2] = [".ignore", ".rgignore"];

impl PathPattern {
    /// Returns true if a file or folder that the pattern matches, or a folder on the way to it, exists below a folder and is not
    /// excluded from the walk.
    pub(crate) fn exists_in(&self, folder: &str, extent: Extent, context: &PathContext, own: Option<&Dir>) -> bool {
        let Self::Glob { anchor, glob, means, .. } = self else { return may_have_keys(folder, extent, context) };
        let is_read = |path: &str| !is_excluded(path, folder, extent, context);
        if matches!(anchor, Anchor::Folder | Anchor::Anywhere) || glob.starts_with("**/") {
            return *means != Meaning::None && self.has_entry_in(folder, glob, &is_read, context, own);
        }
        let literal = glob.split('/').take_while(is_literal).collect::<Vec<_>>().join("/");
        anchor.folders(context, own).iter().any(|base| {
            let path = [base.trim_end_matches('/'), "/", &literal].concat();
            let path = path.trim_end_matches('/');
            (within(path, folder) || within(folder, path)) && exists(path, context) && is_read(path)
        })
    }

    /// Returns true if an entry of a folder matches a pattern that applies in any folder, such as `.env` or `*.pem`.
    fn has_entry_in(
        &self,
        folder: &str,
        glob: &str,
        is_read: &dyn Fn(&str) -> bool,
        context: &PathContext,
        own: Option<&Dir>,
    ) -> bool {
        let matches = |path: &str| self.matches(Side::Guard, &[PathForm::Absolute(path.to_owned())], context, own);
        let name = glob.trim_start_matches("**/");
        if name.split('/').all(|step| is_literal(&step)) {
            let path = [folder.trim_end_matches('/'), "/", name].concat();
            return matches(&path) && exists(&path, context) && is_read(&path);
        }
        let mut entries = context.machine().entries(Path::new(folder)).take(MAX_ENTRIES + 1).enumerate();
        entries.any(|(count, entry)| {
            let path = text_of(&entry.path);
            count == MAX_ENTRIES || !context.budget().spend(32) || (matches(&path) && is_read(&path))
        })
    }
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
        let is_meant = !line.ends_with('/') || exists(&[path, "/."].concat(), context);
        let excluded = if is_meant { Some(path) } else { path.rsplit_once('/').map(|(parent, _)| parent) };
        // `rg` searches a folder that is named, even if a line excludes it.
        excluded.is_some_and(matches) && !matches(folder)
    };
    lines().any(excludes)
}

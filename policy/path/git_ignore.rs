//! The `.gitignore` in the root of a repository, and the files that it excludes.

use std::path::Path;

use super::pattern::PathPattern;
use super::walked::{exists, is_folder};
use super::{PathContext, PathForm, text_of, within};
use crate::list::Side;
use crate::machine::Lookup;

/// The maximum number of lines. A longer file excludes nothing.
const MAX_LINES: usize = 1000;

pub(super) const REPOSITORY: &str = ".git";
const GIT_IGNORE: &str = ".gitignore";
/// Files of `rg` that can include again what `.gitignore` excludes.
const RG_IGNORE: [&str; 2] = [".ignore", ".rgignore"];

/// A `.gitignore` without lines that include files again.
#[derive(Debug)]
pub(super) struct GitIgnore(Vec<IgnoreLine>);

#[derive(Debug)]
struct IgnoreLine {
    /// The line without `/` at its ends.
    text: String,
    pattern: PathPattern,
    /// True if it speaks of folders only.
    is_folder: bool,
}

impl GitIgnore {
    /// Reads the file. Returns `None` if there is none, or if it may include files again.
    pub(super) fn of(context: &PathContext) -> Option<Self> {
        let file = [&context.root()?.resolved, "/", GIT_IGNORE].concat();
        // Git does not follow a link.
        if !matches!(context.entry(&file), Lookup::NotALink) {
            return None;
        }
        let text = context.machine().read(Path::new(&file)).ok()?;
        let lines = || text.lines().map(|line| line.trim_end_matches(' '));
        if lines().nth(MAX_LINES).is_some() || lines().any(|line| line.starts_with('!')) {
            return None;
        }
        let is_read = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.contains('\\');
        Some(Self(lines().filter(is_read).filter_map(IgnoreLine::read).collect()))
    }

    /// Returns true if a line is just this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.0.iter().any(|line| line.text == name)
    }

    /// Returns true if it excludes a path from a walk of a folder, and no other file can include the path again.
    pub(super) fn excludes(&self, path: &str, folder: &str, context: &PathContext) -> bool {
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
        if !above.iter().any(|above| above == folder) || !above.iter().all(decides_alone) {
            return false;
        }
        self.0.iter().any(|line| {
            let matches = |path: &str| {
                let forms = [PathForm::Absolute(path.to_owned())];
                context.budget().spend(64) && line.pattern.matches(Side::Guard, &forms, context, Some(project))
            };
            let is_meant = !line.is_folder || is_folder(path, context);
            let excluded = if is_meant { Some(path) } else { path.rsplit_once('/').map(|(parent, _)| parent) };
            // `rg` searches a folder that is named, even if a line excludes it.
            excluded.is_some_and(matches) && !matches(folder)
        })
    }
}

impl IgnoreLine {
    fn read(line: &str) -> Option<Self> {
        // A `/` at the beginning or in the middle ties a line to the folder of the file.
        let is_tied = line.trim_end_matches('/').contains('/') && !line.starts_with('/');
        let pattern = PathPattern::read(&[if is_tied { "/" } else { "" }, line].concat()).ok()?;
        Some(Self { text: line.trim_matches('/').to_owned(), pattern, is_folder: line.ends_with('/') })
    }
}

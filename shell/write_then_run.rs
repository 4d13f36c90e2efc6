//! WrittenFiles that a command writes and then runs. Their content is unknown when the command is judged.

use std::rc::Rc;

use super::effects::{Extent, Touch};
use super::programs::{self, Loads};
use super::touched_paths::{Base, Touched};
use super::words::Word;
use super::{Part, base_name};
use crate::budget::{Budget, BudgetSpent};

/// The maximum number of files that are searched in later commands.
const FILES: usize = 256;

/// The program or script that a command writes itself.
pub(super) fn run_by(parts: &[Rc<Part>], touched: &[Touched], steps: &Budget) -> Result<Option<String>, BudgetSpent> {
    let named = |touched: &&Touched| !(touched.built || matches!(touched.extent, Extent::Below | Extent::Folder));
    let written = touched.iter().filter(|touched| matches!(touched.touch, Touch::Write | Touch::MoveTo)).filter(named);
    let files = WrittenFiles(written.take(FILES + 1).map(WrittenFile::of).collect());
    if files.0.is_empty() {
        return Ok(None);
    }
    for part in parts {
        if let Some(word) = files.run_by(part, steps)? {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// The files that a command writes.
struct WrittenFiles<'t>(Vec<WrittenFile<'t>>);

impl WrittenFiles<'_> {
    /// The word of a command by which it runs one of them.
    fn run_by(&self, part: &Part, steps: &Budget) -> Result<Option<String>, BudgetSpent> {
        let Some((program, rest)) = part.words.split_first() else { return Ok(None) };
        let loads = &programs::program(base_name(&program.value)).loads;
        // A plain name is searched in PATH.
        let bare = !program.value.contains('/');
        let runs = loads.arguments;
        let words = if runs { part.words.len() } else { 1 };
        if !steps.spend(1 + words * self.0.len() / 2) {
            return Err(BudgetSpent);
        }
        let own = |word: &&Word| self.any(|file| file.is_run_as(word));
        let found = Some(program).filter(|_| self.any(|file| file.is(program) && (!bare || file.is_on_path())));
        let found = found.or_else(|| rest.iter().filter(|_| runs).find(own));
        let found = found.or_else(|| Some(program).filter(|_| self.are_run_by(loads)));
        Ok(found.map(|word| format!("`{}`", word.value)))
    }

    fn any(&self, is: impl Fn(&WrittenFile<'_>) -> bool) -> bool {
        self.0.len() > FILES || self.0.iter().any(is)
    }

    /// Returns true if a program runs the content of one of them by default.
    fn are_run_by(&self, loads: &Loads) -> bool {
        let named = |is: &dyn Fn(&str) -> bool| self.any(|file| file.name.is_some_and(is));
        loads.parts.iter().any(|part| named(&|file| file.to_ascii_lowercase().contains(part)))
            || loads.starts.iter().any(|start| named(&|file| file.starts_with(start)))
            || loads.folder.is_some_and(|folder| self.any(|file| file.is_below(folder)))
            || loads.ends.iter().any(|end| self.any(|file| file.ends_with(end)))
            || loads.names.iter().any(|name| self.any(|file| file.could_be(name)))
    }
}

/// A file that a command writes.
struct WrittenFile<'t> {
    touched: &'t Touched,
    /// The known part of its name, if any.
    name: Option<&'t str>,
    /// True if the name is a glob.
    glob: bool,
    /// True if only the end of the name is known.
    end: bool,
}

impl<'t> WrittenFile<'t> {
    fn of(touched: &'t Touched) -> Self {
        let place = &touched.place;
        let name = match &place.tail {
            Some(tail) if tail.is_empty() => None,
            Some(tail) => Some(base_name(tail)),
            None if place.may_alias => None,
            None => Some(base_name(&touched.shown)),
        };
        let end = place.tail.as_ref().is_some_and(|tail| !tail.contains('/'));
        Self { touched, name, glob: place.glob, end }
    }

    /// Returns true if it could have this name.
    fn could_be(&self, name: &str) -> bool {
        match self.name {
            None => true,
            Some("") => false,
            Some(end) if self.end => name.ends_with(end),
            Some(glob) if self.glob => could_be(glob, name),
            Some(own) => own == name,
        }
    }

    fn ends_with(&self, end: &str) -> bool {
        self.name.is_none_or(|name| name.ends_with(end) || (self.glob && name.ends_with(['*', '?', ']'])))
    }

    fn is(&self, word: &Word) -> bool {
        self.could_be(base_name(&word.value))
    }

    /// Returns true if an argument of an interpreter names it: as a file, in an option or not, as a module, or
    /// by its folder.
    fn is_run_as(&self, word: &Word) -> bool {
        let value = word.value.as_str();
        let stem =
            self.name.and_then(|name| name.split_once('.')).map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
        let module = base_name(value).split('.').next().unwrap_or_default();
        let valued = value.starts_with('-') || value.contains('=');
        let folder = value.trim_end_matches('/');
        // The unknown part of the word may be its name.
        word.is_dynamic()
            || self.is(word)
            || stem.is_some_and(|stem| stem == module)
            || (valued && self.name.is_some_and(|name| !name.is_empty() && value.ends_with(name)))
            || (!folder.is_empty() && self.touched.shown.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Returns true if a folder with this name contains it.
    fn is_below(&self, folder: &str) -> bool {
        let glob = |step: &str| self.glob && step.starts_with('.') && could_be(step, folder);
        self.folders().any(|step| step == folder || glob(step))
    }

    /// Returns true if it is in a folder of PATH.
    fn is_on_path(&self) -> bool {
        self.folders().any(|step| matches!(step, "bin" | "sbin" | "shims" | ".bin"))
    }

    /// The components of its path, and of its base folders.
    fn folders(&self) -> impl Iterator<Item = &'t str> {
        let base = |base: &'t Base| if let Base::Dir(place) = base { Some(place.path.as_str()) } else { None };
        let bases = self.touched.bases.iter().filter_map(base);
        bases.chain([self.touched.shown.as_str()]).flat_map(|path| path.split('/'))
    }
}

/// Returns true if a shell glob may match a name. A long glob, or one with braces, is assumed to match.
fn could_be(glob: &str, name: &str) -> bool {
    glob.len() > 255 || glob.contains(['{', '!']) || fast_glob::glob_match(glob, name)
}

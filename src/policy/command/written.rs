//! Files that a command writes and then runs: nobody can know what they are when it runs them.

use std::rc::Rc;

use super::forms::{is_shell, runs_files};
use super::operands::Touch;
use super::programs::{MODULE_ENDS, START, family};
use super::touch::{Base, Touched};
use super::words::Word;
use super::{Part, base_name};

/// The program or script that a command writes itself.
pub(super) fn run_by(parts: &[Rc<Part>], touched: &[Touched]) -> Option<String> {
    let written = touched.iter().filter(|touched| matches!(touched.touch, Touch::Write | Touch::MoveTo));
    let written: Vec<Written<'_>> = written.map(Written::of).collect();
    if written.is_empty() {
        return None;
    }
    let any = |is: &dyn Fn(&Written<'_>) -> bool| written.iter().any(is);
    parts.iter().find_map(|part| {
        let (program, rest) = part.words.split_first()?;
        let name = base_name(&program.value);
        let family = family(name);
        let own = |word: &&Word| any(&|file| file.is_run_as(word));
        let found = Some(program).filter(|program| program.value.contains('/') && any(&|file| file.is(program)));
        let found = found.or_else(|| rest.iter().filter(|_| runs_files(name)).find(own));
        let loads = MODULE_ENDS.iter().filter(|(names, _)| names.contains(&family));
        let loads = loads.flat_map(|(_, ends)| *ends).any(|end| any(&|file| file.ends_with(end)));
        let starts = any(&|file| file.is_read_by(name, family));
        found.or(Some(program).filter(|_| loads || starts)).map(|word| format!("`{}`", word.value))
    })
}

/// Holds a file that a command writes.
struct Written<'t> {
    touched: &'t Touched,
    /// What is known of its name; absent: nothing.
    name: Option<&'t str>,
    /// Whether the name is a glob.
    glob: bool,
    /// Whether it is only the end of the name.
    end: bool,
}

impl<'t> Written<'t> {
    fn of(touched: &'t Touched) -> Self {
        let place = &touched.place;
        let name = match &place.tail {
            Some(tail) if tail.is_empty() => None,
            Some(tail) => Some(base_name(tail)),
            None if place.odd => None,
            None => Some(base_name(&touched.shown)),
        };
        let end = place.tail.as_ref().is_some_and(|tail| !tail.contains('/'));
        Self { touched, name, glob: place.glob, end }
    }

    /// Whether it could have a name.
    fn could_be(&self, name: &str) -> bool {
        match self.name {
            None => true,
            Some("") => false,
            Some(end) if self.end => name.ends_with(end),
            Some(glob) if self.glob => fast_glob::glob_match(glob, name),
            Some(own) => own == name,
        }
    }

    fn ends_with(&self, end: &str) -> bool {
        self.name.is_none_or(|name| name.ends_with(end) || (self.glob && name.ends_with(['*', '?', ']'])))
    }

    fn is(&self, word: &Word) -> bool {
        self.could_be(base_name(&word.value))
    }

    /// Whether it is what a word of an interpreter names: the file, in an option or not, a module, or a
    /// folder that it lies in.
    fn is_run_as(&self, word: &Word) -> bool {
        let value = word.value.as_str();
        let stem =
            self.name.and_then(|name| name.split_once('.')).map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
        let module = base_name(value).split('.').next().unwrap_or_default();
        let valued = value.starts_with('-') || value.contains('=');
        let folder = value.trim_end_matches('/');
        self.is(word)
            || stem.is_some_and(|stem| stem == module)
            || (valued && self.name.is_some_and(|name| !name.is_empty() && value.ends_with(name)))
            || (!folder.is_empty() && self.touched.shown.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Whether a program runs what stands in it without being told to.
    fn is_read_by(&self, name: &str, family: &str) -> bool {
        let named = |is: &dyn Fn(&str) -> bool| self.name.is_some_and(is);
        let shells = [".bash", ".z", ".profile", ".kshrc", ".mkshrc", ".shinit", ".env"];
        let own = match name {
            "make" | "gmake" => named(&|file| file.to_ascii_lowercase().contains("makefile")),
            "git" => self.is_of_git(),
            _ => is_shell(name) && named(&|file| shells.iter().any(|start| file.starts_with(start))),
        };
        let could = |files: &[&str]| files.iter().any(|file| self.could_be(file));
        own || START.iter().any(|(names, files)| names.contains(&family) && could(files))
    }

    /// Whether it lies where `git` has its settings and the programs that it runs.
    fn is_of_git(&self) -> bool {
        let step =
            |step: &str| step == ".git" || (self.glob && step.starts_with('.') && fast_glob::glob_match(step, ".git"));
        let bases = self
            .touched
            .bases
            .iter()
            .filter_map(|base| if let Base::Dir(place) = base { Some(&place.path) } else { None });
        bases.map(String::as_str).chain([self.touched.shown.as_str()]).flat_map(|path| path.split('/')).any(step)
    }
}

//! Files that a command writes and then runs. Their content is unknown when the command is judged.

use std::borrow::Cow;
use std::rc::Rc;

use super::effects::{Extent, Touch};
use super::glob::{glob_elements, may_match};
use super::partial::{TextElement, intersects, literal_elements};
use super::programs::{self, Loads};
use super::touched_paths::{Base, Touched};
use super::words::Word;
use super::{Part, base_name};
use crate::budget::{Budget, BudgetSpent};

/// The maximum number of files that are searched in later commands.
const FILES: usize = 256;

/// The ends of files that no interpreter takes for a module.
const NO_MODULES: [&str; 7] = [".csv", ".err", ".html", ".log", ".md", ".out", ".txt"];

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
        let own = |word: &&Word| self.any(|file| file.is_run_as(word, steps));
        let is_program = |file: &WrittenFile<'_>| file.is(program, steps) && (!bare || file.is_on_path(steps));
        let found = Some(program).filter(|_| self.any(is_program));
        let found = found.or_else(|| rest.iter().filter(|_| runs).find(own));
        let found = found.or_else(|| Some(program).filter(|_| self.are_run_by(loads, steps)));
        Ok(found.map(|word| format!("`{}`", word.value)))
    }

    fn any(&self, is: impl Fn(&WrittenFile<'_>) -> bool) -> bool {
        self.0.len() > FILES || self.0.iter().any(is)
    }

    /// Returns true if a program runs the content of one of them by default.
    fn are_run_by(&self, loads: &Loads, steps: &Budget) -> bool {
        let named = |at: Within, text: &str| self.any(|file| file.name.may_have(at, text, steps));
        loads.parts.iter().any(|part| self.any(|file| file.name.in_lower_case().may_have(Within::Any, part, steps)))
            || loads.starts.iter().any(|start| named(Within::Start, start))
            || loads.folder.is_some_and(|folder| self.any(|file| file.is_below(folder, steps)))
            || loads.ends.iter().any(|end| named(Within::End, end))
            || loads.names.iter().any(|name| named(Within::Whole, name))
    }
}

/// The known parts of the name of a file.
enum FileName<'t> {
    Known(Cow<'t, str>),
    Partial(Vec<TextElement>),
}

/// The part of a name that a text is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Whole,
    Start,
    End,
    Any,
}

impl<'t> FileName<'t> {
    fn of(touched: &'t Touched) -> Self {
        let place = &touched.place;
        if place.may_alias || place.leads_anywhere {
            return Self::Partial(vec![TextElement::Any]);
        }
        match &place.tail {
            Some(tail) => {
                let name = base_name(tail);
                // Its start may be in the unknown part, with that of a class.
                let start = if place.glob && name.contains(']') { "[" } else { "" };
                let mut elements = glob_elements(&[start, name].concat(), place.found);
                if name.len() == tail.len() {
                    elements.insert(0, TextElement::Any);
                }
                Self::Partial(elements)
            }
            None if place.glob => Self::Partial(glob_elements(base_name(&touched.shown), false)),
            None => Self::Known(Cow::Borrowed(base_name(&touched.shown))),
        }
    }

    /// Returns true if a part of the name may be this text.
    fn may_have(&self, at: Within, text: &str, steps: &Budget) -> bool {
        match self {
            Self::Known(name) => match at {
                Within::Whole => name == text,
                Within::Start => name.starts_with(text),
                Within::End => name.ends_with(text),
                Within::Any => name.contains(text),
            },
            Self::Partial(name) => {
                // Otherwise `*.c` might contain every text.
                if at == Within::Any && name.contains(&TextElement::Any) {
                    return name.windows(text.len().max(1)).any(|part| part == literal_elements(text));
                }
                let any = |is: bool| is.then_some(TextElement::Any);
                let start = any(matches!(at, Within::End | Within::Any)).into_iter();
                let pattern: Vec<_> =
                    start.chain(literal_elements(text)).chain(any(matches!(at, Within::Start | Within::Any))).collect();
                intersects(&pattern, name, steps)
            }
        }
    }

    /// Returns true if a text may end with the name.
    fn may_end(&self, text: &str, steps: &Budget) -> bool {
        match self {
            Self::Known(name) => !name.is_empty() && text.ends_with(&**name),
            Self::Partial(name) => {
                let pattern = [&[TextElement::Any], name.as_slice()].concat();
                intersects(&pattern, &literal_elements(text), steps)
            }
        }
    }

    /// Returns true if the name certainly has this end.
    fn ends_with(&self, end: &str) -> bool {
        match self {
            Self::Known(name) => name.ends_with(end),
            Self::Partial(name) => name.ends_with(&literal_elements(end)),
        }
    }

    /// Returns true if some of the name is known.
    fn is_partly_known(&self) -> bool {
        match self {
            Self::Known(_) => true,
            Self::Partial(name) => name.iter().any(|element| *element != TextElement::Any),
        }
    }

    fn in_lower_case(&self) -> Self {
        let lower = |element: &TextElement| match element {
            TextElement::Char(c) => TextElement::Char(c.to_ascii_lowercase()),
            other => *other,
        };
        match self {
            Self::Known(name) => Self::Known(Cow::Owned(name.to_ascii_lowercase())),
            Self::Partial(name) => Self::Partial(name.iter().map(lower).collect()),
        }
    }
}

/// A file that a command writes.
struct WrittenFile<'t> {
    touched: &'t Touched,
    name: FileName<'t>,
}

impl<'t> WrittenFile<'t> {
    fn of(touched: &'t Touched) -> Self {
        Self { touched, name: FileName::of(touched) }
    }

    fn is(&self, word: &Word, steps: &Budget) -> bool {
        self.name.may_have(Within::Whole, base_name(&word.value), steps)
    }

    /// Returns true if an argument of an interpreter names it: as a file, in an option or not, as a module, or
    /// by its folder.
    fn is_run_as(&self, word: &Word, steps: &Budget) -> bool {
        let value = word.value.as_str();
        let module = base_name(value).split('.').next().filter(|module| !module.is_empty());
        let valued = value.starts_with('-') || value.contains('=');
        // The unknown part of the word may be its name.
        word.is_dynamic()
            || self.is(word, steps)
            || module.is_some_and(|module| self.is_module(module, steps))
            || (valued && self.name.may_end(value, steps))
            || self.is_inside(value.trim_end_matches('/'), steps)
    }

    fn is_module(&self, module: &str, steps: &Budget) -> bool {
        // Otherwise `*.py` would be every module.
        let is_open = matches!(&self.name, FileName::Partial(name) if name.first() == Some(&TextElement::Any));
        !is_open
            && !NO_MODULES.iter().any(|end| self.name.ends_with(end))
            && self.name.may_have(Within::Start, &[module, "."].concat(), steps)
    }

    /// Returns true if the path starts with this folder.
    fn is_inside(&self, folder: &str, steps: &Budget) -> bool {
        let mut own = self.touched.shown.split('/');
        !folder.is_empty()
            && (self.touched.place.leads_anywhere
                || (folder.split('/').all(|step| own.next().is_some_and(|own| self.may_be(own, step, steps)))
                    && own.next().is_some()))
    }

    /// Returns true if a folder with this name contains it.
    fn is_below(&self, folder: &str, steps: &Budget) -> bool {
        self.touched.place.leads_anywhere
            || self.folders().any(|step| step == folder || (step.starts_with('.') && self.may_be(step, folder, steps)))
    }

    /// Returns true if it is in a folder of PATH.
    fn is_on_path(&self, steps: &Budget) -> bool {
        let is_bin = |step: &str| ["bin", "sbin", "shims", ".bin"].iter().any(|bin| self.may_be(step, bin, steps));
        let Touched { place, bases, .. } = self.touched;
        let is_unknown = |base: &Base| matches!(base, Base::Unknown | Base::Apart);
        let is_somewhere = place.leads_anywhere || place.tail.is_some() || bases.iter().any(is_unknown);
        (is_somewhere && self.name.is_partly_known()) || self.folders().any(is_bin)
    }

    /// Returns true if a component of its path could have this name. A component of stars alone does not count.
    fn may_be(&self, step: &str, name: &str, steps: &Budget) -> bool {
        if !self.touched.place.glob {
            return step == name;
        }
        step.bytes().any(|byte| byte != b'*') && may_match(step, name, steps)
    }

    /// The components of its path, and of its base folders.
    fn folders(&self) -> impl Iterator<Item = &'t str> {
        let base = |base: &'t Base| if let Base::Dir(place) = base { Some(place.path.as_str()) } else { None };
        let bases = self.touched.bases.iter().filter_map(base);
        bases.chain([self.touched.shown.as_str()]).flat_map(|path| path.split('/'))
    }
}

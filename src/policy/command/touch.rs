//! The paths that a command touches, and what they are relative to (B10, B11).

use std::rc::Rc;

use super::operands::{Extent, Touch};
use super::words::{Expands, Word};
use crate::policy::path::{fold, within};

/// No system has a longer path.
const LONGEST: usize = 4096;

/// Names what a relative path of a command is relative to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// The tool's own directory.
    Own,
    /// A directory that the command went to.
    Dir(Place),
    /// Nobody knows.
    Unknown,
    /// Another root: not even an absolute path is what it says.
    Apart,
}

/// Holds a path as a command has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one path")]
pub(crate) struct Place {
    /// Without the expansions that are known: `$HOME` is `~`, `$PWD` is `.`.
    pub(crate) path: String,
    /// Whether a leading `~` is the home folder.
    pub(crate) home: bool,
    /// What stands behind the last expansion that nobody knows; absent: there is none.
    pub(crate) tail: Option<String>,
    /// The folder that stands before the first one, if it is whole.
    pub(crate) below: Option<String>,
    /// Whether it has a glob.
    pub(crate) glob: bool,
    /// Whether all that is not known in it is what `find` found, which never leads out of a folder.
    pub(crate) found: bool,
    /// Whether it may be another name of any file: a descriptor, the directory that a process is in.
    pub(crate) odd: bool,
}

/// Holds what a command does to a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Touched {
    pub(crate) touch: Touch,
    /// As printed.
    pub(crate) shown: String,
    pub(crate) place: Place,
    /// Any of them may hold.
    pub(crate) bases: Rc<Vec<Base>>,
    /// Judged by deny and ask alone.
    pub(crate) watch_only: bool,
    pub(crate) extent: Extent,
    /// Whether it is the new name that a link gives to a file.
    pub(super) links: bool,
    /// Whether it was made of a program's text, as programs mostly are.
    pub(super) built: bool,
}

impl Touched {
    pub(super) fn new(touch: Touch, word: &Word, bases: &Rc<Vec<Base>>, watch_only: bool) -> Self {
        let (place, bases) = (Place::of(word), Rc::clone(bases));
        let (shown, extent) = (word.value.clone(), Extent::Itself);
        Self { touch, shown, place, bases, watch_only, extent, links: false, built: false }
    }
}

impl Base {
    /// The base of somewhere else below the same root.
    pub(super) fn lost(&self) -> Self {
        if *self == Self::Apart { Self::Apart } else { Self::Unknown }
    }

    /// The base after a `cd` to this.
    pub(super) fn then(&self, place: &Place) -> Self {
        if *self == Self::Apart {
            return Self::Apart;
        }
        if place.tail.is_some() || place.glob || place.odd {
            return Self::Unknown;
        }
        if place.home || place.path.starts_with('/') {
            return if is_special(&place.path) { Self::Unknown } else { Self::Dir(place.clone()) };
        }
        match self {
            Self::Unknown | Self::Apart => self.clone(),
            Self::Own => Self::Dir(place.clone()),
            Self::Dir(before) => {
                let path = format!("{}/{}", before.path.trim_end_matches('/'), place.path);
                if path.len() > LONGEST || is_special(&path) {
                    return Self::Unknown;
                }
                Self::Dir(Place { path, home: before.home, ..Place::default() })
            }
        }
    }
}

impl Place {
    /// The path that a word is.
    pub(super) fn of(word: &Word) -> Self {
        let value = word.value.as_str();
        let first = word.spans.first().filter(|span| span.start == 0);
        let rest = first.and_then(|span| value.get(span.end..)).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let (path, home, from) = match (first.map(|span| span.what), rest) {
            (Some(Expands::Home), Some(rest)) => (format!("~{rest}"), true, 1),
            (Some(Expands::Cwd), Some(rest)) => (format!(".{rest}"), false, 1),
            _ => (value.to_owned(), word.tilde, 0),
        };
        let unknown: Vec<_> = word.spans.iter().skip(from).filter(|span| span.what != Expands::Number).collect();
        let number = word.spans.iter().skip(from).any(|span| span.what == Expands::Number);
        let (glob, odd) = (word.glob, is_odd(word));
        let (Some(first), Some(last)) = (unknown.first(), unknown.last()) else {
            let tail = number.then(String::new);
            return Self { path, home, tail, glob, odd, ..Self::default() };
        };
        let found = !number && unknown.iter().all(|span| span.what == Expands::Found);
        let tail = value.get(last.end..).unwrap_or_default().to_owned();
        let before = value.get(..first.start).unwrap_or_default();
        let moved = path.len().checked_sub(value.len().saturating_sub(before.len()));
        let before = moved.and_then(|end| path.get(..end)).unwrap_or_default();
        let below = before.rfind('/').and_then(|at| before.get(..at.max(1))).map(str::to_owned);
        Self { path, home, tail: Some(tail), below, glob, found, odd }
    }

    /// Whether nobody knows which file it is (B11).
    pub(crate) fn is_dynamic(&self, bases: &[Base]) -> bool {
        let absolute = self.path.starts_with('/') || self.home;
        let known = |base: &Base| match base {
            Base::Own | Base::Dir(_) => true,
            Base::Unknown => absolute,
            Base::Apart => false,
        };
        self.odd || self.glob || self.tail.is_some() || !bases.iter().all(known)
    }
}

/// Folders in which names stand for other files.
fn is_special(folder: &str) -> bool {
    if !folder.contains("proc") && !folder.contains("dev") {
        return false;
    }
    let folder = fold(folder);
    ["/proc", "/dev"].iter().any(|special| within(&folder, special))
}

/// Whether a path may be another name of any file.
fn is_odd(word: &Word) -> bool {
    let path = word.value.as_str();
    if !word.tilde && path.starts_with('~') && (!word.quoted || path.starts_with("~+") || path.starts_with("~-")) {
        return true;
    }
    // What is above a folder that stands for another is not in its name.
    let mut above = path.split('/').skip_while(|step| !matches!(*step, "proc" | "fd"));
    if above.any(|step| step == "..") && (path.contains("proc/") || path.contains("dev/fd")) {
        return true;
    }
    // A relative one may be meant from the root.
    let path = fold(&format!("/{path}"));
    let steps: Vec<&str> = path.split('/').collect();
    let stands = |steps: &[&str]| match steps {
        ["proc", _, "cwd" | "root" | "fd" | "task" | "map_files" | "exe"] | [_, "dev", "stdin"] => true,
        [_, "dev", "fd"] => path.ends_with("/fd") || !matches!(path.as_str(), "/dev/fd/1" | "/dev/fd/2"),
        _ => false,
    };
    steps.windows(3).any(stands)
}

/// Says where a command leaves the shell.
pub(super) enum Move {
    Stay,
    To(Word),
    Somewhere,
}

/// Where a `cd` goes.
pub(super) fn moved(words: &[Word]) -> Move {
    let skipped = words.iter().take_while(|word| matches!(word.value.as_str(), "builtin" | "command")).count();
    let Some((program, rest)) = words.get(skipped..).and_then(<[Word]>::split_first) else { return Move::Stay };
    match program.value.as_str() {
        "cd" | "chdir" => {}
        "pushd" | "popd" => return Move::Somewhere,
        _ => return Move::Stay,
    }
    // Where `..` leads from the folder behind a link is not in its name.
    let mut rest = rest.iter().skip_while(|word| matches!(word.value.as_str(), "-L" | "--"));
    match (rest.next(), rest.next()) {
        (None, _) => Move::To(Word { value: "~".to_owned(), tilde: true, ..Word::default() }),
        (Some(word), None) if !word.value.starts_with('-') && !word.glob => Move::To(word.clone()),
        _ => Move::Somewhere,
    }
}

//! The paths that a command touches, and the folders that they are relative to (B10, B11).

use std::rc::Rc;

use super::effects::{Extent, Touch};
use super::glob::may_match;
use super::words::{Expands, Word};
use crate::budget::Budget;
use crate::paths::{fold, within};

/// No system supports longer paths.
const LONGEST: usize = 4096;

/// The folder that a relative path is relative to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Base {
    /// The working directory of the tool.
    Own,
    /// A directory that the command changed to.
    Dir(CommandPath),
    /// An unknown directory.
    Unknown,
    /// Another root, where even absolute paths have another meaning.
    Apart,
}

/// A path as written in a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one path")]
#[non_exhaustive]
pub struct CommandPath {
    /// The path with known expansions replaced: `$HOME` by `~`, `$PWD` by `.`.
    pub path: String,
    /// True if a leading `~` is the home folder.
    pub home: bool,
    /// The text after the last unknown expansion; absent if there is none.
    pub tail: Option<String>,
    /// The complete folder before the first unknown expansion, if any.
    pub below: Option<String>,
    /// True if it has a glob.
    pub glob: bool,
    /// True if a `[` in it may be literal.
    pub has_literal_class: bool,
    /// True if the glob may lead to any file: it may match `..` or an alias, or have a `/` in a class.
    pub leads_anywhere: bool,
    /// True if no other command of the text may create a file, so that a glob and `find` name only files that exist before it.
    pub is_settled: bool,
    /// True if its only unknown part is a path found by `find`, which never leads out of its folder.
    pub found: bool,
    /// True if it may be an alias of any file: a descriptor, or the working directory of a process.
    pub may_alias: bool,
}

/// One effect of a command on a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one path and its command")]
pub struct Touched {
    /// What is done to the file.
    pub touch: Touch,
    /// The path for messages.
    pub shown: String,
    /// The path, as far as it is known.
    pub place: CommandPath,
    /// The possible bases.
    pub bases: Rc<Vec<Base>>,
    /// Matched by deny and ask rules only.
    pub watch_only: bool,
    /// The part of the path that is affected.
    pub extent: Extent,
    /// True if it is the new name of a hard or symbolic link.
    pub(super) links: bool,
    /// True if it was compiled from source code.
    pub(super) built: bool,
    /// True if the command may create or change files.
    pub(super) changes: bool,
}

impl Touched {
    pub(super) fn new(touch: Touch, word: &Word, bases: &Rc<Vec<Base>>, watch_only: bool) -> Self {
        let may_be_root = |base: &Base| match base {
            Base::Own => false,
            Base::Dir(place) => fold(&place.path) == "/",
            Base::Unknown | Base::Apart => true,
        };
        let (place, bases) = (CommandPath::of(word, bases.iter().any(may_be_root)), Rc::clone(bases));
        let (shown, extent) = (word.value.clone(), Extent::Itself);
        Self { touch, shown, place, bases, watch_only, extent, links: false, built: false, changes: false }
    }
}

impl Base {
    /// The base of an unknown folder below the same root.
    pub(super) fn lost(&self) -> Self {
        if *self == Self::Apart { Self::Apart } else { Self::Unknown }
    }

    /// The base after a `cd` to this path.
    pub(super) fn then(&self, place: &CommandPath) -> Self {
        if *self == Self::Apart {
            return Self::Apart;
        }
        if place.tail.is_some() || place.glob || place.may_alias {
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
                Self::Dir(CommandPath { path, home: before.home, ..CommandPath::default() })
            }
        }
    }
}

impl CommandPath {
    /// The path written in a word. `in_root` is true if a relative path may be relative to the root.
    pub(super) fn of(word: &Word, in_root: bool) -> Self {
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
        let (glob, has_literal_class) = (word.glob, word.literal && word.value.contains('['));
        let is_alias = may_alias_any_file(word, in_root);
        let may_alias = is_alias && !glob;
        let (Some(first), Some(last)) = (unknown.first(), unknown.last()) else {
            let tail = number.then(String::new);
            let leads_anywhere = glob && (is_alias || word.has_unknown_depth());
            return Self { path, home, tail, glob, has_literal_class, leads_anywhere, may_alias, ..Self::default() };
        };
        let found = !number && unknown.iter().all(|span| span.what == Expands::Found);
        let tail = value.get(last.end..).unwrap_or_default().to_owned();
        let before = value.get(..first.start).unwrap_or_default();
        let moved = path.len().checked_sub(value.len().saturating_sub(before.len()));
        let before = moved.and_then(|end| path.get(..end)).unwrap_or_default();
        let below = before.rfind('/').and_then(|at| before.get(..at.max(1))).map(str::to_owned);
        // `find` never matches the parent of its start point.
        let is_expanded = if found { word.head(first.start).has_unknown_depth() } else { word.has_unknown_depth() };
        let leads_anywhere = glob && (is_alias || is_expanded);
        let tail = Some(tail);
        Self { path, home, tail, below, glob, has_literal_class, leads_anywhere, is_settled: false, found, may_alias }
    }

    /// Returns true if the file is unknown (B11).
    pub fn is_dynamic(&self, bases: &[Base]) -> bool {
        let absolute = self.path.starts_with('/') || self.home;
        let known = |base: &Base| match base {
            Base::Own | Base::Dir(_) => true,
            Base::Unknown => absolute,
            Base::Apart => false,
        };
        self.may_alias || self.glob || self.tail.is_some() || !bases.iter().all(known)
    }
}

/// Returns true for folders whose entries are aliases of other files.
fn is_special(folder: &str) -> bool {
    if !folder.contains("proc") && !folder.contains("dev") {
        return false;
    }
    let folder = fold(folder);
    ["/proc", "/dev"].iter().any(|special| within(&folder, special))
}

/// Returns true if a path may be an alias of any file: the working directory or an open file of a process. A relative path may
/// start at the root. `in_root` is true if a relative path may be relative to the root.
fn may_alias_any_file(word: &Word, in_root: bool) -> bool {
    let path = word.value.as_str();
    if !word.tilde && path.starts_with('~') && (!word.quoted || path.starts_with("~+") || path.starts_with("~-")) {
        return true;
    }
    if !word.glob && !path.as_bytes().windows(3).any(|part| part == b"pro" || part == b"dev") {
        return false;
    }
    let is_glob = |step: &str| word.glob && step.contains(['*', '?', '[']);
    let may_be = |step: &str, name: &str| step == name || (is_glob(step) && may_match(step, name, &Budget::default()));
    let steps: Vec<_> = path.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    // A relative glob matches folders of the project.
    let is_rooted = in_root || path.starts_with('/') || steps.first() == Some(&"..");
    let first = steps.iter().position(|step| *step != "..").filter(|_| is_rooted);
    steps.iter().enumerate().any(|(at, step)| {
        let may_be_here = |name: &str| *step == name || (first == Some(at) && may_be(step, name));
        let behind = steps.get(at + 1..).unwrap_or_default();
        let is_one = |names: &[&str], step: &str| names.iter().any(|name| may_be(step, name));
        let is_process = behind.get(1).is_some_and(|step| is_one(&PROCESS_ALIASES, step));
        let (is_stream, is_descriptor) = match behind {
            [stream] => (*stream == "stdin", *stream == "fd"),
            ["fd", number] => (false, !matches!(*number, "1" | "2")),
            [stream, ..] => (is_one(&STREAMS, stream), false),
            [] => (false, false),
        };
        // The parent of such a folder cannot be derived from its path.
        let goes_up = behind.contains(&"..");
        (may_be_here("proc") && (is_process || goes_up))
            || (may_be_here("dev") && (is_stream || is_descriptor || goes_up))
    })
}

/// The entries of a process in `/proc` that lead to other files.
const PROCESS_ALIASES: [&str; 6] = ["cwd", "root", "fd", "task", "map_files", "exe"];

/// The entries of `/dev` that are links to open files.
const STREAMS: [&str; 4] = ["fd", "stdin", "stdout", "stderr"];

//! The arguments of `find`: start points, tests, and the actions that run, delete or write.

use super::inline_code::{InlineCode, not};
use super::operands::within;
use super::programs::{ACTIONS, is_test};
use super::unwrap::replace;
use super::words::{Expands, Word};

/// A parsed `find` command.
#[derive(Debug, Default)]
pub(super) struct Find<'w> {
    starts: Vec<&'w Word>,
    /// The commands of `-exec` and similar actions; `{}` is an unknown file.
    pub(super) commands: Vec<Exec>,
    /// The files that it writes.
    pub(super) writes: Vec<&'w Word>,
    pub(super) deletes: bool,
    /// An action that changes files; only a rule that contains it can allow the command.
    opaque: Option<&'w str>,
    /// The word that could not be parsed.
    pub(super) blame: Option<&'w Word>,
    /// The name that all found files share; a glob if the test ignores case.
    name: Option<Word>,
    /// True if the start points themselves may be found.
    whole: bool,
}

/// A command that `find` runs for what it found.
#[derive(Debug)]
pub(super) struct Exec {
    pub(super) words: Vec<Word>,
    /// True if the command runs in the folder of the found file.
    pub(super) there: bool,
}

/// Parses the arguments of `find`.
pub(super) fn read(words: &[Word]) -> Find<'_> {
    let mut find = Find::default();
    let (mut looks, mut either, mut tests, mut inside) = (false, false, false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            find.blame.get_or_insert(word);
            if !looks {
                find.starts.push(word);
            }
            continue;
        }
        let bare = !value.starts_with(['-', '(', '!', ')', ',']);
        if bare && !looks {
            find.starts.push(word);
            continue;
        }
        looks |= !matches!(value, "-H" | "-L" | "-P");
        if is_test(value) {
            let Some(given) = rest.next() else { break };
            if given.spans.iter().any(|span| !span.quoted) {
                find.blame.get_or_insert(given);
            }
            match value {
                "-name" | "-iname" => {
                    let mut name = given.clone();
                    if value == "-iname" && name.spans.is_empty() {
                        name.value = name.value.chars().map(|c| if c.is_alphabetic() { '?' } else { c }).collect();
                    }
                    name.glob |= name.value.contains(['*', '?', '[']);
                    find.name.get_or_insert(name);
                }
                // A start point is a folder at depth 0.
                "-type" => inside |= !(given.value.contains('d') || given.is_dynamic()),
                "-mindepth" => inside |= !(given.value == "0" || given.is_dynamic()),
                "-maxdepth" | "-regextype" | "-printf" => {}
                _ => tests = true,
            }
            tests |= find.name.is_some();
            continue;
        }
        match value {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut inner: Vec<Word> = Vec::new();
                let ended = loop {
                    let Some(next) = rest.next() else { break false };
                    let plus = next.value == "+" && inner.last().is_some_and(|last| last.value == "{}");
                    if next.value == ";" || plus {
                        break true;
                    }
                    inner.push(next.clone());
                };
                if !ended {
                    find.blame.get_or_insert(word);
                }
                replace(&mut inner, "{}", Expands::Found);
                find.commands.push(Exec { words: inner, there: value.ends_with("dir") });
            }
            "-delete" => {
                find.deletes = true;
                find.opaque.get_or_insert(value);
            }
            "-fls" | "-fprint" | "-fprint0" | "-fprintf" => {
                find.opaque.get_or_insert(value);
                find.writes.extend(rest.next());
                if value == "-fprintf" {
                    rest.next();
                }
            }
            "-o" | "-or" | "!" | "-not" | "," => either = true,
            "-empty" => inside = true,
            _ if value.starts_with('-') && !ACTIONS.contains(&value) => {
                find.blame.get_or_insert(word);
            }
            _ => {}
        }
    }
    find.name = find.name.filter(|_| !either);
    find.whole = !tests && (either || !inside);
    find
}

impl Find<'_> {
    pub(super) fn form(&self) -> InlineCode {
        match (self.blame, self.opaque) {
            (Some(word), _) => not("find", word),
            (None, Some(action)) => InlineCode::Opaque(format!("`find {action}`")),
            (None, None) => InlineCode::Plain,
        }
    }

    /// The paths that may be found: everything below the start points, or everything there with the given name.
    /// The start point itself is included only if no test excludes it.
    pub(super) fn found(&self) -> Vec<Word> {
        let here = Word::literal(".");
        let starts = if self.starts.is_empty() { vec![&here] } else { self.starts.clone() };
        let mut all = Vec::new();
        for start in starts {
            let mut below = within(start, &Word::default());
            let from = below.value.len();
            below.value.push_str("{}");
            below.expands(from, Expands::Found, true, None);
            match &self.name {
                Some(name) => all.extend([within(start, name), within(&below, name)]),
                None if self.whole => all.extend([start.clone(), below]),
                None => all.push(below),
            }
        }
        all
    }
}

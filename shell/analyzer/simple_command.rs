//! Reads a simple command and the commands inside it, and records each as a part.

use std::rc::Rc;

use super::super::builtins::set_by_read;
use super::super::inline_code::{InlineCode, form, runs_input, runs_named_file};
use super::super::touched_paths::Base;
use super::super::unwrap::{Inner, forbidden, inside};
use super::super::words::{Expands, Word};
use super::super::wrappers::At;
use super::super::{Part, base_name, find, path_words};
use super::{Analyzer, CommandPosition, Input, PendingText, RunMode, is_cd, is_source};

impl Analyzer<'_> {
    /// Reads a command and the commands inside it. Returns true if one of those changes the directory.
    pub(super) fn nested_commands(&mut self, words: Vec<Word>, assigned: &[Word], place: &CommandPosition<'_>) -> bool {
        let mut changes_directory = false;
        let outer = Inner { words, assigned: assigned.to_vec(), at: At::Here };
        let mut left = vec![(outer, Rc::clone(place.bases), Rc::new(Vec::new()))];
        while let Some((Inner { words, assigned, at }, bases, above)) = left.pop() {
            let bases = match at {
                At::Here => bases,
                At::Somewhere => Rc::new(bases.iter().map(Base::lost).collect()),
                At::Apart => Rc::new(vec![Base::Apart]),
            };
            let place = CommandPosition { bases: &bases, ..*place };
            if !self.count(words.len() + assigned.len() + 1) {
                return true;
            }
            if words.is_empty() {
                continue;
            }
            let inside = inside(&words);
            let own_words = path_words::own_words(&words, &inside);
            let inner_fed = inside.commands.is_empty() && inside.texts.is_empty();
            let input = if inner_fed { place.mode.input } else { Input::Inherited };
            let opaque = match form(&words, input != Input::Inherited) {
                InlineCode::Plain => None,
                InlineCode::Opaque(word) => Some(word),
                InlineCode::Not(word) if runs_named_file(&words) => Some(word),
                InlineCode::Not(word) if input == Input::Document && runs_input(&words) => {
                    self.code_in_document = true;
                    Some(word)
                }
                InlineCode::Not(word) => {
                    self.blame(word);
                    None
                }
            };
            if let Some(word) = inside.blame {
                self.blame(word);
            }
            if let Some(word) = inside.commands.iter().flat_map(|inner| &inner.assigned).find_map(forbidden) {
                self.blame(word);
            }
            if words.first().is_some_and(|word| matches!(word.value.as_str(), "read" | "getln")) {
                for word in words.iter().skip(1) {
                    self.check_variable(set_by_read(&word.value));
                }
            }
            for text in inside.texts.into_iter().chain(builtin_script(&words)) {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, mode: place.mode });
            }
            let mode = RunMode { watch: true, adds: inside.values.len() > 1, input: place.mode.input };
            for text in inside.values {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, mode });
            }
            let finds = words.first().is_some_and(|word| base_name(&word.value) == "find");
            let roots = if finds && !inside.commands.is_empty() {
                Rc::new(find::read(words.get(1..).unwrap_or_default()).found())
            } else {
                above
            };
            let transparent = inside.transparent && !inside.commands.is_empty();
            self.touch_each(&words, &roots, own_words, &place);
            self.part(words, &assigned, &place, transparent, opaque);
            for words in inside.watched {
                let all = words.len();
                self.touch_each(&words, &roots, all, &place);
                self.part(words, &assigned, &place, true, None);
            }
            for mut inner in inside.commands {
                changes_directory |=
                    !finds && inner.words.first().is_some_and(|word| is_cd(&word.value) || is_source(&word.value));
                inner.assigned.splice(0..0, assigned.iter().cloned());
                left.push((inner, Rc::clone(&bases), Rc::clone(&roots)));
            }
        }
        changes_directory
    }

    /// Adds the files that a command touches. `found` are the start points of `find`, if it runs the command.
    fn touch_each(&mut self, words: &[Word], found: &[Word], own_words: usize, place: &CommandPosition<'_>) {
        if words.iter().skip(1).any(is_found) && !found.is_empty() {
            for one in found {
                // Each start point of `find` counts as a separate command.
                if !self.count(words.len()) {
                    break;
                }
                let put = |word: &Word| if is_found(word) { one.clone() } else { word.clone() };
                self.touch(&words.iter().map(put).collect::<Vec<_>>(), own_words, place);
            }
        } else {
            self.touch(words, own_words, place);
        }
    }

    pub(super) fn part(
        &mut self,
        words: Vec<Word>,
        assigned: &[Word],
        place: &CommandPosition<'_>,
        watch_only: bool,
        opaque: Option<String>,
    ) {
        let length: usize = words.iter().map(|word| word.value.len()).sum();
        if !self.spend(length / 32) {
            return;
        }
        let part = Rc::new(Part::new(words, assigned, watch_only || place.mode.watch, opaque));
        for (id, at) in place.pipes {
            if let Some(members) = self.pipelines.get_mut(place.from + id) {
                if members.len() <= *at {
                    members.resize_with(at + 1, Vec::new);
                }
                if let Some(member) = members.get_mut(*at) {
                    member.push(Rc::clone(&part));
                }
            }
        }
        self.parts.push(part);
    }
}

/// Returns true for the `{}` that `find` replaces by a path.
fn is_found(word: &Word) -> bool {
    word.value == "{}" && word.spans.iter().any(|span| span.what == Expands::Found)
}

/// The text that a shell builtin runs, for deny and ask rules; the command counts as not understood.
fn builtin_script(words: &[Word]) -> Option<String> {
    let program = words.first()?;
    match program.value.as_str() {
        "eval" => {
            let words: Vec<_> = words.iter().skip(1).map(|word| word.value.as_str()).collect();
            Some(words.join(" "))
        }
        "trap" => words.get(1).map(|word| word.value.clone()),
        _ => None,
    }
}

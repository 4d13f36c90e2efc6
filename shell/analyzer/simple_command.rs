//! Reads a simple command and the commands inside it, and records each as a part.

use std::rc::Rc;

use super::super::Part;
use super::super::assignments::forbidden;
use super::super::cd::{is_cd, is_source};
use super::super::effects::{Touch, concat};
use super::super::programs::{At, Call, InlineCode, Inner, call, set_by_read, sets_variables, without_others_between};
use super::super::touched_paths::{Base, Touched};
use super::super::words::{Expands, Span, Word};
use super::{Analyzer, CommandPosition, InputSource, PendingText, RunMode};

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
            let Some(mut call) = call(&words) else { continue };
            let inside = (call.program.inside)(&call);
            let own_words = inside.own_words(&words);
            let inner_fed = inside.commands.is_empty() && inside.texts.is_empty();
            let input = if inner_fed { place.mode.input } else { InputSource::Inherited };
            call.is_fed = input != InputSource::Inherited;
            let opaque = match call.code() {
                InlineCode::Plain => None,
                InlineCode::Opaque(word) => Some(word),
                InlineCode::Not(word) if input == InputSource::Document && call.runs_script_in_input() => {
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
            if sets_variables(call.name) {
                for word in call.arguments {
                    self.check_variable(set_by_read(&word.value));
                }
            }
            for text in inside.texts {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, mode: place.mode });
            }
            let mode = RunMode { watch: true, adds: inside.values.len() > 1, input: place.mode.input };
            for text in inside.values {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, mode });
            }
            let is_found = inside.found.is_some();
            let roots = inside.found.map_or(above, Rc::new);
            let transparent = inside.transparent && !inside.commands.is_empty();
            let mut spellings = (call.program.spellings)(&call);
            if !is_found && inside.commands.len() == 1 {
                spellings.extend(without_others_between(&words, own_words));
            }
            let changes = self.touch_each(&call, &roots, own_words, &place);
            self.changers += usize::from(changes && !transparent);
            drop(call);
            self.part(words, &assigned, &place, transparent, opaque);
            for words in spellings {
                if !self.count(words.len()) {
                    return true;
                }
                self.part(words, &assigned, &place, true, None);
            }
            for words in inside.watched {
                if let Some(script) = words.first() {
                    self.add(script, Touched::new(Touch::Read, script, place.bases, true));
                }
                if let Some(call) = super::super::programs::call(&words) {
                    self.touch_each(&call, &roots, words.len(), &place);
                }
                self.part(words, &assigned, &place, true, None);
            }
            for mut inner in inside.commands {
                changes_directory |=
                    !is_found && inner.words.first().is_some_and(|word| is_cd(&word.value) || is_source(&word.value));
                inner.assigned.splice(0..0, assigned.iter().cloned());
                left.push((inner, Rc::clone(&bases), Rc::clone(&roots)));
            }
        }
        changes_directory
    }

    /// Adds the files that a command touches. `found` are the start points of `find`, if it runs the command. Returns true if the
    /// command may change files.
    fn touch_each(&mut self, call: &Call<'_>, found: &[Word], own_words: usize, place: &CommandPosition<'_>) -> bool {
        let mut changes = false;
        if call.arguments.iter().any(has_placeholder) && !found.is_empty() {
            for one in found {
                // Each start point of `find` counts as a separate command.
                if !self.count(call.words.len()) {
                    break;
                }
                let words: Vec<_> = call.words.iter().map(|word| filled(word, one)).collect();
                if let Some(call) = super::super::programs::call(&words) {
                    changes |= self.touch(&call, own_words, place);
                }
            }
        } else {
            changes |= self.touch(call, own_words, place);
        }
        changes
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

/// Returns true for a word with the `{}` that `find` replaces by a path.
fn has_placeholder(word: &Word) -> bool {
    placeholder(word).is_some()
}

fn placeholder(word: &Word) -> Option<&Span> {
    let is = |span: &&Span| span.what == Expands::Found && word.value.get(span.start..span.end) == Some("{}");
    word.spans.iter().find(is)
}

/// Puts the path that `find` found in place of the first `{}` of a word.
fn filled(word: &Word, found: &Word) -> Word {
    let Some(span) = placeholder(word) else { return word.clone() };
    if span.start == 0 && span.end == word.value.len() {
        return found.clone();
    }
    concat(&concat(&word.head(span.start), found), &word.tail(span.end))
}

//! One simple command.

use std::cell::OnceCell;

use super::assignments::is_harmless;
use super::partial::TextElement;
use super::program_words::is_partial;
use super::programs::{call, program};
use super::words::{Expands, Word};
use super::{RawWords, base_name, partial};

/// One simple command.
#[derive(Debug, Clone)]
pub struct Part {
    /// Program and arguments after quote removal; empty if it only assigns variables.
    pub words: Vec<Word>,
    /// The words in their printed form, separated by one space (B4).
    pub text: String,
    /// The same with the base name of the program; absent if the program has no `/` (B6).
    pub based: Option<String>,
    /// The variables assigned for it (B7).
    pub assigned: Vec<Assignment>,
    /// True for a transparent wrapper, which only deny and ask rules match (B3).
    pub watch_only: bool,
    /// The word with the code that it runs; only a rule without `*` can allow such a command.
    pub opaque: Option<String>,
    /// The words of the text for the fallback search (B8); computed when a rule needs them.
    net: OnceCell<RawWords>,
    /// The words that may name a program (B13); computed when a rule needs them.
    program_words: OnceCell<Vec<String>>,
    /// The parts of these words that are not known.
    partial_program_words: OnceCell<Vec<Vec<TextElement>>>,
    /// Each name of the program with the partly known text of the command.
    partial_texts: OnceCell<Vec<(String, Vec<TextElement>)>>,
}

/// The assignment of a variable for one command, or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assignment {
    /// The name of the variable.
    pub name: String,
    /// The value in its printed form; empty if the variable is only exported.
    pub value: String,
    /// True if the value has no expansions.
    pub literal: bool,
}

impl Part {
    pub(super) fn new(words: Vec<Word>, assigned: &[Word], watch_only: bool, opaque: Option<String>) -> Self {
        let printed: Vec<_> = words.iter().filter(|word| !word.unseen).map(Word::printed).collect();
        let text = printed.join(" ");
        let based = words.first().filter(|program| program.value.contains('/')).map(|program| {
            let mut printed = printed;
            if let Some(first) = printed.first_mut() {
                base_name(&program.value).clone_into(first);
            }
            printed.join(" ")
        });
        let exports = words.first().map(|word| program(base_name(&word.value)).exports);
        let exported = words.iter().skip(1).filter(|word| exports.is_some_and(|exports| exports(word)));
        let literal = |word: &Word| !word.is_dynamic() && !word.tilde && (word.quoted || !word.value.contains('~'));
        let named = |word: &Word| match word.value.split_once('=') {
            Some((name, value)) => {
                let value = word.tail(word.value.len() - value.len()).printed();
                Assignment { name: name.to_owned(), value, literal: literal(word) }
            }
            // The variable is exported with its current value.
            None => Assignment { name: word.value.clone(), value: String::new(), literal: false },
        };
        let assigned = assigned.iter().chain(exported).map(named).collect();
        let (net, partial_texts) = (OnceCell::new(), OnceCell::new());
        let (program_words, partial_program_words) = (OnceCell::new(), OnceCell::new());
        Self {
            words,
            text,
            based,
            assigned,
            watch_only,
            opaque,
            net,
            program_words,
            partial_program_words,
            partial_texts,
        }
    }

    /// The words of the text for the fallback search (B8).
    pub fn text_words(&self) -> &RawWords {
        self.net.get_or_init(|| RawWords::of(self.text.clone()))
    }

    /// The words that may name a program that it runs (B13).
    pub fn program_words(&self) -> &[String] {
        self.program_words.get_or_init(|| call(&self.words).map(|call| call.program_words()).unwrap_or_default())
    }

    /// The parts of these words that contain a glob or an expansion, with and without the folder.
    pub fn partial_program_words(&self) -> &[Vec<TextElement>] {
        self.partial_program_words.get_or_init(|| {
            let call = call(&self.words).filter(|_| self.words.iter().any(is_partial));
            call.map(|call| call.partial_program_words()).unwrap_or_default()
        })
    }

    /// The partly known texts, one per name of the program; empty if everything is known.
    pub fn partial_texts(&self) -> &[(String, Vec<TextElement>)] {
        self.partial_texts.get_or_init(|| {
            let Some(program) = self.words.first() else { return Vec::new() };
            let mut names = vec![program.value.as_str(), base_name(&program.value)];
            names.dedup();
            let text = |name: &str| Some((name.to_owned(), partial::text(&self.words, name)?));
            names.into_iter().filter_map(text).collect()
        })
    }

    /// The variables assigned for it that an allow rule has to name (B7): those of a line without a program, and those that
    /// do more than affect display.
    pub fn assignments_to_name(&self, more: &[String]) -> Vec<String> {
        let harmless = |name: &str| is_harmless(name) || more.iter().any(|known| known == name);
        let unnamed = |made: &&Assignment| self.words.is_empty() || !made.literal || !harmless(&made.name);
        self.assigned.iter().filter(unnamed).map(|made| made.name.clone()).collect()
    }

    /// Returns true if the command contains known expansions and so has other spellings.
    pub fn has_spellings(&self) -> bool {
        let known = |word: &Word| {
            word.home_at().is_some() || word.spans.iter().any(|span| matches!(span.what, Expands::Home | Expands::Cwd))
        };
        self.words.iter().any(known)
    }

    /// The texts with known expansions replaced, for deny and ask rules (B4).
    pub fn spelled(&self, home: Option<&str>, cwd: Option<&str>) -> Vec<String> {
        if !self.has_spellings() {
            return Vec::new();
        }
        let short = |word: &Word| word.respelled("~", ".");
        let mut texts = vec![self.with(short)];
        if home.is_some() || cwd.is_some() {
            let whole = |word: &Word| word.respelled(home.unwrap_or("~"), cwd.unwrap_or("."));
            texts.push(self.with(whole));
            // Only bash replaces the tilde of `NAME=~` in arguments.
            let assigns = |word: &Word| !word.tilde && word.home_at().is_some();
            if self.words.iter().any(assigns) {
                texts.push(self.with(|word| if assigns(word) { word.printed() } else { whole(word) }));
            }
        }
        texts
    }

    fn with(&self, spell: impl Fn(&Word) -> String) -> String {
        let words: Vec<_> = self.words.iter().filter(|word| !word.unseen).map(spell).collect();
        words.join(" ")
    }
}

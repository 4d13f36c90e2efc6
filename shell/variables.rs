//! Tracks the variables that a command sets, to decide if a quoted expansion may be an option.

use std::collections::BTreeMap;

use super::programs::{program, set_by_read};
use super::syntax::Token;
use super::words::{Expands, Word, is_name};

/// The variables that a command sets.
#[derive(Debug, Default)]
pub(super) struct Variables(BTreeMap<String, ValueKind>);

/// What the values of a variable may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ValueKind {
    number: bool,
    may_be_option: bool,
}

impl ValueKind {
    const UNKNOWN: Self = Self { number: false, may_be_option: true };

    /// The kind of a variable that has values of both kinds.
    fn or(self, other: Self) -> Self {
        Self { number: self.number && other.number, may_be_option: self.may_be_option || other.may_be_option }
    }
}

impl Variables {
    /// Records the variables that a script sets: by assignment, in a loop, from its input.
    pub(super) fn learn(&mut self, tokens: &[Token]) {
        let command = |token: &Token| matches!(token, Token::Op(_));
        for tokens in tokens.split(command) {
            let words = tokens.iter().filter_map(|token| if let Token::Word(word) = token { Some(word) } else { None });
            self.words(&words.collect::<Vec<_>>());
        }
    }

    /// The same for the words of a command.
    pub(super) fn words(&mut self, words: &[&Word]) {
        // `kinds[i]` is the kind of all words from `i` on.
        let mut kinds = vec![ValueKind { number: true, may_be_option: false }; words.len() + 1];
        for (at, word) in words.iter().enumerate().rev() {
            let behind = kinds.get(at + 1).copied().unwrap_or(ValueKind::UNKNOWN);
            if let Some(kind) = kinds.get_mut(at) {
                *kind = behind.or(kind_of(word));
            }
        }
        let mut reads = false;
        for (at, word) in words.iter().enumerate() {
            let value = word.value.as_str();
            if reads {
                self.set(set_by_read(value), ValueKind::UNKNOWN);
            }
            match value {
                "for" => {
                    let Some(name) = words.get(at + 1) else { continue };
                    let listed = words.get(at + 2).is_some_and(|word| word.value == "in");
                    let kind = kinds.get(at + 3).copied().filter(|_| listed);
                    self.set(&name.value, kind.unwrap_or(ValueKind::UNKNOWN));
                }
                value if program(value).reads_variables => reads = true,
                value => {
                    let Some((name, given)) = value.split_once('=') else { continue };
                    let appended = name.strip_suffix('+');
                    let name = appended.unwrap_or(name);
                    if is_name(name) {
                        let kind = kind_of(&word.tail(value.len() - given.len()));
                        self.set(name, if appended.is_some() { ValueKind::UNKNOWN } else { kind });
                    }
                }
            }
        }
    }

    fn set(&mut self, name: &str, kind: ValueKind) {
        let known = self.0.entry(name.to_owned()).or_insert(kind);
        *known = known.or(kind);
    }

    /// Returns true if a command sets the variable, and only to numbers.
    pub(super) fn is_number(&self, name: &str, exported: &dyn Fn(&str) -> bool) -> bool {
        self.0.get(name).is_some_and(|kind| kind.number) && !is_set_by_shells(name) && !exported(name)
    }

    /// Marks the words that start with a variable that is unset by this command or never set to an option. Most
    /// addresses and revisions are written this way.
    /// Marks expansions of variables that have only numbers too.
    pub(super) fn mark(&self, words: &mut [Token], exported: &dyn Fn(&str) -> bool) {
        for token in words {
            let Token::Word(word) = token else { continue };
            let Word { value, spans, .. } = word;
            for span in spans.iter_mut().filter(|span| span.what == Expands::Other) {
                let name = value.get(span.start..span.end).and_then(variable);
                if name.is_some_and(|name| self.is_number(name, exported)) {
                    span.what = Expands::Number;
                }
            }
            word.given = word.spans.first().is_some_and(|span| span.start == 0) && self.begins_well(word);
        }
    }

    fn begins_well(&self, word: &Word) -> bool {
        let mut end = 0;
        for span in word.spans.iter().take_while(|span| span.what == Expands::Other) {
            if span.start > end {
                break;
            }
            if !word.value.get(span.start..span.end).is_some_and(|text| self.is_no_option(text)) {
                return false;
            }
            end = span.end;
        }
        // The text before it may be empty.
        !word.value.get(end..).is_some_and(|rest| rest.starts_with('-'))
    }

    /// Returns true if `$NAME` or `${NAME…}` is not known to be an option.
    fn is_no_option(&self, text: &str) -> bool {
        let text = text.strip_prefix('$').unwrap_or(text);
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let Some((name, rest)) = text.split_at_checked(length).filter(|(name, _)| is_name(name)) else { return false };
        let set = self.0.get(name);
        let cut = set.is_some() && rest.starts_with('#');
        let word = rest.trim_start_matches(':').strip_prefix(['-', '+']);
        let dash = word.is_some_and(|word| word.starts_with('-'));
        !(is_set_by_shells(name) || cut || dash || set.is_some_and(|kind| kind.may_be_option))
    }
}

/// The name in `$NAME` or `${NAME}`.
fn variable(text: &str) -> Option<&str> {
    let text = text.strip_prefix('$')?;
    let name = text.strip_prefix('{').map_or(Some(text), |text| text.strip_suffix('}'))?;
    is_name(name).then_some(name)
}

/// Returns true for variables that shells set themselves.
fn is_set_by_shells(name: &str) -> bool {
    matches!(name, "_" | "REPLY" | "OPTARG" | "argv" | "reply" | "MATCH" | "match") || name.starts_with("BASH_")
}

fn kind_of(word: &Word) -> ValueKind {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let range = word.value.strip_prefix('{').and_then(|text| text.strip_suffix('}')?.split_once(".."));
    let counted = match word.spans.as_slice() {
        [] => digits(&word.value) || range.is_some_and(|(from, to)| word.listed && digits(from) && digits(to)),
        [span] => span.is_sum() && span.start == 0 && span.end == word.value.len(),
        _ => false,
    };
    let number = word.spans.first().is_some_and(|span| span.start == 0 && span.what == Expands::Number);
    // A sum may be negative.
    let may_be_option = word.may_be_option() || number || word.value.starts_with('-');
    ValueKind { number: counted, may_be_option: may_be_option || (word.brace && !counted) }
}

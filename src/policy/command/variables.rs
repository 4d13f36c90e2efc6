//! Tracks the variables that a command sets, to decide if a quoted expansion may be an option.

use std::collections::BTreeMap;

use super::builtins::set_by_read;
use super::shell::Token;
use super::words::{Expands, Word, is_name};

/// The variables that a command sets, each with true if its value may be an option.
#[derive(Debug, Default)]
pub(super) struct Variables(BTreeMap<String, bool>);

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
        // `doubts[i]` is true if a word from `i` on may start an option.
        let mut doubts = vec![false; words.len() + 1];
        for (at, word) in words.iter().enumerate().rev() {
            let behind = doubts.get(at + 1) == Some(&true);
            if let Some(doubt) = doubts.get_mut(at) {
                *doubt = behind || may_begin_an_option(word);
            }
        }
        let mut reads = false;
        for (at, word) in words.iter().enumerate() {
            let value = word.value.as_str();
            if reads {
                self.set(set_by_read(value), true);
            }
            match value {
                "for" => {
                    let Some(name) = words.get(at + 1) else { continue };
                    let listed = words.get(at + 2).is_some_and(|word| word.value == "in");
                    self.set(&name.value, !listed || doubts.get(at + 3) == Some(&true));
                }
                "read" | "getln" => reads = true,
                value => {
                    if let Some((name, given)) = value.split_once('=').filter(|(name, _)| is_name(name)) {
                        self.set(name, may_begin_an_option(&word.tail(value.len() - given.len())));
                    }
                }
            }
        }
    }

    fn set(&mut self, name: &str, doubt: bool) {
        *self.0.entry(name.to_owned()).or_default() |= doubt;
    }

    /// Marks the words that start with a variable that is unset by this command or never set to an option. Most
    /// addresses and revisions are written this way.
    pub(super) fn mark(&self, words: &mut [Token]) {
        for token in words {
            let Token::Word(word) = token else { continue };
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
        // Shells set these themselves.
        let own = matches!(name, "_" | "REPLY" | "OPTARG" | "argv" | "reply" | "MATCH" | "match")
            || name.starts_with("BASH_");
        let cut = set.is_some() && rest.starts_with('#');
        let word = rest.trim_start_matches(':').strip_prefix(['-', '+']);
        let dash = word.is_some_and(|word| word.starts_with('-'));
        !(own || cut || dash || set == Some(&true))
    }
}

fn may_begin_an_option(word: &Word) -> bool {
    let number = word.spans.first().is_some_and(|span| span.start == 0 && span.what == Expands::Number);
    word.may_be_option() || word.brace || number || word.value.starts_with('-')
}

//! One simple command in the tokens of a script, and the words that are reserved in its place.

use super::token::Token;

/// One simple command, or the words and redirections of a compound command.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about where one command stands")]
pub(in super::super) struct ShellCommand {
    /// Indices of its words and redirections in the tokens.
    pub(in super::super) items: Vec<usize>,
    /// True if the words are not a command: those of `for` and `case`, and the redirections of a loop.
    pub(in super::super) is_auxiliary: bool,
    /// The pipelines that contain it, and its position in each.
    pub(in super::super) pipes: Vec<(usize, usize)>,
    /// True if it runs only after the previous command succeeded.
    pub(in super::super) after: bool,
    /// True if the following commands run only after this one succeeded, in the same shell.
    pub(in super::super) sure: bool,
    /// True if the first word is the name of a variable that it sets.
    pub(in super::super) sets: bool,
    /// True if it may run more than once.
    pub(in super::super) repeats: bool,
}

/// Reserved words that begin or end a compound command in command position.
const RESERVED: &[&str] =
    &["!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while"];

/// The reserved word of a token in command position.
pub(super) fn reserved(token: &Token) -> Option<&'static str> {
    let Token::Word(word) = token else { return None };
    if !word.is_bare() {
        return None;
    }
    RESERVED.iter().copied().find(|reserved| *reserved == word.value)
}

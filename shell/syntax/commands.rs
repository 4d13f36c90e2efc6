//! The commands of a script, and what is known of them if it has a syntax error.

use super::grammar;
use super::scan::TokenScan;
use super::token::{Op, Token};
use crate::ScriptLimits;

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

/// Reads the commands of a script. A script with a syntax error is split at every operator for deny and ask
/// rules, and counts as not understood.
pub(in super::super) fn commands(
    id: usize,
    scan: &mut TokenScan,
    pipes: &mut usize,
    limits: &ScriptLimits,
) -> Vec<ShellCommand> {
    let Some(tokens) = scan.scripts.get(id) else { return Vec::new() };
    let (commands, blame) = match grammar::tree(tokens, pipes, limits) {
        Ok(tree) => (tree.commands, tree.blame),
        Err(why) => {
            let apart = apart(tokens, pipes);
            scan.torn = true;
            (apart, Some(why))
        }
    };
    if let Some(why) = blame {
        scan.blame(why);
    }
    commands
}

/// The reserved word of a token in command position.
pub(super) fn reserved(token: &Token) -> Option<&'static str> {
    let Token::Word(word) = token else { return None };
    if !word.is_bare() {
        return None;
    }
    RESERVED.iter().copied().find(|reserved| *reserved == word.value)
}

/// Every run of words between operators. Those between pipe operators count as a pipeline.
fn apart(tokens: &[Token], pipes: &mut usize) -> Vec<ShellCommand> {
    let mut list = Vec::new();
    let mut now = ShellCommand::default();
    let mut member = 0;
    for (at, token) in tokens.iter().enumerate() {
        let op = if let Token::Op(op) = token { Some(*op) } else { None };
        if op.is_none() && (!now.items.is_empty() || reserved(token).is_none()) {
            now.items.push(at);
            continue;
        }
        if !now.items.is_empty() {
            now.pipes.push((*pipes, member));
            list.push(std::mem::take(&mut now));
        }
        match op {
            Some(Op::Pipe) => member += 1,
            Some(Op::Open | Op::Close) | None => {}
            Some(_) => (*pipes, member) = (*pipes + 1, 0),
        }
    }
    if !now.items.is_empty() {
        now.pipes.push((*pipes, member));
        list.push(now);
    }
    *pipes += 1;
    list
}

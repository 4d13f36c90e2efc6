//! Converts tokens to commands: flat lists here, compound commands in `grammar`.

use super::grammar::{self, CommandTree};
use super::scan::TokenScan;
use super::token::{Op, Token};
use crate::policy::settings::PolicyLimits;

/// One simple command, or the words and redirections of a compound command.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about where one command stands")]
pub(in super::super) struct Command {
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
    limits: &PolicyLimits,
) -> Vec<Command> {
    let Some(tokens) = scan.scripts.get(id) else { return Vec::new() };
    let mut first = true;
    let mut flat = true;
    for token in tokens {
        match token {
            Token::Op(Op::Open | Op::Close | Op::DoubleSemi) => flat = false,
            Token::Op(_) => first = true,
            Token::Word(_) if first => {
                flat &= reserved(token).is_none();
                first = false;
            }
            _ => {}
        }
    }
    let read = if flat {
        self::flat(tokens, pipes).map(|commands| CommandTree { commands, blame: None })
    } else {
        grammar::tree(tokens, pipes, limits)
    };
    let (commands, blame) = match read {
        Ok(tree) => (tree.commands, tree.blame),
        Err(why) => {
            let apart = apart(tokens);
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

/// Simple commands with operators between them.
fn flat(tokens: &[Token], pipes: &mut usize) -> Result<Vec<Command>, String> {
    let mut list: Vec<Command> = Vec::new();
    let mut now = Command::default();
    let mut from = 0;
    let mut after = false;
    let mut before = Op::Newline;
    for (at, token) in tokens.iter().enumerate() {
        let Token::Op(op) = token else {
            now.items.push(at);
            continue;
        };
        if now.items.is_empty() {
            if *op == Op::Newline {
                continue;
            }
            return Err(format!("`{}`", op.text()));
        }
        now.sure = *op == Op::AndIf && before != Op::OrIf && from == list.len();
        now.after = after;
        list.push(std::mem::take(&mut now));
        if *op != Op::Pipe {
            from = piped(&mut list, from, pipes);
        }
        if *op != Op::Pipe {
            after = *op == Op::AndIf;
        }
        before = *op;
    }
    if now.items.is_empty() {
        if matches!(before, Op::Pipe | Op::AndIf | Op::OrIf) {
            return Err(format!("`{}` at the end", before.text()));
        }
    } else {
        now.after = after;
        list.push(now);
        piped(&mut list, from, pipes);
    }
    Ok(list)
}

/// Groups the commands from `from` on into a pipeline, if there are several.
fn piped(list: &mut [Command], from: usize, pipes: &mut usize) -> usize {
    let end = list.len();
    if end - from > 1 {
        let id = *pipes;
        *pipes += 1;
        for (at, command) in list.iter_mut().skip(from).enumerate() {
            command.pipes.push((id, at));
        }
    }
    end
}

/// Every run of words between operators.
fn apart(tokens: &[Token]) -> Vec<Command> {
    let mut list = Vec::new();
    let mut now = Command::default();
    for (at, token) in tokens.iter().enumerate() {
        let edge = matches!(token, Token::Op(_)) || (now.items.is_empty() && reserved(token).is_some());
        if edge {
            list.push(std::mem::take(&mut now));
        } else {
            now.items.push(at);
        }
    }
    list.push(now);
    list.retain(|command| !command.items.is_empty());
    list
}

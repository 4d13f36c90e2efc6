//! From tokens to commands: flat lists here, everything else through the grammar.

use super::grammar::{self, Tree};
use super::scan::Scan;
use super::token::{Op, Token};
use crate::policy::settings::Limits;

/// Holds one simple command, or the words and redirections of a compound one.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about where one command stands")]
pub(in super::super) struct Command {
    /// Its words and redirections, as places among the tokens.
    pub(in super::super) items: Vec<usize>,
    /// Whether the words are no command: those of `for` and `case`, the redirections of a loop.
    pub(in super::super) loose: bool,
    /// The pipelines it is in, and its place in each.
    pub(in super::super) pipes: Vec<(usize, usize)>,
    /// Whether it runs only where the one before it went well.
    pub(in super::super) after: bool,
    /// Whether what stands behind it runs only where it went well, in the same shell.
    pub(in super::super) sure: bool,
    /// Whether the first word is a name that it sets.
    pub(in super::super) sets: bool,
    /// Whether it may run more than once.
    pub(in super::super) repeats: bool,
}

/// Words that begin or end a compound command where a command can stand.
const RESERVED: &[&str] =
    &["!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while"];

/// Reads the commands of a script. What has no syntax is taken apart at every operator, for deny and
/// ask, and blamed.
pub(in super::super) fn commands(id: usize, scan: &mut Scan, pipes: &mut usize, limits: &Limits) -> Vec<Command> {
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
        self::flat(tokens, pipes).map(|commands| Tree { commands, blame: None })
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

/// The reserved word that a token is, where it stands in the place of one.
pub(super) fn reserved(token: &Token) -> Option<&'static str> {
    let Token::Word(word) = token else { return None };
    if !word.is_bare() {
        return None;
    }
    RESERVED.iter().copied().find(|reserved| *reserved == word.value)
}

/// Simple commands with operators between.
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

/// Makes the commands from one on a pipeline, if they are several.
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

/// Every stretch of words, whatever stands between.
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

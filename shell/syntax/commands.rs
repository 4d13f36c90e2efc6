//! The commands of a script, and what is known of them if it has a syntax error.

use super::grammar;
use super::scan::TokenScan;
use super::shell_command::{ShellCommand, reserved};
use super::token::{Op, Token};
use crate::ScriptLimits;

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
            Some(Op::Pipe | Op::PipeBoth) => member += 1,
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

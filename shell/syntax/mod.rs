//! Parses a text as bash, dash and zsh all read it: a tokenizer without recursion and within limits, then a
//! grammar over the tokens.

mod arithmetic;
mod braces;
mod commands;
mod expansions;
mod grammar;
mod scan;
mod shell_command;
mod token;

pub(super) use braces::expanded;
pub(super) use commands::commands;
pub(super) use scan::{TokenScan, scan};
pub(super) use shell_command::ShellCommand;
pub(super) use token::{Redirect, RedirectKind, Token};

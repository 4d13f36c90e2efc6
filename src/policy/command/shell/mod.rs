//! How a text is read as bash, dash and zsh would all read it: tokens first, without recursion and
//! within bounds, then the grammar over them.

mod commands;
mod dollar;
mod grammar;
mod scan;
mod token;

pub(super) use commands::{Command, commands};
pub(super) use scan::{Scan, scan};
pub(super) use token::{Redirect, RedirectKind, Token};

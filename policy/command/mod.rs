//! Rules about commands: patterns, and what they are matched against.

mod argument_pattern;
mod assigned;
mod net;
mod pattern;
mod self_commands;

pub(crate) use pattern::CommandPattern;
pub(crate) use self_commands::{changes_protection, names_change};

use snaphook_adapters::model::{Command, ShellKind};
use snaphook_shell::{Budget, Script, ScriptLimits, ScriptReader};

use super::settings::PolicyLimits;

/// Analyses a command within the limits (S4).
///
/// `exported` returns true if a variable is known to be in the environment.
pub(crate) fn analyse(
    command: &Command,
    shell: ShellKind,
    limits: &PolicyLimits,
    exported: &dyn Fn(&str) -> bool,
    steps: &Budget,
) -> Script {
    let limits = ScriptLimits::new(limits.command, limits.depth, limits.nodes);
    let reader = ScriptReader::new(&limits, exported, steps);
    match command {
        Command::Argv(words) => reader.words(words),
        Command::Text(text) if shell != ShellKind::Posix && text.len() <= limits.bytes => {
            Script::unread(text, "not a POSIX shell".to_owned())
        }
        Command::Text(text) => reader.text(text),
    }
}

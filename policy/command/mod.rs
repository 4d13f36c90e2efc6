//! Rules about commands: patterns, and what they are matched against.

mod argument_pattern;
mod assigned;
mod net;
mod option_tables;
mod other_names;
mod pattern;
mod self_commands;

pub(crate) use other_names::other_names;
pub(crate) use pattern::CommandPattern;
pub(crate) use self_commands::{changes_protection, names_change};

use std::borrow::Cow;

use snaphook_adapters::model::{Command, CommandText, ShellKind};
use snaphook_shell::{Budget, PATCH_PROGRAMS, Script, ScriptLimits, ScriptReader};

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
    let text = match command {
        Command::Argv(words) => return reader.words(words),
        Command::Text(text) => text_to_read(text, &limits),
    };
    if shell != ShellKind::Posix && text.len() <= limits.bytes {
        return Script::unread(&text, "not a POSIX shell".to_owned());
    }
    reader.text(&text)
}

/// Returns the whole text, or only the start if the text is over the limit and no part of it names a program that applies a
/// patch.
fn text_to_read<'t>(text: &'t CommandText, limits: &ScriptLimits) -> Cow<'t, str> {
    if text.is_whole() || text.start().len() <= limits.bytes || text.contains_any(PATCH_PROGRAMS) {
        return text.whole();
    }
    Cow::Borrowed(text.start())
}

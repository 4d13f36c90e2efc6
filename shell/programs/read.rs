//! Builtins whose arguments are names of variables.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::assignments::{is_counted, is_forbidden};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { code, reads_variables: true, ..Program::text(&["read"]) },
    Program { code, reads_variables: true, ..Program::of(&["getln"]) },
    Program { code, ..Program::text(&["wait"]) },
    Program {
        code: |call| match call.arguments.iter().find(|word| word.value.starts_with('-')) {
            Some(option) => call.cannot_read(option),
            None => code(call),
        },
        ..Program::text(&["unset"])
    },
];

/// Checks that every word is an option or the name of a variable that may be set.
fn code(call: &Call<'_>) -> InlineCode {
    let fine = |word: &&Word| {
        let value = word.value.as_str();
        let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-. :?>/".contains(&b));
        let set = set_by_read(value);
        // A list may assign to a zsh table of functions or commands.
        let list = value.starts_with('-') && value.contains('A');
        plain && !word.is_dynamic() && !is_forbidden(set) && !is_counted(set) && !list
    };
    call.arguments.iter().find(|word| !fine(word)).map_or(InlineCode::Plain, |word| call.cannot_read(word))
}

/// Returns the variable name in an argument of `read`. The name may be attached to `-a`, and in zsh a prompt
/// may follow it.
pub(crate) fn set_by_read(word: &str) -> &str {
    let name = match word.strip_prefix('-') {
        Some(letters) => letters.split_once('a').map_or("", |(_, name)| name),
        None => word,
    };
    name.split('?').next().unwrap_or(name)
}

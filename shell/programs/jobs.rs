//! Builtins that take numbers, jobs and limits.

use super::code::InlineCode;
use super::program::{Call, Program};
use super::spellings::each_signal;
use crate::devices::is_number;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { code: number, ..Program::text(&["exit", "return", "shift"]) },
    Program { code: number, ..Program::of(&["bye", "logout", "break", "continue"]) },
    Program { code: |call| jobs(call, true, None), spellings: |call| each_signal(call), ..Program::text(&["kill"]) },
    Program { spellings: |call| each_signal(call), ..Program::of(&["pkill", "killall"]) },
    Program { code: |call| jobs(call, false, None), ..Program::text(&["ulimit"]) },
    // `-x` runs a command.
    Program { code: |call| jobs(call, false, Some('x')), ..Program::text(&["jobs"]) },
    Program { code: |call| jobs(call, false, None), ..Program::of(&["fg", "bg"]) },
];

/// Accepts literal numbers. Some shells evaluate the argument as arithmetic, in which a name is a variable
/// whose value is evaluated again.
fn number(call: &Call<'_>) -> InlineCode {
    let status = |word: &Word| matches!(word.value.as_str(), "$?" | "$!" | "$$") && !word.spans.is_empty();
    let digits = |word: &Word| !word.is_dynamic() && is_number(word.value.strip_prefix('-').unwrap_or(&word.value));
    call.arguments
        .iter()
        .find(|word| !(status(word) || digits(word)))
        .map_or(InlineCode::Plain, |word| call.cannot_read(word))
}

/// Accepts literal numbers and names of limits, jobs and signals; expansions only if `expands` is true, and no word with
/// the letter.
fn jobs(call: &Call<'_>, expands: bool, letter: Option<char>) -> InlineCode {
    let expanded = |word: &Word| {
        let status = matches!(word.value.as_str(), "$?" | "$!" | "$$");
        !status && (word.is_dynamic() && !expands)
    };
    let odd = |word: &&Word| {
        letter.is_some_and(|letter| word.value.contains(letter))
            || expanded(word)
            || (word.spans.is_empty() && word.value.contains(['[', '$', '`', '(']))
    };
    call.arguments.iter().find(odd).map_or(InlineCode::Plain, |word| call.cannot_read(word))
}

//! `test` and its other forms.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { code: |call| code(call, None), ..Program::text(&["test"]) },
    Program { code: |call| code(call, Some("]")), ..Program::text(&["["]) },
    Program { code: |call| code(call, Some("]]")), ..Program::text(&["[["]) },
];

/// Number comparisons are arithmetic in some shells, which may run a command in an array subscript.
fn code(call: &Call<'_>, closing: Option<&str>) -> InlineCode {
    let words = match (closing, call.arguments.split_last()) {
        (None, _) => call.arguments,
        (Some(closing), Some((last, rest))) if last.value == closing => rest,
        _ => return InlineCode::Not(format!("`{}`", call.name)),
    };
    // A name in a comparison is a variable, whose value is evaluated as arithmetic again.
    let number = |word: &&Word| {
        let digits = word.value.strip_prefix(['-', '+']).unwrap_or(&word.value);
        matches!(word.value.as_str(), "$#" | "$?" | "$$")
            || matches!(word.spans.as_slice(), [span] if span.is_sum() && span.end - span.start == word.value.len())
            || (!word.is_dynamic() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let beside = |at: usize| {
        let compares = |word: &Word| matches!(word.value.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
        let looks = |word: &Word| matches!(word.value.as_str(), "-v" | "-R" | "-t");
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        words.get(at + 1).is_some_and(compares) || before.is_some_and(|word| compares(word) || looks(word))
    };
    let odd = words.iter().enumerate().find(|(at, word)| beside(*at) && !number(word)).map(|(_, word)| word);
    match odd {
        Some(word) => call.cannot_read(word),
        // A word that expands to several words may contain such a comparison.
        None => {
            match words.iter().find(|word| word.unseen || word.spans.iter().any(|span| !span.quoted && !span.is_sum()))
            {
                Some(word) if closing != Some("]]") => call.cannot_read(word),
                _ => InlineCode::Plain,
            }
        }
    }
}

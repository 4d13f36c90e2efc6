//! `set`.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program { code, ..Program::text(&["set"]) }];

/// Accepts options of the shell that do not change the meaning of words.
fn code(call: &Call<'_>) -> InlineCode {
    let mut rest = call.arguments.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let letters = value.trim_start_matches(['-', '+']);
        let fine =
            !word.is_dynamic() && value.starts_with(['-', '+']) && letters.bytes().all(|b| b"euxvCo".contains(&b));
        if !fine || letters.is_empty() {
            return call.cannot_read(word);
        }
        for _ in letters.matches('o') {
            let option = rest.next();
            if !option.is_some_and(is_plain_option) {
                return call.cannot_read(word);
            }
        }
    }
    InlineCode::Plain
}

/// Returns true if a word may be the name of a harmless `-o` option.
pub(super) fn is_plain_option(word: &Word) -> bool {
    !word.is_dynamic() && matches!(word.value.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")
}

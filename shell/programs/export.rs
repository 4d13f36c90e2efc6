//! `export` and `readonly`.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::assignments::{is_counted, is_encoding, is_forbidden, keeps_ascii};

pub(super) const PROGRAMS: &[Program] = &[
    Program { code, exports: |word| !word.value.starts_with('-'), ..Program::text(&["export"]) },
    Program { code, exports: |word| word.value.contains('='), ..Program::text(&["readonly"]) },
];

/// Accepts variables that do not change how later commands are read.
fn code(call: &Call<'_>) -> InlineCode {
    for word in call.arguments {
        let (variable, given) = word.value.split_once('=').map_or((word.value.as_str(), false), |(v, _)| (v, true));
        let plain = variable.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let begins = word.spans.iter().any(|span| span.start < variable.len() + usize::from(given));
        let splits = word.spans.iter().any(|span| !span.quoted);
        let option = matches!(variable, "-p" | "--");
        let value = word.value.get(variable.len() + 1..).unwrap_or_default();
        let counts = given && is_counted(variable) && !value.bytes().all(|b| b.is_ascii_digit());
        let encodes = given && is_encoding(variable) && !(word.spans.is_empty() && keeps_ascii(value));
        if begins || splits || counts || encodes || word.glob || is_forbidden(variable) || !(plain || option) {
            return call.cannot_read(word);
        }
    }
    InlineCode::Plain
}

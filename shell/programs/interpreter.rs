//! Interpreters, whose options come before their program.

use super::code::InlineCode;
use super::program::Call;
use crate::devices::is_input;
use crate::options::{hides, long};
use crate::words::Word;

/// The options of an interpreter.
pub(super) struct Interpreter {
    /// Options whose value is code.
    pub(super) code: &'static str,
    pub(super) code_long: &'static [&'static str],
    /// Options with another value.
    pub(super) valued: &'static str,
    pub(super) valued_long: &'static [&'static str],
    /// Options that use the rest of the same word as their value.
    pub(super) glued: &'static str,
    /// Options whose value is the program.
    pub(super) program: &'static str,
    /// Options that make it read its input although it has a program.
    pub(super) asks: &'static str,
    pub(super) asks_long: &'static [&'static str],
    /// True if `-v` alone does not print the version.
    pub(super) v_is_verbose: bool,
    /// The code that an option in `program` runs: its value, and the words behind it.
    pub(super) module: fn(&Call<'_>, &str, &[Word]) -> InlineCode,
}

impl Interpreter {
    pub(super) const PLAIN: Self = Self {
        code: "",
        code_long: &[],
        valued: "",
        valued_long: &[],
        glued: "",
        program: "",
        asks: "",
        asks_long: &[],
        v_is_verbose: false,
        module: |_, _, _| InlineCode::Plain,
    };
}

/// Parses the options of an interpreter up to its program. Without a program it reads its input.
pub(super) fn code(call: &Call<'_>, row: &Interpreter) -> InlineCode {
    let (name, words) = (call.name, call.arguments);
    let mut rest = words.iter();
    let (mut perhaps, mut named) = (false, false);
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() || hides(&call.program.options, word) {
            return call.cannot_read(word);
        }
        if value == "--" {
            return if rest.next().is_some() { InlineCode::Plain } else { InlineCode::Not(format!("`{name}`")) };
        }
        if value == "-" || !value.starts_with('-') {
            if is_input(value) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            if perhaps {
                (perhaps, named) = (false, true);
                continue;
            }
            return InlineCode::Plain;
        }
        if let Some(given) = value.strip_prefix("--") {
            if long(value, row.code_long) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            if matches!(given, "version" | "help") {
                return InlineCode::Plain;
            }
            if row.asks_long.contains(&given) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            // An address may contain the code.
            let is_code = |value: &str| {
                let plain = value.chars().filter(|c| *c > ' ').take(5);
                plain.map(|c| c.to_ascii_lowercase()).eq("data:".chars())
            };
            let own = given.split_once('=').map(|(_, own)| own);
            let next = rest.as_slice().first().map(|word| word.value.as_str());
            if own.or(next).is_some_and(is_code) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            if row.valued_long.contains(&given) {
                rest.next();
            } else {
                // It may have a value.
                perhaps = !given.contains('=');
            }
            continue;
        }
        let shows = matches!(value, "-V" | "-h") || (value == "-v" && !row.v_is_verbose && !call.is_fed);
        if words.len() == 1 && shows {
            return InlineCode::Plain;
        }
        let mut inside = false;
        for (at, letter) in value.char_indices().skip(1) {
            inside |= row.glued.contains(letter);
            if row.asks.contains(letter) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            if row.code.contains(letter) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            let last = at + letter.len_utf8() == value.len();
            if row.program.contains(letter) {
                let given = value.get(at + letter.len_utf8()..).unwrap_or_default();
                let given = if last { rest.next().map(|word| word.value.as_str()) } else { Some(given) };
                return match given {
                    Some(given) => (row.module)(call, given, rest.as_slice()),
                    None => InlineCode::Not(format!("`{name}`")),
                };
            }
            // A letter inside the value of another option is not an option.
            if row.valued.contains(letter) && !inside {
                if last {
                    rest.next();
                }
                break;
            }
        }
    }
    // The word is the program or the value of an option.
    if (perhaps || named) && !call.is_fed && words.len() > 1 {
        return InlineCode::Plain;
    }
    InlineCode::Not(format!("`{name}`"))
}

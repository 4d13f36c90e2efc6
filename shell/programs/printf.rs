//! `printf`.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program { code, ..Program::text(&["printf"]) }];

/// zsh evaluates the arguments of numeric conversions as arithmetic, in which a name is a variable.
fn code(call: &Call<'_>) -> InlineCode {
    let words = call.arguments;
    let words = if words.first().is_some_and(|word| word.value == "--") { words.get(1..) } else { Some(words) };
    let Some((format, rest)) = words.and_then(<[Word]>::split_first) else { return InlineCode::Plain };
    if format.may_be_option() || format.value.starts_with('-') {
        return call.cannot_read(format);
    }
    let numbers = if format.is_dynamic() { vec![true] } else { conversions(&format.value) };
    if !numbers.contains(&true) {
        return InlineCode::Plain;
    }
    // The positions of the arguments after such a word are unknown.
    let splits = rest.iter().position(|word| word.splits() || word.glob || word.brace).unwrap_or(rest.len());
    let mut taken = rest.iter().enumerate().zip(numbers.iter().cycle());
    let odd = taken.find(|((at, word), number)| (**number || *at >= splits) && !is_printed_number(word));
    odd.map_or(InlineCode::Plain, |((_, word), _)| call.cannot_read(word))
}

/// Returns, for each argument of a format, whether it is printed as a number. The list has one entry if that is
/// unknown.
fn conversions(format: &str) -> Vec<bool> {
    let unknown = vec![true];
    let mut numbers = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['%', '\\']) {
        let escape = rest.get(at..).is_some_and(|rest| rest.starts_with('\\'));
        rest = rest.get(at + 1..).unwrap_or_default();
        if escape {
            // In zsh, a `%` written as an escape also starts a conversion.
            if rest.strip_prefix(['u', 'U']).is_some_and(|code| code.trim_start_matches('0').starts_with("25")) {
                return unknown;
            }
            rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            continue;
        }
        let kind = rest.find(|c: char| !c.is_ascii_digit() && !"-+ #.*".contains(c)).unwrap_or(rest.len());
        numbers.extend(rest.get(..kind).unwrap_or_default().matches('*').map(|_| true));
        match rest.get(kind..).and_then(|rest| rest.chars().next()) {
            Some('%') => {}
            Some('s' | 'b' | 'q' | 'c') => numbers.push(false),
            Some('d' | 'i' | 'u' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G') => numbers.push(true),
            _ => return unknown,
        }
        rest = rest.get(kind + 1..).unwrap_or_default();
    }
    numbers
}

/// Returns true if a word is a literal number or a character code.
fn is_printed_number(word: &Word) -> bool {
    let value = word.value.as_str();
    if word.is_dynamic() {
        return false;
    }
    let coded = value.strip_prefix(['\'', '"']).is_some_and(|c| c.chars().count() == 1);
    let number = value.strip_prefix(['-', '+']).unwrap_or(value);
    let hex = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"));
    let hex = hex.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    coded
        || hex
        || (number.contains(|c: char| c.is_ascii_digit()) && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

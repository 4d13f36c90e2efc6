//! Shell builtins that interpret their arguments again, as arithmetic, names or options.

use super::devices::is_number;
use super::inline_code::{InlineCode, not};
use super::words::Word;
use super::{is_counted, is_encoding, is_forbidden, keeps_ascii};

/// Number comparisons are arithmetic in some shells, which may run a command in an array subscript.
pub(super) fn test(name: &str, words: &[Word]) -> InlineCode {
    let closing = if name == "[" { "]" } else { "]]" };
    let words = if name == "test" {
        words
    } else {
        match words.split_last() {
            Some((last, rest)) if last.value == closing => rest,
            _ => return InlineCode::Not(format!("`{name}`")),
        }
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
        Some(word) => not(name, word),
        // A word that expands to several words may contain such a comparison.
        None => {
            match words.iter().find(|word| word.unseen || word.spans.iter().any(|span| !span.quoted && !span.is_sum()))
            {
                Some(word) if name != "[[" => not(name, word),
                _ => InlineCode::Plain,
            }
        }
    }
}

/// zsh evaluates the arguments of numeric conversions as arithmetic, in which a name is a variable.
pub(super) fn printf(words: &[Word]) -> InlineCode {
    let words = if words.first().is_some_and(|word| word.value == "--") { words.get(1..) } else { Some(words) };
    let Some((format, rest)) = words.and_then(<[Word]>::split_first) else { return InlineCode::Plain };
    if format.may_be_option() || format.value.starts_with('-') {
        return not("printf", format);
    }
    let numbers = if format.is_dynamic() { vec![true] } else { conversions(&format.value) };
    if !numbers.contains(&true) {
        return InlineCode::Plain;
    }
    // The positions of the arguments after such a word are unknown.
    let splits = rest.iter().position(|word| word.splits() || word.glob || word.brace).unwrap_or(rest.len());
    let mut taken = rest.iter().enumerate().zip(numbers.iter().cycle());
    let odd = taken.find(|((at, word), number)| (**number || *at >= splits) && !is_printed_number(word));
    odd.map_or(InlineCode::Plain, |((_, word), _)| not("printf", word))
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

/// Checks that every word is an option or the name of a variable that may be set.
pub(super) fn names(name: &str, words: &[Word]) -> InlineCode {
    let fine = |word: &&Word| {
        let value = word.value.as_str();
        let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-. :?>/".contains(&b));
        let set = set_by_read(value);
        // A list may assign to a zsh table of functions or commands.
        let list = value.starts_with('-') && value.contains('A');
        plain
            && !word.is_dynamic()
            && !is_forbidden(set)
            && !is_counted(set)
            && !list
            && (name != "unset" || !value.starts_with('-'))
    };
    words.iter().find(|word| !fine(word)).map_or(InlineCode::Plain, |word| not(name, word))
}

/// Returns the variable name in an argument of `read`. The name may be attached to `-a`, and in zsh a prompt
/// may follow it.
pub(super) fn set_by_read(word: &str) -> &str {
    let name = match word.strip_prefix('-') {
        Some(letters) => letters.split_once('a').map_or("", |(_, name)| name),
        None => word,
    };
    name.split('?').next().unwrap_or(name)
}

pub(super) fn exported(name: &str, words: &[Word]) -> InlineCode {
    for word in words {
        let (variable, given) = word.value.split_once('=').map_or((word.value.as_str(), false), |(v, _)| (v, true));
        let plain = variable.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let begins = word.spans.iter().any(|span| span.start < variable.len() + usize::from(given));
        let splits = word.spans.iter().any(|span| !span.quoted);
        let option = matches!(variable, "-p" | "--");
        let value = word.value.get(variable.len() + 1..).unwrap_or_default();
        let counts = given && is_counted(variable) && !value.bytes().all(|b| b.is_ascii_digit());
        let encodes = given && is_encoding(variable) && !(word.spans.is_empty() && keeps_ascii(value));
        if begins || splits || counts || encodes || word.glob || is_forbidden(variable) || !(plain || option) {
            return not(name, word);
        }
    }
    InlineCode::Plain
}

/// Accepts options of the shell that do not change the meaning of words.
pub(super) fn set(words: &[Word]) -> InlineCode {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let letters = value.trim_start_matches(['-', '+']);
        let fine =
            !word.is_dynamic() && value.starts_with(['-', '+']) && letters.bytes().all(|b| b"euxvCo".contains(&b));
        if !fine || letters.is_empty() {
            return not("set", word);
        }
        for _ in letters.matches('o') {
            let option = rest.next();
            if !option.is_some_and(is_plain_option) {
                return not("set", word);
            }
        }
    }
    InlineCode::Plain
}

/// Returns true if a word may be the name of a harmless `-o` option.
pub(super) fn is_plain_option(word: &Word) -> bool {
    !word.is_dynamic() && matches!(word.value.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")
}

/// Accepts literal numbers. Some shells evaluate the argument as arithmetic, in which a name is a variable
/// whose value is evaluated again.
pub(super) fn number(name: &str, words: &[Word]) -> InlineCode {
    let status = |word: &Word| matches!(word.value.as_str(), "$?" | "$!" | "$$") && !word.spans.is_empty();
    let digits = |word: &Word| !word.is_dynamic() && is_number(word.value.strip_prefix('-').unwrap_or(&word.value));
    words.iter().find(|word| !(status(word) || digits(word))).map_or(InlineCode::Plain, |word| not(name, word))
}

/// Accepts literal numbers and names of limits, jobs and signals.
pub(super) fn jobs(name: &str, words: &[Word]) -> InlineCode {
    let expanded = |word: &Word| {
        let status = matches!(word.value.as_str(), "$?" | "$!" | "$$");
        !status && (word.is_dynamic() && name != "kill")
    };
    let odd = |word: &&Word| {
        (name == "jobs" && word.value.contains('x'))
            || expanded(word)
            || (word.spans.is_empty() && word.value.contains(['[', '$', '`', '(']))
    };
    words.iter().find(odd).map_or(InlineCode::Plain, |word| not(name, word))
}

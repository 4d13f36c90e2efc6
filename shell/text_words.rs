//! The words of a text that is not understood.

use std::borrow::Cow;

/// Splits a raw text into words at blanks and all other characters that may end a word, with quotes,
/// backslashes and line continuations removed. The default of an unset variable also starts a word.
pub fn text_words(raw: &str) -> Vec<String> {
    let bare = unquoted(raw);
    let mut words = Vec::new();
    let mut add = |word: &str| match word {
        "" => {}
        word if word.is_ascii() => words.push(word.to_owned()),
        word => words.extend(word.split_whitespace().map(str::to_owned)),
    };
    let mut rest = &*bare;
    while let Some(end) = rest.bytes().position(is_edge) {
        let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        add(word);
        rest = match behind.strip_prefix("${") {
            Some(inside) => {
                let name = inside.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                let (name, default) = inside.split_at_checked(name).unwrap_or(("", inside));
                add(name);
                default.trim_start_matches(':').trim_start_matches(['-', '+', '?'])
            }
            None => behind.get(1..).unwrap_or_default(),
        };
    }
    add(rest);
    words
}

/// Returns true for an ASCII character that may end a word.
fn is_edge(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
        || matches!(byte, b';' | b'|' | b'&' | b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b',' | b'$' | b'`' | b'=')
}

/// Removes quotes, backslashes and line continuations.
fn unquoted(raw: &str) -> Cow<'_, str> {
    let is_quote = |byte| matches!(byte, b'\'' | b'"' | b'\\');
    let mut bare = Cow::Borrowed("");
    let mut rest = raw;
    while let Some((before, quoted)) = rest.bytes().position(is_quote).and_then(|at| rest.split_at_checked(at)) {
        bare.to_mut().push_str(before);
        rest = match quoted.strip_prefix('\\') {
            Some(escaped) => escaped.strip_prefix("\r\n").or_else(|| escaped.strip_prefix('\n')).unwrap_or(escaped),
            None => quoted.get(1..).unwrap_or_default(),
        };
    }
    if bare.is_empty() && rest.len() == raw.len() {
        return Cow::Borrowed(raw);
    }
    bare.to_mut().push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_where_a_word_may_end() {
        for (text, words) in [
            ("a b\tc\u{b}d\u{3000}é", "a b c d é"),
            ("a;b|c&d(e)f{g}h<i>j,k`l=m", "a b c d e f g h i j k l m"),
            ("'a b' \"c\"d e\\f", "a b cd ef"),
            ("a\\\nb\\\r\nc\nd", "abc d"),
            ("$a ${b} ${c:-d} ${e+f${g", "a b c d e f g"),
            ("x-y/z.w:v", "x-y/z.w:v"),
            ("", ""),
        ] {
            assert_eq!(text_words(text).join(" "), words, "{text:?}");
        }
    }
}

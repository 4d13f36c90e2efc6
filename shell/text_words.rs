//! The words of a text that is not understood.

/// The words of a raw text, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawWords {
    /// The words with blanks between them. A huge text may have a million words, too many for a string each.
    text: String,
}

impl RawWords {
    /// Splits a raw text into words at blanks and all other characters that may end a word, with quotes,
    /// backslashes and line continuations removed. The default of an unset variable also starts a word.
    pub fn of(raw: String) -> Self {
        let mut bytes = raw.into_bytes();
        unquote(&mut bytes);
        split(&mut bytes);
        // Only ASCII characters were removed or replaced, so it is still UTF-8.
        let text =
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let is_wide = |c: char| !c.is_ascii() && c.is_whitespace();
        Self { text: if text.contains(is_wide) { text.replace(is_wide, " ") } else { text } }
    }

    /// The words, none of which is empty.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| !word.is_empty())
    }

    /// The words with blanks between them.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Removes quotes, backslashes and line continuations.
fn unquote(bytes: &mut Vec<u8>) {
    let is_quote = |byte: &u8| matches!(byte, b'\'' | b'"' | b'\\');
    let Some(mut end) = bytes.iter().position(is_quote) else { return };
    let mut at = end;
    while let Some(byte) = bytes.get(at).copied() {
        at += 1;
        if is_quote(&byte) {
            at += match bytes.get(at..).filter(|_| byte == b'\\') {
                Some([b'\r', b'\n', ..]) => 2,
                Some([b'\n', ..]) => 1,
                _ => 0,
            };
        } else if let Some(place) = bytes.get_mut(end) {
            *place = byte;
            end += 1;
        }
    }
    bytes.truncate(end);
}

/// Replaces the characters between words with blanks.
fn split(bytes: &mut [u8]) {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| is_edge(*byte)) {
        let (_, behind) = rest.split_at_mut(at);
        rest = match behind {
            [b'$', b'{', inside @ ..] => {
                let name = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                let colons = inside.iter().skip(name).take_while(|byte| **byte == b':').count();
                let is_operator = |byte: &&u8| matches!(byte, b'-' | b'+' | b'?');
                let operators = inside.iter().skip(name + colons).take_while(is_operator).count();
                // The name moves, so that a blank fits between it and the default.
                behind.copy_within(2..2 + name, 1);
                let (expansion, rest) = behind.split_at_mut(2 + name + colons + operators);
                expansion.iter_mut().take(1).for_each(|byte| *byte = b' ');
                expansion.iter_mut().skip(1 + name).for_each(|byte| *byte = b' ');
                rest
            }
            [edge, rest @ ..] => {
                *edge = b' ';
                rest
            }
            [] => return,
        };
    }
}

/// Returns true for an ASCII character that may end a word.
pub(super) fn is_edge(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
        || matches!(byte, b';' | b'|' | b'&' | b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b',' | b'$' | b'`' | b'=')
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
            ("${a.b} ${c%%d} x${}y ${", "a .b c %%d x y"),
            ("é\u{3000}\u{a0}b \u{85}", "é b"),
            ("\\\\\"a\\\nb", "ab"),
            ("", ""),
        ] {
            assert_eq!(RawWords::of(text.to_owned()).iter().collect::<Vec<_>>().join(" "), words, "{text:?}");
        }
    }
}

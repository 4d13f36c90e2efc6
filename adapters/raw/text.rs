//! Strings of a document, decoded on demand.

use std::fmt;

use serde::de::{Deserializer, Visitor};

/// A decoded string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Text {
    /// The characters. Each lone surrogate is replaced by U+FFFD, which is the character that hosts use.
    pub value: String,
    /// True if the string contained a lone surrogate: such a string may be judged but not rewritten (J4).
    pub lossy: bool,
}

impl Text {
    pub(super) fn decode(json: &str) -> Option<Self> {
        let inner = json.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Self { value: inner.to_owned(), lossy: false });
        }
        if let Ok(value) = serde_json::from_str(json) {
            return Some(Self { value, lossy: false });
        }
        // With lone surrogates. For this, serde_json first asks the processor for its features, which a virtual machine answers slowly.
        let bytes = serde_json::Deserializer::from_str(json).deserialize_bytes(StringBytes).ok()?;
        Some(match String::from_utf8(bytes) {
            Ok(value) => Self { value, lossy: false },
            Err(error) => Self { value: from_wtf8(error.as_bytes()), lossy: true },
        })
    }
}

/// The length of the pieces in which [`Pieces`] decodes a literal, in bytes. One may end a few bytes later.
pub(crate) const PIECE: usize = 64 << 10;

/// Decodes a string literal piece by piece. A piece that is not valid JSON is `None`.
pub(super) struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    /// Divides a string literal, or returns `None` for any other kind of value.
    pub(super) fn of(json: &'a str) -> Option<Self> {
        Some(Self { rest: json.strip_prefix('"')?.strip_suffix('"')? })
    }
}

impl Iterator for Pieces<'_> {
    type Item = Option<Text>;

    fn next(&mut self) -> Option<Option<Text>> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((piece, rest)) = self.rest.split_at_checked(piece_end(self.rest)) else {
            self.rest = "";
            return Some(None);
        };
        self.rest = rest;
        Some(Text::decode(&["\"", piece, "\""].concat()))
    }
}

/// Returns the end of the first piece. It divides neither an escape nor a pair of surrogates.
fn piece_end(text: &str) -> usize {
    let near = text.ceil_char_boundary(PIECE);
    let mut at = 0;
    while at < near {
        at += match text.as_bytes().get(at..) {
            Some(escape @ [b'\\', ..]) => escape_len(escape),
            _ => 1,
        };
    }
    at.min(text.len())
}

/// Returns the length of the escape at the start, or of two if they are a pair of surrogates.
fn escape_len(bytes: &[u8]) -> usize {
    let surrogate = |at: usize, digits: &[u8]| match bytes.get(at..at + 4) {
        Some([b'\\', b'u', b'd' | b'D', digit]) => digits.contains(digit),
        _ => false,
    };
    match bytes.get(1) {
        Some(b'u') if surrogate(0, b"89abAB") && surrogate(6, b"cdefCDEF") => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

/// Returns a string as a JSON literal with quotes; invisible characters are escaped.
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_json_string(&mut out, text);
    out
}

/// Appends a string as a JSON literal with quotes.
pub(crate) fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    let special = |byte: &u8| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\');
    if text.bytes().filter(special).count() == 0 {
        out.push_str(text);
    } else {
        text.chars().for_each(|c| push_escaped(out, c));
    }
    out.push('"');
}

pub(super) fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => super::visible::push_visible(out, c),
    }
}

pub(super) fn decode_key(json: &str) -> String {
    Text::decode(json).map(|text| text.value).unwrap_or_default()
}

/// Converts WTF-8 to a string. serde_json writes a lone surrogate as three WTF-8 bytes, each of which becomes U+FFFD.
fn from_wtf8(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        if chunk.invalid().first() == Some(&0xED) {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    out
}

struct StringBytes;

impl Visitor<'_> for StringBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(bytes.to_vec())
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(text.as_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_surrogate_is_marked_and_becomes_one_replacement_character() {
        let text = Text::decode(r#""a\ud800b\udc00\ud83d\ude00""#).unwrap();
        assert_eq!(text, Text { value: "a\u{FFFD}b\u{FFFD}\u{1F600}".into(), lossy: true });
        assert!(!Text::decode(r#""\u0061\n""#).unwrap().lossy);
    }

    #[test]
    fn the_pieces_of_a_literal_are_its_text() {
        for (part, lossy) in [
            ("abc\u{e9}\u{1F600}", false),
            (r"\n", false),
            (r"x\\", false),
            (r"\ud83d\uDE00", false),
            (r"\ud800\ud83d\ude00", true),
            (r"\u0041\ud83d", true),
        ] {
            for before in 0..14 {
                let json = format!("\"{}{}\"", "x".repeat(before), part.repeat(2 * PIECE / part.len()));
                let whole = Text::decode(&json).unwrap();
                let pieces: Vec<_> = Pieces::of(&json).unwrap().map(Option::unwrap).collect();
                assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.value.len() <= PIECE + 12));
                assert_eq!(pieces.iter().map(|piece| piece.value.as_str()).collect::<String>(), whole.value);
                assert_eq!((pieces.iter().any(|piece| piece.lossy), whole.lossy), (lossy, lossy), "{part}");
            }
        }
        assert_eq!(Pieces::of("\"\"").unwrap().count(), 0);
        assert!(Pieces::of("1").is_none());
        assert_eq!(Pieces::of(r#""a\x""#).unwrap().collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn a_literal_decodes_to_its_original_text() {
        for text in ["", "a\"b\\c\n\r\t\u{1}\u{1f}é\u{1F600}\u{7f}"] {
            assert_eq!(serde_json::from_str::<String>(&json_string(text)).unwrap(), text);
            assert_eq!(Text::decode(&json_string(text)).unwrap().value, text);
        }
    }
}

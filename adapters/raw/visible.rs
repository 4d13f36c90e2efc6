//! Characters that are not visible, or that change the display of the surrounding text.

use std::borrow::Cow;

/// Returns true for a character that is displayed as itself and does not change the text around it.
///
/// False for control characters (C0, DEL, C1), direction marks and overrides, zero-width and filler characters,
/// line and paragraph separators, variation selectors, tags, and unassigned or private code points. A combining
/// mark is part of a letter in many scripts, so it is visible.
pub fn is_visible(c: char) -> bool {
    match c {
        ' '..='~' => true,
        // Marks and letters by their Unicode category, but displayed as blanks or not at all.
        '\u{34F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FFA0}'
        | '\u{FFFC}'
        | '\u{E0000}'..='\u{E0FFF}' => false,
        // `escape_debug` escapes what cannot be printed, and a mark only at the beginning of a text.
        c => c.escape_debug().len() == 1 || format!("a{c}").escape_debug().skip(1).eq([c]),
    }
}

/// Escapes every invisible character in a JSON text as a `\u` escape. The values do not change.
///
/// In JSON such characters occur only inside strings, with one exception: a carriage return between two
/// values becomes a space.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    // Without an early end, so that many bytes are compared at once.
    let odd = json.bytes().map(|byte| u8::from(!matches!(byte, b' '..=b'~' | b'\n' | b'\t')));
    if odd.fold(0, |all, odd| all | odd) == 0 {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push(' '),
            c => push_visible(&mut out, c),
        }
    }
    Cow::Owned(out)
}

/// Appends a character to a JSON string; an invisible one as an escape sequence.
pub(super) fn push_visible(out: &mut String, c: char) {
    if is_visible(c) {
        out.push(c);
    } else {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str("\\u");
            push_hex(out, u32::from(*unit), 4);
        }
    }
}

/// Returns a string in double quotes that TOML and YAML both accept.
///
/// Both accept the escape sequences of JSON, except for pairs of surrogates.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if u32::from(c) > 0xFFFF && !is_visible(c) {
            out.push_str("\\U");
            push_hex(&mut out, u32::from(c), 8);
        } else {
            super::text::push_escaped(&mut out, c);
        }
    }
    out.push('"');
    out
}

fn push_hex(out: &mut String, number: u32, digits: u32) {
    for place in (0..digits).rev() {
        out.push(char::from_digit((number >> (4 * place)) & 0xF, 16).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::json_string;

    /// One character of each kind.
    const INVISIBLE: &str = "\0\u{7}\u{8}\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\
                             \u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2066}\
                             \u{2069}\u{206f}\u{2800}\u{3164}\u{e000}\u{fe0f}\u{feff}\u{fff9}\u{fffc}\u{e0001}\
                             \u{e0041}\u{e0100}\u{10ffff}";

    #[test]
    fn escape_sequences_do_not_change_a_json_value() {
        for c in INVISIBLE.chars() {
            assert!(!is_visible(c), "{c:?}");
            let text = format!("a{c}é\u{1f600}b");
            let json = json_string(&text);
            assert!(json.chars().all(is_visible), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            if !c.is_control() || c >= '\u{7f}' {
                assert_eq!(visible_json(&format!("\"{text}\"")), json);
            }
        }
        assert_eq!(visible_json("{\n\t\"a\":\r 1}"), "{\n\t\"a\":  1}");
    }

    #[test]
    fn ordinary_text_of_any_script_is_visible() {
        for text in [
            "plain ~ text",
            "é ü ñ ß",
            "日本語 한국어",
            "ne\u{301}e हिन्दी ไทย",
            "Ελληνικά кириллица",
            "עברית العربية",
            "✓ → … 😀 €",
        ] {
            assert!(text.chars().all(is_visible), "{text}");
            assert_eq!(visible_json(text), text);
        }
    }
}

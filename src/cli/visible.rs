//! Text of others on a terminal: what would not be seen is shown.

/// Escapes every character that moves the cursor, hides a line or is not seen; lines and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_seen(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

fn is_seen(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => true,
        // Letters by their class, and blank all the same.
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{2800}' => false,
        c => c.escape_debug().len() == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        for plain in ["a\n\tb\\ \"'", "é ü 日本 ✓ 😀", ""] {
            assert_eq!(visible(plain), plain);
        }
        for c in
            "\r\u{7}\u{1b}\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{202e}\u{2028}\u{2066}\u{3164}\u{fe0f}\u{feff}\u{e0041}"
                .chars()
        {
            assert_eq!(visible(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }
}

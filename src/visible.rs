//! Text from outside the program, made safe for a terminal.

use snaphook_adapters::raw::is_visible;

/// Escapes every character that is not displayed as itself, such as control characters and direction marks.
/// Line feeds and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// Does the same for a text that has to stay on one line: a line feed in a name must not begin a line of output.
pub(crate) fn one_line(text: impl AsRef<str>) -> String {
    escaped(text.as_ref(), |_| false)
}

/// Does the same for a text of several lines; all but the first begin with `indent`, so that none of them can be
/// taken for a line of the program.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    visible(text).replace('\n', &format!("\n{indent}"))
}

fn escaped(text: &str, stays: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_visible(c) || stays(c) => out.push(c),
            '\n' | '\t' => out.extend(c.escape_default()),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        for plain in ["a\n\tb\\ \"'", "é ü 日本 ✓ 😀", ""] {
            assert_eq!(visible(plain), plain);
        }
        for c in
            "\0\r\u{7}\u{1b}\u{7f}\u{80}\u{9b}\u{ad}\u{61c}\u{200b}\u{202e}\u{2028}\u{2066}\u{3164}\u{fe0f}\u{feff}\u{e0041}"
                .chars()
        {
            let shown = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!((visible(&format!("a{c}b")), one_line(format!("a{c}b"))), (shown.clone(), shown));
        }
        assert_eq!(one_line("a\n\tb\\"), "a\\n\\tb\\");
    }
}

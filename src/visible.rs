//! Escapes untrusted text for output on a terminal.

use snaphook_adapters::raw::is_visible;

/// Escapes characters that a terminal does not display as themselves, such as control characters and direction
/// marks. Line feeds and tabs are kept.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// Escapes like [`visible`], and also line feeds and tabs, so that a name cannot start a new line of output.
pub(crate) fn one_line(text: impl AsRef<str>) -> String {
    escaped(text.as_ref(), |_| false)
}

/// Escapes like [`visible`], and indents every line but the first with `indent`, so that the text cannot imitate a
/// line of this program.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    visible(text).replace('\n', &format!("\n{indent}"))
}

fn escaped(text: &str, is_kept: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_visible(c) || is_kept(c) => out.push(c),
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

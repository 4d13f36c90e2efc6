//! Globs of the shell as partly known texts. Shells disagree about where a class such as `[!]x]` ends, so everything from the
//! first `[` of a segment to its last `]` is unknown.

use super::partial::TextElement;

/// Returns the elements of one segment of a glob. If `escapes` is true, a backslash makes the next character literal.
pub fn glob_elements(segment: &str, escapes: bool) -> Vec<TextElement> {
    let last = segment.rfind(']');
    let mut elements = Vec::new();
    let mut chars = segment.char_indices();
    while let Some((at, c)) = chars.next() {
        elements.push(match c {
            '*' | '?' => TextElement::Any,
            '[' if last > Some(at) => {
                let _ = chars.find(|(at, _)| Some(*at) == last);
                TextElement::Any
            }
            '\\' if escapes => TextElement::Char(chars.next().map_or(c, |(_, c)| c)),
            c => TextElement::Char(c),
        });
    }
    elements
}

/// Returns true if a glob may match paths with another number of segments: some shells let `.?` match `..`, and zsh lets a
/// class contain a `/`. `has_quoted_bracket` is true if a class may contain a quoted `]`.
pub(super) fn has_unknown_depth(glob: &str, has_quoted_bracket: bool) -> bool {
    let mut is_open = false;
    glob.split('/').any(|segment| {
        let is_closed_here = is_open && segment.contains(']');
        is_open |= if has_quoted_bracket { segment.contains('[') } else { has_open_class(segment) };
        is_closed_here || may_be_parent(segment)
    })
}

/// Returns true if a class may not end in its segment.
fn has_open_class(segment: &str) -> bool {
    let mut rest = segment;
    while let Some((_, class)) = rest.split_once('[') {
        match behind_class(class) {
            Some(behind) => rest = behind,
            None => return true,
        }
    }
    false
}

/// The text behind a class, whose text without the `[` is given; `None` if it does not end.
fn behind_class(class: &str) -> Option<&str> {
    let class = class.strip_prefix(['!', '^']).unwrap_or(class);
    // A `]` at the start of a class does not close it.
    let mut rest = class.strip_prefix(']').unwrap_or(class);
    loop {
        let at = rest.find(['[', ']'])?;
        let (_, found) = rest.split_at(at);
        if let Some(behind) = found.strip_prefix(']') {
            return Some(behind);
        }
        let named = [("[:", ":]"), ("[.", ".]"), ("[=", "=]")];
        let named = named.iter().find_map(|(start, end)| Some(found.strip_prefix(start)?.split_once(end)?.1));
        rest = named.or_else(|| found.get(1..))?;
    }
}

/// Returns true if a segment with a glob may match `..`, which dash and older versions of bash do if it begins with a dot.
fn may_be_parent(segment: &str) -> bool {
    let Some(mut rest) = segment.strip_prefix('.').filter(|rest| rest.contains(['*', '?', '['])) else { return false };
    let mut characters = 0;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '*' => continue,
            '?' | '.' => {}
            '[' => {
                let Some((class, behind)) = rest.split_once(']') else { return true };
                if class.contains('[') || matches!(class, "" | "!" | "^") {
                    return true;
                }
                if excludes_dot(class) {
                    return false;
                }
                rest = behind;
            }
            _ => return false,
        }
        characters += 1;
    }
    characters < 2
}

/// Returns true if a class without inner brackets matches no dot in any shell. `^` negates a class in some of them only.
fn excludes_dot(class: &str) -> bool {
    let is_word = |class: &str| class.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    class.strip_prefix('!').map_or_else(|| is_word(class), |class| class.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, intersects};

    #[test]
    fn a_glob_may_be_every_name_that_a_shell_matches() {
        let may_be = |glob: &str, name: &str| {
            let name: Vec<_> = name.chars().map(TextElement::Char).collect();
            intersects(&name, &glob_elements(glob, false), &Budget::default())
        };
        for glob in [
            ".en[[:alpha:]]",
            ".en[!]]",
            ".e[!x]v",
            ".e[!]x]v",
            ".e[^]x]v",
            ".e[n]]v",
            "[[.e.]env",
            ".[[=e=]]nv",
            ".*",
            "?env",
            ".[]e]nv",
            "[.]env",
            ".env",
            "*",
        ] {
            assert!(may_be(glob, ".env"), "{glob}");
        }
        for glob in ["x.e[!x]v", ".e[v", ".[e]x", "*.rs", "\\.env"] {
            assert!(!may_be(glob, ".env"), "{glob}");
        }
    }

    #[test]
    fn a_glob_may_lead_to_a_parent_or_have_a_slash_in_a_class() {
        for glob in [
            ".?/a",
            "x/.*/a",
            ".[.]",
            ".[!a]",
            ".[^.]*",
            ".[[:punct:]]",
            ".[]a]",
            "./.?*",
            ".**",
            ".?*/a",
            "a[n/]v",
            "a[]/n]v",
            "a[!]/n]v",
            "a[[:alpha:]/]v",
            "a[b/c/d]",
        ] {
            assert!(has_unknown_depth(glob, false), "{glob}");
        }
        for glob in [
            "*",
            "?.",
            ".[a-z]*",
            ".[!.]*",
            ".??*",
            ".e*",
            "../*",
            ".",
            "..",
            ".x?",
            "[.]?",
            "app/[id]/[slug]/p",
            "a[b/c",
            "a/b]c",
            "[[:alpha:]]/x",
            "[]]/x]",
            "[!]]/x]",
        ] {
            assert!(!has_unknown_depth(glob, false), "{glob}");
        }
        assert!(has_unknown_depth("a[b]n/]v", true));
        assert!(!has_unknown_depth("a[b]n/]v", false));
    }
}

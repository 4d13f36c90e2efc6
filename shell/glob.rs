//! Globs of the shell as partly known texts. Shells disagree about where a class such as `[!]x]` ends, so everything from its
//! `[` to the last `]` of the segment is unknown.

use super::partial::{TextElement, intersects, literal_elements};
use crate::budget::Budget;

/// Returns the elements of one segment of a glob. If `escapes` is true, a backslash makes the next character literal.
pub fn glob_elements(segment: &str, escapes: bool) -> Vec<TextElement> {
    let mut elements = Vec::new();
    let mut rest = segment;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let (element, behind) = match c {
            '*' => (TextElement::Any, rest),
            '?' => (TextElement::One, rest),
            '[' => class(rest, escapes).unwrap_or((TextElement::Char(c), rest)),
            '\\' if escapes => {
                let literal = rest.chars().next().unwrap_or(c);
                (TextElement::Char(literal), rest.get(literal.len_utf8()..).unwrap_or_default())
            }
            c => (TextElement::Char(c), rest),
        };
        elements.push(element);
        rest = behind;
    }
    elements
}

/// Returns true if one segment of a glob may match a name.
pub(super) fn may_match(segment: &str, name: &str, steps: &Budget) -> bool {
    intersects(&literal_elements(name), &glob_elements(segment, false), steps)
}

/// Returns the elements of one segment of a glob in which brackets may be literal, so that `[id]` may be a class or a name.
pub fn loose_elements(segment: &str) -> Vec<TextElement> {
    let class = segment.find('[').zip(segment.rfind(']')).filter(|(start, end)| start < end);
    let Some((before, behind)) = class.and_then(|(start, end)| Some((segment.get(..start)?, segment.get(end + 1..)?)))
    else {
        return glob_elements(segment, false);
    };
    let mut elements = glob_elements(before, false);
    elements.push(TextElement::Any);
    elements.extend(glob_elements(behind, false));
    elements
}

/// Returns the element for a class, whose text behind the `[` is given, and the text behind it; `None` if it does not end.
pub(super) fn class(text: &str, escapes: bool) -> Option<(TextElement, &str)> {
    let (inside, behind) = text.split_once(']')?;
    let is_odd = matches!(inside, "" | "!" | "^") || inside.contains(['[', '/']) || (escapes && inside.contains('\\'));
    if is_odd { Some((TextElement::Any, text.rsplit_once(']')?.1)) } else { Some((TextElement::One, behind)) }
}

/// Returns true if a glob may match paths with another number of segments: some shells let `.?` match `..`, and zsh lets a
/// class contain a `/`. In a word with quotes, any character of a class may be literal.
pub(super) fn has_unknown_depth(glob: &str, has_quotes: bool) -> bool {
    let (mut is_open, mut is_glob) = (false, false);
    glob.split('/').any(|segment| {
        let is_closed_here = is_open && segment.contains(']');
        // The parent of a link is not the folder that it is in.
        let goes_up = is_glob && segment == "..";
        is_open |= has_open_class(segment);
        is_glob |= segment.contains(['*', '?', '[']);
        is_closed_here || goes_up || may_be_parent(segment, has_quotes)
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
        // zsh finds the end of `[:x:]` behind a `/` too.
        let named = [("[:", ":]"), ("[.", ".]"), ("[=", "=]")];
        rest = match named.iter().find(|(start, _)| found.starts_with(start)) {
            Some((start, end)) => found.get(start.len()..)?.split_once(end)?.1,
            None => found.get(1..)?,
        };
    }
}

/// Returns true if a segment with a glob may match `..`, which dash and older versions of bash do if it begins with a dot.
fn may_be_parent(segment: &str, has_quotes: bool) -> bool {
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
                if excludes_dot(class, has_quotes) {
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

/// Returns true if a class certainly matches no dot: `[!.]`, and letters, digits and ranges of them. `^` negates a class in some
/// shells only.
fn excludes_dot(class: &str, has_quotes: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let is_range = |part: &str| part.chars().count() < 2 || part.chars().all(is_word);
    (class == "!." && !has_quotes)
        || (class.starts_with(is_word)
            && class.ends_with(is_word)
            && class.chars().all(|c| is_word(c) || c == '-')
            && !class.contains("--")
            && class.split('-').all(is_range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_may_be_every_name_that_a_shell_matches() {
        let may_be = |glob: &str, name: &str| may_match(glob, name, &Budget::default());
        for glob in [
            ".en[[:alpha:]]",
            ".en[!]]",
            ".e[!x]v",
            ".e[!]x]v",
            ".e[^]x]v",
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
        for glob in ["x.e[!x]v", ".e[v", ".[e]x", ".[env]", "?env?", ".[e]v", ".??", "*.rs", "\\.env"] {
            assert!(!may_be(glob, ".env"), "{glob}");
        }
    }

    #[test]
    fn a_glob_may_lead_to_a_parent_or_have_a_slash_in_a_class() {
        for glob in [
            ".?/a",
            "x/.*/a",
            "l*/../a",
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
        assert!(has_unknown_depth(".[!.]", true));
    }
}

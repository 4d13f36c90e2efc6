//! Rules that are so plain that they can be built when a call may match them. All rules are read on every call, but most
//! apply to another kind of action. The build script of this package reads the presets with this file.

use super::RuleKind;
use crate::eights::{any_eight, double_blanks};
use crate::list::Side;

/// What is known of a plain rule before it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainShape {
    /// The offsets of the text in the parentheses.
    pub(crate) inside: (u32, u32),
    /// The end of the first word of every command that matches; zero if it is not obvious.
    pub(crate) first: u32,
    /// True if the text has nothing but words and stars.
    pub(crate) is_bare: bool,
}

impl PlainShape {
    /// Returns `None` if the text may be invalid. The specifier is a part of the rule.
    pub(crate) fn of(kind: RuleKind, rule: &str, specifier: &str, side: Side) -> Option<Self> {
        let shape = Self::new(rule, specifier);
        let plain = match kind {
            RuleKind::Bash => {
                let command = without_colon(specifier);
                let is_bare = is_plain_command(command);
                let is_pipeline = || side == Side::Guard && is_plain_pipeline(command);
                if !(is_bare || is_quoted_command(command) || is_pipeline()) {
                    return None;
                }
                let first =
                    first_word(command).map_or(0, |len| shape.inside.0 + u32::try_from(len).unwrap_or_default());
                return Some(Self { first, is_bare, ..shape });
            }
            RuleKind::Read | RuleKind::Edit | RuleKind::Delete => is_plain_path(specifier),
            RuleKind::WebFetch => specifier.strip_prefix("domain:").is_some_and(is_plain_name),
            _ => false,
        };
        plain.then_some(shape)
    }

    /// The same for the name of an MCP tool, which has no parentheses.
    pub(crate) fn of_mcp(name: &str, side: Side) -> Option<Self> {
        let rest = name.strip_prefix("mcp__")?;
        let end = rest.as_bytes().windows(2).position(|pair| pair == b"__").unwrap_or(rest.len());
        let server = rest.as_bytes().get(..end).unwrap_or_default();
        let plain = is_plain_name(rest) && !server.is_empty() && (side == Side::Guard || !server.contains(&b'*'));
        plain.then(|| Self::new(name, ""))
    }

    fn new(rule: &str, inside: &str) -> Self {
        let start = inside.as_ptr().addr().saturating_sub(rule.as_ptr().addr());
        let offset = |at| u32::try_from(at).unwrap_or_default();
        Self { inside: (offset(start), offset(start + inside.len())), first: 0, is_bare: true }
    }
}

/// A command pattern without a final `:*`, which means the same as ` *`.
pub(super) fn without_colon(specifier: &str) -> &str {
    specifier.strip_suffix(":*").unwrap_or(specifier)
}

/// The same as `trim`, but faster if there is nothing to trim, as in nearly all rules.
pub(super) fn trimmed(text: &str) -> &str {
    let bare = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if bare(text.as_bytes().first()) && bare(text.as_bytes().last()) { text } else { text.trim() }
}

/// Returns the length of the first word if it is a plain name that ends at a blank or at the end of the command.
fn first_word(command: &str) -> Option<usize> {
    let end = command.bytes().position(|byte| class(byte) != PLAIN).unwrap_or(command.len());
    matches!(command.as_bytes().get(end), None | Some(b' ')).then_some(end)
}

/// Returns true for words and stars separated by single blanks. `:`, `=` and `~` may occur in words behind the program,
/// where they make no tool argument and no assignment.
fn is_plain_command(text: &str) -> bool {
    let all = text.bytes().fold(0, |all, byte| all | class(byte));
    let has_words = !text.is_empty() && !text.starts_with(' ') && !any_eight(text.as_bytes(), double_blanks);
    all & OTHER == 0 && has_words && (all & INNER == 0 || has_plain_inner(text))
}

/// Returns true if `:`, `=` and `~` occur only in words behind the program, and start or end no argument or prefix.
fn has_plain_inner(text: &str) -> bool {
    let program = text.split(' ').next().unwrap_or_default();
    // The word before ` :` may be an argument, and `:*` may be the end of a prefix.
    let is_odd = |pair: &[u8]| matches!(pair, [b' ', b':'] | [b':', b'*']);
    program.bytes().all(is_plain) && !text.as_bytes().windows(2).any(is_odd)
}

/// Returns true for a command that starts with a word and has quotes, each of which is closed. Between them and outside
/// of them are only characters that are no operators and escape nothing.
fn is_quoted_command(text: &str) -> bool {
    let mut open = None;
    let plain = |byte: u8| match (byte, open) {
        (b'"' | b'\'', None) => {
            open = Some(byte);
            true
        }
        (byte, Some(quote)) if byte == quote => {
            open = None;
            true
        }
        // With a colon it may be a tool argument.
        (byte, _) => class(byte) & (PLAIN | BLANK) != 0 || matches!(byte, b'=' | b'\'' | b'"'),
    };
    let has_quote = text.bytes().any(|byte| matches!(byte, b'\'' | b'"'));
    let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    starts && has_quote && text.bytes().all(plain) && open.is_none()
}

/// Returns true for plain commands with ` | ` between them.
fn is_plain_pipeline(text: &str) -> bool {
    let is_member = |member: &str| is_plain_command(member) && !member.ends_with(' ');
    let mut rest = text;
    while let Some((before, behind)) = split_at(rest, b'|') {
        let (Some(before), Some(behind)) = (before.strip_suffix(' '), behind.strip_prefix(' ')) else { return false };
        if !is_member(before) {
            return false;
        }
        rest = behind;
    }
    rest.len() < text.len() && is_member(rest)
}

/// Splits at the first occurrence of an ASCII character. For texts as short as rules, a loop over the bytes is faster
/// than `split_once`.
pub(super) fn split_at(text: &str, at: u8) -> Option<(&str, &str)> {
    let found = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..found)?, text.get(found + 1..)?))
}

/// Returns true for a path of plain names and stars, without `..`.
fn is_plain_path(text: &str) -> bool {
    let below = text.strip_prefix("~/").unwrap_or(text);
    let has_dots = || below.as_bytes().windows(2).any(|pair| pair == b"..");
    below.bytes().all(is_plain_in_path)
        && !has_dots()
        && !below.is_empty()
        && (!below.contains('[') || has_plain_classes(below))
}

fn is_plain_in_path(byte: u8) -> bool {
    is_plain(byte) || matches!(byte, b'?' | b'[' | b']')
}

/// Returns true if each bracket belongs to a class of letters and digits.
fn has_plain_classes(path: &str) -> bool {
    let mut parts = path.split('[');
    let is_closed = |part: &str| {
        let class = part.split_once(']').filter(|(class, rest)| !class.is_empty() && !rest.contains(']'));
        class.is_some_and(|(class, _)| class.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    parts.next().is_some_and(|before| !before.contains(']')) && parts.all(is_closed)
}

/// Returns true for letters, digits and stars with single separators.
fn is_plain_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'*';
    let ends = [text.bytes().next(), text.bytes().last()];
    ends.into_iter().all(|end| end.is_some_and(inner))
        && text.bytes().all(|byte| inner(byte) || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_plain(byte: u8) -> bool {
    class(byte) & PLAIN != 0
}

/// The characters of plain texts, in a table since every character of every rule is looked at in each call.
static CLASSES: [u8; 256] = classes();
const PLAIN: u8 = 1;
const BLANK: u8 = 2;
/// Plain in the arguments of a command.
const INNER: u8 = 4;
const OTHER: u8 = 8;
/// Plain, but not allowed in the name of a program.
const APART: u8 = 16;

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER)
}

#[expect(clippy::indexing_slicing, reason = "a constant is built with it; the index is below the length")]
const fn classes() -> [u8; 256] {
    let mut classes = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'*' | b'@' | b'+' | b',' | b'%')
        {
            classes[byte as usize] = PLAIN;
        }
        byte += 1;
    }
    classes[b'*' as usize] |= APART;
    classes[b'/' as usize] |= APART;
    classes[b',' as usize] |= APART;
    classes[b' ' as usize] = BLANK;
    classes[b':' as usize] = INNER;
    classes[b'=' as usize] = INNER;
    classes[b'~' as usize] = INNER;
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::late::Late;
    use super::super::{DomainPattern, McpPattern};
    use super::*;
    use crate::command::CommandPattern;
    use crate::path::PathPattern;

    proptest! {
        #[test]
        fn what_looks_plain_is_read_without_a_fault(text in r#"(~/)?[-ab_./*@+,%1 |:=~'"?\[\]]{1,12}"#) {
            let text = text.trim();
            for side in [Side::Guard, Side::Grant] {
                let is_pipeline = side == Side::Guard && is_plain_pipeline(text);
                if (is_plain_command(text) || is_quoted_command(text) || is_pipeline) && text != "*" {
                    let read = CommandPattern::read(text, side);
                    prop_assert!(read.is_ok(), "{} {:?}", text, read);
                }
            }
            if is_plain_path(text) {
                prop_assert!(PathPattern::read(text).is_ok(), "{}", text);
            }
            if is_plain_name(text) {
                prop_assert!(DomainPattern::read(text).is_ok(), "{}", text);
                let name = format!("mcp__{text}");
                prop_assert!(McpPattern::read(&name).is_some(), "{}", name);
                if PlainShape::of_mcp(&name, Side::Grant).is_some() {
                    prop_assert!(!McpPattern::read(&name).unwrap().any_server(), "{}", name);
                }
            }
        }
    }

    #[test]
    fn the_first_word_is_known_where_it_is_a_name() {
        for (rule, word) in [
            ("Bash(git push *)", Some("git")),
            ("Bash( ls )", Some("ls")),
            ("Bash(ls*)", None),
            ("Bash(/bin/ls *)", None),
            ("Bash(* x)", None),
            ("Bash(ls:*)", Some("ls")),
            ("Bash(npm run x:*)", Some("npm")),
            ("Bash(git commit -m 'a b' *)", Some("git")),
            ("Bash(g'it' x)", None),
            ("Bash(curl * | sh *)", Some("curl")),
            ("Bash(heroku pg:reset a=b ~/c *)", Some("heroku")),
        ] {
            let specifier = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).unwrap().trim();
            let shape = PlainShape::of(RuleKind::Bash, rule, specifier, Side::Guard).unwrap();
            assert_eq!(Late::plain(shape, Side::Guard).first_word(rule), word, "{rule}");
        }
        for text in [
            "a : b", "a b:* c", "a:b c", "a=b c", "~/a b", "a  b", "a |b", "a \"b'", "a:* b", ":*", "$x", "a=b",
            "a\\*", "'a' b", "a | | b",
        ] {
            assert!(PlainShape::of(RuleKind::Bash, text, text, Side::Guard).is_none(), "{text}");
        }
        assert!(PlainShape::of(RuleKind::Bash, "a | b", "a | b", Side::Grant).is_none());
    }
}

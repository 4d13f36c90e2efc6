//! Matchers that are built on first use. All rules are read on every call, but most apply to another kind of action.

use std::sync::OnceLock;

use super::{DomainPattern, Matcher, McpPattern, RuleKind};
use crate::command::CommandPattern;
use crate::list::Side;
use crate::path::PathPattern;
use crate::wildcard::Wildcard;

/// A matcher, or the promise that it can be built from the text of the rule without an error.
#[derive(Debug, Clone)]
pub(super) enum Late {
    Built(Box<Matcher>),
    Plain(PlainText),
}

/// The text of a matcher that is built later.
#[derive(Debug, Clone)]
pub(super) struct PlainText {
    side: Side,
    /// The offsets of the text in the parentheses.
    inside: (u32, u32),
    /// The end of the first word of every command that matches; zero if it is not obvious.
    first: u32,
    /// True if the rest of the text has nothing but words and stars.
    is_bare: bool,
    built: OnceLock<Box<Matcher>>,
}

impl PlainText {
    fn new(side: Side, rule: &str, inside: &str) -> Self {
        let start = inside.as_ptr().addr().saturating_sub(rule.as_ptr().addr());
        let offset = |at| u32::try_from(at).unwrap_or_default();
        Self {
            side,
            inside: (offset(start), offset(start + inside.len())),
            first: 0,
            is_bare: true,
            built: OnceLock::new(),
        }
    }

    fn inside<'r>(&self, rule: &'r str) -> &'r str {
        rule.get(self.inside.0 as usize..self.inside.1 as usize).unwrap_or_default()
    }
}

impl Late {
    pub(super) fn built(matcher: Matcher) -> Self {
        Self::Built(Box::new(matcher))
    }

    /// Defers building a matcher; `None` if its text may be invalid. The specifier is a part of the rule.
    pub(super) fn plain(kind: RuleKind, rule: &str, specifier: &str, side: Side) -> Option<Self> {
        let text = PlainText::new(side, rule, specifier);
        let plain = match kind {
            RuleKind::Bash => {
                let command = without_colon(specifier);
                let is_bare = is_plain_command(command);
                let is_pipeline = || side == Side::Guard && is_plain_pipeline(command);
                if !(is_bare || is_quoted_command(command) || is_pipeline()) {
                    return None;
                }
                let first = command.bytes().position(|byte| matches!(byte, b' ' | b'*')).unwrap_or(command.len());
                let is_word = command.bytes().take(first).all(is_plain) && command.as_bytes().get(first) != Some(&b'*');
                let first = if is_word { text.inside.0 + u32::try_from(first).unwrap_or_default() } else { 0 };
                return Some(Self::Plain(PlainText { first, is_bare, ..text }));
            }
            RuleKind::Read | RuleKind::Edit | RuleKind::Delete => is_plain_path(specifier),
            RuleKind::WebFetch => specifier.strip_prefix("domain:").is_some_and(is_plain_name),
            _ => false,
        };
        plain.then_some(Self::Plain(text))
    }

    /// The same for the name of an MCP tool, which has no parentheses.
    pub(super) fn plain_mcp(name: &str, side: Side) -> Option<Self> {
        let rest = name.strip_prefix("mcp__")?;
        let server = rest.find("__").map_or(rest, |end| rest.get(..end).unwrap_or_default());
        let plain = is_plain_name(rest) && !server.is_empty() && (side == Side::Guard || !server.contains('*'));
        plain.then(|| Self::Plain(PlainText::new(side, name, "")))
    }

    pub(super) fn get(&self, kind: Option<RuleKind>, rule: &str) -> &Matcher {
        match self {
            Self::Built(limit) => limit,
            Self::Plain(text) => text.built.get_or_init(|| Box::new(build(kind, text, rule))),
        }
    }

    /// The first word of every command that a rule matches, if it is obvious.
    pub(super) fn first_word<'r>(&self, rule: &'r str) -> Option<&'r str> {
        match self {
            Self::Plain(text) if text.first > 0 => rule.get(text.inside.0 as usize..text.first as usize),
            _ => None,
        }
    }

    /// The words of a rule about commands, up to the first quote; empty if they are not obvious.
    pub(super) fn plain_command<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> &'r str {
        let Self::Plain(text) = self else { return "" };
        if kind != Some(RuleKind::Bash) {
            return "";
        }
        let command = without_colon(text.inside(rule));
        if text.is_bare {
            return command;
        }
        match command.bytes().position(|byte| matches!(byte, b'"' | b'\'')) {
            Some(quote) => {
                command.get(..quote).and_then(|before| before.rsplit_once(' ')).map_or("", |(words, _)| words)
            }
            // Of a member without a program, options are words that must occur.
            None if command.starts_with('*') => "",
            None => command,
        }
    }

    /// The segments without `*` of a plain rule about files; empty for any other rule.
    pub(super) fn plain_segments<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> impl Iterator<Item = &'r str> {
        let text = match self {
            Self::Plain(text) if matches!(kind, Some(RuleKind::Read | RuleKind::Edit | RuleKind::Delete)) => {
                text.inside(rule)
            }
            _ => "",
        };
        text.split('/').filter(|segment| !matches!(*segment, "" | "." | "~") && !segment.contains(['*', '[', '?']))
    }
}

fn build(kind: Option<RuleKind>, text: &PlainText, rule: &str) -> Matcher {
    let (side, inside) = (text.side, text.inside(rule));
    let built = match kind {
        Some(RuleKind::Bash) => CommandPattern::read(inside, side).map(Matcher::Command).ok(),
        Some(RuleKind::WebFetch) => {
            inside.strip_prefix("domain:").and_then(|domain| DomainPattern::read(domain).map(Matcher::Domain).ok())
        }
        Some(RuleKind::Mcp) => McpPattern::read(rule).map(Matcher::Mcp),
        _ => PathPattern::read(inside).map(Matcher::Path).ok(),
    };
    // A plain text has no error. If it had one, a guard would match everything and a grant nothing.
    built.unwrap_or_else(|| if side == Side::Guard { Matcher::None } else { Matcher::Name(Wildcard::default()) })
}

/// A command pattern without a final `:*`, which means the same as ` *`.
fn without_colon(specifier: &str) -> &str {
    specifier.strip_suffix(":*").unwrap_or(specifier)
}

/// The same as `trim`, but faster if there is nothing to trim, as in nearly all rules.
pub(super) fn trimmed(text: &str) -> &str {
    let bare = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if bare(text.as_bytes().first()) && bare(text.as_bytes().last()) { text } else { text.trim() }
}

/// Returns true for words and stars separated by single blanks, without any special character.
fn is_plain_command(text: &str) -> bool {
    let (mut before, mut is_plain) = (BLANK, !text.is_empty());
    for byte in text.bytes() {
        let class = class(byte);
        is_plain &= class != OTHER && class & before != BLANK;
        before = class;
    }
    is_plain
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
        (byte, _) => class(byte) != OTHER || matches!(byte, b'=' | b'\'' | b'"'),
    };
    let has_quote = text.bytes().any(|byte| matches!(byte, b'\'' | b'"'));
    let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    starts && has_quote && text.bytes().all(plain) && open.is_none()
}

/// Returns true for plain commands with ` | ` between them.
fn is_plain_pipeline(text: &str) -> bool {
    text.contains(" | ") && text.split(" | ").all(|member| is_plain_command(member) && !member.ends_with(' '))
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
    class(byte) == PLAIN
}

/// The characters of plain texts, in a table since every character of every rule is looked at in each call.
static CLASSES: [u8; 256] = classes();
const OTHER: u8 = 0;
const PLAIN: u8 = 1;
const BLANK: u8 = 2;

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
    classes[b' ' as usize] = BLANK;
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_looks_plain_is_read_without_a_fault(text in r#"(~/)?[-ab_./*@+,%1 |:='"?\[\]]{1,12}"#) {
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
                if Late::plain_mcp(&name, Side::Grant).is_some() {
                    prop_assert!(!McpPattern::read(&name).unwrap().any_server(), "{}", name);
                }
            }
        }
    }

    #[test]
    fn the_first_word_is_known_where_it_has_no_star() {
        for (rule, word) in [
            ("Bash(git push *)", Some("git")),
            ("Bash( ls )", Some("ls")),
            ("Bash(ls*)", None),
            ("Bash(/bin/ls *)", Some("/bin/ls")),
            ("Bash(* x)", None),
            ("Bash(ls:*)", Some("ls")),
            ("Bash(npm run x:*)", Some("npm")),
            ("Bash(git commit -m 'a b' *)", Some("git")),
            ("Bash(g'it' x)", None),
            ("Bash(curl * | sh *)", Some("curl")),
        ] {
            let specifier = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).unwrap().trim();
            let late = Late::plain(RuleKind::Bash, rule, specifier, Side::Guard).unwrap();
            assert_eq!(late.first_word(rule), word, "{rule}");
        }
        for text in ["a  b", "a |b", "a \"b'", "a:* b", ":*", "$x", "a=b", "a\\*", "'a' b", "a | | b"] {
            assert!(Late::plain(RuleKind::Bash, text, text, Side::Guard).is_none(), "{text}");
        }
        assert!(Late::plain(RuleKind::Bash, "a | b", "a | b", Side::Grant).is_none());
    }
}

//! Matchers that are built on first use. All rules are read on every call, but most apply to another kind of action.

use std::sync::OnceLock;

use super::{DomainPattern, Matcher, McpPattern, RuleKind, Side};
use crate::policy::command::CommandPattern;
use crate::policy::path::PathPattern;
use crate::policy::wildcard::Wildcard;

/// A matcher, or the promise that it can be built from the text of the rule without an error.
#[derive(Debug, Clone)]
pub(super) enum Late {
    Built(Matcher),
    Plain(Side, OnceLock<Matcher>),
}

impl Late {
    /// Defers building a matcher; `None` if its text may be invalid.
    pub(super) fn plain(kind: RuleKind, specifier: &str, side: Side) -> Option<Self> {
        let plain = match kind {
            RuleKind::Bash => is_plain_command(without_colon(specifier)),
            RuleKind::Read | RuleKind::Edit | RuleKind::Delete => is_plain_path(specifier),
            RuleKind::WebFetch => specifier.strip_prefix("domain:").is_some_and(is_plain_name),
            _ => false,
        };
        plain.then(|| Self::Plain(side, OnceLock::new()))
    }

    /// The same for the name of an MCP tool, which has no parentheses.
    pub(super) fn plain_mcp(name: &str, side: Side) -> Option<Self> {
        let rest = name.strip_prefix("mcp__")?;
        let plain = is_plain_name(rest) && (side == Side::Guard || !rest.contains('*'));
        plain.then(|| Self::Plain(side, OnceLock::new()))
    }

    pub(super) fn get(&self, kind: Option<RuleKind>, rule: &str) -> &Matcher {
        match self {
            Self::Built(limit) => limit,
            Self::Plain(side, cell) => cell.get_or_init(|| build(kind, *side, rule)),
        }
    }

    /// The first word of every command that a rule matches, if it is obvious.
    pub(super) fn first_word<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> Option<&'r str> {
        match self {
            Self::Plain(..) if kind == Some(RuleKind::Bash) => {
                let specifier = without_colon(specifier(rule));
                let end = specifier.bytes().position(|byte| matches!(byte, b' ' | b'*')).unwrap_or(specifier.len());
                specifier.get(..end).filter(|_| specifier.as_bytes().get(end) != Some(&b'*'))
            }
            _ => None,
        }
    }

    /// The text in the parentheses of a plain rule about commands; empty for any other rule.
    pub(super) fn plain_command<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> &'r str {
        let is_plain = matches!(self, Self::Plain(..)) && kind == Some(RuleKind::Bash);
        if is_plain { without_colon(specifier(rule)) } else { "" }
    }

    /// The segments without `*` of a plain rule about files; empty for any other rule.
    pub(super) fn plain_segments<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> impl Iterator<Item = &'r str> {
        let is_path = matches!(kind, Some(RuleKind::Read | RuleKind::Edit | RuleKind::Delete));
        let text = if is_path && matches!(self, Self::Plain(..)) { specifier(rule) } else { "" };
        text.split('/').filter(|segment| !matches!(*segment, "" | "." | "~") && !segment.contains('*'))
    }
}

fn build(kind: Option<RuleKind>, side: Side, rule: &str) -> Matcher {
    let inside = specifier(rule);
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

/// The text in the parentheses of a rule; empty if it has none.
fn specifier(rule: &str) -> &str {
    let open = rule.bytes().position(|byte| byte == b'(').map_or(rule.len(), |at| at + 1);
    rule.get(open..).and_then(|rest| rest.strip_suffix(')')).map_or("", trimmed)
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
    let mut before = b' ';
    let plain = |byte| {
        let twice = byte == b' ' && before == b' ';
        before = byte;
        !twice && (is_plain(byte) || byte == b' ')
    };
    !text.is_empty() && text.bytes().all(plain)
}

/// Returns true for a path of plain names and stars, without `..`.
fn is_plain_path(text: &str) -> bool {
    let below = text.strip_prefix("~/").unwrap_or(text);
    below.bytes().all(is_plain) && !below.contains("..") && !below.is_empty()
}

/// Returns true for letters, digits and stars with single separators.
fn is_plain_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'*';
    let ends = [text.bytes().next(), text.bytes().last()];
    ends.into_iter().all(|end| end.is_some_and(inner))
        && text.bytes().all(|byte| inner(byte) || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'*' | b'@' | b'+' | b',' | b'%')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_looks_plain_is_read_without_a_fault(text in r"(~/)?[-ab_./*@+,%1 ]{1,12}") {
            let text = text.trim();
            for side in [Side::Guard, Side::Grant] {
                if is_plain_command(text) && text != "*" {
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
        ] {
            let late = Late::plain(RuleKind::Bash, specifier(rule), Side::Guard).unwrap();
            assert_eq!(late.first_word(Some(RuleKind::Bash), rule), word, "{rule}");
        }
        for text in ["a  b", "a | b", "a 'b'", "a:* b", ":*", "$x", "a=b", "a\\*"] {
            assert!(Late::plain(RuleKind::Bash, text, Side::Guard).is_none(), "{text}");
        }
    }
}

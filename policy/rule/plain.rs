//! Rules that are so plain that they can be built when a call may match them. All rules are read on every call, but most
//! apply to another kind of action. The build script of this package reads the presets with this file.

use super::RuleKind;
use crate::find::find;
use crate::list::Side;

/// The form of a plain rule, and the location of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainShape {
    pub(crate) form: PlainForm,
    /// The offsets of the text in the parentheses, or of the name of an MCP tool.
    pub(crate) inside: (u32, u32),
}

/// The form of the text of a plain rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlainForm {
    /// A command. `first` is the length of the first word of every command that the rule matches. `words` is the length of all
    /// words up to the first quote. Both are zero if they are not obvious.
    Command { first: u32, words: u32 },
    /// A path or a pattern of paths.
    Path,
    /// A host, behind `domain:`.
    Domain,
    /// The name of an MCP tool, which has no parentheses.
    Mcp,
    /// The name of another tool, without stars.
    Tool,
    /// The name of a tool argument, with its length, and a value.
    Argument { name: u32 },
}

/// The text in the parentheses of a rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Specifier<'r> {
    pub(super) text: &'r str,
    /// The length of its start that may be the name of a program.
    program: usize,
    /// True if all of that may be the name of an argument, but for its first character.
    is_word: bool,
}

impl<'r> Specifier<'r> {
    pub(crate) fn new(text: &'r str) -> Self {
        let mut seen = 0;
        let ends = |byte| {
            let class = class(byte);
            seen |= class;
            class & PROGRAM == 0
        };
        let program = text.bytes().position(ends).unwrap_or(text.len());
        Self { text, program, is_word: seen & ONLY_PROGRAM == 0 }
    }

    /// Splits `NAME:VALUE`. The name consists of letters, digits and `_`, does not start with a digit, and is longer than one
    /// character, because `C:` is a drive. Returns `None` for any other text.
    pub(super) fn argument(self) -> Option<(&'r str, &'r str)> {
        if !self.is_word || self.program < 2 {
            return None;
        }
        let (name, rest) = self.text.split_at_checked(self.program)?;
        let value = rest.strip_prefix(':').or_else(|| rest.trim_start().strip_prefix(':'))?;
        (!name.starts_with(|first: char| first.is_ascii_digit())).then(|| (name, trimmed(value)))
    }
}

impl PlainShape {
    /// Returns `None` if the text may be invalid. The specifier is a part of the rule.
    pub(crate) fn of(kind: RuleKind, rule: &str, specifier: Specifier<'_>, side: Side) -> Option<Self> {
        let text = specifier.text;
        let form = match kind {
            RuleKind::Bash => command_form(specifier, side)?,
            RuleKind::Read | RuleKind::Edit | RuleKind::Delete => is_plain_path(text).then_some(PlainForm::Path)?,
            RuleKind::WebFetch => {
                text.strip_prefix("domain:").is_some_and(is_plain_name).then_some(PlainForm::Domain)?
            }
            RuleKind::Tool => (is_plain_name(text) && !text.contains('*')).then_some(PlainForm::Tool)?,
            _ => return None,
        };
        Some(Self::new(form, rule, text))
    }

    /// The same for the name of an MCP tool, which has no parentheses.
    pub(crate) fn of_mcp(name: &str, side: Side) -> Option<Self> {
        let rest = name.strip_prefix("mcp__")?;
        let end = rest.as_bytes().windows(2).position(|pair| pair == b"__").unwrap_or(rest.len());
        let server = rest.as_bytes().get(..end).unwrap_or_default();
        let plain = is_plain_name(rest) && !server.is_empty() && (side == Side::Guard || !server.contains(&b'*'));
        plain.then(|| Self::new(PlainForm::Mcp, name, name))
    }

    /// The shape of a rule about the tool argument that its specifier begins with.
    pub(super) fn of_argument(rule: &str, specifier: &str, name: &str) -> Self {
        Self::new(PlainForm::Argument { name: short(name.len()) }, rule, specifier)
    }

    /// `inside` is a part of the rule.
    fn new(form: PlainForm, rule: &str, inside: &str) -> Self {
        let start = inside.as_ptr().addr().saturating_sub(rule.as_ptr().addr());
        Self { form, inside: (short(start), short(start + inside.len())) }
    }
}

/// An offset or length in a rule. A rule is far shorter than 4 GiB.
fn short(at: usize) -> u32 {
    u32::try_from(at).unwrap_or_default()
}

/// The same as `trim`, but faster if there is nothing to trim, as in nearly all rules.
pub(super) fn trimmed(text: &str) -> &str {
    let bare = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if bare(text.as_bytes().first()) && bare(text.as_bytes().last()) { text } else { text.trim() }
}

/// Returns the form of a command, or `None` if it may be invalid.
fn command_form(Specifier { text, program, .. }: Specifier<'_>, side: Side) -> Option<PlainForm> {
    // A final `:*` means the same as ` *`.
    let command = text.strip_suffix(":*").unwrap_or(text);
    let bytes = command.as_bytes();
    let behind = bytes.get(program..).unwrap_or_default();
    if command.is_empty() || matches!(behind.first(), Some(b':')) || command.starts_with(' ') {
        return None;
    }
    let all = behind.iter().fold(0, |all, byte| all | class(*byte));
    if all & OTHER != 0 {
        return None;
    }
    let first = if matches!(behind.first(), None | Some(b' ')) { program } else { 0 };
    let has_inner = all & (INNER | EQUALS) != 0;
    let words = if all & QUOTE != 0 {
        // With a colon it may be a tool argument, and a bar may be in quotes.
        let quote = quote(bytes).filter(|quote| all & (INNER | BAR) == 0 && closes_quotes(bytes, *quote))?;
        bytes.get(..quote)?.iter().rposition(|byte| *byte == b' ').unwrap_or_default()
    } else if all & BAR != 0 {
        if side == Side::Grant || !is_plain_pipeline(command, has_inner) {
            return None;
        }
        // Of a member without a program, options are words that must occur.
        if command.starts_with('*') { 0 } else { command.len() }
    } else if has_inner && !has_plain_inner(command) {
        return None;
    } else {
        command.len()
    };
    Some(PlainForm::Command { first: short(first), words: short(words) })
}

/// Returns true if `:`, `=` and `~` occur only in words behind the program, where they make no tool argument and no assignment.
fn has_plain_inner(text: &str) -> bool {
    let program = text.bytes().position(|byte| !is_plain(byte));
    // The word before ` :` may be an argument, and `:*` may be the end of a prefix.
    let is_odd = |pair: &[u8]| matches!(pair, [b' ', b':'] | [b':', b'*']);
    program.is_none_or(|end| text.as_bytes().get(end) == Some(&b' ')) && !text.as_bytes().windows(2).any(is_odd)
}

/// Returns the offset of the first quote.
fn quote(text: &[u8]) -> Option<usize> {
    find(text, *b"'\"")
}

/// Returns true if a command starts with a letter or digit and closes each quote. `first` is the offset of the first one.
fn closes_quotes(command: &[u8], first: usize) -> bool {
    let mut rest = command.get(first..).unwrap_or_default();
    while let Some((opening, inside)) = rest.split_first() {
        let Some(close) = find(inside, [*opening; 2]) else { return false };
        let behind = inside.get(close + 1..).unwrap_or_default();
        rest = quote(behind).and_then(|open| behind.get(open..)).unwrap_or_default();
    }
    command.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns true for plain commands with ` | ` between them.
fn is_plain_pipeline(text: &str, has_inner: bool) -> bool {
    let is_member = |member: &str| {
        let ends_plainly = |end: Option<&u8>| end.is_some_and(|end| *end != b' ');
        let bytes = member.as_bytes();
        ends_plainly(bytes.first()) && ends_plainly(bytes.last()) && (!has_inner || has_plain_inner(member))
    };
    let mut rest = text;
    while let Some((before, behind)) = split_at(rest, b'|') {
        let (Some(before), Some(behind)) = (before.strip_suffix(' '), behind.strip_prefix(' ')) else { return false };
        if !is_member(before) {
            return false;
        }
        rest = behind;
    }
    is_member(rest)
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

/// Returns true for letters, digits, stars and separators, with no separator at the start or the end.
fn is_plain_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'*';
    let ends = [text.bytes().next(), text.bytes().last()];
    ends.into_iter().all(|end| end.is_some_and(is_inner)) && text.bytes().fold(NAME, |all, byte| all & class(byte)) != 0
}

fn is_plain(byte: u8) -> bool {
    class(byte) & PLAIN != 0
}

/// The classes of each byte. A table, because each call looks up every character of every rule.
static CLASSES: [u16; 256] = classes();
const PLAIN: u16 = 1;
const BLANK: u16 = 1 << 1;
/// `:` and `~`, plain in the arguments of a command.
const INNER: u16 = 1 << 2;
/// `=`, plain there too.
const EQUALS: u16 = 1 << 3;
const QUOTE: u16 = 1 << 4;
const BAR: u16 = 1 << 5;
/// Plain, and allowed in the name of a program.
const PROGRAM: u16 = 1 << 6;
/// Allowed there, but not in the name of an argument.
const ONLY_PROGRAM: u16 = 1 << 7;
/// Allowed in a name.
const NAME: u16 = 1 << 8;
const OTHER: u16 = 1 << 9;

fn class(byte: u8) -> u16 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER)
}

#[expect(clippy::indexing_slicing, reason = "a constant is built with it; the index is below the length")]
const fn classes() -> [u16; 256] {
    let mut classes = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => PLAIN | PROGRAM | NAME,
            b'-' | b'.' => PLAIN | PROGRAM | ONLY_PROGRAM | NAME,
            b'*' => PLAIN | NAME,
            b'/' | b',' => PLAIN,
            b'@' | b'+' | b'%' => PLAIN | PROGRAM | ONLY_PROGRAM,
            b' ' => BLANK,
            b':' | b'~' => INNER,
            b'=' => EQUALS,
            b'"' | b'\'' => QUOTE,
            b'|' => BAR,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::late::{Late, PlainCommand};
    use super::super::{DomainPattern, Matcher, McpPattern, parse};
    use super::*;
    use crate::command::CommandPattern;
    use crate::list::List;
    use crate::path::PathPattern;

    proptest! {
        #[test]
        fn what_looks_plain_is_read_without_a_fault(text in r#"(~/)?([-ab_./*@+,%1 |:=~'"?\[\]]|[ab]| {1,2}){1,12}"#) {
            let text = text.trim();
            for side in [Side::Guard, Side::Grant] {
                if command_form(Specifier::new(text), side).is_some() && text != "*" {
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
            ("Bash(heroku a=b | sh)", Some("heroku")),
            ("Bash(git  push *)", Some("git")),
        ] {
            let specifier = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).unwrap().trim();
            let shape = PlainShape::of(RuleKind::Bash, rule, Specifier::new(specifier), Side::Guard).unwrap();
            assert_eq!(
                Late::plain(shape, Side::Guard).command(rule).and_then(PlainCommand::first_word),
                word.map(str::as_bytes),
                "{rule}"
            );
        }
        for text in [
            "a : b", "a b:* c", "a:b c", "a=b c", "~/a b", "a |b", "a |  b", "a \"b'", "a:* b", ":*", "$x", "a=b",
            "a\\*", "'a' b", "a | | b",
        ] {
            assert!(PlainShape::of(RuleKind::Bash, text, Specifier::new(text), Side::Guard).is_none(), "{text}");
        }
        assert!(PlainShape::of(RuleKind::Bash, "a | b", Specifier::new("a | b"), Side::Grant).is_none());
    }

    #[test]
    fn the_argument_and_the_tool_are_known_before_a_rule_is_built() {
        for (rule, argument, tool) in [
            ("Bash( run_in_background : true )", Some("run_in_background"), None),
            ("Tool(ab:c:d)", Some("ab"), None),
            ("Tool(Frob)", None, Some("Frob")),
            ("Tool(Frob*)", None, None),
            ("Skill(ab:c)", None, None),
            ("Bash(ls:*)", None, None),
        ] {
            let read = parse(rule, 0, List::Deny, &()).unwrap();
            assert_eq!((read.param(), read.plain_tool()), (argument, tool), "{rule}");
            if let Some(name) = argument {
                assert!(matches!(read.limit(), Matcher::Param { name: built, .. } if built == name), "{rule}");
            }
        }
    }
}

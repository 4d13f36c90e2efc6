//! Texts that occur in every command that a rule matches.

use super::late::PlainCommand;
use super::{Matcher, Rule};

/// A text that a matching command must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fragment<'r> {
    pub(crate) text: &'r [u8],
    /// True if the text occurs between word boundaries, not as a part of a longer word.
    pub(crate) whole: bool,
}

/// Returns true for a character that separates fragments. These include all word separators of shells.
pub(crate) const fn is_edge(c: char) -> bool {
    match c {
        ';' | '|' | '&' | '(' | ')' | '{' | '}' | '<' | '>' | ',' | '$' | '`' | '=' | '/' | '\'' | '"' | '\\' => true,
        c => c.is_whitespace(),
    }
}

/// Like [`is_edge`], for a byte. A byte that is not ASCII is no edge.
pub(crate) fn is_ascii_edge(byte: u8) -> bool {
    mark(byte) == EDGE
}

/// The mark of each byte. A table, because every byte of a command is looked up.
static MARKS: [u8; 256] = marks();
const EDGE: u8 = 1;
const STAR: u8 = 2;

fn mark(byte: u8) -> u8 {
    MARKS.get(usize::from(byte)).copied().unwrap_or_default()
}

#[expect(clippy::indexing_slicing, reason = "a constant is built with it; the index is below the length")]
const fn marks() -> [u8; 256] {
    let mut marks = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if is_edge(byte as char) {
            marks[byte as usize] = EDGE;
        }
        byte += 1;
    }
    marks[b'*' as usize] = STAR;
    marks
}

impl Rule {
    /// Returns true if the predicate holds for each fragment of a rule about commands. There are no fragments in expansions,
    /// in parts that are not ASCII, after the first quote of a plain command, and in rules about tool arguments.
    pub(crate) fn all_fragments<'r>(&'r self, mut is: impl FnMut(Fragment<'r>) -> bool) -> bool {
        if let Some(PlainCommand { first, rest }) = self.plain_command() {
            return (first.is_empty() || is(Fragment { text: first, whole: true }))
                && all_within(rest, [false, false], !rest.starts_with(b"*"), &mut is);
        }
        match self.limit() {
            Matcher::Command(pattern) => {
                pattern.literals().into_iter().flatten().all(|wild| all_between(wild.parts(), &mut is))
            }
            _ => true,
        }
    }

    #[cfg(test)]
    pub(crate) fn fragments(&self) -> Vec<Fragment<'_>> {
        let mut found = Vec::new();
        self.all_fragments(|fragment| {
            found.push(fragment);
            true
        });
        found
    }
}

/// Returns true if the predicate holds for each fragment of the parts between stars. Parts that are not ASCII are skipped.
fn all_between<'t>(parts: impl Iterator<Item = &'t str>, is: &mut impl FnMut(Fragment<'t>) -> bool) -> bool {
    let mut parts = parts.peekable();
    let has_program = parts.peek().is_some_and(|part| !part.is_empty());
    let mut first = true;
    while let Some(part) = parts.next() {
        let starred = [!std::mem::take(&mut first), parts.peek().is_some()];
        if part.is_ascii() && !all_within(part.as_bytes(), starred, has_program, is) {
            return false;
        }
    }
    true
}

/// Returns true if the predicate holds for each fragment of an ASCII text. `starred` tells whether a star precedes the text, and
/// whether one follows it. Stars in the text are literal or wildcards.
fn all_within<'t>(
    text: &'t [u8],
    starred: [bool; 2],
    has_program: bool,
    is: &mut impl FnMut(Fragment<'t>) -> bool,
) -> bool {
    let edge = |byte: Option<&u8>, starred: bool| byte.map_or(!starred, |byte| is_ascii_edge(*byte));
    let mut start = 0;
    let mut before = None;
    let mut is_value = false;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let len = rest.iter().position(|byte| mark(*byte) != 0).unwrap_or(rest.len());
        let behind = rest.get(len);
        // Options may be spelled in other ways if the program is known (B12), and their values be a part of them.
        let is_option = has_program && rest.starts_with(b"-");
        if len > 0 && !is_option && !std::mem::take(&mut is_value) {
            let text = rest.get(..len).unwrap_or_default();
            if !is(Fragment { text, whole: edge(before, starred[0]) && edge(behind, starred[1]) }) {
                return false;
            }
        }
        is_value |= is_option;
        before = behind;
        start += len + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::list::List;
    use crate::rule::parse;
    use crate::testing::InventedTools;

    #[test]
    fn fragments_are_whole_unless_they_touch_a_star() {
        for (rule, expected) in [
            ("Bash(git push *)", "git push"),
            ("Bash(git * x17)", "git x17"),
            ("Bash(ls*)", "ls*"),
            ("Bash(* --force*now *)", "--force* now*"),
            ("Bash(git push --force *)", "git push"),
            ("Bash(/bin/rm -rf a/*)", "bin rm"),
            ("Bash(/bin/rm -rf a b)", "bin rm b"),
            ("Bash(curl * | sh *)", "curl sh"),
            ("Bash(npm run test:*)", "npm run test"),
            ("Bash(git commit -m \"a b\")", "git commit"),
            ("Bash(git \"a b\" c)", "git"),
            ("Bash(* -f | rm -f)", "-f rm"),
            ("Bash(rm -f | * -f)", "rm"),
            ("Bash(a \\*b)", ""),
            ("Bash(model:x)", ""),
            ("Bash(echo ü * x)", "x"),
            ("Bash", ""),
            ("Edit(a/b)", ""),
        ] {
            let rule = parse(rule, 0, List::Deny, &InventedTools).unwrap();
            let shown = |fragment: super::Fragment<'_>| {
                format!("{}{}", fragment.text.escape_ascii(), if fragment.whole { "" } else { "*" })
            };
            let found: Vec<_> = rule.fragments().into_iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{}", rule.text);
        }
    }
}

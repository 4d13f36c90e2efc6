//! Texts that occur in every command that a rule matches.

use super::{Matcher, Rule, RuleKind};

/// A text that a matching command must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fragment<'r> {
    pub(crate) text: &'r str,
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
    /// Returns true if the predicate holds for each fragment of a rule about commands, except [`Rule::first_word`]. A rule
    /// with expansions or a tool argument has no fragments. The text after a quote has none either, nor has a part that is not
    /// ASCII.
    pub(crate) fn all_fragments<'r>(&'r self, mut is: impl FnMut(Fragment<'r>) -> bool) -> bool {
        match (self.limit.plain_command(&self.text), self.kind) {
            ("", Some(RuleKind::Bash)) => match self.limit() {
                Matcher::Command(pattern) => {
                    pattern.literals().into_iter().flatten().all(|wild| between(wild.parts()).all(&mut is))
                }
                _ => true,
            },
            (plain, _) => {
                let program = self.first_word().map_or(0, str::len);
                within(plain.get(program..).unwrap_or_default(), false, false, !plain.starts_with('*')).all(is)
            }
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

/// The fragments of the parts between stars. Parts that are not ASCII are skipped.
fn between<'t>(parts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = Fragment<'t>> {
    let mut parts = parts.peekable();
    let has_program = parts.peek().is_some_and(|part| !part.is_empty());
    let mut first = true;
    std::iter::from_fn(move || {
        let part = parts.next()?;
        let (starred_before, starred_behind) = (!std::mem::take(&mut first), parts.peek().is_some());
        Some((part, starred_before, starred_behind))
    })
    .filter(|(part, ..)| part.is_ascii())
    .flat_map(move |(part, before, behind)| within(part, before, behind, has_program))
}

/// The fragments of an ASCII text that may have stars before it, in it and behind it. A star is literal or a wildcard.
fn within(
    text: &str,
    starred_before: bool,
    starred_behind: bool,
    has_program: bool,
) -> impl Iterator<Item = Fragment<'_>> {
    let bytes = text.as_bytes();
    let edge = |byte: Option<&u8>, starred: bool| byte.map_or(!starred, |byte| is_ascii_edge(*byte));
    let mut end = 0;
    let mut before = None;
    std::iter::from_fn(move || {
        loop {
            let start = end;
            let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
            let len = rest.iter().position(|byte| mark(*byte) != 0).unwrap_or(rest.len());
            let behind = rest.get(len);
            let whole = edge(std::mem::replace(&mut before, behind), starred_before) && edge(behind, starred_behind);
            end = start + len + 1;
            // Options may be spelled in other ways if the program is known (B12).
            let may_be_missing = len == 0 || (has_program && rest.starts_with(b"-"));
            if !may_be_missing {
                return Some(Fragment { text: text.get(start..start + len)?, whole });
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::list::List;
    use crate::rule::parse;
    use crate::testing::InventedTools;

    #[test]
    fn fragments_are_whole_unless_they_touch_a_star() {
        for (rule, expected) in [
            ("Bash(git push *)", "push"),
            ("Bash(git * x17)", "x17"),
            ("Bash(ls*)", "ls*"),
            ("Bash(* --force*now *)", "--force* now*"),
            ("Bash(git push --force *)", "push"),
            ("Bash(/bin/rm -rf a/*)", "bin rm a"),
            ("Bash(curl * | sh *)", "sh"),
            ("Bash(npm run test:*)", "run test"),
            ("Bash(git commit -m \"a b\")", "commit"),
            ("Bash(git \"a b\" c)", ""),
            ("Bash(* -f | rm -f)", "-f rm"),
            ("Bash(rm -f | * -f)", ""),
            ("Bash(a \\*b)", ""),
            ("Bash(model:x)", ""),
            ("Bash(echo ü * x)", "x"),
            ("Bash", ""),
            ("Edit(a/b)", ""),
        ] {
            let rule = parse(rule, 0, List::Deny, &InventedTools).unwrap();
            let shown =
                |fragment: super::Fragment<'_>| format!("{}{}", fragment.text, if fragment.whole { "" } else { "*" });
            let found: Vec<_> = rule.fragments().into_iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{}", rule.text);
        }
    }
}

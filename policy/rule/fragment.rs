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
pub(crate) fn is_edge(c: char) -> bool {
    // Nearly every character is of ASCII, and is looked up without a search.
    match c {
        ';' | '|' | '&' | '(' | ')' | '{' | '}' | '<' | '>' | ',' | '$' | '`' | '=' | '/' | '\'' | '"' | '\\' => true,
        c => c.is_whitespace(),
    }
}

impl Rule {
    /// Returns true if each fragment of a rule about commands is as required. It has none if it has quotes, expansions or a
    /// tool argument.
    pub(crate) fn all_fragments<'r>(&'r self, mut is: impl FnMut(Fragment<'r>) -> bool) -> bool {
        match (self.limit.plain_command(self.kind, &self.text), self.kind) {
            ("", Some(RuleKind::Bash)) => match self.limit() {
                Matcher::Command(pattern) => {
                    pattern.literals().into_iter().flatten().all(|wild| between(wild.parts()).all(&mut is))
                }
                _ => true,
            },
            (plain, _) => of_plain(plain).all(is),
        }
    }
}

/// The fragments of a plain command, in which every star stands for any text.
fn of_plain(text: &str) -> impl Iterator<Item = Fragment<'_>> {
    // Options may be spelled in other ways if the program is known (B12).
    let has_program = !text.starts_with('*');
    let is_star = |at: Option<usize>| at.is_some_and(|at| text.as_bytes().get(at) == Some(&b'*'));
    let mut next = 0;
    text.as_bytes().split(|byte| *byte == b'*' || is_edge(char::from(*byte))).filter_map(move |word| {
        let (from, to) = (next, next + word.len());
        next = to + 1;
        let may_be_missing = word.is_empty() || (has_program && word.starts_with(b"-"));
        let whole = !is_star(from.checked_sub(1)) && !is_star(Some(to));
        (!may_be_missing).then_some(Fragment { text: text.get(from..to)?, whole })
    })
}

/// The fragments of the parts between stars.
fn between<'t>(parts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = Fragment<'t>> {
    let mut parts = parts.peekable();
    // Options may be spelled in other ways if the program is known (B12).
    let has_program = parts.peek().is_some_and(|part| !part.is_empty());
    let mut first = true;
    std::iter::from_fn(move || {
        let part = parts.next()?;
        let (starred_before, starred_behind) = (!std::mem::take(&mut first), parts.peek().is_some());
        Some((part, starred_before, starred_behind))
    })
    .flat_map(move |(part, before, behind)| {
        // A star in the pattern may be literal, or match any text.
        let ends = |c: char| is_edge(c) || c == '*';
        let mut at = 0;
        part.split(ends).filter_map(move |text| {
            let (from, to) = (at, at + text.len());
            let edge = |c: Option<char>, starred: bool| c.map_or(!starred, is_edge);
            let start = edge(part.get(..from).and_then(|part| part.chars().next_back()), before);
            let end = part.get(to..).and_then(|rest| rest.chars().next());
            at = to + end.map_or(0, char::len_utf8);
            let may_be_missing = text.is_empty() || (has_program && text.starts_with('-'));
            (!may_be_missing).then_some(Fragment { text, whole: start && edge(end, behind) })
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("Bash(/bin/rm -rf a/*)", "bin rm a"),
            ("Bash(curl * | sh *)", "curl sh"),
            ("Bash(npm run test:*)", "npm run test"),
            ("Bash(git commit -m \"a b\")", "git commit"),
            ("Bash(git \"a b\" c)", "git"),
            ("Bash(* -f | rm -f)", "-f rm"),
            ("Bash(rm -f | * -f)", "rm"),
            ("Bash(a \\*b)", ""),
            ("Bash(model:x)", ""),
            ("Bash", ""),
            ("Edit(a/b)", ""),
        ] {
            let rule = parse(rule, 0, List::Deny, &InventedTools).unwrap();
            let shown =
                |fragment: super::Fragment<'_>| format!("{}{}", fragment.text, if fragment.whole { "" } else { "*" });
            let mut found = Vec::new();
            rule.all_fragments(|fragment| {
                found.push(shown(fragment));
                true
            });
            assert_eq!(found.join(" "), expected, "{}", rule.text);
        }
    }

    proptest! {
        #[test]
        fn a_plain_command_has_the_fragments_of_its_parts(text in "[-ab*/ ,=|]{0,12}") {
            let parts: Vec<_> = super::between(text.split('*')).collect();
            prop_assert_eq!(super::of_plain(&text).collect::<Vec<_>>(), parts);
        }
    }
}

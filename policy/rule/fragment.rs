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
    /// Returns true if the predicate holds for each fragment of a rule about commands. A rule with quotes, expansions or a
    /// tool argument has no fragments.
    pub(crate) fn all_fragments<'r>(&'r self, mut is: impl FnMut(Fragment<'r>) -> bool) -> bool {
        match (self.limit.plain_command(self.kind, &self.text), self.kind) {
            ("", Some(RuleKind::Bash)) => match self.limit() {
                Matcher::Command(pattern) => {
                    pattern.literals().into_iter().flatten().all(|wild| between(wild.parts()).all(&mut is))
                }
                _ => true,
            },
            (plain, _) => within(plain, false, false, !plain.starts_with('*')).all(is),
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

/// The fragments of the parts between stars.
fn between<'t>(parts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = Fragment<'t>> {
    let mut parts = parts.peekable();
    let has_program = parts.peek().is_some_and(|part| !part.is_empty());
    let mut first = true;
    std::iter::from_fn(move || {
        let part = parts.next()?;
        let (starred_before, starred_behind) = (!std::mem::take(&mut first), parts.peek().is_some());
        Some((part, starred_before, starred_behind))
    })
    .flat_map(move |(part, before, behind)| within(part, before, behind, has_program))
}

/// The fragments of a text that may have stars before it, in it and behind it. A star is literal or a wildcard.
fn within(
    text: &str,
    starred_before: bool,
    starred_behind: bool,
    has_program: bool,
) -> impl Iterator<Item = Fragment<'_>> {
    let edge = |c: Option<char>, starred: bool| c.map_or(!starred, is_edge);
    let mut at = 0;
    text.split(|c: char| is_edge(c) || c == '*').filter_map(move |word| {
        let (from, to) = (at, at + word.len());
        let start = edge(text.get(..from).and_then(|before| before.chars().next_back()), starred_before);
        let end = text.get(to..).and_then(|rest| rest.chars().next());
        at = to + end.map_or(0, char::len_utf8);
        // Options may be spelled in other ways if the program is known (B12).
        let may_be_missing = word.is_empty() || (has_program && word.starts_with('-'));
        (!may_be_missing).then_some(Fragment { text: word, whole: start && edge(end, starred_behind) })
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
            let found: Vec<_> = rule.fragments().into_iter().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{}", rule.text);
        }
    }
}

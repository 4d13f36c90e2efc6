//! The texts that stand in everything that a rule about commands matches.

use super::{Kind, Limit, Rule};

/// Holds a text that a command must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fragment<'r> {
    pub(crate) text: &'r str,
    /// Whether it begins and ends at an edge there, and is not a part of something longer.
    pub(crate) whole: bool,
}

/// Characters at which a text is divided; whatever else ends a word, for a shell or in the net, is one of them.
pub(crate) fn is_edge(c: char) -> bool {
    c.is_whitespace() || ";|&(){}<>,$`=/'\"\\".contains(c)
}

impl Rule {
    /// The fragments of a rule about commands; none where quotes, expansions or an argument are in it.
    pub(crate) fn fragments(&self) -> impl Iterator<Item = Fragment<'_>> {
        let plain = self.limit.plain_command(self.kind, &self.text);
        let built = match (plain, self.kind) {
            ("", Some(Kind::Bash)) => match self.limit() {
                Limit::Command(pattern) => pattern.literals(),
                _ => None,
            },
            _ => None,
        };
        let built = built.into_iter().flatten().flat_map(|wild| between(wild.parts()));
        between(plain.split('*')).chain(built)
    }
}

/// The fragments of what stands between stars.
fn between<'t>(parts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = Fragment<'t>> {
    let mut parts = parts.peekable();
    let mut first = true;
    std::iter::from_fn(move || {
        let part = parts.next()?;
        let (starred_before, starred_behind) = (!std::mem::take(&mut first), parts.peek().is_some());
        Some((part, starred_before, starred_behind))
    })
    .flat_map(|(part, before, behind)| {
        // A star may also stand for itself here, and for anything in the net.
        let ends = |c: char| is_edge(c) || c == '*';
        let mut at = 0;
        part.split(ends).filter_map(move |text| {
            let (from, to) = (at, at + text.len());
            let edge = |c: Option<char>, starred: bool| c.map_or(!starred, is_edge);
            let start = edge(part.get(..from).and_then(|part| part.chars().next_back()), before);
            let end = part.get(to..).and_then(|rest| rest.chars().next());
            at = to + end.map_or(0, char::len_utf8);
            (!text.is_empty()).then_some(Fragment { text, whole: start && edge(end, behind) })
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::policy::rule::{List, Vocabulary, parse};
    use crate::policy::testing::registry;

    #[test]
    fn fragments_are_whole_where_no_star_touches_them() {
        for (rule, expected) in [
            ("Bash(git push *)", "git push"),
            ("Bash(git * x17)", "git x17"),
            ("Bash(ls*)", "ls*"),
            ("Bash(* --force*now *)", "--force* now*"),
            ("Bash(/bin/rm -rf a/*)", "bin rm -rf a"),
            ("Bash(curl * | sh *)", "curl sh"),
            ("Bash(npm run test:*)", "npm run test"),
            ("Bash(git commit -m \"a b\")", ""),
            ("Bash(a \\*b)", ""),
            ("Bash(model:x)", ""),
            ("Bash", ""),
            ("Edit(a/b)", ""),
        ] {
            let rule = parse(rule, 0, List::Deny, Vocabulary(&registry())).unwrap();
            let shown =
                |fragment: super::Fragment<'_>| format!("{}{}", fragment.text, if fragment.whole { "" } else { "*" });
            let found: Vec<_> = rule.fragments().map(shown).collect();
            assert_eq!(found.join(" "), expected, "{}", rule.text);
        }
    }
}

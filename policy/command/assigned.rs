//! Assignments that an allow rule names, as in `Bash(FOO=bar npm *)` (B7).

use snaphook_shell::{Part, is_name};

use crate::wildcard::Wildcard;

/// The assignments at the start of a pattern, each with the values that it allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NamedAssignments(Vec<(String, Wildcard)>);

impl NamedAssignments {
    /// Takes the assignments off a pattern and returns the rest of it. A value with quotes or blanks is not taken off.
    pub(super) fn split(pattern: &str) -> (Self, &str) {
        let mut named = Vec::new();
        let mut rest = pattern;
        while let Some((name, value)) = first_word(rest).split_once('=')
            && is_name(name)
            && !value.contains(['\'', '"', '\\'])
        {
            named.push((name.to_owned(), Wildcard::read(value)));
            rest = rest.get(first_word(rest).len()..).unwrap_or_default().trim_start();
        }
        (Self(named), rest)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if every named assignment is made before the program, with an allowed value.
    pub(super) fn are_made_by(&self, part: &Part) -> bool {
        self.0.iter().all(|(name, value)| {
            let mut made = part.assigned.iter().filter(|made| made.name == *name).peekable();
            made.peek().is_some() && made.all(|made| value.matches(&made.value))
        })
    }

    pub(super) fn names(&self, name: &str) -> bool {
        self.0.iter().any(|(named, _)| named == name)
    }
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

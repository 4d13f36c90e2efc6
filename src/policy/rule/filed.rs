//! Where a rule is filed, so that a call finds the rules that may speak of it without reading the rest.
//!
//! A rule is filed under a word without which nothing matches it, and a call asks for every word that it
//! has. To find too many is no harm: whether a rule matches is decided by the rule alone.

use std::collections::{BTreeMap, BTreeSet};

use super::{Kind, Limit, Rule};

/// Names rules that speak of one kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub(crate) enum Drawer {
    /// Looked at on every call.
    Always,
    /// Rules about commands, by the words that these begin with.
    Command,
    /// The same ones by the program alone.
    Program,
    /// Rules about files, by one step of their path.
    Path,
    /// Rules about addresses, by the end of their host.
    Domain,
    Mcp,
    Agent,
}

impl Drawer {
    pub(crate) const ALL: [Self; 7] =
        [Self::Always, Self::Command, Self::Program, Self::Path, Self::Domain, Self::Mcp, Self::Agent];
}

/// How many words of a command a rule is filed under.
const WORDS: usize = 3;

/// The beginnings of a command that rules may be filed under.
pub(crate) fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]);
    ends.take(WORDS).filter_map(|end| text.get(..end))
}

impl Rule {
    /// The places where it is filed; without a word: wherever the drawer is asked for.
    pub(crate) fn filed(&self) -> Vec<(Drawer, Option<String>)> {
        let Some(kind) = self.kind.filter(|_| self.param().is_none()) else { return vec![(Drawer::Always, None)] };
        match (kind, self.limit()) {
            (Kind::Bash, _) => {
                let words: Vec<&str> = self.limit.first_words(self.kind, &self.text).take(WORDS).collect();
                // A comma ends a word in the net (B8).
                match words.first().filter(|first| !first.contains(',')) {
                    Some(first) => {
                        vec![(Drawer::Command, Some(words.join(" "))), (Drawer::Program, Some((*first).to_owned()))]
                    }
                    None => vec![(Drawer::Command, None)],
                }
            }
            (Kind::Read | Kind::Edit | Kind::Delete, Limit::Path(pattern)) => vec![(Drawer::Path, pattern.step())],
            (Kind::Read | Kind::Edit | Kind::Delete, _) => vec![(Drawer::Path, None)],
            (Kind::WebFetch, Limit::Domain(pattern)) => vec![(Drawer::Domain, pattern.end())],
            (Kind::WebFetch, _) => vec![(Drawer::Domain, None)],
            (Kind::Mcp, _) => vec![(Drawer::Mcp, None)],
            (Kind::Agent, _) => vec![(Drawer::Agent, None)],
            (Kind::Tool | Kind::WebSearch, _) => vec![(Drawer::Always, None)],
        }
    }
}

/// Holds what a call asks for.
#[derive(Debug)]
pub(crate) struct Asked(BTreeMap<Drawer, Words>);

#[derive(Debug)]
pub(crate) enum Words {
    All,
    /// These, and the rules that are filed without a word.
    Some(BTreeSet<String>),
}

impl Asked {
    /// Asks for what every call is judged by.
    pub(crate) fn new() -> Self {
        let mut asked = Self(BTreeMap::new());
        asked.drawer(Drawer::Always);
        asked
    }

    /// Asks for the rules of a drawer that are filed without a word.
    pub(crate) fn drawer(&mut self, drawer: Drawer) {
        self.0.entry(drawer).or_insert_with(|| Words::Some(BTreeSet::new()));
    }

    /// Asks for these words, too.
    pub(crate) fn words<W: Into<String>>(&mut self, drawer: Drawer, words: impl IntoIterator<Item = W>) {
        self.drawer(drawer);
        if let Some(Words::Some(known)) = self.0.get_mut(&drawer) {
            known.extend(words.into_iter().map(Into::into));
        }
    }

    /// Asks for all of a drawer.
    pub(crate) fn all(&mut self, drawer: Drawer) {
        self.0.insert(drawer, Words::All);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Drawer, &Words)> {
        self.0.iter().map(|(drawer, words)| (*drawer, words))
    }
}

//! Where a rule is filed, so that a call finds the rules that may speak of it without reading the rest.
//!
//! A rule is filed under a word without which nothing matches it, and a call asks for every word that it has
//! ([`Asked`](super::Asked)). To find too many is no harm: whether a rule matches is decided by the rule alone.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use super::{List, Matcher, Rule, RuleKind, Side};

/// Names rules that speak of one kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub(crate) enum Drawer {
    /// Looked at on every call.
    Always,
    /// Rules about commands, by the words that these begin with.
    Command,
    /// The same ones, by fewer of these words.
    CommandStart,
    /// The same ones, by the rarest of their words: for what is not understood.
    Net,
    /// Rules about files, by one step of their path.
    Path,
    /// Deny and ask rules about files, by the steps that their paths begin with: for paths of which
    /// something is not known.
    Place,
    /// The same ones, by fewer of these steps.
    PlaceStart,
    /// Rules about addresses, by the end of their host.
    Domain,
    Mcp,
    Agent,
}

impl Drawer {
    pub(crate) const ALL: [Self; 10] = [
        Self::Always,
        Self::Command,
        Self::CommandStart,
        Self::Net,
        Self::Path,
        Self::Place,
        Self::PlaceStart,
        Self::Domain,
        Self::Mcp,
        Self::Agent,
    ];
}

/// A word that rules are filed under, as a number that means nothing outside of one build of this program.
/// Two words may have the same.
pub(crate) type Word = u32;

/// The number of a word.
pub(super) fn number(word: &str) -> Word {
    (hash(word.as_bytes()) >> 32) as Word
}

/// A hash that means nothing outside of one build of this program.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Two drawers of rules about what begins with certain words: by all of these, and by fewer.
#[derive(Debug)]
pub(crate) struct Cabinet {
    pub(super) whole: Drawer,
    pub(super) starts: Drawer,
    /// Stands between the words.
    between: char,
    /// How many words count.
    depth: usize,
}

/// Rules about commands.
pub(crate) const COMMANDS: Cabinet =
    Cabinet { whole: Drawer::Command, starts: Drawer::CommandStart, between: ' ', depth: 3 };

/// Deny and ask rules about files; the first word is the kind of rule and what its path is relative to.
pub(crate) const PLACES: Cabinet = Cabinet { whole: Drawer::Place, starts: Drawer::PlaceStart, between: '/', depth: 4 };

impl Cabinet {
    /// The beginnings that rules may be filed under.
    pub(super) fn beginnings<'w>(&self, words: &'w str) -> impl Iterator<Item = &'w str> {
        let ends = words.match_indices(self.between).map(|(at, _)| at).chain([words.len()]);
        ends.take(self.depth).filter_map(|end| words.get(..end))
    }

    /// Where a rule is filed that speaks of nothing but what begins with these words.
    fn filed(&self, words: &str) -> Vec<Filed> {
        let next = |start: &str| {
            let rest = words.get(start.len()..).and_then(|rest| rest.strip_prefix(self.between))?;
            rest.split(self.between).next().map(str::to_owned)
        };
        let start =
            |start: &str| Filed { next: next(start).unwrap_or_default(), ..Filed::new(self.starts, Some(start)) };
        let mut all: Vec<_> = self.beginnings(words).map(start).collect();
        if let Some(last) = all.last_mut() {
            last.drawer = self.whole;
        }
        all
    }
}

/// Says where a rule is filed.
#[derive(Debug)]
pub(crate) struct Filed {
    pub(crate) drawer: Drawer,
    /// Absent: it is found wherever the drawer is asked for.
    pub(crate) word: Option<Word>,
    /// What follows the words that it is filed under.
    pub(crate) next: String,
}

impl Filed {
    fn new(drawer: Drawer, word: Option<&str>) -> Self {
        Self { drawer, word: word.map(number), next: String::new() }
    }
}

/// Knows how many rules have a word.
#[derive(Debug, Default)]
pub(crate) struct Rarity(HashMap<Word, usize>);

impl Rarity {
    pub(crate) fn of<'r>(rules: impl Iterator<Item = &'r Rule>) -> Self {
        let mut counts = HashMap::new();
        rules.flat_map(Rule::net_words).for_each(|word| *counts.entry(word).or_default() += 1);
        Self(counts)
    }

    /// The one of some words that the fewest rules have.
    fn rarest(&self, words: impl Iterator<Item = Word>) -> Option<Word> {
        words.min_by_key(|word| self.0.get(word))
    }
}

impl Rule {
    /// The words that a command has of which it speaks, also where that is not understood (B8).
    fn net_words(&self) -> impl Iterator<Item = Word> {
        self.limit.words(self.kind, &self.text).map(number)
    }

    /// The places where it is filed.
    pub(crate) fn filed(&self, list: List, rarity: &Rarity) -> Vec<Filed> {
        let one = |drawer, word: Option<&str>| vec![Filed::new(drawer, word)];
        let Some(kind) = self.kind.filter(|_| self.param().is_none()) else { return one(Drawer::Always, None) };
        match (kind, self.limit()) {
            (RuleKind::Bash, _) => {
                let start: Vec<&str> = self.limit.first_words(self.kind, &self.text).collect();
                if start.is_empty() {
                    return one(Drawer::Command, None);
                }
                let mut all = COMMANDS.filed(&start.join(" "));
                all.push(Filed { word: rarity.rarest(self.net_words()), ..Filed::new(Drawer::Net, None) });
                all
            }
            (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, Matcher::Path(pattern)) => {
                let mut all = one(Drawer::Path, pattern.step().as_deref());
                if list.side() == Side::Guard {
                    all.extend(PLACES.filed(&pattern.start().line(kind)));
                }
                all
            }
            (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, _) => one(Drawer::Path, None),
            (RuleKind::WebFetch, Matcher::Domain(pattern)) => one(Drawer::Domain, pattern.end().as_deref()),
            (RuleKind::WebFetch, _) => one(Drawer::Domain, None),
            (RuleKind::Mcp, _) => one(Drawer::Mcp, None),
            (RuleKind::Agent, _) => one(Drawer::Agent, None),
            (RuleKind::Tool | RuleKind::WebSearch, _) => one(Drawer::Always, None),
        }
    }
}

//! The index keys of a rule, by which a call finds the rules that may match without reading the others.
//!
//! A key is a word that every match of the rule contains. A call looks up every word that it contains
//! ([`Asked`](super::Asked)). The lookup may find rules that do not match: only the rule itself decides.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use super::{List, Matcher, Rule, RuleKind, Side};

/// A group of rules about one kind of action, with its own keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub(crate) enum IndexSection {
    /// Rules that are evaluated on every call.
    Always,
    /// Rules about commands, by the first words of the command.
    Command,
    /// The same rules, by fewer of these words.
    CommandStart,
    /// The same rules, by the rarest of their words, for commands that are not understood.
    Net,
    /// Rules about files, by one step of the path.
    Path,
    /// Deny and ask rules about files, by the first steps of the path, for partly known paths.
    Place,
    /// The same rules, by fewer of these steps.
    PlaceStart,
    /// Rules about URLs, by the end of the host.
    Domain,
    Mcp,
    Agent,
}

impl IndexSection {
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

/// The hash of a word. It depends on the build of this program, and two words may have the same one.
pub(crate) type Word = u32;

/// Hashes a word.
pub(super) fn number(word: &str) -> Word {
    (hash(word.as_bytes()) >> 32) as Word
}

/// A hash that depends on the build of this program.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Two sections of rules by the first words of a text: by all of these words, and by fewer.
#[derive(Debug)]
pub(crate) struct PrefixIndex {
    pub(super) whole: IndexSection,
    pub(super) starts: IndexSection,
    /// The separator of the words.
    between: char,
    /// The maximum number of words.
    depth: usize,
}

/// Rules about commands.
pub(crate) const COMMANDS: PrefixIndex =
    PrefixIndex { whole: IndexSection::Command, starts: IndexSection::CommandStart, between: ' ', depth: 3 };

/// Deny and ask rules about files; the first word is the kind of rule and the anchor of its path.
pub(crate) const PLACES: PrefixIndex =
    PrefixIndex { whole: IndexSection::Place, starts: IndexSection::PlaceStart, between: '/', depth: 4 };

impl PrefixIndex {
    /// The prefixes that rules may have as keys.
    pub(super) fn beginnings<'w>(&self, words: &'w str) -> impl Iterator<Item = &'w str> {
        let ends = words.match_indices(self.between).map(|(at, _)| at).chain([words.len()]);
        ends.take(self.depth).filter_map(|end| words.get(..end))
    }

    /// The keys of a rule that matches only texts that begin with these words.
    fn index_keys(&self, words: &str) -> Vec<IndexKey> {
        let next = |start: &str| {
            let rest = words.get(start.len()..).and_then(|rest| rest.strip_prefix(self.between))?;
            rest.split(self.between).next().map(str::to_owned)
        };
        let start =
            |start: &str| IndexKey { next: next(start).unwrap_or_default(), ..IndexKey::new(self.starts, Some(start)) };
        let mut all: Vec<_> = self.beginnings(words).map(start).collect();
        if let Some(last) = all.last_mut() {
            last.section = self.whole;
        }
        all
    }
}

/// One index key of a rule.
#[derive(Debug)]
pub(crate) struct IndexKey {
    pub(crate) section: IndexSection,
    /// The word; absent if every lookup in the section finds the rule.
    pub(crate) word: Option<Word>,
    /// The text after the words of the key.
    pub(crate) next: String,
}

impl IndexKey {
    fn new(section: IndexSection, word: Option<&str>) -> Self {
        Self { section, word: word.map(number), next: String::new() }
    }
}

/// The number of rules with each word.
#[derive(Debug, Default)]
pub(crate) struct Rarity(HashMap<Word, usize>);

impl Rarity {
    pub(crate) fn of<'r>(rules: impl Iterator<Item = &'r Rule>) -> Self {
        let mut counts = HashMap::new();
        rules.flat_map(Rule::net_words).for_each(|word| *counts.entry(word).or_default() += 1);
        Self(counts)
    }

    /// The word that the fewest rules have.
    fn rarest(&self, words: impl Iterator<Item = Word>) -> Option<Word> {
        words.min_by_key(|word| self.0.get(word))
    }
}

impl Rule {
    /// The words of every command that the rule matches, also if the command is not understood (B8).
    fn net_words(&self) -> impl Iterator<Item = Word> {
        self.limit.words(self.kind, &self.text).map(number)
    }

    /// Its index keys.
    pub(crate) fn index_keys(&self, list: List, rarity: &Rarity) -> Vec<IndexKey> {
        let one = |section, word: Option<&str>| vec![IndexKey::new(section, word)];
        let Some(kind) = self.kind.filter(|_| self.param().is_none()) else { return one(IndexSection::Always, None) };
        match (kind, self.limit()) {
            (RuleKind::Bash, _) => {
                let start: Vec<&str> = self.limit.first_words(self.kind, &self.text).collect();
                if start.is_empty() {
                    return one(IndexSection::Command, None);
                }
                let mut all = COMMANDS.index_keys(&start.join(" "));
                all.push(IndexKey { word: rarity.rarest(self.net_words()), ..IndexKey::new(IndexSection::Net, None) });
                all
            }
            (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, Matcher::Path(pattern)) => {
                let mut all = one(IndexSection::Path, pattern.step().as_deref());
                if list.side() == Side::Guard {
                    all.extend(PLACES.index_keys(&pattern.start().line(kind)));
                }
                all
            }
            (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, _) => one(IndexSection::Path, None),
            (RuleKind::WebFetch, Matcher::Domain(pattern)) => one(IndexSection::Domain, pattern.end().as_deref()),
            (RuleKind::WebFetch, _) => one(IndexSection::Domain, None),
            (RuleKind::Mcp, _) => one(IndexSection::Mcp, None),
            (RuleKind::Agent, _) => one(IndexSection::Agent, None),
            (RuleKind::Tool | RuleKind::WebSearch, _) => one(IndexSection::Always, None),
        }
    }
}

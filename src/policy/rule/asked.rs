//! The index keys that a call looks up.

use std::collections::BTreeMap;

use super::index_key::{IndexSection, PrefixIndex, Word, number};

/// The index keys of one call.
#[derive(Debug, Default)]
pub(crate) struct Asked(BTreeMap<IndexSection, Words>);

#[derive(Debug)]
pub(crate) enum Words {
    All,
    /// The rules with one of these words, each with the text that must follow it, and the rules without a word.
    Some(BTreeMap<Word, Next>),
}

impl Asked {
    /// Adds the rules of a section without a word.
    pub(crate) fn section(&mut self, section: IndexSection) {
        self.0.entry(section).or_insert_with(|| Words::Some(BTreeMap::new()));
    }

    /// Adds the rules with one of these words.
    pub(crate) fn words<'w>(&mut self, section: IndexSection, words: impl IntoIterator<Item = &'w str>) {
        self.section(section);
        if let Some(Words::Some(known)) = self.0.get_mut(&section) {
            known.extend(words.into_iter().map(|word| (number(word), Next::default())));
        }
    }

    /// Adds the rules about a text with exactly these words.
    pub(crate) fn line(&mut self, prefix_index: &PrefixIndex, words: &str) {
        self.words(prefix_index.whole, prefix_index.beginnings(words));
    }

    /// Adds the rules about texts that begin with these words and may continue with `next`.
    pub(crate) fn start(&mut self, prefix_index: &PrefixIndex, words: &str, next: &Next) {
        self.line(prefix_index, words);
        self.section(prefix_index.starts);
        if let Some(Words::Some(known)) = self.0.get_mut(&prefix_index.starts) {
            let entry = known.entry(number(words)).or_insert_with(|| next.clone());
            if entry != next {
                *entry = Next::default();
            }
        }
    }

    /// Adds all rules of a section.
    pub(crate) fn all(&mut self, section: IndexSection) {
        self.0.insert(section, Words::All);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (IndexSection, &Words)> {
        self.0.iter().map(|(section, words)| (*section, words))
    }
}

/// The start and the end of the text that must follow the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Next {
    pub(crate) head: String,
    pub(crate) tail: String,
}

impl Next {
    pub(crate) fn may_be(&self, next: &[u8]) -> bool {
        let (head, tail) = (self.head.as_bytes(), self.tail.as_bytes());
        next.len() >= head.len() + tail.len() && next.starts_with(head) && next.ends_with(tail)
    }
}

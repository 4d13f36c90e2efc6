//! What a call asks for of the rules that are filed.

use std::collections::BTreeMap;

use super::filed::{Cabinet, Drawer, Word, number};

/// Holds what is asked for.
#[derive(Debug, Default)]
pub(crate) struct Asked(BTreeMap<Drawer, Words>);

#[derive(Debug)]
pub(crate) enum Words {
    All,
    /// These, each with what must follow it, and the rules that are filed without a word.
    Some(BTreeMap<Word, Next>),
}

impl Asked {
    /// Asks for the rules of a drawer that are filed without a word.
    pub(crate) fn drawer(&mut self, drawer: Drawer) {
        self.0.entry(drawer).or_insert_with(|| Words::Some(BTreeMap::new()));
    }

    /// Asks for these words, too.
    pub(crate) fn words<'w>(&mut self, drawer: Drawer, words: impl IntoIterator<Item = &'w str>) {
        self.drawer(drawer);
        if let Some(Words::Some(known)) = self.0.get_mut(&drawer) {
            known.extend(words.into_iter().map(|word| (number(word), Next::default())));
        }
    }

    /// Asks for the rules about what these words are.
    pub(crate) fn line(&mut self, cabinet: &Cabinet, words: &str) {
        self.words(cabinet.whole, cabinet.beginnings(words));
    }

    /// Asks for the rules about whatever begins with these words, and may go on with what is `next`.
    pub(crate) fn start(&mut self, cabinet: &Cabinet, words: &str, next: &Next) {
        self.line(cabinet, words);
        self.drawer(cabinet.starts);
        if let Some(Words::Some(known)) = self.0.get_mut(&cabinet.starts) {
            let entry = known.entry(number(words)).or_insert_with(|| next.clone());
            if entry != next {
                *entry = Next::default();
            }
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

/// Says what must follow the words that are asked for: how it begins and ends.
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

//! The commands and texts inside a command (B3): the inner command of a wrapper, the text for a shell, the commands of
//! `find`.

use crate::words::{Expands, Span, Word};

/// The commands and texts inside a command.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// The commands that it runs.
    pub(crate) commands: Vec<Inner>,
    /// The texts that it passes to a shell.
    pub(crate) texts: Vec<String>,
    /// Commands that only deny and ask rules check: a script is run by its path.
    pub(crate) watched: Vec<Vec<Word>>,
    /// Texts that an inner command may pass to a shell, for deny and ask rules.
    pub(crate) values: Vec<String>,
    /// The paths for which it runs the commands, in place of `{}`; absent if it runs them once.
    pub(crate) found: Option<Vec<Word>>,
    /// True if allow rules need not match the outer command.
    pub(crate) transparent: bool,
    /// The word that could not be parsed.
    pub(crate) blame: Option<String>,
}

/// An inner command.
#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub(crate) words: Vec<Word>,
    /// The assignments that apply to it.
    pub(crate) assigned: Vec<Word>,
    /// The folder that its paths are relative to.
    pub(crate) at: At,
}

/// The folder that the paths of a command are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum At {
    #[default]
    Here,
    /// An unknown folder.
    Somewhere,
    /// Another root, where even absolute paths have another meaning.
    Apart,
}

impl Inside {
    /// Returns the number of leading words that belong to the command itself, and not to a command that it runs.
    pub(crate) fn own_words(&self, words: &[Word]) -> usize {
        // The words of a script are checked together with its name.
        if !self.watched.is_empty() {
            return 0;
        }
        // Those of `find` surround the words of its commands.
        let [inner] = self.commands.as_slice() else { return words.len() };
        if self.found.is_some() {
            return words.len();
        }
        let unseen = |words: &[Word]| usize::from(words.last().is_some_and(|word| word.unseen));
        let added = unseen(&inner.words).saturating_sub(unseen(words));
        words.len().saturating_sub(inner.words.len().saturating_sub(added))
    }
}

/// Makes every word that contains a placeholder unknown.
pub(super) fn replace(words: &mut [Word], mark: &str, what: Expands) {
    for word in words.iter_mut().filter(|word| !mark.is_empty() && word.value.contains(mark)) {
        let starts: Vec<_> = word.value.match_indices(mark).map(|(at, _)| at).collect();
        for start in starts {
            let span = Span { start, end: start + mark.len(), what, quoted: true, script: None };
            word.spans.push(span);
        }
        word.spans.sort_by_key(|span| span.start);
        word.quoted &= !word.is_plainly_printed();
        word.given = false;
    }
}

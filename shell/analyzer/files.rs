//! Records the files that a command touches: by its operands, by words that may be paths, and by patches.

use std::rc::Rc;

use super::super::devices::is_stream;
use super::super::effects::{Extent, FileEffect, Touch};
use super::super::patch;
use super::super::programs::Call;
use super::super::touched_paths::{Base, Touched};
use super::super::words::{Span, Word};
use super::{Analyzer, CommandPosition, NAMES, with};

impl Analyzer<'_> {
    /// Adds a path. The cost covers its lookup from each of its bases.
    pub(super) fn add(&mut self, word: &Word, mut touched: Touched) {
        if is_process(word) {
            return;
        }
        let stream = is_stream(word, touched.touch);
        if stream && (touched.touch == Touch::Read || word.value == "/dev/null") {
            return;
        }
        let steps = |base: &Base| {
            let before = if let Base::Dir(place) = base { place.path.len() } else { 0 };
            1 + (before + touched.shown.len()) / 16
        };
        if self.count(touched.bases.iter().map(steps).sum()) {
            touched.place.may_alias |= stream;
            if stream { self.streams.push(touched) } else { self.touched.push(touched) }
        }
    }

    /// Adds the effects of a command. Words from `own_words` on belong to a command that it runs. Returns true if the command may
    /// change files.
    pub(super) fn touch(&mut self, call: &Call<'_>, own_words: usize, place: &CommandPosition<'_>) -> bool {
        // Every combination of two words may name a file.
        let longest = call.words.iter().map(|word| word.value.len()).max().unwrap_or_default();
        if !self.spend(call.words.len() * longest / 8) {
            return true;
        }
        if patch::is_named(&call.word.value) {
            self.patch(call, place);
        }
        let links = (call.program.links)(call);
        self.links += usize::from(links);
        let built = call.program.builds;
        let done = call.effects();
        let makes = |(touch, ..): &FileEffect| matches!(touch, Touch::Write | Touch::Make | Touch::MoveTo);
        let changes = !call.only_reads() || done.iter().any(makes);
        for (touch, word) in call.path_words(own_words, &done) {
            self.names += place.bases.len();
            if self.names > NAMES {
                self.over(format!("more than {NAMES} possible paths"));
                break;
            }
            if !is_process(&word) {
                let touched = Touched::new(touch, &word, place.bases, true);
                self.touched.push(Touched { changes, ..touched });
            }
        }
        for (touch, word, extent) in done {
            let touched = Touched::new(touch, &word, place.bases, true);
            self.add(&word, Touched { extent, links, built, changes, ..touched });
        }
        changes
    }

    /// Adds the files changed by a patch, in an argument or in the text around the command. If there is no
    /// patch, the command is treated like `patch`.
    fn patch(&mut self, call: &Call<'_>, place: &CommandPosition<'_>) {
        // The text is searched once for each such command.
        if !self.count(self.text.len() / 256) {
            return;
        }
        let (applies, words) = (call.program.applies_patches, call.arguments);
        let mut refused = None;
        let mut found = Vec::new();
        let mut take = |files: Result<Vec<_>, String>| match files {
            Ok(files) => found.extend(files),
            Err(why) => refused = Some(why),
        };
        words.iter().filter(|word| !word.is_dynamic()).for_each(|word| take(patch::files(&word.value)));
        if words.iter().any(Word::is_dynamic) && patch::begins(&self.text) {
            refused = Some("the patch has expansions; quote it".to_owned());
        } else if found.is_empty() {
            match patch::files_of_script(&self.text) {
                Ok(files) => found = files,
                Err(why) => refused = Some(why),
            }
        }
        self.patches |= applies || !found.is_empty();
        let mut bases = Rc::clone(place.bases);
        match patch::base(&self.text) {
            _ if found.is_empty() && applies => {
                let here = Word::literal(".");
                let touched = Touched::new(Touch::Write, &here, place.bases, true);
                self.add(&here, Touched { extent: Extent::Below, ..touched });
            }
            _ if found.is_empty() => {}
            Ok(base) => bases = with(&bases, [base]),
            Err(why) => refused = Some(why),
        }
        self.refused = self.refused.take().or(refused);
        for touched in patch::touched(&found, &bases, place.mode.watch) {
            self.add(&Word::literal(&touched.shown.clone()), touched);
        }
    }
}

/// Returns true if a word is a process substitution and not a file.
fn is_process(word: &Word) -> bool {
    let whole = |span: &Span| span.start == 0 && span.end == word.value.len() && !span.quoted;
    word.value.starts_with(['<', '>']) && word.spans.iter().any(whole)
}

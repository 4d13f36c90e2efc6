//! Words that may name a file that a program reads or changes. This is any word of any program, unless the word is
//! known to be text.

use std::collections::{HashMap, HashSet};
use std::ptr::from_ref;

use foldhash::fast::RandomState;

use super::effects::{Extent, FileEffect, Touch};
use super::options::Opt;
use super::programs::Call;
use super::words::Word;

impl Call<'_> {
    /// Returns those of the first words that may be, or contain, the path of a file that the program reads or changes.
    /// `done` lists its known effects.
    pub(super) fn path_words(&self, own_words: usize, done: &[FileEffect]) -> Vec<(Touch, Word)> {
        let Some(rest) = self.arguments.get(..own_words.saturating_sub(1)).filter(|rest| !rest.is_empty()) else {
            return Vec::new();
        };
        let touch = (self.program.operands)(self).possible();
        if touch == Touch::MayRead && self.texts().all {
            return Vec::new();
        }
        let done = done.iter().filter(|(.., extent)| *extent == Extent::Itself);
        let known: HashSet<&str, RandomState> = done.map(|(_, word, _)| word.value.as_str()).collect();
        let text = self.text_words();
        let new = |word: &Word| !word.value.is_empty() && !known.contains(word.value.as_str());
        let files = rest.iter().filter(|word| !text.contains(&from_ref(*word)));
        // Behind an option the word may be an argument of code in the option.
        let script = rest.first().filter(|word| self.program.first_is_script && !word.value.starts_with('-'));
        let script = script.map(from_ref);
        let touch = |word| if script == Some(from_ref(word)) { Touch::MayRead } else { touch };
        let words = files.flat_map(|word| paths(word).into_iter().map(move |path| (touch(word), path)));
        words.filter(|(_, word)| new(word)).collect()
    }

    /// Returns the arguments that are known to be text: patterns, scripts and messages. Equal words may have other
    /// meanings.
    pub(super) fn text_words(&self) -> HashSet<*const Word, RandomState> {
        let texts = self.texts();
        let first = texts.first.filter(|_| self.only_reads());
        if first.is_none() && texts.options.is_empty() {
            return HashSet::default();
        }
        let given = self.given();
        let elsewhere = |options: &[(char, &str)]| options.iter().any(|(letter, long)| given.has(*letter, long));
        let first = first.filter(|options| !elsewhere(options) && given.unsure.is_none());
        let first = first.and_then(|_| given.operands.first().copied()).map(from_ref);
        let is_text = |option: &&Opt<'_>| texts.options.iter().any(|(letter, long)| option.is(*letter, long));
        let given: HashMap<_, _, RandomState> =
            given.options.iter().filter(is_text).map(|one| (from_ref(one.word), &one.value)).collect();
        let own = given.values().filter_map(|value| value.as_ref()).map(from_ref);
        // The value of an option is a part of it, or the next word.
        let values = self.arguments.windows(2).filter_map(|pair| {
            let [option, next] = pair else { return None };
            let value = given.get(&from_ref(option))?;
            value.as_ref().is_none_or(|value| value.value == next.value).then_some(from_ref(next))
        });
        first.into_iter().chain(own).chain(values).chain(given.keys().copied()).collect()
    }
}

/// Returns a word and its parts that may be paths: the value of an option or setting, and both sides of a
/// colon.
fn paths(word: &Word) -> Vec<Word> {
    let value = word.value.as_str();
    let mut found = Vec::new();
    if !value.starts_with('-') {
        found.push(word.clone());
    } else if !value.starts_with("--") {
        found.push(word.tail(2));
        found.extend(value.find(['.', '/', '~']).filter(|at| *at > 2).map(|at| word.tail(at)));
    }
    if value.bytes().any(|byte| matches!(byte, b'=' | b'@' | b':' | b',')) {
        add_parts(word, &mut found);
    }
    found.dedup();
    found
}

/// Adds the parts of a word, and of the paths in it, beside `=`, `@`, `:` and `,`.
fn add_parts(word: &Word, found: &mut Vec<Word>) {
    let value = word.value.as_str();
    for at in [value.find('='), value.rfind('='), value.find('@'), value.rfind(':')].into_iter().flatten() {
        found.push(word.tail(at + 1));
    }
    // The part before a colon, as in `-v FROM:TO`, also after a `=`.
    let more: Vec<_> = found
        .iter()
        .filter_map(|word| {
            let end = word.value.find([':', ','])?;
            let mut left = word.clone();
            left.value.truncate(end);
            left.spans.retain(|span| span.end <= end);
            Some(left)
        })
        .collect();
    found.extend(more);
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ScriptLimits;
    use crate::{Touched, read};

    #[test]
    fn any_word_may_be_a_file_unless_it_is_text() {
        for (line, expected) in [
            ("frob a", "a"),
            ("cp a b", ""),
            ("cp -T x b", ""),
            ("cat a", ""),
            ("paste a", ""),
            ("paste -sa x:b", "read a, read b, read x"),
            ("jq . a", ""),
            ("yq . a", "read a"),
            ("date a", "read a"),
            ("grep a", ""),
            ("grep -e a -f b c", ""),
            ("fd a b", "read b"),
            ("fd -t f -E a b c", "read f, read c"),
            ("fd a -x b", "a, b"),
            ("tar -czf t --exclude=a b", "read zf, read b"),
            ("tar -czf t --exclude a b", "read zf, read b"),
            ("zip -r z b -x a", "read b"),
            ("rsync --exclude a b c", ""),
            ("rsync --exclude-from=a b c", "a"),
            ("echo a; test -f a; find a -name a", ""),
            ("git commit -am a", "read commit"),
            ("git commit -F a", "read commit, read a"),
            ("git diff -m a", "read diff, read a"),
            ("git log --grep=a b", "read log, read b"),
            ("git check-ignore a", ""),
            ("ssh -i a b", "b"),
            ("node a b", "read a, b"),
            ("yq -i .a b", ".a, b"),
            ("node --eval=c a", "c, a"),
            ("tar xf a.tar b", "xf, b"),
            ("tar czf a.tgz b", "read czf, read b"),
            ("7z x a -ob", "x, a, b, ."),
            ("git checkout x b", "checkout, x, b, ."),
            ("git add a", "read add, read a"),
            ("git rm --cached a", ""),
            ("git apply --directory=a b", "apply, a, b"),
            ("docker run -v ~/a:/b c", "run, ~/a:/b, /b, ~/a, c"),
            ("frob --out=a:b", "a:b, b, a"),
            ("env X=1 frob a", "a"),
            ("sudo -u me cat a", "me"),
            ("xargs frob a", "a"),
            ("sh s.sh a", "a"),
            ("sh -c 'frob \"$1\"' _ a", "frob \"$1\", _, a, $1"),
            ("find a -exec frob {} \\;", "a, a/{}"),
            ("curl -F x=@a u", "x=@a, @a, u"),
            ("ln a b", "a"),
            ("cp -al a b", "l, a, b"),
            ("chmod 0 a", "0, a, 0, a"),
            ("chmod -R 600 a", "600, a"),
            ("chmod 644 a", "644, a, 644, a"),
            ("chmod 600 --reference=a b", "600, a, b, 600, b"),
            ("kubectl --kubeconfig a get b", "get, b"),
            ("kubectl --kubeconfig a config view", "a, config, view"),
            ("kubectl --kubeconfig a $X", "a, $X"),
            ("helm --kubeconfig=a list", "list"),
            ("pytest -k a", ""),
            ("sha256sum a", ""),
        ] {
            let analysis = read(line, &ScriptLimits::default());
            let named = analysis.touched.iter().filter(|touched| matches!(touched.touch, Touch::Name | Touch::MayRead));
            let shown = |touched: &Touched| {
                format!("{}{}", if touched.touch == Touch::Name { "" } else { "read " }, touched.shown)
            };
            let found: Vec<_> = named.map(shown).collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
    }
}

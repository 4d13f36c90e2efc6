//! Words that may name a program that a command runs (B13). This is any word of any program that is not known only to
//! read, unless the word is known to be text or a subcommand.

use super::RawWords;
use super::partial::{self, TextElement, is_quote};
use super::programs::{self, Call, Naming};
use super::text_words::is_edge;
use super::words::Word;

/// A word whose meaning is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownWord {
    /// The name of a subcommand, a test, a package or the like, or an option without a value.
    Name,
    /// The value of an option.
    Value,
}

/// Returns the words at the beginning of the arguments that are names or values. The first word that is not known ends
/// the search, because it may change what the following words mean.
pub fn known_words<'w>(program: &str, words: &'w [Word]) -> Vec<(&'w Word, KnownWord)> {
    // Behind any other option the word may be its value.
    let subcommand = words.iter().map(|word| word.value.as_str()).find(|word| *word != "-y");
    let is_named = |naming: &&Naming| subcommand.is_some_and(|word| naming.subcommands.contains(&word));
    let Some(Naming { flags, valued, .. }) = programs::program(program).namings.iter().find(is_named) else {
        return Vec::new();
    };
    let (mut found, mut is_value) = (Vec::new(), false);
    for word in words {
        let text = word.value.as_str();
        if std::mem::replace(&mut is_value, !word.is_dynamic() && valued.contains(&text)) {
            is_value = false;
            // An expansion such as `"$@"` may be several words, of which the value is the first.
            if word.splits() || word.glob || (word.is_dynamic() && word.value.contains('@')) {
                break;
            }
            found.push((word, KnownWord::Value));
        } else if !word.is_dynamic() && (is_value || flags.contains(&text) || is_name(text)) {
            found.push((word, KnownWord::Name));
        } else {
            break;
        }
    }
    found
}

/// Returns true for a word with a glob, which may be quoted, or an expansion.
pub(super) fn is_partial(word: &Word) -> bool {
    word.is_dynamic() || word.value.contains(['*', '?', '['])
}

/// Returns true for a plain name or path, without a scheme, a setting or another inner structure.
fn is_name(text: &str) -> bool {
    !text.starts_with('-') && text.chars().all(|c| c.is_alphanumeric() || "-_./@^~".contains(c))
}

/// Characters between the parts of a reference to a package.
const IN_REFERENCES: [char; 2] = ['@', '#'];

/// Returns the parts of a reference to a package, such as `NAME@latest`, `npm:NAME`, `nixpkgs#NAME` or `git+https://HOST/NAME.git`.
/// One of them is its name.
fn references(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(IN_REFERENCES).map(|part| part.trim_start_matches("npm:").trim_start_matches("jsr:"));
    let parts = parts.skip(usize::from(has_user(word)));
    let names = parts.flat_map(|part| std::iter::once(part).chain(part.strip_suffix(".git")));
    names.filter(|part| !part.is_empty() && part.len() < word.len())
}

/// Returns true for an address with a user, such as `git@host.example:path` or `ssh://git@host.example/path`. In `NAME@next.1` and
/// `NAME@v1.2`, the part before the `@` is a name.
fn has_user(word: &str) -> bool {
    let Some((before, behind)) = word.split_once('@') else { return false };
    let end = behind.find([':', '/']).unwrap_or(behind.len());
    let (host, path) = behind.split_at(end);
    let is_host = host.trim_start_matches('v').starts_with(|c: char| c.is_ascii_alphabetic()) && host.contains('.');
    is_host && (path.starts_with(':') || before.split_once("://").is_some_and(|(_, user)| !user.contains('/')))
}

impl Call<'_> {
    /// Returns the arguments that may name a program, with their parts, in order.
    pub(super) fn program_words(&self) -> Vec<String> {
        let mut found = Vec::new();
        for word in self.words_for_programs() {
            let parts = RawWords::of(word.value.clone());
            let parts = parts.iter().filter(|part| !part.starts_with("--"));
            let parts = parts.map(|part| part.trim_start_matches(['!', '@', '-'])).filter(|part| !part.is_empty());
            found.extend(parts.flat_map(|part| std::iter::once(part).chain(references(part))).map(str::to_owned));
        }
        found
    }

    /// Returns the parts of those of these arguments that are not known, each with and without its folder.
    pub(super) fn partial_program_words(&self) -> Vec<Vec<TextElement>> {
        let ends =
            |element: &TextElement| matches!(element, TextElement::Char(c) if u8::try_from(*c).is_ok_and(is_edge));
        let divides = |element: &TextElement| matches!(element, TextElement::Char(c) if IN_REFERENCES.contains(c));
        let mut found = Vec::new();
        for word in self.words_for_programs().into_iter().filter(|word| is_partial(word)) {
            // It is not known where its last component begins, so it may be any program.
            if word.has_unknown_depth() || (word.glob && word.value.contains('[') && !word.spans.is_empty()) {
                found.push(vec![TextElement::One, TextElement::Any]);
            }
            // The program may expand a quoted glob, or give it to a shell.
            let mut pieces = partial::pieces(&Word { glob: true, ..word.clone() });
            pieces.retain(|piece| !matches!(piece, TextElement::Char(c) if is_quote(*c)));
            let inside = |part| <[TextElement]>::split(part, divides).filter(|inner| inner.len() < part.len());
            for part in pieces.split(ends).flat_map(|part| std::iter::once(part).chain(inside(part))) {
                let name = part.rsplit(|element| *element == TextElement::Char('/')).next().unwrap_or_default();
                let mut names = vec![part, name];
                names.dedup();
                found.extend(names.into_iter().map(<[_]>::to_vec));
            }
        }
        found
    }

    /// Returns the arguments that may name a program, or contain its name, in order.
    fn words_for_programs(&self) -> Vec<&Word> {
        let rest = self.arguments;
        if rest.is_empty() || self.program.only_handles_files || self.only_reads() {
            return Vec::new();
        }
        let text = self.text_words();
        let known = known_words(self.name, rest);
        let is_text = |word: &Word| {
            text.contains(&std::ptr::from_ref(word)) || known.iter().any(|(known, _)| std::ptr::eq(*known, word))
        };
        // Behind any other option the first operand may be its value.
        let is_option = |word: &Word| word.value.starts_with('-');
        let before = rest.iter().take_while(|word| is_option(word)).count();
        let last = before.checked_sub(1).and_then(|last| rest.get(last));
        let is_value = last.is_some_and(|word| !word.value.contains('=') && word.value != "-y");
        let subcommand = rest.get(before).filter(|_| self.program.has_subcommands && !is_value);
        let is_subcommand = |word: &Word| subcommand.is_some_and(|subcommand| std::ptr::eq(subcommand, word));
        rest.iter().filter(|word| !is_text(word) && !is_subcommand(word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b13_any_word_may_be_a_program_unless_it_is_text_or_a_subcommand() {
        for (command, expected) in [
            ("honcho run evil x", "run evil x"),
            ("npm i --git=evil", "evil"),
            ("npm i --git evil", "evil"),
            ("npm i -D evil", ""),
            ("npm i -D evil --git evil", "evil"),
            ("npm run evil", "evil"),
            ("npm evil", ""),
            ("yarn evil x", "evil x"),
            ("pnpm evil", "evil"),
            ("bun evil", "evil"),
            ("yarn add evil", ""),
            ("apt-get -y install evil", ""),
            ("apt-get -o x install evil", "o x install evil"),
            ("cargo test -p x evil", ""),
            ("cargo test -- evil", "evil"),
            ("cargo run evil", "evil"),
            ("go test -run x ./evil", ""),
            ("go test -exec evil x", "exec evil x"),
            ("git checkout -b evil", ""),
            ("git pull ext::evil", "ext::evil"),
            ("git bisect run evil", "run evil"),
            ("git -C checkout bisect run evil", "C checkout bisect run evil"),
            ("kubectl -n get exec x evil", "n get exec x evil"),
            ("npm --git evil i", "evil i"),
            ("npm --git=evil i", "evil"),
            ("kubectl get evil", ""),
            ("kubectl exec x evil", "x evil"),
            ("curl x/evil", ""),
            ("frob --evil", ""),
            ("npm --loglevel x evil", "x evil"),
            ("rustc -C link-arg=evil", "C link-arg evil"),
            ("npx evil@latest", "evil@latest evil latest"),
            ("npx @a/evil@^1.2", "a/evil@^1.2 a/evil ^1.2"),
            ("npx b@npm:evil@1", "b@npm:evil@1 b evil 1"),
            ("npx evil@./b", "evil@./b evil ./b"),
            ("deno run npm:evil", "npm:evil evil"),
            ("nix run b#evil", "run b#evil b evil"),
            ("npm run build:evil", "build:evil"),
            ("npx evil@next.1", "evil@next.1 evil next.1"),
            ("npx evil@1.2:b", "evil@1.2:b evil 1.2:b"),
            ("npx //evil@a.b", "//evil@a.b //evil a.b"),
            ("npx evil@a.b/c", "evil@a.b/c evil a.b/c"),
            (
                "npx ssh://git@a.example/b/evil.git",
                "ssh://git@a.example/b/evil.git a.example/b/evil.git a.example/b/evil",
            ),
            (
                "deno run https://a.example/evil@v1/b.ts",
                "https://a.example/evil@v1/b.ts https://a.example/evil v1/b.ts",
            ),
            (
                "uvx --from git+https://a.example/evil.git b",
                "git+https://a.example/evil.git git+https://a.example/evil b",
            ),
            ("npx git@a.example:b/evil#v1", "git@a.example:b/evil#v1 a.example:b/evil v1"),
            ("go run b/evil@v1.2.3", "b/evil@v1.2.3 b/evil v1.2.3"),
            ("lftp -c !evil", "c evil"),
            ("git rm evil", "evil"),
            ("git commit -m evil", ""),
            ("echo evil", ""),
            ("grep -r evil .", ""),
            ("which evil", ""),
            ("rm evil", ""),
            ("evil", ""),
        ] {
            let words: Vec<Word> = command.split(' ').map(Word::literal).collect();
            assert_eq!(programs::call(&words).unwrap().program_words().join(" "), expected, "{command}");
        }
    }
}

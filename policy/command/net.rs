//! The fallback for commands that are not understood: a search for the words of a pattern, in order, in the raw
//! text (B8).

use snaphook_shell::{Budget, RawWords, TextElement, base_name, intersects};

use crate::wildcard::Wildcard;

/// The words that must occur in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Net(Vec<Wildcard>);

impl Net {
    /// Builds the search from a pattern. Words that consist only of `*` are dropped.
    pub(super) fn of(pattern: &str) -> Self {
        let words = RawWords::of(pattern.to_owned());
        let words = words.iter().filter(|word| !word.bytes().all(|b| b == b'*'));
        Self(words.map(Wildcard::plain).collect())
    }

    /// Returns true if the words occur in this order; the first is also compared by base name.
    pub(super) fn catches<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> bool {
        self.0
            .iter()
            .enumerate()
            .all(|(at, want)| words.any(|word| want.matches(word) || (at == 0 && want.matches(base_name(word)))))
    }

    /// Returns true if the words may occur, in any order, among known and partly known ones. For the program, a word that
    /// may be any text does not count.
    pub(super) fn may_catch(&self, known: &[String], partial: &[Vec<TextElement>], steps: &Budget) -> bool {
        self.0.iter().enumerate().all(|(at, want)| {
            let wanted = want.elements();
            let may_be = |word: &[TextElement]| (at > 0 || is_suspect(word)) && intersects(&wanted, word, steps);
            known.iter().any(|word| want.matches(word) || (at == 0 && want.matches(base_name(word))))
                || partial.iter().any(|word| may_be(word))
        })
    }
}

/// Returns true if the text or the length of a word is partly known.
fn is_suspect(word: &[TextElement]) -> bool {
    word.iter().any(|element| *element != TextElement::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b8_words_in_order_are_caught_through_quotes_and_substitutions() {
        for (pattern, text, caught) in [
            ("evil ", "$P evil x", true),
            ("rm ", "${a:-rm} x", true),
            ("rm ", "\"${a-${b:=rm}}\" x", true),
            ("rm ", "${a:+ rm x}", true),
            ("a-b", "${X} a-b", true),
            ("X", "${X:-a}", true),
            ("evil", "eval \"ev\"'il' x", true),
            ("evil", "e\\vil", true),
            ("evil", "ev\\\nil", true),
            ("rm ", "echo $(/bin/rm x)", true),
            ("rm", "FOO=bar rm -rf tmp/", true),
            ("rm", "a=rm;$a x", true),
            ("git push", "git -C x push", true),
            ("git push", "push git", false),
            ("evil", "evilish", false),
            ("curl * | sh ", "curl u; sh f", true),
            ("wget * | python* ", "wget u -O- | python3 -", true),
            ("*", "anything", true),
        ] {
            assert_eq!(Net::of(pattern).catches(RawWords::of(text.to_owned()).iter()), caught, "{pattern} in {text}");
        }
    }
}

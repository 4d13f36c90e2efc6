//! Whether a deny rule could speak about a command in which something is not known.

use super::words::Word;
use crate::policy::steps::Steps;

/// Holds one character of a text, or any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    Char(char),
    Any,
    /// The next two may be left out; never in a pattern.
    Skip,
}

impl Piece {
    /// The character, where it is known.
    pub(crate) fn known(self) -> Option<char> {
        if let Self::Char(c) = self { Some(c) } else { None }
    }
}

/// The text of a command with any text in the place of what nobody knows; absent: all of it is known.
pub(super) fn text(words: &[Word], program: &str) -> Option<Vec<Piece>> {
    if !words.iter().skip(1).any(Word::is_dynamic) {
        return None;
    }
    let mut text: Vec<Piece> = program.chars().map(Piece::Char).collect();
    for word in words.iter().skip(1) {
        // A word that may become none takes its space with it.
        text.extend(word.may_be_none().then_some(Piece::Skip));
        text.push(Piece::Char(' '));
        text.extend(pieces(word));
    }
    Some(text)
}

/// What is known of a word.
pub(super) fn pieces(word: &Word) -> Vec<Piece> {
    if !word.is_dynamic() {
        return word.printed().chars().map(Piece::Char).collect();
    }
    let mut pieces = Vec::new();
    let mut spans = word.spans.iter().peekable();
    for (at, c) in word.value.char_indices() {
        while spans.next_if(|span| span.end <= at).is_some() {}
        let inside = spans.peek().is_some_and(|span| span.start <= at);
        let known = !(inside || (word.glob && matches!(c, '*' | '?' | '[' | ']')));
        match pieces.last() {
            Some(Piece::Any) if !known => {}
            _ => pieces.push(if known { Piece::Char(c) } else { Piece::Any }),
        }
    }
    pieces.extend(word.unseen.then_some(Piece::Any));
    pieces
}

/// Whether some text is one of both; true too where the steps to find out are spent.
pub(crate) fn meet(pattern: &[Piece], text: &[Piece], steps: &Steps) -> bool {
    // The places of the text that the pattern may have come to, all of them from `first` to `last`.
    let mut row = vec![false; text.len() + 1];
    let mut next = row.clone();
    let mut first = 0;
    let mut last = mark(&mut row, text, 0, 0);
    for piece in pattern {
        if !steps.spend(1 + (last - first) / 4) {
            return true;
        }
        match piece {
            Piece::Any => {
                row.iter_mut().skip(first).for_each(|place| *place = true);
                last = text.len();
            }
            Piece::Skip => {}
            Piece::Char(c) => {
                let mut found = None;
                for at in first..=last {
                    if row.get(at) != Some(&true) {
                        continue;
                    }
                    let place = match text.get(at) {
                        Some(Piece::Char(other)) if other == c => at + 1,
                        Some(Piece::Any) => at,
                        Some(Piece::Char(_) | Piece::Skip) | None => continue,
                    };
                    let (from, to) = found.unwrap_or((place, place));
                    found = Some((from, mark(&mut next, text, place, to)));
                }
                row.iter_mut().take(last + 1).skip(first).for_each(|place| *place = false);
                std::mem::swap(&mut row, &mut next);
                let Some(found) = found else { return false };
                (first, last) = found;
            }
        }
    }
    row.last() == Some(&true)
}

/// Marks a place in a text, and those behind it up to which there may be nothing. Returns the last place that
/// is marked.
fn mark(row: &mut [bool], text: &[Piece], place: usize, last: usize) -> usize {
    let (mut at, mut last) = (place, last);
    let mut left = Vec::new();
    loop {
        let piece = text.get(at);
        if let Some(marked) = row.get_mut(at).filter(|marked| !**marked) {
            *marked = true;
            last = last.max(at);
            if let Some(Piece::Any | Piece::Skip) = piece {
                left.extend((piece == Some(&Piece::Skip)).then_some(at + 3));
                at += 1;
                continue;
            }
        }
        match left.pop() {
            Some(next) => at = next,
            None => return last,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_patterns_meet_where_one_text_is_of_both() {
        let piece = |c| match c {
            '*' => Piece::Any,
            '~' => Piece::Skip,
            c => Piece::Char(c),
        };
        let read = |text: &str| text.chars().map(piece).collect::<Vec<_>>();
        for (one, other, meet_there) in [
            ("git push", "git*", true),
            ("git push *", "git* origin", true),
            ("git push", "git log *", false),
            ("git * push", "git *", true),
            ("a*b", "*c", false),
            ("a*", "*b", true),
            ("", "*", true),
            ("", "a", false),
            ("ab", "a*b", true),
        ] {
            let steps = Steps::default();
            assert_eq!(meet(&read(one), &read(other), &steps), meet_there, "{one} {other}");
            assert_eq!(meet(&read(other), &read(one), &steps), meet_there, "{other} {one}");
        }
        for (pattern, text, meet_there) in [
            ("git push", "git push~ *", true),
            ("git push", "git~ * push", true),
            ("git push x", "git push~ *", true),
            ("git pushx", "git push~ *", false),
            ("git push*", "git~ *~ *", true),
        ] {
            assert_eq!(meet(&read(pattern), &read(text), &Steps::default()), meet_there, "{pattern} {text}");
        }
    }

    /// The same, by trying everything.
    fn tried(pattern: &[Piece], text: &[Piece]) -> bool {
        let behind = |of: &[Piece]| of.get(1..).unwrap_or_default().to_vec();
        match (pattern.first(), text.first()) {
            (None, None) => true,
            (_, Some(Piece::Skip)) => {
                tried(pattern, &behind(text)) || text.get(3..).is_some_and(|text| tried(pattern, text))
            }
            (_, Some(Piece::Any)) => {
                tried(pattern, &behind(text)) || (!pattern.is_empty() && tried(&behind(pattern), text))
            }
            (Some(Piece::Any), _) => {
                tried(&behind(pattern), text) || (!text.is_empty() && tried(pattern, &behind(text)))
            }
            (Some(one), Some(other)) => one == other && tried(&behind(pattern), &behind(text)),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn what_two_patterns_both_stand_for_is_found(pattern in "[ab*]{0,5}", text in "([ab*]|~[ab*][ab*]){0,4}") {
            let piece = |c| match c {
                '*' => Piece::Any,
                '~' => Piece::Skip,
                c => Piece::Char(c),
            };
            let [pattern, text] = [pattern, text].map(|text| text.chars().map(piece).collect::<Vec<_>>());
            prop_assert_eq!(meet(&pattern, &text, &Steps::default()), tried(&pattern, &text));
        }
    }
}

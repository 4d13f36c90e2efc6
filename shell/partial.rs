//! Decides whether a deny rule could match a command with unknown parts.

use super::glob::class;
use super::words::{Brackets, Word};
use crate::budget::Budget;

/// One element of a partly known text: a character, or any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextElement {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// Any text, the empty one included.
    Any,
    /// The next two elements may be missing; never in a pattern.
    Skip,
}

/// The elements of a known text.
pub fn literal_elements(text: &str) -> Vec<TextElement> {
    text.chars().map(TextElement::Char).collect()
}

/// Returns true for quotes. Partly known texts are compared without them, since the value of an expansion decides
/// if its word is printed in quotes.
pub fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

/// The text of a command, in which unknown parts match any text; `None` if all of it is known.
pub(super) fn text(words: &[Word], program: &str) -> Option<Vec<TextElement>> {
    if !words.iter().skip(1).any(Word::is_dynamic) {
        return None;
    }
    let mut text = literal_elements(program);
    for word in words.iter().skip(1) {
        // A word that may expand to nothing also removes its space.
        text.extend(word.may_be_none().then_some(TextElement::Skip));
        text.push(TextElement::Char(' '));
        text.extend(pieces(word));
    }
    text.retain(|piece| !matches!(piece, TextElement::Char(c) if is_quote(*c)));
    Some(text)
}

/// The elements of a word.
pub(super) fn pieces(word: &Word) -> Vec<TextElement> {
    let home = word.home_at();
    if !word.is_dynamic() && home.is_none() {
        return literal_elements(&word.printed());
    }
    let mut pieces = Vec::new();
    let mut spans = word.spans.iter().peekable();
    let mut done = 0;
    for (at, c) in word.value.char_indices() {
        while spans.next_if(|span| span.end <= at).is_some() {}
        if at < done {
            continue;
        }
        let is_inside = spans.peek().is_some_and(|span| span.start <= at);
        let piece = match c {
            _ if is_inside || home == Some(at) => TextElement::Any,
            // A class that ends here began in an expansion.
            '*' | ']' if word.glob => TextElement::Any,
            '?' if word.glob => TextElement::One,
            '[' if word.glob => {
                let behind = word.value.get(at + 1..).unwrap_or_default();
                let segment = behind.split('/').next().unwrap_or_default();
                let next = spans.peek().map_or(usize::MAX, |span| span.start);
                let end = |rest: &str| at + 1 + segment.len() - rest.len();
                match class(segment, false) {
                    Some((piece, rest)) if end(rest) <= next && word.brackets != Brackets::QuotedEnd => {
                        done = end(rest);
                        piece
                    }
                    _ => {
                        done = word.value.rfind(']').map_or(at, |last| last + 1);
                        TextElement::Any
                    }
                }
            }
            c => TextElement::Char(c),
        };
        if piece != TextElement::Any || pieces.last() != Some(&piece) {
            pieces.push(piece);
        }
    }
    pieces.extend(word.unseen.then_some(TextElement::Any));
    pieces
}

/// Returns true if some text matches both. Also true if the steps run out.
pub fn intersects(pattern: &[TextElement], text: &[TextElement], steps: &Budget) -> bool {
    let is_wide = |piece: &TextElement| matches!(piece, TextElement::Char(c) if !c.is_ascii());
    if [pattern, text].iter().any(|side| side.contains(&TextElement::One)) && pattern.iter().chain(text).any(is_wide) {
        // To some shells a character is a byte.
        let loose = |side: &[TextElement]| {
            let loose = |piece: &TextElement| if *piece == TextElement::One { TextElement::Any } else { *piece };
            side.iter().map(loose).collect::<Vec<_>>()
        };
        return intersects(&loose(pattern), &loose(text), steps);
    }
    // The positions in the text that the pattern can have reached, all between `first` and `last`.
    let mut row = vec![false; text.len() + 1];
    let mut next = row.clone();
    let mut first = 0;
    let mut last = mark(&mut row, text, 0, 0);
    for piece in pattern {
        if !steps.spend(1 + (last - first) / 4) {
            return true;
        }
        match piece {
            TextElement::Any => {
                row.iter_mut().skip(first).for_each(|place| *place = true);
                last = text.len();
            }
            TextElement::Skip => {}
            TextElement::Char(_) | TextElement::One => {
                let mut found = None;
                for at in first..=last {
                    if row.get(at) != Some(&true) {
                        continue;
                    }
                    let place = match text.get(at) {
                        Some(TextElement::One) => at + 1,
                        Some(other @ TextElement::Char(_)) if *piece == TextElement::One || other == piece => at + 1,
                        Some(TextElement::Any) => at,
                        Some(TextElement::Char(_) | TextElement::Skip) | None => continue,
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

/// Marks a position in the text and the following ones that can be reached without a character. Returns the
/// last marked position.
fn mark(row: &mut [bool], text: &[TextElement], place: usize, last: usize) -> usize {
    let (mut at, mut last) = (place, last);
    let mut left = Vec::new();
    loop {
        let piece = text.get(at);
        if let Some(marked) = row.get_mut(at).filter(|marked| !**marked) {
            *marked = true;
            last = last.max(at);
            if let Some(TextElement::Any | TextElement::Skip) = piece {
                left.extend((piece == Some(&TextElement::Skip)).then_some(at + 3));
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
    fn two_patterns_intersect_if_one_text_matches_both() {
        let piece = |c| match c {
            '*' => TextElement::Any,
            '~' => TextElement::Skip,
            '?' => TextElement::One,
            c => TextElement::Char(c),
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
            ("a?", "?b", true),
            ("?", "ab", false),
            ("?", "\u{e9}", true),
            ("??", "\u{e9}", true),
        ] {
            let steps = Budget::default();
            assert_eq!(intersects(&read(one), &read(other), &steps), meet_there, "{one} {other}");
            assert_eq!(intersects(&read(other), &read(one), &steps), meet_there, "{other} {one}");
        }
        for (pattern, text, meet_there) in [
            ("git push", "git push~ *", true),
            ("git push", "git~ * push", true),
            ("git push x", "git push~ *", true),
            ("git pushx", "git push~ *", false),
            ("git push*", "git~ *~ *", true),
        ] {
            assert_eq!(intersects(&read(pattern), &read(text), &Budget::default()), meet_there, "{pattern} {text}");
        }
    }

    /// The same result by exhaustive search.
    fn tried(pattern: &[TextElement], text: &[TextElement]) -> bool {
        let rest = |of: &[TextElement]| of.get(1..).unwrap_or_default().to_vec();
        match (pattern.first(), text.first()) {
            (None, None) => true,
            (_, Some(TextElement::Skip)) => {
                tried(pattern, &rest(text)) || text.get(3..).is_some_and(|text| tried(pattern, text))
            }
            (_, Some(TextElement::Any)) => {
                tried(pattern, &rest(text)) || (!pattern.is_empty() && tried(&rest(pattern), text))
            }
            (Some(TextElement::Any), _) => {
                tried(&rest(pattern), text) || (!text.is_empty() && tried(pattern, &rest(text)))
            }
            (Some(TextElement::One), Some(_)) | (Some(_), Some(TextElement::One)) => tried(&rest(pattern), &rest(text)),
            (Some(one), Some(other)) => one == other && tried(&rest(pattern), &rest(text)),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn a_text_that_matches_two_patterns_is_found(pattern in "[ab*?]{0,5}", text in "([ab*?]|~[ab*?][ab*?]){0,4}") {
            let piece = |c| match c {
                '*' => TextElement::Any,
                '~' => TextElement::Skip,
                '?' => TextElement::One,
                c => TextElement::Char(c),
            };
            let [pattern, text] = [pattern, text].map(|text| text.chars().map(piece).collect::<Vec<_>>());
            prop_assert_eq!(intersects(&pattern, &text, &Budget::default()), tried(&pattern, &text));
        }
    }
}

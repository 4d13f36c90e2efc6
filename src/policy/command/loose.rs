//! Whether a deny rule could speak about a command in which something is not known.

use super::words::Word;

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

/// Whether some text is one of both.
pub(crate) fn meet(pattern: &[Piece], text: &[Piece]) -> bool {
    let mut row = vec![false; text.len() + 1];
    if let Some(first) = row.first_mut() {
        *first = true;
    }
    spread(&mut row, text);
    for piece in pattern {
        let mut next = vec![false; row.len()];
        match piece {
            Piece::Any => {
                let mut alive = false;
                for (to, from) in next.iter_mut().zip(&row) {
                    alive |= *from;
                    *to = alive;
                }
            }
            Piece::Skip => next.clone_from(&row),
            Piece::Char(c) => {
                for (at, own) in text.iter().enumerate().filter(|(at, _)| row.get(*at) == Some(&true)) {
                    let to = match own {
                        Piece::Char(other) if other == c => at + 1,
                        Piece::Char(_) | Piece::Skip => continue,
                        Piece::Any => at,
                    };
                    if let Some(to) = next.get_mut(to) {
                        *to = true;
                    }
                }
            }
        }
        if !next.contains(&true) {
            return false;
        }
        spread(&mut next, text);
        row = next;
    }
    row.last() == Some(&true)
}

/// Any text may be none.
fn spread(row: &mut [bool], text: &[Piece]) {
    for (at, piece) in text.iter().enumerate().filter(|(_, piece)| !matches!(piece, Piece::Char(_))) {
        let skipped = (*piece == Piece::Skip).then_some(at + 3);
        if row.get(at) == Some(&true) {
            for to in [at + 1].into_iter().chain(skipped) {
                if let Some(to) = row.get_mut(to) {
                    *to = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
            assert_eq!(meet(&read(one), &read(other)), meet_there, "{one} {other}");
            assert_eq!(meet(&read(other), &read(one)), meet_there, "{other} {one}");
        }
        for (pattern, text, meet_there) in [
            ("git push", "git push~ *", true),
            ("git push", "git~ * push", true),
            ("git push x", "git push~ *", true),
            ("git pushx", "git push~ *", false),
            ("git push*", "git~ *~ *", true),
        ] {
            assert_eq!(meet(&read(pattern), &read(text)), meet_there, "{pattern} {text}");
        }
    }
}

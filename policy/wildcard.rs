//! Patterns in which `*` matches any text.

use snaphook_shell::{TextElement, literal_elements};

/// A pattern in which `*` matches any text, including the empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Wildcard {
    /// The pattern without stars.
    text: String,
    /// The positions of the stars in the text, in order.
    stars: Vec<usize>,
}

impl Wildcard {
    /// Creates an empty pattern with capacity for a length.
    pub(crate) fn with_room(length: usize) -> Self {
        Self { text: String::with_capacity(length), stars: Vec::new() }
    }

    /// Parses a pattern in which `\*` is a literal star and `\\` a backslash (G4).
    pub(crate) fn read(text: &str) -> Self {
        let mut wild = Self::with_room(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => wild.star(),
                '\\' => wild.push(chars.next().unwrap_or('\\')),
                c => wild.push(c),
            }
        }
        wild
    }

    /// Parses a pattern without escapes.
    pub(crate) fn plain(text: &str) -> Self {
        let mut wild = Self::with_room(text.len());
        for (at, part) in text.split('*').enumerate() {
            if at > 0 {
                wild.star();
            }
            wild.push_str(part);
        }
        wild
    }

    /// Appends a literal character.
    pub(crate) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Appends literal text.
    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a star.
    pub(crate) fn star(&mut self) {
        self.stars.push(self.text.len());
    }

    /// Appends another pattern.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.text.len();
        self.push_str(&other.text);
        self.stars.extend(other.stars.iter().map(|star| before + star));
    }

    /// Returns true if the whole text matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some(last) = self.stars.last() else { return text == self.text };
        let tail = self.text.get(*last..).unwrap_or_default();
        let Some(rest) = text.strip_prefix(self.head()) else { return false };
        let Some(mut rest) = rest.strip_suffix(tail) else { return false };
        self.between().all(|part| match rest.split_once(part) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    }

    /// Returns true if some text that starts with `stem` matches.
    pub(crate) fn may_start_with(&self, stem: &str) -> bool {
        self.head().starts_with(stem) || (stem.starts_with(self.head()) && self.has_star())
    }

    /// The literal parts before, between and after the stars, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.stars.iter().copied());
        let ends = self.stars.iter().copied().chain([self.text.len()]);
        starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end))
    }

    /// The pattern as a partly known text.
    pub(crate) fn elements(&self) -> Vec<TextElement> {
        let mut elements = Vec::with_capacity(self.text.len() + self.stars.len());
        for (at, part) in self.parts().enumerate() {
            elements.extend((at > 0).then_some(TextElement::Any));
            elements.extend(literal_elements(part));
        }
        elements
    }

    /// Returns true if the pattern consists of stars only.
    pub(crate) fn is_any(&self) -> bool {
        self.has_star() && self.text.is_empty()
    }

    /// Returns true if the pattern has a star.
    pub(crate) fn has_star(&self) -> bool {
        !self.stars.is_empty()
    }

    /// The literal part before the first star.
    pub(crate) fn head(&self) -> &str {
        let end = self.stars.first().copied().unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default()
    }

    /// The pattern as text, with `*` for each star.
    pub(crate) fn written(&self) -> String {
        self.parts().collect::<Vec<_>>().join("*")
    }

    /// Maps each literal part of the pattern.
    pub(crate) fn map(&self, with: impl Fn(&str) -> String) -> Self {
        let mut mapped = Self::with_room(self.text.len());
        let mut from = 0;
        for star in &self.stars {
            mapped.push_str(&with(self.text.get(from..*star).unwrap_or_default()));
            mapped.star();
            from = *star;
        }
        mapped.push_str(&with(self.text.get(from..).unwrap_or_default()));
        mapped
    }

    /// The literal parts between two stars, in order.
    fn between(&self) -> impl Iterator<Item = &str> {
        let ends = self.stars.iter().skip(1);
        self.stars.iter().zip(ends).filter_map(|(start, end)| self.text.get(*start..*end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g4_a_star_matches_any_text_and_an_escaped_star_itself() {
        for (pattern, text, matches) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "a\nc", true),
            ("a*a", "a", false),
            ("*b*", "abc", true),
            ("a*b*c", "a-c-b", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            (r"a\\b", r"a\b", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(Wildcard::read(pattern).matches(text), matches, "{pattern} {text}");
        }
    }
}

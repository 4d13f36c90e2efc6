//! Texts in which `*` stands for any text.

/// Holds a pattern whose `*` is any text, nothing included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Wild {
    /// The pattern without its stars.
    text: String,
    /// Where in the text a star stands, in order.
    stars: Vec<usize>,
}

impl Wild {
    /// An empty pattern that will grow to about this length.
    pub(crate) fn with_room(length: usize) -> Self {
        Self { text: String::with_capacity(length), stars: Vec::new() }
    }

    /// Reads a pattern in which `\*` is a star and `\\` a backslash (R4).
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

    /// Reads a pattern without escapes.
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

    /// Adds a literal character.
    pub(crate) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Adds literal text.
    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a star.
    pub(crate) fn star(&mut self) {
        self.stars.push(self.text.len());
    }

    /// Adds another pattern.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.text.len();
        self.push_str(&other.text);
        self.stars.extend(other.stars.iter().map(|star| before + star));
    }

    /// Whether the whole text matches.
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

    /// Whether some text that begins with `stem` matches.
    pub(crate) fn could_begin(&self, stem: &str) -> bool {
        self.head().starts_with(stem) || (stem.starts_with(self.head()) && self.has_star())
    }

    /// What stands between the stars, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.stars.iter().copied());
        let ends = self.stars.iter().copied().chain([self.text.len()]);
        starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end))
    }

    /// Whether it is one star and nothing else.
    pub(crate) fn is_any(&self) -> bool {
        self.has_star() && self.text.is_empty()
    }

    /// Whether it has a star.
    pub(crate) fn has_star(&self) -> bool {
        !self.stars.is_empty()
    }

    /// What stands before the first star.
    pub(crate) fn head(&self) -> &str {
        let end = self.stars.first().copied().unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default()
    }

    /// The same pattern, each literal part mapped.
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

    /// What stands between two stars, in order.
    fn between(&self) -> impl Iterator<Item = &str> {
        let ends = self.stars.iter().skip(1);
        self.stars.iter().zip(ends).filter_map(|(start, end)| self.text.get(*start..*end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r4_a_star_is_any_text_and_an_escaped_one_a_star() {
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
            assert_eq!(Wild::read(pattern).matches(text), matches, "{pattern} {text}");
        }
    }
}

//! Texts in which `*` stands for any text.

/// Holds a pattern whose `*` is any text, nothing included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wild {
    /// What stands between the stars; one part: no star.
    parts: Vec<String>,
}

impl Wild {
    /// Reads a pattern in which `\*` is a star and `\\` a backslash (R4).
    pub(crate) fn read(text: &str) -> Self {
        let mut wild = Self::default();
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
        Self { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// Adds a literal character.
    pub(crate) fn push(&mut self, c: char) {
        if let Some(last) = self.parts.last_mut() {
            last.push(c);
        }
    }

    /// Adds literal text.
    pub(crate) fn push_str(&mut self, text: &str) {
        if let Some(last) = self.parts.last_mut() {
            last.push_str(text);
        }
    }

    /// Adds a star.
    pub(crate) fn star(&mut self) {
        self.parts.push(String::new());
    }

    /// Adds another pattern.
    pub(crate) fn append(&mut self, other: &Self) {
        let mut parts = other.parts.iter();
        if let Some(first) = parts.next() {
            self.push_str(first);
        }
        self.parts.extend(parts.cloned());
    }

    /// Whether the whole text matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some(text) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
        let Some(mut text) = text.strip_suffix(last.as_str()) else { return false };
        middle.iter().all(|part| match text.split_once(part.as_str()) {
            Some((_, after)) => {
                text = after;
                true
            }
            None => false,
        })
    }

    /// Whether some text that begins with `stem` matches.
    pub(crate) fn could_begin(&self, stem: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        if first.starts_with(stem) {
            return true;
        }
        stem.starts_with(first.as_str()) && !rest.is_empty()
    }

    /// Whether it is one star and nothing else.
    pub(crate) fn is_any(&self) -> bool {
        self.parts.len() > 1 && self.parts.iter().all(String::is_empty)
    }

    /// Whether it has a star.
    pub(crate) fn has_star(&self) -> bool {
        self.parts.len() > 1
    }

    /// What stands before the first star.
    pub(crate) fn head(&self) -> &str {
        self.parts.first().map_or("", String::as_str)
    }

    /// The same pattern, each literal part mapped.
    pub(crate) fn map(&self, with: impl Fn(&str) -> String) -> Self {
        Self { parts: self.parts.iter().map(|part| with(part)).collect() }
    }
}

impl Default for Wild {
    fn default() -> Self {
        Self { parts: vec![String::new()] }
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

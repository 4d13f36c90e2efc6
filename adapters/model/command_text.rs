//! The text of a command. A huge one is not copied out of its message.

use std::borrow::Cow;
use std::fmt;

use crate::Raw;
use crate::protocol::Problem;
use crate::raw::{PIECE, Text};

/// The text of a command.
///
/// Of a text that is longer than [`CommandText::START`] bytes, only the start is decoded; the whole text stays in the message as
/// JSON. No operating system passes so long an argument to a program, and a second copy would double the memory.
#[derive(Clone)]
pub struct CommandText {
    /// The whole text, or its start.
    start: String,
    /// The whole text as JSON, if it is longer than the start.
    json: Option<Box<Raw>>,
}

impl CommandText {
    /// The minimum length of the decoded start of a longer text, in bytes.
    pub const START: usize = (1 << 20) + 1;

    /// Reads a JSON string without a NUL, which no argument of a program may contain. Sets `lossy` if it contains a lone
    /// surrogate.
    pub(crate) fn read(json: &Raw, want: &'static str, lossy: &mut bool) -> Result<Self, Problem> {
        if json.len() <= Self::START {
            return without_nul(json.text().ok_or(Problem::NotA(want))?, lossy).map(Self::from);
        }
        let (mut start, mut len) = (String::with_capacity(Self::START + PIECE), 0);
        for piece in json.pieces().ok_or(Problem::NotA(want))? {
            let piece = without_nul(piece.ok_or(Problem::NotA(want))?, lossy)?;
            if start.len() < Self::START {
                start.push_str(&piece);
            }
            len += piece.len();
        }
        let json = (start.len() < len).then(|| Box::new(json.clone()));
        Ok(Self { start, json })
    }

    /// Returns the whole text, or the decoded start of a long one.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Returns true if the start is the whole text.
    pub fn is_whole(&self) -> bool {
        self.json.is_none()
    }

    /// Returns the whole text, decoding a long one again.
    pub fn whole(&self) -> Cow<'_, str> {
        match &self.json {
            None => Cow::Borrowed(&self.start),
            Some(json) => Cow::Owned(json.text().unwrap_or_default().value),
        }
    }

    /// Converts the whole text to a string.
    pub fn into_string(self) -> String {
        if self.is_whole() { self.start } else { self.whole().into_owned() }
    }

    /// Returns true if one of these parts occurs anywhere in the whole text.
    pub fn contains_any(&self, parts: &[&str]) -> bool {
        let in_text = |text: &str| parts.iter().any(|part| text.contains(part));
        let Some(json) = &self.json else { return in_text(&self.start) };
        let longest = parts.iter().map(|part| part.len()).max().unwrap_or_default();
        let mut window = String::new();
        json.pieces().into_iter().flatten().flatten().any(|piece| {
            let kept = window.floor_char_boundary(window.len().saturating_sub(longest));
            window.drain(..kept);
            window.push_str(&piece.value);
            in_text(&window)
        })
    }
}

/// Returns the characters of a text without a NUL. Sets `lossy` if it contains a lone surrogate.
pub(crate) fn without_nul(text: Text, lossy: &mut bool) -> Result<String, Problem> {
    *lossy |= text.lossy;
    if text.value.contains('\0') { Err(Problem::Nul) } else { Ok(text.value) }
}

impl From<String> for CommandText {
    fn from(text: String) -> Self {
        Self { start: text, json: None }
    }
}

impl From<&str> for CommandText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq for CommandText {
    fn eq(&self, other: &Self) -> bool {
        match (&self.json, &other.json) {
            (Some(json), Some(others)) if json == others => true,
            _ => self.whole() == other.whole(),
        }
    }
}

impl Eq for CommandText {}

impl PartialEq<str> for CommandText {
    fn eq(&self, other: &str) -> bool {
        self.whole() == other
    }
}

impl PartialEq<&str> for CommandText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Display for CommandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole())
    }
}

impl fmt::Debug for CommandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.whole(), f)
    }
}

impl serde::Serialize for CommandText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.whole())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_json(json: String) -> (CommandText, bool) {
        let mut lossy = false;
        let text = CommandText::read(&Raw::document(json), "a string", &mut lossy);
        (text.unwrap(), lossy)
    }

    fn read(text: &str) -> CommandText {
        let json = serde_json::to_string(text).unwrap();
        read_json(json).0
    }

    #[test]
    fn a_long_text_is_kept_as_json() {
        for line in ["echo it is \u{1F600}\n", "plain ", "\n", "é"] {
            let text = line.repeat((3 << 20) / line.len());
            let long = read(&text);
            assert!(!long.is_whole());
            assert!(long.start().len() >= CommandText::START && long.start().len() < CommandText::START + (1 << 17));
            assert!(text.starts_with(long.start()));
            assert!(long.whole() == text && long == *text && long.clone().into_string() == text);
            assert_eq!(serde_json::to_value(&long).unwrap(), text);
            assert!(long == read(&text) && long != read(&format!("{text}x")) && long != long.start());
        }
        let escaped = "\\u0041".repeat(1 << 18);
        let (text, _) = read_json(format!("\"{escaped}\""));
        assert!(text.is_whole() && text == *"A".repeat(1 << 18));
    }

    #[test]
    fn a_part_is_found_between_the_pieces_of_a_long_text() {
        for before in 0..8 {
            let text = format!("{}needle{}", "x".repeat((1 << 17) - before), "y\n".repeat(1 << 19));
            let long = read(&text);
            assert!(!long.is_whole() && long.contains_any(&["no", "needle"]) && !long.contains_any(&["no", "needles"]));
        }
        assert!(read("a needle").contains_any(&["needle"]));
    }

    #[test]
    fn a_lone_surrogate_or_a_nul_behind_the_start_is_found() {
        let long = "a".repeat(CommandText::START);
        assert!(!read_json(format!("\"{long}\\ud83d\\ude00\"")).1);
        let (text, lossy) = read_json(format!("\"{long}\\ud83d\""));
        assert!(lossy && text.contains_any(&["a\u{FFFD}"]));
        let refused = |json: &str| CommandText::read(&Raw::document(json), "a string", &mut false).unwrap_err();
        assert_eq!(refused(&format!("\"{long}\\u0000\"")), Problem::Nul);
        assert_eq!(refused("\"\\u0000\""), Problem::Nul);
        assert_eq!(refused("1"), Problem::NotA("a string"));
    }
}

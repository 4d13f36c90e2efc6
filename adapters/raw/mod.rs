//! JSON that stays as it was sent: slices of one shared buffer, split one level at a time.
//!
//! Members that are not watched are neither decoded nor re-printed nor limited. A change is spliced into the original
//! bytes, so the key order, the spelling of numbers and unknown fields are preserved (J8).

mod object;
mod same;
mod text;
mod visible;
mod walk;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use object::{Ambiguous, Keys, Object};
pub(crate) use text::{PIECE, push_json_string};
pub use text::{Text, json_string};
pub use visible::{is_visible, quoted, visible_json};
pub use walk::string_end;

/// A JSON value, stored as a slice of its document; cheap to clone and to keep.
///
/// The slice is checked when its contents are first read: [`Raw::object`] and similar methods return a [`JsonFault`] if
/// the bytes are not valid JSON. Parts of checked JSON are not checked again.
#[derive(Clone)]
pub struct Raw {
    doc: Arc<String>,
    span: Range<usize>,
    checked: bool,
}

impl Raw {
    /// Creates a value from a whole document, without the surrounding white space.
    pub fn document(text: impl Into<String>) -> Self {
        let text = text.into();
        let start = text.len() - text.trim_start_matches(is_blank).len();
        let end = start.max(text.trim_end_matches(is_blank).len());
        Self { doc: Arc::new(text), span: start..end, checked: false }
    }

    /// Creates a value from a document and checks that the document is exactly one JSON value.
    ///
    /// # Errors
    /// The position and the kind of the first error.
    pub fn checked(text: impl Into<String>) -> Result<Self, JsonFault> {
        Self::document(text).check()
    }

    /// Creates a JSON value from a string.
    pub fn string(text: &str) -> Self {
        Self::document(json_string(text))
    }

    /// Returns the JSON text of this value, exactly as it was sent.
    pub fn as_str(&self) -> &str {
        self.doc.get(self.span.clone()).unwrap_or_default()
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Returns true if the value has no text, not even `null`.
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// Returns true if this is the literal `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// Splits an object one level deep.
    ///
    /// # Errors
    /// The value is not valid JSON, or not an object.
    pub fn object(&self) -> Result<Object, JsonFault> {
        Object::split(self)
    }

    /// Splits an array one level deep.
    ///
    /// # Errors
    /// The value is not valid JSON, or not an array.
    pub fn array(&self) -> Result<Vec<Self>, JsonFault> {
        object::split_array(self)
    }

    /// Returns true if this is a string.
    pub fn is_string(&self) -> bool {
        self.as_str().starts_with('"')
    }

    /// Decodes a string, or returns `None` for any other kind of value.
    pub fn text(&self) -> Option<Text> {
        Text::decode(self.as_str())
    }

    /// Decodes a string piece by piece, so that a long one is never in memory twice. Returns `None` for any other kind of value,
    /// and for a piece that is not valid JSON.
    pub(crate) fn pieces(&self) -> Option<impl Iterator<Item = Option<Text>>> {
        text::Pieces::of(self.as_str())
    }

    /// Returns a boolean, or `None` for any other kind of value.
    pub fn bool(&self) -> Option<bool> {
        match self.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Follows a JSON pointer such as `/hookSpecificOutput/updatedInput`, or returns `None` if a segment is missing.
    ///
    /// If a key is repeated, the last value counts. Use this only for documents that snaphook writes (replies,
    /// fixtures). For the message of an agent use [`Object::get`], which reports ambiguous keys.
    pub fn at(&self, pointer: &str) -> Option<Self> {
        let mut here = self.clone();
        for step in pointer.split('/').skip(1) {
            here = match here.as_str().as_bytes().first() {
                Some(b'[') => here.array().ok()?.into_iter().nth(step.parse().ok()?)?,
                _ => here.object().ok()?.last(step)?,
            };
        }
        Some(here)
    }

    /// Replaces one part of this value by other JSON text and leaves every other byte unchanged.
    ///
    /// Returns `None` if `part` is not a slice of this value.
    pub fn replace(&self, part: &Self, with: &str) -> Option<Self> {
        let inside =
            Arc::ptr_eq(&self.doc, &part.doc) && self.span.start <= part.span.start && part.span.end <= self.span.end;
        let head = self.doc.get(self.span.start..part.span.start).filter(|_| inside)?;
        let tail = self.doc.get(part.span.end..self.span.end)?;
        Some(Self::document([head, with, tail].concat()))
    }

    fn check(mut self) -> Result<Self, JsonFault> {
        if !self.checked {
            serde_json::from_str::<serde::de::IgnoredAny>(self.as_str())?;
        }
        self.checked = true;
        Ok(self)
    }

    /// Checks a value that has to start with `open`, and returns it.
    fn sound(&self, open: char, other: &str) -> Result<Self, JsonFault> {
        if !self.as_str().starts_with(open) {
            return Err(JsonFault::new(other));
        }
        self.clone().check()
    }

    /// Converts a range of this value to a range of the document.
    fn inside(&self, span: Range<usize>) -> Range<usize> {
        self.span.start + span.start..self.span.start + span.end
    }

    /// Returns a range of this value as a checked slice.
    fn slice(&self, span: Range<usize>) -> Self {
        Self { doc: Arc::clone(&self.doc), span, checked: self.checked }
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(self.as_str()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// The reason why a text is not the expected JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonFault(String);

impl JsonFault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl From<serde_json::Error> for JsonFault {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str =
        r#"{"z":1.10,"n":123456789012345678901234567890,"e":1E400,"a":{"cmd":"ls","x":[1,{"b":2}]},"u":"é"}"#;

    #[test]
    fn a_splice_keeps_every_other_byte() {
        let doc = Raw::document(format!(" {ODD}\n"));
        let input = doc.object().unwrap().get("a").unwrap().unwrap();
        let changed = input.object().unwrap().with("cmd", "\"sb -- ls\"");
        assert_eq!(changed.as_str(), r#"{"cmd":"sb -- ls","x":[1,{"b":2}]}"#);
        let whole = doc.replace(&input, changed.as_str()).unwrap();
        assert_eq!(whole.as_str(), ODD.replace("\"ls\"", "\"sb -- ls\""));
    }

    #[test]
    fn an_unwatched_part_may_have_any_depth() {
        let deep = format!("{{\"cmd\":\"ls\",\"d\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let object = Raw::document(deep.clone()).object().unwrap();
        assert_eq!(object.get("cmd").unwrap().unwrap().text().unwrap().value, "ls");
        assert_eq!(object.with("cmd", "\"id\"").as_str(), deep.replace("ls", "id"));
    }

    #[test]
    fn a_part_of_another_document_cannot_be_replaced() {
        let one = Raw::document("{\"a\":1}");
        let other = Raw::document("{\"a\":1}").object().unwrap().last("a").unwrap();
        assert!(one.replace(&other, "2").is_none());
    }

    #[test]
    fn pointers_follow_objects_and_arrays() {
        let doc = Raw::document(ODD);
        assert_eq!(doc.at("/a/x/1/b").unwrap().as_str(), "2");
        assert!(doc.at("/a/y").is_none());
        assert!(doc.at("/a/x/9").is_none());
    }
}

//! The values that an agent takes for a native member of an answer.

use crate::Raw;

/// Describes the values that an agent takes for a native member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Want {
    /// Exactly this text.
    Word(&'static str),
    /// Any text that is not blank.
    Text,
    /// Any value.
    Some,
    /// An object.
    Object,
    /// This truth value.
    Bool(bool),
    /// A value that one of these describes.
    Any(&'static [Self]),
    /// An array in which the other describes each item.
    Each(&'static Self),
}

impl Want {
    /// Returns true if this describes the value.
    pub fn describes(self, value: &Raw) -> bool {
        let text = || value.text().map(|text| text.value);
        match self {
            Self::Word(word) => text().as_deref() == Some(word),
            Self::Text => text().is_some_and(|text| !text.trim().is_empty()),
            Self::Some => true,
            Self::Object => value.object().is_ok(),
            Self::Bool(is) => value.bool() == Some(is),
            Self::Any(others) => others.iter().any(|other| other.describes(value)),
            Self::Each(other) => value.array().is_ok_and(|items| items.iter().all(|item| other.describes(item))),
        }
    }
}

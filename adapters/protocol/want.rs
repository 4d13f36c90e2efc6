//! The values that an agent accepts for a native member of a reply.

use crate::Raw;

/// A set of values that an agent accepts for a native member.
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
    /// This boolean.
    Bool(bool),
    /// A value in one of these sets.
    Any(&'static [Self]),
    /// An array whose items are in this set.
    Each(&'static Self),
}

impl Want {
    /// Returns true if the value is in the set.
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

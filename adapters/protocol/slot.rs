//! The position of an action's object in the arguments of a tool.

use crate::raw::json_string;

/// The position of an action's object in the arguments.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Slot {
    /// The keys that may hold the object; each key that is present counts.
    pub keys: &'static [&'static str],
    /// True if the argument is an array, each element of which counts.
    pub each: bool,
    /// True if the argument may be one string instead of an array.
    pub or_one: bool,
    /// The form of an element that is a JSON object; absent: an element is a string.
    pub element: Option<Element>,
    /// The meaning of an argument that is absent or blank.
    pub absent: Absent,
}

/// The form of an element of an array that is a JSON object. An element without any of its members is invalid.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Element {
    /// The members with the object of the action, a string or an array of strings; each that is present counts.
    pub members: &'static [&'static str],
    /// The member with the words that follow the program, which then runs without a shell; absent: none.
    pub words: Option<&'static str>,
    /// True if an element may also be a string, if one element may stand without the array, and if all arguments
    /// together may be one element.
    pub loose: bool,
}

impl Element {
    /// Describes an element by its members.
    pub const fn new(members: &'static [&'static str]) -> Self {
        Self { members, words: None, loose: false }
    }

    /// Sets the member with the words that follow the program.
    #[must_use]
    pub const fn words(mut self, key: &'static str) -> Self {
        self.words = Some(key);
        self
    }

    /// States that an element may be a string, stand without the array, or be all arguments together.
    #[must_use]
    pub const fn loose(mut self) -> Self {
        self.loose = true;
        self
    }
}

impl Slot {
    /// One required key.
    pub const fn key(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: false, or_one: false, element: None, absent: Absent::Fault }
    }

    /// Several keys, of which the agent uses the first that is not blank; all are judged.
    pub const fn any(keys: &'static [&'static str]) -> Self {
        Self { keys, each: false, or_one: false, element: None, absent: Absent::Fault }
    }

    /// A required array of strings.
    pub const fn each(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: true, or_one: false, element: None, absent: Absent::Fault }
    }

    /// Several keys, each of which may hold a string or an array of strings; all are judged.
    pub const fn one_or_each(keys: &'static [&'static str]) -> Self {
        Self { keys, each: true, or_one: true, element: None, absent: Absent::Fault }
    }

    /// Several keys of arrays, whose elements are JSON objects; all are judged.
    pub const fn elements(keys: &'static [&'static str], element: Element) -> Self {
        Self { keys, each: true, or_one: false, element: Some(element), absent: Absent::Fault }
    }

    /// Returns the argument with one object in it, as JSON. `object` is JSON.
    pub fn holding(&self, object: &str) -> String {
        match self.element.filter(|element| !element.loose).and_then(|element| element.members.first()) {
            Some(member) => format!("[{{{}:{object}}}]", json_string(member)),
            None if self.each => format!("[{object}]"),
            None => object.to_owned(),
        }
    }

    /// Sets the meaning of an absent argument.
    #[must_use]
    pub const fn absent(mut self, absent: Absent) -> Self {
        self.absent = absent;
        self
    }
}

/// The meaning of an absent argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are only these three cases")]
pub enum Absent {
    /// The call is invalid (J7).
    Fault,
    /// The call does not take this action.
    Nothing,
    /// The agent uses this default.
    As(&'static str),
}

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
    /// The members that hold the objects if the elements of the array are JSON objects; empty: the elements are strings.
    pub members: &'static [&'static str],
    /// The form of an element that is an object; absent: an element is a string.
    pub element: Option<Element>,
    /// The meaning of an argument that is absent or blank.
    pub absent: Absent,
}

/// The form of an element of an argument that is an object. The argument may also be one element instead of an array,
/// and all arguments together may be one element.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Element {
    /// The members with the object of the action; each that is present counts.
    pub members: &'static [&'static str],
    /// The member with the words that follow the program, which then runs without a shell; absent: none.
    pub words: Option<&'static str>,
}

impl Element {
    /// Describes an element by its members.
    pub const fn new(members: &'static [&'static str]) -> Self {
        Self { members, words: None }
    }

    /// Sets the member with the words that follow the program.
    #[must_use]
    pub const fn words(mut self, key: &'static str) -> Self {
        self.words = Some(key);
        self
    }
}

impl Slot {
    /// One required key.
    pub const fn key(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: false, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys, of which the agent uses the first that is not blank; all are judged.
    pub const fn any(keys: &'static [&'static str]) -> Self {
        Self { keys, each: false, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// A required array of strings.
    pub const fn each(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: true, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys, each of which may hold a string or an array of strings; all are judged.
    pub const fn one_or_each(keys: &'static [&'static str]) -> Self {
        Self { keys, each: true, or_one: true, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys of arrays, whose elements are strings or objects; all are judged.
    pub const fn elements(keys: &'static [&'static str], element: Element) -> Self {
        Self { keys, each: true, or_one: true, members: &[], element: Some(element), absent: Absent::Fault }
    }

    /// A required array of JSON objects. Each of these members, a string or an array of strings, counts; an element
    /// without one is invalid.
    pub const fn members(keys: &'static [&'static str; 1], members: &'static [&'static str]) -> Self {
        Self { keys, each: true, or_one: false, members, element: None, absent: Absent::Fault }
    }

    /// Returns the argument with one object in it, as JSON. `object` is JSON.
    pub fn holding(&self, object: &str) -> String {
        match self.members.first() {
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

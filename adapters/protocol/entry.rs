//! A hook that is registered with an agent, as data.
//!
//! An entry contains the events for which a hook is started and its form in the agent's file. The program `snaphook`
//! writes the file, because only the program knows its command line.

use super::{EventRow, Role};

/// One registered hook.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Entry {
    /// The events for which the agent starts the hook, by the agent's names.
    pub events: &'static [&'static str],
    /// The role of the hook, for an event with several gates.
    pub role: Role,
    /// The last part of the name in a file that [names](super::EntryKey::Name) its hooks; empty: none.
    pub label: &'static str,
    /// The tools for which the agent starts the hook, in the agent's syntax; empty: the event has no tools.
    pub matcher: &'static str,
    /// The agent's time limit for the hook, in seconds.
    pub timeout_s: u32,
    /// True if the entry sets the option of the agent that blocks the event when the hook fails.
    pub fails_closed: bool,
    /// The reply that blocks the event if snaphook fails.
    pub failure: FailureAnswer,
    /// The members of the entry, in order.
    pub form: EntryForm,
}

/// The members of an entry, each with its value.
pub type EntryForm = &'static [(&'static str, Field)];

/// The value of a member.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "each writer of entries must handle every field")]
pub enum Field {
    /// A constant text.
    Text(&'static str),
    /// A constant number.
    Number(i64),
    /// `true`.
    True,
    /// A name made from ours and the only event.
    Name,
    /// The list of events.
    Events,
    /// The only event.
    Event,
    /// The matcher; the member is omitted if the matcher is empty.
    Matcher,
    /// The command line as one text, which a shell reads.
    ShellText,
    /// The program.
    Program,
    /// The list of the program's arguments.
    Arguments,
    /// The list of the program and its arguments.
    Words,
    /// The time limit as a number of seconds.
    Seconds,
    /// The time limit as a number of milliseconds.
    Milliseconds,
    /// The time limit as a text such as `10s`.
    Duration,
    /// A text; the member is omitted unless the entry [fails closed](Entry::fails_closed).
    IfFailsClosed(&'static str),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// A list with one object in it.
    List(EntryForm),
    /// An object.
    Object(EntryForm),
}

/// A reply that blocks an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each writer of entries must handle every failure answer")]
pub enum FailureAnswer {
    /// No reply: the event cannot be blocked, or the agent blocks it if the program fails.
    None,
    /// Exit code 2.
    Exit2,
    /// This document on stdout, with the reason in place of [`FAILURE_REASON`], and exit code 0.
    Document(&'static str),
}

/// The placeholder for the reason in a [`FailureAnswer::Document`]; it is inside a JSON string.
pub const FAILURE_REASON: &str = "<reason>";

impl Entry {
    /// Creates an entry with a time limit of 10 seconds.
    pub const fn new(form: EntryForm, events: &'static [&'static str]) -> Self {
        Self {
            events,
            role: Role::Alone,
            label: "",
            matcher: "",
            timeout_s: 10,
            fails_closed: false,
            failure: FailureAnswer::None,
            form,
        }
    }

    /// Sets the role.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Sets the last part of the name.
    #[must_use]
    pub const fn label(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }

    /// Sets the matcher.
    #[must_use]
    pub const fn matcher(mut self, matcher: &'static str) -> Self {
        self.matcher = matcher;
        self
    }

    /// Sets the time limit.
    #[must_use]
    pub const fn timeout_s(mut self, seconds: u32) -> Self {
        self.timeout_s = seconds;
        self
    }

    /// Sets the option of the agent that blocks the event when the hook fails.
    #[must_use]
    pub const fn fails_closed(mut self) -> Self {
        self.fails_closed = true;
        self
    }

    /// Sets the reply that blocks the event if snaphook fails.
    #[must_use]
    pub const fn failure(mut self, answer: FailureAnswer) -> Self {
        self.failure = answer;
        self
    }

    /// Returns true if the entry registers for the event of a row, in any role.
    pub fn brings(&self, row: &EventRow) -> bool {
        let event = row.registered_name();
        self.events.contains(&event)
    }

    /// Returns true if the entry registers for the event of a row in a role of the row.
    pub fn serves(&self, row: &EventRow) -> bool {
        self.brings(row) && row.is_in_role(self.role)
    }
}

//! A hook that is registered with an agent, as data.
//!
//! An entry says for which event a hook is started and how the agent's file writes it. The program `snaphook` writes
//! the file: it alone knows its own command line.

use super::{EventRow, Role};

/// Describes one hook.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Entry {
    /// The events for which the agent starts it, in the agent's own words.
    pub events: &'static [&'static str],
    /// The gate that it is, where an event has several.
    pub role: Role,
    /// The last part of its name in a file that [names](super::EntryKey::Name) its hooks; empty: it needs none.
    pub label: &'static str,
    /// The tools for which it is started, in the agent's own syntax; empty: the event has no tools.
    pub matcher: &'static str,
    /// The time after which the agent gives it up, in seconds.
    pub timeout_s: u32,
    /// The agent's own switch is set, by which the event does not happen if the hook fails.
    pub fails_closed: bool,
    /// The answer that blocks, for the case that our program fails.
    pub failure: FailureAnswer,
    /// The members of the entry, in their order.
    pub form: EntryForm,
}

/// The members of an entry, each with what is written there.
pub type EntryForm = &'static [(&'static str, Field)];

/// Says what is written as the value of a member.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes an entry must write every field")]
pub enum Field {
    /// A text that is always the same.
    Text(&'static str),
    /// A number that is always the same.
    Number(i64),
    /// `true`.
    True,
    /// The list of events.
    Events,
    /// The matcher; the member is left out if it is empty.
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
    /// The time limit as a text such as `10s`.
    Duration,
    /// A text; the member is left out unless the entry [fails closed](Entry::fails_closed).
    IfFailsClosed(&'static str),
    /// A list with one object in it.
    List(EntryForm),
}

/// Names an answer that blocks an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes an entry must guard it in every way")]
pub enum FailureAnswer {
    /// The event cannot be blocked, or the agent blocks it by itself if the program fails.
    None,
    /// Exit code 2.
    Exit2,
    /// This document on stdout, and exit code 0.
    Document(&'static str),
}

impl Entry {
    /// Names form and events; the time limit is 10 seconds.
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

    /// Names the role.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Sets the last part of its name.
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

    /// Sets the agent's own switch.
    #[must_use]
    pub const fn fails_closed(mut self) -> Self {
        self.fails_closed = true;
        self
    }

    /// Names the answer that blocks.
    #[must_use]
    pub const fn failure(mut self, answer: FailureAnswer) -> Self {
        self.failure = answer;
        self
    }

    /// Returns true if it brings the event of a row, in whatever role.
    pub fn brings(&self, row: &EventRow) -> bool {
        let event = row.registered_name();
        self.events.contains(&event)
    }

    /// Returns true if it uses a row.
    pub fn serves(&self, row: &EventRow) -> bool {
        self.brings(row) && row.is_in_role(self.role)
    }
}

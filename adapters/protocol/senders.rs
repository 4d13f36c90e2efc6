//! The fields by which a message is attributed to its sender.

use crate::raw::Object;

/// The hook files of other agents that an agent uses too. It sends its own messages to these hooks, and reads the replies
/// in its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedHooks {
    /// The ids of the other agents.
    pub of: &'static [&'static str],
    /// The members that all of its messages have, and no message of these agents.
    pub with: &'static [&'static str],
    /// The members that none of its messages has, and every message of these agents.
    pub without: &'static [&'static str],
}

impl SharedHooks {
    /// Describes the hooks of some agents.
    pub const fn of(agents: &'static [&'static str]) -> Self {
        Self { of: agents, with: &[], without: &[] }
    }

    /// Sets the members that only its messages have.
    #[must_use]
    pub const fn with(mut self, keys: &'static [&'static str]) -> Self {
        self.with = keys;
        self
    }

    /// Sets the members that its messages do not have.
    #[must_use]
    pub const fn without(mut self, keys: &'static [&'static str]) -> Self {
        self.without = keys;
        self
    }

    /// Returns true if the agent sent a message to the registered line of another agent.
    pub fn identifies(&self, line: &str, message: &Object) -> bool {
        let has_marks = !self.with.is_empty() || !self.without.is_empty();
        has_marks
            && self.of.contains(&line)
            && self.with.iter().all(|key| message.has(key))
            && !self.without.iter().any(|key| message.has(key))
    }
}

/// A field by which the message of another agent is recognised.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ForeignField {
    /// The id of the other agent.
    pub agent: &'static str,
    /// The top-level key that only this agent sends.
    pub key: &'static str,
    /// The events on which the key is specific to this agent; empty: all.
    pub events: &'static [&'static str],
    /// The ids of further agents that send the key.
    pub also: &'static [&'static str],
    /// The key that this agent does not send on these events, while others send both; absent: the first key is enough.
    pub without: Option<&'static str>,
}

impl ForeignField {
    /// Recognises an agent by a key on every event.
    pub const fn new(agent: &'static str, key: &'static str) -> Self {
        Self { agent, key, events: &[], also: &[], without: None }
    }

    /// Restricts the key to messages without another key.
    #[must_use]
    pub const fn without(mut self, key: &'static str) -> Self {
        self.without = Some(key);
        self
    }

    /// Restricts the key to some events.
    #[must_use]
    pub const fn on(mut self, events: &'static [&'static str]) -> Self {
        self.events = events;
        self
    }

    /// Names further agents that send the key.
    #[must_use]
    pub const fn also(mut self, agents: &'static [&'static str]) -> Self {
        self.also = agents;
        self
    }

    /// Returns true if the agent with this id sends the key.
    pub fn is_sent_by(&self, id: &str) -> bool {
        self.agent == id || self.also.contains(&id)
    }
}

//! What reaches an adapter: the message, the registered line, and what one connection knows.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::Raw;
use crate::raw::{JsonFault, Object};

/// Holds one message with everything an adapter may know about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Native {
    /// The message.
    pub body: Raw,
    /// What the registered command line says.
    pub line: Line,
    /// What the connection knows; empty for agents with one process a call.
    pub connection: Arc<Connection>,
    /// The message split, once for all who look into it; absent: it is no JSON object.
    object: Option<Arc<Object>>,
}

impl Native {
    /// Takes a message as text. That it is no JSON shows when an adapter looks into it.
    pub fn new(body: impl Into<String>) -> Self {
        let body = Raw::document(body);
        let object = if body.is_empty() { None } else { body.object().ok().map(Arc::new) };
        let body = object.as_ref().map_or(body, |object| object.raw().clone());
        Self { body, line: Line::default(), connection: Arc::default(), object }
    }

    /// The members of the message.
    ///
    /// # Errors
    /// The message is no JSON object.
    pub fn object(&self) -> Result<Arc<Object>, JsonFault> {
        match &self.object {
            Some(object) if std::ptr::eq(object.raw().as_str(), self.body.as_str()) => Ok(Arc::clone(object)),
            _ => self.body.object().map(Arc::new),
        }
    }

    /// Adds what the registered line says.
    #[must_use]
    pub fn line(mut self, line: Line) -> Self {
        self.line = line;
        self
    }

    /// Lends what the connection knows.
    #[must_use]
    pub fn connection(mut self, connection: Arc<Connection>) -> Self {
        self.connection = connection;
        self
    }
}

/// Holds the facts that the registered command line and its process add to a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The event it is registered for, so that an unreadable message can still be refused in that
    /// event's form; absent: registered for several.
    pub event: Option<String>,
    /// What stands behind it.
    pub role: Role,
    /// The folder of the session, as the process that serves the line knows it; absent: it does not.
    pub folder: Option<String>,
    /// The working directory of that process, where it is another one and the agent's tools may use either.
    pub process: Option<String>,
}

impl Line {
    /// Says which event the line is registered for.
    #[must_use]
    pub fn event(mut self, event: impl Into<String>) -> Self {
        self.event = Some(event.into());
        self
    }

    /// Says what stands behind the line.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Names the folder of the session.
    #[must_use]
    pub fn folder(mut self, folder: Option<String>) -> Self {
        self.folder = folder;
        self
    }

    /// Names the working directory of the process, where that is not the folder of the session.
    #[must_use]
    pub fn process(mut self, folder: Option<String>) -> Self {
        self.process = folder;
        self
    }
}

/// Says which of several gates of one call a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(clippy::exhaustive_enums, reason = "the roles are flags of the command line")]
pub enum Role {
    /// The only gate, as far as the line was told.
    #[default]
    Alone,
    /// A second gate of ours stands behind it and asks.
    Guarded,
    /// It stands in a lane that runs before approval and obeys nothing but a denial.
    Preempt,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Alone, Self::Guarded, Self::Preempt];
}

/// Holds what one connection of a long-lived agent knows. Kept by whoever serves it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The modes that the agent named in its greeting; absent: no greeting, or none named.
    pub modes: Option<Vec<String>>,
    /// Calls that were answered in the tool's place, by the adapter's own key, with the text given.
    pub answered: IndexMap<String, String>,
}

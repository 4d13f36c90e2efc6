//! The input of an adapter: the message, the registered command line, and the state of the connection.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::Raw;
use crate::raw::{JsonFault, Object};

/// One message with everything else that an adapter may use.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Native {
    /// The message.
    pub body: Raw,
    /// The facts that the registered command line adds.
    pub line: RegisteredLine,
    /// The state of the connection; empty for agents with one process per call.
    pub connection: Arc<Connection>,
    /// The members of the message, parsed once; absent: the message is not a JSON object.
    object: Option<Arc<Object>>,
}

impl Native {
    /// Creates the input from a message. An adapter reports a message that is not valid JSON when it reads the members.
    pub fn new(body: impl Into<String>) -> Self {
        let body = Raw::document(body);
        let object = if body.is_empty() { None } else { body.object().ok().map(Arc::new) };
        let body = object.as_ref().map_or(body, |object| object.raw().clone());
        Self { body, line: RegisteredLine::default(), connection: Arc::default(), object }
    }

    /// Returns the members of the message.
    ///
    /// # Errors
    /// The message is not a JSON object.
    pub fn object(&self) -> Result<Arc<Object>, JsonFault> {
        match &self.object {
            Some(object) if std::ptr::eq(object.raw().as_str(), self.body.as_str()) => Ok(Arc::clone(object)),
            _ => self.body.object().map(Arc::new),
        }
    }

    /// Sets the facts that the registered command line adds.
    #[must_use]
    pub fn line(mut self, line: RegisteredLine) -> Self {
        self.line = line;
        self
    }

    /// Sets the state of the connection.
    #[must_use]
    pub fn connection(mut self, connection: Arc<Connection>) -> Self {
        self.connection = connection;
        self
    }
}

/// The facts that the registered command line and its process add to a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisteredLine {
    /// The event for which the line is registered, so that an invalid message is refused in the form of that event;
    /// absent: several events.
    pub event: Option<String>,
    /// The position of the line among the gates of one call.
    pub role: Role,
    /// The session folder, determined by the process that serves the line; absent: not known.
    pub folder: Option<String>,
    /// The working directory of the process, if it differs from the session folder and the agent's tools may use
    /// either.
    pub process: Option<String>,
}

impl RegisteredLine {
    /// Sets the event for which the line is registered.
    #[must_use]
    pub fn event(mut self, event: impl Into<String>) -> Self {
        self.event = Some(event.into());
        self
    }

    /// Sets the position among the gates of one call.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Sets the session folder.
    #[must_use]
    pub fn folder(mut self, folder: Option<String>) -> Self {
        self.folder = folder;
        self
    }

    /// Sets the working directory of the process, if it differs from the session folder.
    #[must_use]
    pub fn process(mut self, folder: Option<String>) -> Self {
        self.process = folder;
        self
    }
}

/// How a registered command line takes part in deciding a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(clippy::exhaustive_enums, reason = "the roles are flags of the command line")]
pub enum Role {
    /// The line is the only gate, or the command line does not state its position.
    #[default]
    Alone,
    /// A second gate of snaphook runs later for the same call and asks the user.
    Guarded,
    /// The line runs before approval, where the agent obeys nothing but a denial.
    Preempt,
    /// The line is registered with a version of the agent that asks, which its messages do not show.
    Asks,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Alone, Self::Guarded, Self::Preempt, Self::Asks];

    /// The option of `snaphook hook` for this role. Absent for [`Role::Alone`], which needs none.
    pub fn flag(self) -> Option<&'static str> {
        match self {
            Self::Alone => None,
            Self::Guarded => Some("--guarded"),
            Self::Preempt => Some("--preempt"),
            Self::Asks => Some("--asks"),
        }
    }

    /// The name of the role: its option without the dashes, or `alone`.
    pub fn name(self) -> &'static str {
        self.flag().map_or("alone", |flag| flag.trim_start_matches('-'))
    }

    /// The role with this name. Absent: there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The role for which the words of a registered command line have the option.
    pub fn stated_by(words: &[String]) -> Self {
        let is_stated = |role: &Self| role.flag().is_some_and(|flag| words.iter().any(|word| word == flag));
        Self::ALL.into_iter().find(is_stated).unwrap_or_default()
    }
}

/// The state of one connection of a long-lived agent. The server of the connection keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The modes that the agent named in its handshake; absent: there was no handshake, or it named none.
    pub modes: Option<Vec<String>>,
    /// The text of each response to a call, by the adapter's own key of the call.
    pub answered: IndexMap<String, String>,
}

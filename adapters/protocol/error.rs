//! Errors of parsing a message.

use crate::raw::{Ambiguous, JsonFault};

/// The reason why a message could not be parsed, with the agent, the event and the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The message is not a JSON object.
    #[error("{agent}: the message is not a JSON object: {fault}")]
    NotJson {
        /// The agent.
        agent: &'static str,
        /// The error in the JSON text.
        fault: JsonFault,
    },
    /// A field that determines the effect of the event is missing, has the wrong type, or is ambiguous.
    #[error("{agent}: {event}`{field}` {problem}")]
    Field {
        /// The agent.
        agent: &'static str,
        /// The event and a colon; empty if the event is not known yet.
        event: String,
        /// The path of the field, separated by dots.
        field: String,
        /// The error in the field.
        problem: Problem,
    },
    /// An argument that the policy describes has another type, or is ambiguous.
    #[error("{agent}: `{pointer}` of the tool {tool} {problem}; {place} describes the argument")]
    Described {
        /// The agent.
        agent: &'static str,
        /// The tool.
        tool: String,
        /// The JSON pointer to the argument.
        pointer: String,
        /// The error in the argument.
        problem: Problem,
        /// The place of the description.
        place: String,
    },
    /// Another agent sent the message.
    #[error(
        "{agent}: the message comes from {other} (it has the field `{field}`): register `snaphook hook {other}` with that agent"
    )]
    ForeignSender {
        /// The agent on the registered command line.
        agent: &'static str,
        /// The agent that sent the message.
        other: &'static str,
        /// The field by which the other agent was recognised.
        field: &'static str,
    },
    /// The message calls a method that is not part of the protocol.
    #[error("{agent}: unknown method `{method}`")]
    Method {
        /// The agent.
        agent: &'static str,
        /// The method.
        method: String,
    },
    /// A protocol version or a word that this version of the adapter does not know (V6).
    #[error("{agent}: {event}`{field}` has the unknown value {value}; this version of snaphook does not support it")]
    Unknown {
        /// The agent.
        agent: &'static str,
        /// The event and a colon.
        event: String,
        /// The field.
        field: String,
        /// The value of the field.
        value: String,
    },
}

impl ParseError {
    /// Returns the class of the error in the policy's `[failure]` table.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } => Fault::Unknown,
            _ => Fault::Input,
        }
    }
}

/// The class of an error, by who can correct it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The message is invalid.
    Input,
    /// The message is newer than this program.
    Unknown,
}

/// The error in one field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The field is missing.
    #[error("is missing")]
    Missing,
    /// The field is present and blank, which agents treat as absent.
    #[error("is blank")]
    Blank,
    /// The field has another type than the one named here.
    #[error("is not {0}")]
    NotA(&'static str),
    /// The field is `null`, and the tool may use the value of an earlier member of the same name.
    #[error(
        "is null, which may hide another value; expected a string (\".\" for the current folder) or no such argument"
    )]
    Null,
    /// The field is given twice with different values, or with keys that differ only in case (J6).
    #[error("is ambiguous: it occurs twice with different values, or with keys that differ only in case")]
    Ambiguous,
    /// The field contains a NUL character, where some programs end the text and others do not (J5).
    #[error("contains a NUL character")]
    Nul,
    /// The field is not valid JSON.
    #[error("is not valid JSON: {0}")]
    Json(JsonFault),
}

impl From<Ambiguous> for Problem {
    fn from(_: Ambiguous) -> Self {
        Self::Ambiguous
    }
}

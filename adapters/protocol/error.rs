//! Why a message was not understood.

use crate::raw::{Ambiguous, JsonFault};

/// Says why a message was not understood: whose it is, which event, which field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The message is not one JSON object.
    #[error("{agent}: the message is not a JSON object: {fault}")]
    NotJson {
        /// The agent.
        agent: &'static str,
        /// What is wrong with it.
        fault: JsonFault,
    },
    /// A field that decides what would happen is missing, of another type, or means two things.
    #[error("{agent}: {event}`{field}` {problem}")]
    Field {
        /// The agent.
        agent: &'static str,
        /// The event and a colon, or nothing where it is not known yet.
        event: String,
        /// The field, with dots between levels.
        field: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The message is clearly another agent's.
    #[error("{agent}: this is a message of {other} (it has `{field}`): register `snaphook hook {other}` there")]
    Stranger {
        /// The agent that was named on the line.
        agent: &'static str,
        /// The agent that sent it.
        other: &'static str,
        /// The field that shows it.
        field: &'static str,
    },
    /// A call of a method that this protocol does not have.
    #[error("{agent}: no such method: `{method}`")]
    Method {
        /// The agent.
        agent: &'static str,
        /// The method.
        method: String,
    },
    /// A protocol version or word that the adapter does not know (V6).
    #[error("{agent}: {event}`{field}` says {value}, which this version of snaphook does not know")]
    Unknown {
        /// The agent.
        agent: &'static str,
        /// The event and a colon.
        event: String,
        /// The field.
        field: String,
        /// Its value.
        value: String,
    },
}

impl ParseError {
    /// Which class of the policy's `[failure]` table this falls under.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } => Fault::Unknown,
            _ => Fault::Input,
        }
    }
}

/// Sorts faults by who has to mend them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The message cannot be understood.
    Input,
    /// It is newer than this program.
    Unknown,
}

/// Says what is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is not there.
    #[error("is missing")]
    Missing,
    /// It is there, and nothing is in it; agents take that as absent.
    #[error("is blank")]
    Blank,
    /// It is of another type.
    #[error("is not {0}")]
    NotA(&'static str),
    /// It is `null`, and the tool may have the value of an earlier member of the same name.
    #[error("is null, which may hide another value: give a text (\".\" for the current folder) or leave it out")]
    Null,
    /// It means two things (J6).
    #[error("is ambiguous: given twice with different values, or beside a twin in other letters")]
    Ambiguous,
    /// It has a NUL character, which ends the text for some programs and not for others (J5).
    #[error("has a NUL character")]
    Nul,
    /// It is not JSON.
    #[error("cannot be read: {0}")]
    Json(JsonFault),
}

impl From<Ambiguous> for Problem {
    fn from(_: Ambiguous) -> Self {
        Self::Ambiguous
    }
}

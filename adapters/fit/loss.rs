//! What was lost on the way out.

use std::fmt;

use crate::model::{Need, Target, VerdictKind};

/// Names one thing that a decision asked for and its event cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Another verdict was sent, at least as strict or with nothing to approve.
    Verdict {
        /// What was decided.
        wanted: VerdictKind,
        /// What was sent.
        sent: VerdictKind,
    },
    /// The result of the tool was replaced by the reason: the nearest thing to a block afterwards.
    Replaced {
        /// What was decided.
        wanted: VerdictKind,
    },
    /// Nothing can be blocked here.
    Unenforceable {
        /// What was decided.
        wanted: VerdictKind,
    },
    /// A change was not made.
    Change {
        /// Of what.
        target: Target,
        /// Whether the decision depended on it.
        need: Need,
        /// Why not.
        why: &'static str,
        /// Whether the event was blocked in its stead.
        blocked: bool,
    },
    /// The answer would have been longer than the agent reads.
    TooLong {
        /// The agent's limit in bytes.
        max: usize,
    },
    /// Text for the model was not sent.
    Context,
    /// Text for the user was not sent.
    Notice,
    /// The summary was not sent.
    Summary,
    /// Of a response only the text was sent.
    ResponseDetails,
    /// A native member was not sent: this event does not list it, the agent does not take it beside
    /// the rest of the answer, or its value is not one the agent takes.
    Extra {
        /// The member.
        key: String,
    },
}

impl Loss {
    /// Whether the answer is weaker than the decision; never so on an event that gates something.
    pub fn weakens(&self) -> bool {
        match self {
            Self::Unenforceable { wanted } => wanted.blocks() || *wanted == VerdictKind::Ask,
            Self::Change { need, blocked, .. } => *need == Need::Required && !blocked,
            _ => false,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict { wanted, sent } => write!(f, "{} became {}", wanted.word(), sent.word()),
            Self::Replaced { wanted } => write!(f, "{} replaced the result by its reason", wanted.word()),
            Self::Unenforceable { wanted } => write!(f, "{} cannot be enforced on this event", wanted.word()),
            Self::Change { target, need, why, blocked } => {
                let need = match need {
                    Need::Required => "required",
                    Need::Optional => "optional",
                };
                write!(f, "{need} change of the {} not made: {why}", target.word())?;
                f.write_str(if *blocked { "; blocked instead" } else { "" })
            }
            Self::TooLong { max } => write!(f, "the answer would be longer than the {max} bytes the agent reads"),
            Self::Context => f.write_str("context not sent"),
            Self::Notice => f.write_str("notice not sent"),
            Self::Summary => f.write_str("summary not sent"),
            Self::ResponseDetails => f.write_str("of the response only its text was sent"),
            Self::Extra { key } => write!(f, "native member `{key}` not sent"),
        }
    }
}

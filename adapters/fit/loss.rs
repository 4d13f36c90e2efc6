//! The parts of a decision that its event cannot express.

use std::fmt;

use crate::model::{Need, Target, VerdictKind};

/// A part of a decision that its event cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Another verdict was sent, which is at least as strict or approves nothing.
    Verdict {
        /// The verdict of the decision.
        wanted: VerdictKind,
        /// The verdict that was sent.
        sent: VerdictKind,
    },
    /// The result of the tool was replaced by the reason. After a call, this is the closest form of a block.
    Replaced {
        /// The verdict of the decision.
        wanted: VerdictKind,
    },
    /// The event cannot block.
    Unenforceable {
        /// The verdict of the decision.
        wanted: VerdictKind,
    },
    /// A change was not made.
    Change {
        /// The target of the change.
        target: Target,
        /// The importance of the change for the verdict.
        need: Need,
        /// The reason why the change was not made.
        why: &'static str,
        /// True if the event was blocked instead.
        blocked: bool,
    },
    /// The reply would exceed the length that the agent reads.
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
    /// Only the text of a response was sent.
    ResponseDetails,
    /// A native member was not sent: the event does not list it, the agent does not accept it together with the rest of
    /// the reply, or the agent does not accept its value.
    Extra {
        /// The key of the member.
        key: String,
    },
}

impl Loss {
    /// Returns true if the reply is weaker than the decision, which is never the case on a gate.
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
            Self::TooLong { max } => write!(f, "the reply would exceed the {max} bytes that the agent reads"),
            Self::Context => f.write_str("context not sent"),
            Self::Notice => f.write_str("notice not sent"),
            Self::Summary => f.write_str("summary not sent"),
            Self::ResponseDetails => f.write_str("only the text of the response was sent"),
            Self::Extra { key } => write!(f, "native member `{key}` not sent"),
        }
    }
}

//! The vocabulary of the data files: effects, parts of a reply, evidence marks.

use serde::{Deserialize, Serialize};
use snaphook_adapters::model::Target;

/// The behaviour of an agent after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// The agent's own permission rules decide.
    Flow,
    /// The agent continues without asking the user.
    Approves,
    /// The agent asks the user.
    Asks,
    /// The operation does not happen; the turn continues.
    Blocks,
    /// The operation does not happen; the text of the reply replaces its result.
    Responds,
    /// The operation does not happen, and the turn ends.
    Stops,
    /// The operation does not happen; the turn ends and is undone.
    StopsHard,
    /// The operation happens, and then the turn ends.
    RunsThenStops,
    /// The agent continues to work at the end of a turn.
    Continues,
    /// The agent does not start.
    RefusesStart,
    /// No rule or case describes the reply.
    Unmeasured,
}

impl Effect {
    /// Returns true if the operation does not happen and the user cannot allow it.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Blocks | Self::Responds | Self::Stops | Self::StopsHard | Self::RefusesStart)
    }

    /// Returns true if the operation happens unless another hook or the user objects.
    pub fn runs(self) -> bool {
        !self.blocks() && self != Self::Asks
    }

    /// Returns the word of the data files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Approves => "approves",
            Self::Asks => "asks",
            Self::Blocks => "blocks",
            Self::Responds => "responds",
            Self::Stops => "stops",
            Self::StopsHard => "stops_hard",
            Self::RunsThenStops => "runs_then_stops",
            Self::Continues => "continues",
            Self::RefusesStart => "refuses_start",
            Self::Unmeasured => "unmeasured",
        }
    }
}

/// A part of a reply that an agent uses in addition to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnswerPart {
    /// A new value.
    Change(Target),
    /// The name of the tool that gets the new arguments, if it is not the one that was called.
    Tool,
    /// Text for the model.
    Context,
    /// Text for the user.
    Notice,
    /// The summary of a shortened conversation.
    Summary,
    /// The reason given with the verdict.
    Reason,
}

impl AnswerPart {
    /// Returns the word of the data files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Change(target) => target.word(),
            Self::Tool => "tool",
            Self::Context => "context",
            Self::Notice => "notice",
            Self::Summary => "summary",
            Self::Reason => "reason",
        }
    }

    /// Returns true if the part can take effect together with an effect: an operation that does not happen is not
    /// changed, and a reason belongs to a verdict.
    pub(crate) fn goes_with(self, effect: Effect) -> bool {
        match self {
            Self::Change(Target::Result) | Self::Context | Self::Notice => true,
            Self::Change(_) | Self::Tool | Self::Summary => !effect.blocks(),
            Self::Reason => !matches!(effect, Effect::Flow | Effect::Approves),
        }
    }
}

impl TryFrom<String> for AnswerPart {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let texts = [Self::Tool, Self::Context, Self::Notice, Self::Summary, Self::Reason];
        let mut parts = Target::ALL.into_iter().map(Self::Change).chain(texts);
        parts.find(|part| part.word() == word).ok_or_else(|| {
            format!(
                "invalid part `{word}`; expected a target such as `input`, or tool, context, notice, summary or reason"
            )
        })
    }
}

/// The evidence for a fact about an agent, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(clippy::exhaustive_enums, reason = "the marks of the protocol pages")]
pub enum Mark {
    /// The whole program was run.
    #[serde(rename = "prog")]
    Prog,
    /// Its hook code was run.
    #[serde(rename = "run")]
    Run,
    /// A transcription of its hook code was run.
    #[serde(rename = "run-t")]
    RunT,
    /// Its source was read.
    #[serde(rename = "src")]
    Src,
    /// Its documentation says so.
    #[serde(rename = "doc")]
    Doc,
    /// There is none.
    #[serde(rename = "guess")]
    Guess,
}

impl Mark {
    /// Returns true if the behaviour was seen, and not only read or guessed.
    pub fn is_measured(self) -> bool {
        matches!(self, Self::Prog | Self::Run | Self::RunT)
    }

    /// Describes the evidence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Prog => "measured",
            Self::Run => "measured in its hook code",
            Self::RunT => "measured in a transcription of its hook code",
            Self::Src => "read in its source",
            Self::Doc => "read in its documentation",
            Self::Guess => "not known",
        }
    }
}

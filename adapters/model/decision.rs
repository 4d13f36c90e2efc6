//! What policy says about an event, before it is lowered to what the event can express.

use crate::Raw;

/// Holds what was decided about one event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// May it happen?
    pub verdict: Verdict,
    /// With what changed; rides on pass, allow and ask only. At most one for each target.
    pub changes: Vec<Change>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the user.
    pub notice: Option<String>,
    /// The summary to use in place of the agent's own, when a conversation is shortened.
    pub summary: Option<String>,
    /// Native members of this agent's answer; only those that the event's row lists are sent.
    pub extra: Vec<(String, Raw)>,
}

impl Decision {
    /// Has no opinion.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Approves.
    pub fn allow() -> Self {
        Verdict::Allow { reason: String::new() }.into()
    }

    /// Wants the person asked.
    pub fn ask(reason: impl Into<String>) -> Self {
        Verdict::Ask { reason: reason.into() }.into()
    }

    /// Refuses.
    pub fn deny(reason: impl Into<String>) -> Self {
        Verdict::Deny { reason: reason.into() }.into()
    }

    /// Answers in the tool's place.
    pub fn respond(response: Response) -> Self {
        Verdict::Respond(response).into()
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Adds text for the model.
    #[must_use]
    pub fn context(mut self, text: impl Into<String>) -> Self {
        self.context = Some(text.into());
        self
    }

    /// Adds text for the user.
    #[must_use]
    pub fn notice(mut self, text: impl Into<String>) -> Self {
        self.notice = Some(text.into());
        self
    }

    /// Sets the summary.
    #[must_use]
    pub fn summary(mut self, text: impl Into<String>) -> Self {
        self.summary = Some(text.into());
        self
    }

    /// Adds a native member.
    #[must_use]
    pub fn extra(mut self, key: impl Into<String>, value: Raw) -> Self {
        self.extra.push((key.into(), value));
        self
    }
}

impl From<Verdict> for Decision {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, ..Self::default() }
    }
}

/// Says whether something may happen. Sharp distinctions: `Pass` has no opinion, so the agent's
/// own rules decide; `Allow` skips them, and is therefore weaker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the vocabulary is closed: a new verdict must be handled everywhere")]
pub enum Verdict {
    /// No opinion.
    #[default]
    Pass,
    /// Approve, without asking the person.
    Allow {
        /// Why; may be empty.
        reason: String,
    },
    /// The person decides.
    Ask {
        /// Why.
        reason: String,
    },
    /// It does not happen; the turn goes on.
    Deny {
        /// Why.
        reason: String,
    },
    /// It does not happen; this is the result in its place.
    Respond(Response),
    /// It does not happen and the turn ends.
    Abort {
        /// Why.
        reason: String,
    },
    /// It does not happen, the turn ends and is undone where the agent can.
    HardAbort {
        /// Why.
        reason: String,
    },
    /// Turn-end events only: the agent goes on working.
    KeepGoing {
        /// What is left to do.
        reason: String,
    },
}

impl Verdict {
    /// The verdict without its text.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Self::Pass => VerdictKind::Pass,
            Self::Allow { .. } => VerdictKind::Allow,
            Self::Ask { .. } => VerdictKind::Ask,
            Self::Deny { .. } => VerdictKind::Deny,
            Self::Respond(_) => VerdictKind::Respond,
            Self::Abort { .. } => VerdictKind::Abort,
            Self::HardAbort { .. } => VerdictKind::HardAbort,
            Self::KeepGoing { .. } => VerdictKind::KeepGoing,
        }
    }

    /// The text that goes with it; empty where there is none.
    pub fn reason(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Allow { reason }
            | Self::Ask { reason }
            | Self::Deny { reason }
            | Self::Abort { reason }
            | Self::HardAbort { reason }
            | Self::KeepGoing { reason } => reason,
            Self::Respond(response) => &response.text,
        }
    }
}

/// Names a verdict without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "follows Verdict")]
#[expect(missing_docs, reason = "described at Verdict")]
pub enum VerdictKind {
    Pass,
    Allow,
    Ask,
    Deny,
    Respond,
    Abort,
    HardAbort,
    KeepGoing,
}

impl VerdictKind {
    /// Every verdict, in the order of the documentation.
    pub const ALL: [Self; 8] =
        [Self::Pass, Self::Allow, Self::Ask, Self::Deny, Self::Respond, Self::Abort, Self::HardAbort, Self::KeepGoing];

    /// The word used in documentation, policies and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Respond => "respond",
            Self::Abort => "abort",
            Self::HardAbort => "hard abort",
            Self::KeepGoing => "keep going",
        }
    }

    /// Whether the thing judged must not happen.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Deny | Self::Respond | Self::Abort | Self::HardAbort)
    }
}

/// Holds the text that stands in for a tool's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Response {
    /// What the model gets.
    pub text: String,
    /// What the user gets; absent: nothing of their own.
    pub for_user: Option<String>,
    /// Whether the user is shown nothing at all.
    pub silent: bool,
    /// Whether the model is told that the tool failed.
    pub is_error: bool,
    /// References to media in the agent's own store.
    pub media: Vec<String>,
    /// Whether the answer to the user is thereby given.
    pub handled: bool,
}

impl Response {
    /// Holds text for the model.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Sets what the user gets.
    #[must_use]
    pub fn for_user(mut self, text: impl Into<String>) -> Self {
        self.for_user = Some(text.into());
        self
    }

    /// Shows the user nothing.
    #[must_use]
    pub fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    /// Tells the model that the tool failed.
    #[must_use]
    pub fn error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Adds a reference into the agent's media store.
    #[must_use]
    pub fn media(mut self, reference: impl Into<String>) -> Self {
        self.media.push(reference.into());
        self
    }

    /// Says that the user has thereby been answered.
    #[must_use]
    pub fn handled(mut self) -> Self {
        self.handled = true;
        self
    }
}

/// Holds one change of what the event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// What changes.
    pub target: Target,
    /// The whole new value in the agent's own shape; for [`Target::Request`] an object of the
    /// members to set; for [`Target::Prompt`] a string.
    pub value: Raw,
    /// Whether the verdict holds without it.
    pub need: Need,
    /// What the person is told to do where a required change is not possible, for the reason of the
    /// block; absent: nothing.
    pub remedy: Option<String>,
}

impl Change {
    /// Makes a change that the verdict depends on, such as a sandbox around a command.
    pub fn required(target: Target, value: Raw) -> Self {
        Self { target, value, need: Need::Required, remedy: None }
    }

    /// Makes a change that may be dropped where the agent cannot express it.
    pub fn optional(target: Target, value: Raw) -> Self {
        Self { target, value, need: Need::Optional, remedy: None }
    }

    /// Says what to do where the change is not possible.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Names what a change replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Target {
    /// A tool's arguments.
    Input,
    /// A tool's result, or the model's answer.
    Result,
    /// What the user said.
    Prompt,
    /// The messages sent to the model.
    Messages,
    /// Other members of the request to the model, never its messages: each change is said one way.
    Request,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 5] = [Self::Input, Self::Result, Self::Prompt, Self::Messages, Self::Request];

    /// The word used in documentation and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Result => "result",
            Self::Prompt => "prompt",
            Self::Messages => "messages",
            Self::Request => "request",
        }
    }
}

/// Says whether the verdict holds without a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a change is needed or it is not")]
pub enum Need {
    /// It does not: without the change the call must not run (V3).
    Required,
    /// It does: the change may be dropped, with a loss.
    Optional,
}

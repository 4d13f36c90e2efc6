//! The decision about an event, before it is lowered to the powers of the event.

use super::ToolCall;
use crate::Raw;

/// The decision about one event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The changes, at most one for each target. They are sent only with pass, allow and ask.
    pub changes: Vec<Change>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the user.
    pub notice: Option<String>,
    /// The summary that replaces the agent's own when a conversation is compacted.
    pub summary: Option<String>,
    /// Native members of this agent's reply; only those that the event's row lists are sent.
    pub extra: Vec<(String, Raw)>,
}

impl Decision {
    /// Expresses no opinion.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Approves.
    pub fn allow() -> Self {
        Verdict::Allow { reason: String::new() }.into()
    }

    /// Asks the user.
    pub fn ask(reason: impl Into<String>) -> Self {
        Verdict::Ask { reason: reason.into() }.into()
    }

    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Verdict::Deny { reason: reason.into() }.into()
    }

    /// Responds in place of the tool.
    pub fn respond(response: Response) -> Self {
        Verdict::Respond(response).into()
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Sets the text for the model.
    #[must_use]
    pub fn context(mut self, text: impl Into<String>) -> Self {
        self.context = Some(text.into());
        self
    }

    /// Sets the text for the user.
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

/// The judgement of an event. `Pass` and `Allow` differ: with `Pass` the agent's own rules decide; `Allow` skips them,
/// so it is the weaker verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the vocabulary is closed: a new verdict must be handled everywhere")]
pub enum Verdict {
    /// No opinion.
    #[default]
    Pass,
    /// Approve without asking the user.
    Allow {
        /// The reason; may be empty.
        reason: String,
    },
    /// The user decides.
    Ask {
        /// The reason.
        reason: String,
    },
    /// Block; the turn continues.
    Deny {
        /// The reason.
        reason: String,
    },
    /// Block; this response replaces the result.
    Respond(Response),
    /// Block and end the turn.
    Abort {
        /// The reason.
        reason: String,
    },
    /// Block, end the turn, and undo the turn if the agent supports it.
    HardAbort {
        /// The reason.
        reason: String,
    },
    /// Make the agent continue; only for events at the end of a turn.
    KeepGoing {
        /// The remaining work.
        reason: String,
    },
}

impl Verdict {
    /// Returns the verdict without its text.
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

    /// Returns the text of the verdict; empty if the verdict has none.
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

/// A verdict without its text.
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

    /// Returns the name in documentation, policies and messages.
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

    /// Returns true if the verdict blocks.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Deny | Self::Respond | Self::Abort | Self::HardAbort)
    }
}

/// The text that replaces the work of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Response {
    /// The text for the model.
    pub text: String,
    /// The text for the user; absent: no separate text.
    pub for_user: Option<String>,
    /// True if nothing is shown to the user.
    pub silent: bool,
    /// True if the model is told that the tool failed.
    pub is_error: bool,
    /// References to media in the agent's own store.
    pub media: Vec<String>,
    /// Tags for the model that name local files which belong to the response.
    pub artifact_tags: Vec<String>,
    /// True if the user has already received the answer by this response.
    pub handled: bool,
}

impl Response {
    /// Creates a response with text for the model.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Sets the text for the user.
    #[must_use]
    pub fn for_user(mut self, text: impl Into<String>) -> Self {
        self.for_user = Some(text.into());
        self
    }

    /// Shows nothing to the user.
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

    /// Adds a reference to the agent's media store.
    #[must_use]
    pub fn media(mut self, reference: impl Into<String>) -> Self {
        self.media.push(reference.into());
        self
    }

    /// Adds a tag for the model that names a local file which belongs to the response.
    #[must_use]
    pub fn artifact_tag(mut self, tag: impl Into<String>) -> Self {
        self.artifact_tags.push(tag.into());
        self
    }

    /// States that the user has received the answer by this response.
    #[must_use]
    pub fn handled(mut self) -> Self {
        self.handled = true;
        self
    }
}

/// One change of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The part that changes.
    pub target: Target,
    /// The complete new value in the agent's own form. For [`Target::Request`] it is an object of the members to set;
    /// for [`Target::Prompt`] a string.
    pub value: Raw,
    /// With [`Target::Input`], the tool that gets the new arguments in place of the one that was called, by the agent's own
    /// name for it; absent: the tool that was called.
    pub tool: Option<String>,
    /// The importance of the change for the verdict.
    pub need: Need,
    /// An instruction for the user, added to the reason of the block if a required change is not possible; absent:
    /// none.
    pub remedy: Option<String>,
}

impl Change {
    /// Creates a change that the verdict depends on, such as the sandbox of a command.
    pub fn required(target: Target, value: Raw) -> Self {
        Self { target, value, tool: None, need: Need::Required, remedy: None }
    }

    /// Creates a change that may be dropped if the agent cannot express it.
    pub fn optional(target: Target, value: Raw) -> Self {
        Self { target, value, tool: None, need: Need::Optional, remedy: None }
    }

    /// Names another tool for the new arguments.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Returns the tool of the change, if it is not the one that was called.
    pub fn other_tool(&self, call: &ToolCall) -> Option<&str> {
        self.tool.as_deref().filter(|tool| *tool != call.name)
    }

    /// Sets the instruction for the case that the change is not possible.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// The part of an event that a change replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Target {
    /// The arguments of a tool.
    Input,
    /// The result of a tool, or the model's answer.
    Result,
    /// The user's prompt.
    Prompt,
    /// The messages sent to the model.
    Messages,
    /// Other members of the request to the model, never its messages, so that each change has one form.
    Request,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 5] = [Self::Input, Self::Result, Self::Prompt, Self::Messages, Self::Request];

    /// Returns the name in documentation and messages.
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

/// The importance of a change for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a change is required or optional")]
pub enum Need {
    /// Without the change the call must not run (V3).
    Required,
    /// The change may be dropped, which is a loss.
    Optional,
}

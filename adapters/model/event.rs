//! What an agent reports.

use super::ToolCall;
use crate::Raw;
use crate::protocol::{Agent, EventRow};
use crate::raw::{Text, json_string};

/// Sorts the events of all agents by what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user says something.
    Prompt,
    /// The model is about to be called.
    PreModel,
    /// The model has answered.
    PostModel,
    /// A tool is about to run.
    PreTool,
    /// The agent asks whether a tool may run.
    Permission,
    /// A tool has run, or failed.
    PostTool,
    /// A piece of a running tool's output.
    ToolOutput,
    /// The agent wants to end its turn.
    TurnEnd,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent wants to end.
    SubagentEnd,
    /// The conversation is about to be shortened.
    PreCompact,
    /// The conversation was shortened.
    PostCompact,
    /// The agent tells the user something.
    Notification,
    /// Something failed in the agent.
    Error,
    /// The agent prepares a workplace.
    Setup,
    /// Somebody asks for an answer, such as an MCP server.
    Question,
    /// Anything else, and every event we do not know.
    Observed,
}

impl EventKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 19] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::Prompt,
        Self::PreModel,
        Self::PostModel,
        Self::PreTool,
        Self::Permission,
        Self::PostTool,
        Self::ToolOutput,
        Self::TurnEnd,
        Self::SubagentStart,
        Self::SubagentEnd,
        Self::PreCompact,
        Self::PostCompact,
        Self::Notification,
        Self::Error,
        Self::Setup,
        Self::Question,
        Self::Observed,
    ];

    /// Whether the agent ends something here, so that a block would mean *go on working* (V10).
    pub fn ends_turn(self) -> bool {
        matches!(self, Self::TurnEnd | Self::SubagentEnd)
    }
}

/// Holds one event: who sent it, what it means, and the message itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookEvent {
    /// The agent that sent it.
    pub agent: &'static Agent,
    /// What this event can do here: powers, failure mode, reply writer.
    pub row: &'static EventRow,
    /// The dialect that the payload shows; empty where the agent has only one.
    pub dialect: &'static str,
    /// The event's name as sent; differs from the row's for an event that the table does not know.
    pub native: String,
    /// The agent's session id; absent: not sent.
    pub session: Option<String>,
    /// The working directory that the message names, from which relative paths are meant; absent: not sent, or sent
    /// empty. With some agents the call chooses it.
    pub cwd: Option<String>,
    /// The folder in which the session was started, from which the project is looked for. Set by whoever serves the
    /// agent, as [`Agent::project_of`] has it; absent: not known.
    pub project: Option<String>,
    /// Another folder that relative paths may be meant from, which counts for deny and ask. Set as `project` is; absent:
    /// there is none.
    pub process: Option<String>,
    /// The agent's permission mode in its own word; absent: not sent.
    pub mode: Option<String>,
    /// What the kind of event brings with it.
    pub detail: Detail,
    /// The message as it was sent.
    pub raw: Raw,
    /// Whether a watched text held a lone surrogate: such a call may be judged, not rewritten (J4).
    pub lossy: bool,
}

impl HookEvent {
    /// Holds an event of a row without any detail yet.
    pub fn new(agent: &'static Agent, row: &'static EventRow, raw: Raw) -> Self {
        Self {
            agent,
            row,
            dialect: "",
            native: row.native.to_owned(),
            session: None,
            cwd: None,
            project: None,
            process: None,
            mode: None,
            detail: Detail::Other,
            raw,
            lossy: false,
        }
    }

    /// What the event means.
    pub fn kind(&self) -> EventKind {
        self.row.kind
    }

    /// The tool call that this event is about, before or after it ran.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.detail {
            Detail::Tool(call) | Detail::Answered { call, .. } | Detail::ToolDone { call, .. } => Some(call),
            _ => None,
        }
    }

    /// The result of the tool that ran.
    pub fn result(&self) -> Option<&ToolResult> {
        match &self.detail {
            Detail::ToolDone { result, .. } => Some(result),
            _ => None,
        }
    }
}

/// Holds what the kind of an event brings with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Detail {
    /// A tool call that has not run yet.
    Tool(ToolCall),
    /// A call that one of our answers already replaced, and that the agent is about to run all the
    /// same: it must not.
    Answered {
        /// The call.
        call: ToolCall,
        /// The text that was given in its place.
        text: String,
    },
    /// A tool call that ran.
    ToolDone {
        /// The call.
        call: ToolCall,
        /// What came of it.
        result: ToolResult,
    },
    /// What the user said.
    Prompt {
        /// The text; empty where the agent sent none.
        text: String,
    },
    /// A request to the model.
    Request {
        /// The object whose members are model, messages, options and so on.
        request: Raw,
    },
    /// An answer of the model.
    Response {
        /// As sent.
        response: Raw,
        /// Whether the model called tools in it.
        calls_tools: bool,
    },
    /// The end of a turn.
    TurnEnd {
        /// Whether the agent already went on once because a hook said so.
        again: bool,
    },
    /// An event whose members nobody watches.
    Other,
}

/// Holds the result of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolResult {
    /// As sent.
    pub raw: Raw,
    /// The part of it that is the text shown to the model; absent: this result has no such part.
    pub text: Option<Raw>,
    /// Whether the tool failed; absent: not sent.
    pub is_error: Option<bool>,
}

impl ToolResult {
    /// Holds a result whose text part is not known.
    pub fn new(raw: Raw) -> Self {
        Self { raw, text: None, is_error: None }
    }

    /// Says which part of the result is its text.
    #[must_use]
    pub fn text(mut self, part: Option<Raw>) -> Self {
        self.text = part.filter(|part| part.text().is_some());
        self
    }

    /// Says whether the tool failed.
    #[must_use]
    pub fn is_error(mut self, failed: Option<bool>) -> Self {
        self.is_error = failed;
        self
    }

    /// The text shown to the model.
    pub fn read(&self) -> Option<Text> {
        self.text.as_ref().and_then(Raw::text)
    }

    /// The same result with another text; `None` where it has no text part.
    pub fn with_text(&self, text: &str) -> Option<Raw> {
        self.raw.replace(self.text.as_ref()?, &json_string(text))
    }
}

/// Holds what came in: something to judge, a greeting, or a message that needs no judgement.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Incoming {
    /// An event to judge.
    Event(Box<HookEvent>),
    /// A greeting of a long-lived agent; the answer to it and what it said of itself.
    Handshake {
        /// The whole answer.
        reply: super::Reply,
        /// The modes the agent says it will use; absent: it named none.
        modes: Option<Vec<String>>,
    },
    /// A notification: recorded, never answered.
    Observed(Box<HookEvent>),
}

impl From<HookEvent> for Incoming {
    fn from(event: HookEvent) -> Self {
        Self::Event(Box::new(event))
    }
}

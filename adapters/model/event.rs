//! Events that an agent reports.

use super::ToolCall;
use crate::Raw;
use crate::protocol::{Agent, EventRow};
use crate::raw::{Text, json_string};

/// The kind of an event, common to all agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A session starts.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user sends a prompt.
    Prompt,
    /// The agent is about to call the model.
    PreModel,
    /// The model has answered.
    PostModel,
    /// A tool is about to run.
    PreTool,
    /// The agent asks for permission to run a tool.
    Permission,
    /// A tool has run or failed.
    PostTool,
    /// A running tool has produced output.
    ToolOutput,
    /// The agent is about to end its turn.
    TurnEnd,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent is about to end.
    SubagentEnd,
    /// The conversation is about to be compacted.
    PreCompact,
    /// The conversation was compacted.
    PostCompact,
    /// The agent notifies the user.
    Notification,
    /// An error occurred in the agent.
    Error,
    /// The agent prepares a workspace.
    Setup,
    /// A question needs an answer, for instance one of an MCP server.
    Question,
    /// Any other event, including every unknown one.
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

    /// Returns true if the event ends a turn, so that a block would make the agent continue (V10).
    pub fn ends_turn(self) -> bool {
        matches!(self, Self::TurnEnd | Self::SubagentEnd)
    }
}

/// One event: its sender, its meaning, and the message itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookEvent {
    /// The agent that sent the event.
    pub agent: &'static Agent,
    /// The properties of the event: powers, failure mode, reply writer.
    pub row: &'static EventRow,
    /// The dialect of the message; absent: the agent has one dialect, or the event is the same in all.
    pub dialect: Option<&'static str>,
    /// The event's name as sent; differs from the name in the row for an event that the table does not list.
    pub native: String,
    /// The agent's session id; absent: not sent.
    pub session: Option<String>,
    /// The working directory in the message, at which relative paths start; absent: not sent, or empty. With some
    /// agents the call can choose it.
    pub cwd: Option<String>,
    /// The folder in which the session was started, at which the search for the project starts; absent: not known. The
    /// server of the agent sets it from [`Agent::project_of`].
    pub project: Option<String>,
    /// Another folder at which relative paths may start, which deny and ask rules also consider; absent: none. Set like
    /// `project`.
    pub process: Option<String>,
    /// The agent's own name of the permission mode; absent: not sent.
    pub mode: Option<String>,
    /// The data that depends on the kind of the event.
    pub detail: Detail,
    /// The message as sent.
    pub raw: Raw,
    /// The object inside the message that holds the fields of the event; absent: the message itself.
    pub payload: Option<Raw>,
    /// The id of the request to which the reply belongs; absent: not sent, or not read.
    pub reply_to: Option<Raw>,
    /// True if a watched string contained a lone surrogate: such a call may be judged but not rewritten (J4).
    pub lossy: bool,
}

impl HookEvent {
    /// Creates an event of a row without further data.
    pub fn new(agent: &'static Agent, row: &'static EventRow, raw: Raw) -> Self {
        Self {
            agent,
            row,
            dialect: None,
            native: row.native.to_owned(),
            session: None,
            cwd: None,
            project: None,
            process: None,
            mode: None,
            detail: Detail::Other,
            raw,
            payload: None,
            reply_to: None,
            lossy: false,
        }
    }

    /// Returns the kind of the event.
    pub fn kind(&self) -> EventKind {
        self.row.kind
    }

    /// Returns true if the agent's table does not list the event.
    pub fn is_unknown(&self) -> bool {
        [self.agent.unknown, self.agent.unknown_call].iter().any(|row| std::ptr::eq(*row, self.row))
    }

    /// Returns the tool call of the event, before or after it ran.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.detail {
            Detail::Tool(call) | Detail::Answered { call, .. } | Detail::ToolDone { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Returns the tool call of the event to change it.
    pub fn call_mut(&mut self) -> Option<&mut ToolCall> {
        match &mut self.detail {
            Detail::Tool(call) | Detail::Answered { call, .. } | Detail::ToolDone { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Returns the result of the tool.
    pub fn result(&self) -> Option<&ToolResult> {
        match &self.detail {
            Detail::ToolDone { result, .. } => Some(result),
            _ => None,
        }
    }
}

/// The data that depends on the kind of an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Detail {
    /// A tool call that has not run yet.
    Tool(ToolCall),
    /// A call that an earlier response of snaphook already replaced and that the agent is still about to run. It must
    /// not run.
    Answered {
        /// The call.
        call: ToolCall,
        /// The text of the response.
        text: String,
    },
    /// A tool call that ran.
    ToolDone {
        /// The call.
        call: ToolCall,
        /// The result.
        result: ToolResult,
    },
    /// A prompt of the user.
    Prompt {
        /// The text; empty if the agent sent none.
        text: String,
    },
    /// A request to the model.
    Request {
        /// The object with the members model, messages, options and so on.
        request: Raw,
    },
    /// An answer of the model.
    Response {
        /// The answer as sent.
        response: Raw,
        /// True if the model called tools in the answer.
        calls_tools: bool,
    },
    /// The end of a turn.
    TurnEnd {
        /// True if a hook already made the agent continue.
        again: bool,
    },
    /// An event whose members are not watched.
    Other,
}

/// The result of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolResult {
    /// The result as sent.
    pub raw: Raw,
    /// The part of the result that is the text for the model; absent: the result has no such part.
    pub text: Option<Raw>,
    /// True if the tool failed; absent: not sent.
    pub is_error: Option<bool>,
}

impl ToolResult {
    /// Creates a result whose text part is not known.
    pub fn new(raw: Raw) -> Self {
        Self { raw, text: None, is_error: None }
    }

    /// Sets the text part of the result.
    #[must_use]
    pub fn text(mut self, part: Option<Raw>) -> Self {
        self.text = part.filter(Raw::is_string);
        self
    }

    /// Sets the failure of the tool.
    #[must_use]
    pub fn is_error(mut self, failed: Option<bool>) -> Self {
        self.is_error = failed;
        self
    }

    /// Returns the text for the model.
    pub fn read(&self) -> Option<Text> {
        self.text.as_ref().and_then(Raw::text)
    }

    /// Returns the same result with another text, or `None` if the result has no text part.
    pub fn with_text(&self, text: &str) -> Option<Raw> {
        self.raw.replace(self.text.as_ref()?, &json_string(text))
    }
}

/// A parsed message: an event to judge, a handshake, or a notification.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Incoming {
    /// An event to judge.
    Event(Box<HookEvent>),
    /// The handshake of a long-lived agent.
    Handshake {
        /// The complete reply.
        reply: super::Reply,
        /// The modes that the agent announces; absent: none.
        modes: Option<Vec<String>>,
    },
    /// A notification, which is recorded and has no reply.
    Observed(Box<HookEvent>),
}

impl From<HookEvent> for Incoming {
    fn from(event: HookEvent) -> Self {
        Self::Event(Box::new(event))
    }
}

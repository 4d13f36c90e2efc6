//! The description of an agent: a trait with one required method, and the tables that the trait reads.

mod agent;
mod arguments;
mod block;
mod body;
mod entry;
mod error;
mod fields;
mod host;
mod name_set;
mod native;
mod registration;
mod rewrite;
mod row;
mod senders;
mod session_folder;
mod slot;
mod taught;
mod tool;
mod want;
mod wrapping;

pub use agent::{Agent, McpNames, Transport};
pub use block::{Block, EntryKey};
pub use body::Body;
pub use entry::{Entry, EntryForm, FAILURE_REASON, FailureAnswer, Field};
pub use error::{Fault, ParseError, Problem};
pub use fields::{Dialect, Fields};
pub use host::Host;
pub use name_set::{ListedName, ListedNames};
pub use native::{Connection, Native, RegisteredLine, Role};
pub use registration::{
    Approval, ApprovalRecord, ConfigFile, Holds, MatcherSyntax, Moved, OffSwitch, Passes, PermissionRules, Reader,
    Registration, WireChange,
};
pub use row::{
    EventRow, Extra, Fails, HookFailure, KnownLimit, Power, ReplyContent, ReplyWriter, RowSelector, ToolOfEvent,
};
pub use senders::{ForeignField, SharedHooks};
pub use session_folder::{FolderSetting, SessionFolder};
pub use slot::{Absent, Element, Slot};
pub use taught::{DescriptionUse, TaughtArgument, TaughtTool};
pub use tool::{ActionCondition, ActionKind, Skills, ToolAction, ToolRow};
pub use want::Want;
pub use wrapping::{HostShell, Wrapping};

use crate::fit::{Fitted, Limits, fit};
use crate::model::{Change, Command, Decision, HookEvent, Incoming, Reply, Target, ToolCall};

/// Parses the messages of one agent and writes the replies.
///
/// One method is required; the defaults of the others read the agent's table. An adapter is pure: it uses no file,
/// clock, environment variable or process, and keeps no state between calls.
///
/// The trait of the same name in the crate `coding-agent-hooks` corresponds as follows:
///
/// | there | here |
/// |---|---|
/// | `agent` | [`agent`](Self::agent), which returns a table instead of a name |
/// | `parse_tool_use`, `parse_post_tool_use`, `parse_session_start`, `parse_stop` | [`parse`](Self::parse), which selects the event's row |
/// | `resolve_tool_name` | the agent's [`ToolRow`]s |
/// | `format_allow`, `format_deny`, `format_ask`, `format_session_start` | [`format`](Self::format) of a decision that [`fit`] has lowered |
/// | `rewrite_for_sandbox` | [`rewrite`](Self::rewrite) |
/// | `session_context` | [`session_context`](Self::session_context) |
pub trait HookProtocol: Send + Sync {
    /// Returns the description of the agent.
    fn agent(&self) -> &'static Agent;

    /// Parses one message.
    ///
    /// # Errors
    /// The message is not valid for this agent; the caller replies with [`refuse`](Self::refuse).
    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(self.agent(), native)?;
        let detail = body.detail()?;
        Ok(body.event(detail)?.into())
    }

    /// Writes the reply in the agent's own form.
    fn format(&self, event: &HookEvent, fitted: &Fitted) -> Reply {
        (event.row.reply)(event, fitted)
    }

    /// Writes the blocking reply to a message that could not be parsed, or to an event whose handling failed.
    ///
    /// The event is read from the message if possible, otherwise from the registered command line. If the event is not
    /// a gate, or ends a turn (V10), the reply is the one for pass.
    fn refuse(&self, native: &Native, reason: &str) -> Reply {
        let Some(event) = self.agent().bare_event(native) else {
            return self.emergency(native, reason);
        };
        let wanted = if event.row.gates() { Decision::deny(reason) } else { Decision::pass() };
        let (fitted, _) = fit(wanted, &event, &Limits::default());
        self.format(&event, &fitted)
    }

    /// Writes the blocking reply to a message whose event is not known.
    fn emergency(&self, native: &Native, reason: &str) -> Reply {
        (self.agent().emergency)(native, reason)
    }

    /// Rewrites the command of a call and leaves every other byte of the arguments unchanged (R1, R5).
    ///
    /// `wrap` receives a command and returns the new command in the same shape: a string for a string, a list of words
    /// for a list of words. If the argument is a list of commands, each command is rewritten. Returns `None` if the
    /// call has no command that can be rewritten: there is no such argument, there are several, or the command is a
    /// list of words and the row does not state that the agent executes such a list.
    fn rewrite(&self, call: &ToolCall, wrap: &dyn Fn(&Command) -> Option<Command>) -> Option<Change> {
        let value = rewrite::rewrite(self.agent(), call, wrap)?;
        Some(Change::required(Target::Input, value))
    }

    /// Returns the event on which the agent accepts the text for a session.
    ///
    /// Returns `None` if the agent has no such event.
    fn session_context(&self) -> Option<&'static EventRow> {
        self.agent().events.iter().find(|row| row.takes_session_context())
    }

    /// Stores on the connection what the reply to a later message of a long-lived agent depends on.
    ///
    /// Called after each decision, before the reply is written. Agents with one process per call need no state.
    fn remember(&self, _connection: &mut Connection, _event: &HookEvent, _fitted: &Fitted) {}
}

/// An agent whose messages its table describes completely.
impl HookProtocol for &'static Agent {
    fn agent(&self) -> &'static Agent {
        self
    }
}

//! How an agent is described: a trait with two required methods, and the rows it reads from.

mod agent;
mod block;
mod body;
mod error;
mod native;
mod registration;
mod rewrite;
mod row;
mod tool;
mod wrapping;

pub use agent::{Agent, FolderSetting, Host, McpNames, SessionFolder, Stranger, Transport};
pub use block::{Block, Setup};
pub use body::Body;
pub use error::{Fault, ParseError, Problem};
pub use native::{Connection, Line, Native, Role};
pub use registration::{Approval, ConfigFile, Holds, Moved, OffSwitch, Passes, Reader, Registration, WireChange};
pub use row::{EventRow, Extra, Fails, Power, ReplyWriter};
pub use tool::{Absent, Act, Only, Skills, Slot, ToolRow, What};
pub use wrapping::{HostShell, Wrapping};

use crate::fit::{Fitted, Limits, fit};
use crate::host::HostSide;
use crate::model::{Change, Command, Decision, HookEvent, Incoming, Reply, Target, ToolCall};

/// Reads one agent's messages and writes its answers.
///
/// Two methods are required; the rest follows from the agent's rows. An adapter is pure: it touches
/// no file, clock, environment or process, and keeps nothing between calls.
///
/// For those who come from `coding-agent-hooks`, whose trait has the same name:
///
/// | there | here |
/// |---|---|
/// | `agent` | [`agent`](Self::agent), which is data: rows instead of a name |
/// | `parse_tool_use`, `parse_post_tool_use`, `parse_session_start`, `parse_stop` | [`parse`](Self::parse), which tells them apart by the event's row |
/// | `resolve_tool_name` | the agent's [`ToolRow`]s |
/// | `format_allow`, `format_deny`, `format_ask`, `format_session_start` | [`format`](Self::format) of a decision that [`fit`] has lowered |
/// | `rewrite_for_sandbox` | [`rewrite`](Self::rewrite) |
/// | `session_context` | [`session_context`](Self::session_context) |
pub trait HookProtocol: Send + Sync {
    /// Says who this is, as data.
    fn agent(&self) -> &'static Agent;

    /// Reads one message.
    ///
    /// # Errors
    /// A message that cannot be understood; the caller answers with [`refuse`](Self::refuse).
    fn parse(&self, native: &Native) -> Result<Incoming, ParseError>;

    /// Writes the answer in this agent's own form.
    fn format(&self, event: &HookEvent, fitted: &Fitted) -> Reply {
        (event.row.reply)(event, fitted)
    }

    /// Writes the blocking answer to a message that was not understood, or on which we failed.
    ///
    /// The event is taken from the message where it can be read, else from the registered line. On
    /// an event that gates nothing, or ends a turn (V10), the answer is that of no opinion.
    fn refuse(&self, native: &Native, reason: &str) -> Reply {
        let Some(event) = self.agent().bare_event(native) else {
            return (self.agent().emergency)(native, reason);
        };
        let wanted = if event.row.gates() { Decision::deny(reason) } else { Decision::pass() };
        let (fitted, _) = fit(wanted, &event, &Limits::default());
        self.format(&event, &fitted)
    }

    /// Rewrites the command of a call, leaving every other byte of its arguments alone (R1, R5).
    ///
    /// `wrap` gets a command and returns the new one, which has the same shape: a text stays a text, a list of
    /// words one of words. Of a list of commands each is rewritten. `None` where the call has no command that
    /// can be rewritten: no such slot, several of them, or words where the row does not say that this agent
    /// executes words.
    fn rewrite(&self, call: &ToolCall, wrap: &dyn Fn(&Command) -> Option<Command>) -> Option<Change> {
        let value = rewrite::rewrite(self.agent(), call, wrap)?;
        Some(Change::required(Target::Input, value))
    }

    /// The event on which this agent takes text for the model when a session starts; `None` where
    /// it has no such event.
    fn session_context(&self) -> Option<&'static EventRow> {
        use crate::model::EventKind::SessionStart;
        self.agent().events.iter().find(|row| row.kind == SessionStart && row.can(Power::Context))
    }

    /// Notes on the connection what a later message of a long-lived agent depends on.
    ///
    /// Called after each answer, before it is written. Agents with one process a call need nothing.
    fn remember(&self, _connection: &mut Connection, _event: &HookEvent, _fitted: &Fitted) {}

    /// The other side of the wire; `None`: what this agent does with an answer is not measured.
    fn host(&self) -> Option<&dyn HostSide> {
        None
    }
}

//! The common model of all agents: events, actions, decisions and replies.
//!
//! [`HookEvent`] is what happened, an [`Action`] is an effect of a tool call, a [`Decision`] is the result of policy,
//! and a [`Reply`] holds the bytes for the agent.

mod action;
mod command_text;
mod decision;
mod event;
mod patch;

pub use action::{Action, Command, McpName, ShellKind, Skill, ToolCall};
pub use command_text::CommandText;
pub(crate) use command_text::without_nul;
pub use decision::{Change, Decision, Need, Response, Target, Verdict, VerdictKind};
pub use event::{Detail, EventKind, HookEvent, Incoming, ToolResult};
pub use patch::patched;

/// The complete reply to one call: the output and the exit code of the process.
///
/// For long-lived agents, `stdout` is one line and `exit` has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// One document in the agent's form, or empty.
    pub stdout: String,
    /// The reason, for agents that read it from stderr.
    pub stderr: String,
    /// 0 or 2 (O6).
    pub exit: u8,
}

impl Reply {
    /// Creates an empty reply with exit code 0.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Creates a reply of one document on stdout with exit code 0.
    pub fn document(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Blocks by exit code 2, with the reason on stderr and nothing on stdout.
    pub fn blocked(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: reason.to_owned(), exit: 2 }
    }
}

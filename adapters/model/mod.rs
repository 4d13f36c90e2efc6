//! What an agent reported and what was decided, in one vocabulary for all agents.
//!
//! Read from top to bottom: [`HookEvent`] is what happened, [`Action`] what a tool call would do,
//! [`Decision`] what policy says, [`Reply`] the bytes that go back.

mod action;
mod decision;
mod event;
mod patch;

pub use action::{Action, Command, McpName, ShellKind, Skill, ToolCall};
pub use decision::{Change, Decision, Need, Response, Target, Verdict, VerdictKind};
pub use event::{Detail, EventKind, HookEvent, Incoming, ToolResult};
pub use patch::patched;

/// Holds the whole answer of one call: what is written where, and how the process ends.
///
/// For long-lived agents `stdout` is one line and `exit` has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// Exactly one document in the agent's form, or nothing.
    pub stdout: String,
    /// The reason, where the agent reads it there.
    pub stderr: String,
    /// 0 or 2 (O6).
    pub exit: u8,
}

impl Reply {
    /// Says nothing: no output, exit 0.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Answers with one document on stdout, exit 0.
    pub fn document(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Blocks by exit code 2 with the reason on stderr and nothing on stdout.
    pub fn blocked(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: reason.to_owned(), exit: 2 }
    }
}

//! What to decide: rules over actions, read from `snaphook.toml`. Sees the model only, never an
//! agent's field names.

use snaphook_adapters::model::{Decision, HookEvent, VerdictKind};

/// Holds what policy says about one event, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judgement {
    /// What was decided.
    pub decision: Decision,
    /// The rules and handlers that spoke, the deciding one first.
    pub causes: Vec<Cause>,
    /// What went wrong on the way without changing the verdict: a context file that is missing, an
    /// untrusted project file.
    pub remarks: Vec<String>,
}

/// Names one rule or handler that spoke about an event.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// What it said.
    pub verdict: VerdictKind,
    /// The rule as written, the handler's name, or a built-in such as `protect.snaphook`.
    pub rule: String,
    /// The file it stands in; absent: built in.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<usize>,
    /// The action it spoke about, in words, such as `Bash: git push -f`; absent: the whole event.
    pub action: Option<String>,
}

/// Runs what a policy decides with outside of itself.
pub trait Deciders {
    /// Asks a `[[handler]]`.
    ///
    /// # Errors
    /// What went wrong, in one line: the policy's `[failure] handler` applies.
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String>;

    /// Runs the command of a `[[respond]]` and returns its output as the text.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String>;
}

/// Describes one `[[handler]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handler {
    /// Its name; argv\[0\] where the policy gives none.
    pub name: String,
    /// What is started, without a shell.
    pub command: Vec<String>,
    /// Its own time limit in milliseconds; the process's may be shorter.
    pub deadline_ms: u64,
}

impl Handler {
    /// Describes a handler by its name, its argv and its own time limit in milliseconds.
    pub fn new(name: impl Into<String>, command: Vec<String>, deadline_ms: u64) -> Self {
        Self { name: name.into(), command, deadline_ms }
    }
}

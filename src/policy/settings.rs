//! What a policy sets beside its rules.

use std::path::PathBuf;

/// Says what happens to a gated event when something fails (C9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "the three words of `[failure]`")]
pub enum OnFailure {
    /// It is blocked.
    #[default]
    Deny,
    /// The person decides.
    Ask,
    /// It is left to the agent.
    Pass,
}

/// Holds the table `[failure]`: what a failure of each class does on an event that gates something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failures {
    /// A message that cannot be understood.
    pub input: OnFailure,
    /// A policy that cannot be used.
    pub policy: OnFailure,
    /// A handler or a responding command that fails.
    pub handler: OnFailure,
    /// No verdict in time.
    pub deadline: OnFailure,
    /// A protocol version or word that is newer than this program.
    pub unknown: OnFailure,
    /// No record could be written.
    pub audit: OnFailure,
}

impl Default for Failures {
    fn default() -> Self {
        let deny = OnFailure::Deny;
        Self {
            input: deny,
            policy: deny,
            handler: deny,
            deadline: deny,
            unknown: OnFailure::Ask,
            audit: OnFailure::Pass,
        }
    }
}

/// Holds the table `[limits]`, lengths in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Of a message.
    pub input: u64,
    /// Of a command that is analysed.
    pub command: usize,
    /// Of the nesting in a command.
    pub depth: usize,
    /// Of the nodes of a command's syntax tree.
    pub nodes: usize,
    /// Of a reason.
    pub reason: usize,
    /// Of a response that has to be sent as a reason.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { input: 256 << 20, command: 16 << 10, depth: 64, nodes: 20_000, reason: 1 << 10, text: 8 << 10 }
    }
}

/// Holds the table `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Whether records are written.
    pub enabled: bool,
    /// Where; absent: in the state folder.
    pub file: Option<PathBuf>,
    /// Whether inputs are recorded, redacted.
    pub inputs: AuditInputs,
}

impl Default for Audit {
    fn default() -> Self {
        Self { enabled: true, file: None, inputs: AuditInputs::None }
    }
}

/// Says how much of a tool's arguments a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "the words of `audit.inputs`")]
pub enum AuditInputs {
    /// Digests only.
    #[default]
    None,
    /// The arguments without what looks like a secret.
    Redacted,
}

/// Says what a write to a protected file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guarding {
    Off,
    Ask,
    Deny,
}

//! The settings of a policy other than rules.

use std::path::{Path, PathBuf};

use crate::endpoint::HttpEndpoint;

/// The verdict on a gated event after a failure (C9), the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[expect(clippy::exhaustive_enums, reason = "the three words of `[failure]`")]
pub enum OnFailure {
    /// The event is denied.
    #[default]
    Deny,
    /// The user is asked.
    Ask,
    /// The agent's own rules decide.
    Pass,
}

/// The table `[failure]`: the verdict on a gated event after each class of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failures {
    /// The message cannot be parsed.
    pub input: OnFailure,
    /// The policy is invalid.
    pub policy: OnFailure,
    /// A handler or the command of a response fails.
    pub handler: OnFailure,
    /// The deadline passes without a verdict.
    pub deadline: OnFailure,
    /// The protocol version or a value in the message is newer than this program.
    pub unknown: OnFailure,
    /// The audit record cannot be written.
    pub audit: OnFailure,
}

impl Failures {
    /// Creates a table with the same value for every class.
    pub fn all(on: OnFailure) -> Self {
        Self { input: on, policy: on, handler: on, deadline: on, unknown: on, audit: on }
    }
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

/// The key `mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "the words of `mode`")]
pub enum PolicyMode {
    /// Verdicts are enforced.
    #[default]
    Enforce,
    /// What would have been blocked is recorded, and the agent's own rules decide.
    Monitor,
}

impl PolicyMode {
    /// The word in a policy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Monitor => "monitor",
        }
    }
}

/// The table `[overrides]`: what a person may set aside with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the keys of `[overrides]`")]
pub struct Overrides {
    /// True if `snaphook pause` has an effect.
    pub pause: bool,
    /// True if `snaphook allow-once` has an effect.
    pub allow_once: bool,
}

impl Default for Overrides {
    fn default() -> Self {
        Self { pause: true, allow_once: true }
    }
}

/// The table `[limits]`. Lengths are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyLimits {
    /// The maximum length of a message.
    pub input: u64,
    /// The maximum length of a command that is analysed.
    pub command: usize,
    /// The maximum nesting depth of a command.
    pub depth: usize,
    /// The maximum number of nodes in the syntax tree of a command.
    pub nodes: usize,
    /// The maximum length of a reason.
    pub reason: usize,
    /// The maximum length of a response that is sent as a reason.
    pub text: usize,
}

impl Default for PolicyLimits {
    fn default() -> Self {
        Self { input: 256 << 20, command: 16 << 10, depth: 64, nodes: 20_000, reason: 1 << 10, text: 8 << 10 }
    }
}

/// The table `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// True if records are written.
    pub enabled: bool,
    /// The path of the log; `None` for the default in the state directory.
    pub file: Option<PathBuf>,
    /// The part of a tool's arguments that is recorded.
    pub inputs: AuditInputs,
    /// When a new file begins, and how long older files are kept.
    pub rotation: AuditRotation,
    /// The collector of OpenTelemetry to which the records are sent; `None` for none.
    pub otlp: Option<HttpEndpoint>,
    /// True if the shapes of messages are recorded, for `snaphook drift`.
    pub shapes: bool,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            enabled: true,
            file: None,
            inputs: AuditInputs::None,
            rotation: AuditRotation::default(),
            otlp: None,
            shapes: false,
        }
    }
}

/// When a new file of the log begins, and how long older files are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "keys of `[audit]`")]
pub struct AuditRotation {
    /// The size in bytes at which a file is full.
    pub size: u64,
    /// The number of days after its first record at which a file is full; `None` for any age.
    pub days: Option<u64>,
    /// The number of days after its last record at which an older file is deleted; `None` for never.
    pub keep_days: Option<u64>,
}

impl Default for AuditRotation {
    fn default() -> Self {
        Self { size: 64 << 20, days: None, keep_days: None }
    }
}

/// The folder beside a log in which its older files are.
pub fn older_logs(log: &Path) -> PathBuf {
    beside(log, ".older")
}

/// The folder beside a log that says which records were sent to the collector.
pub fn sending_folder(log: &Path) -> PathBuf {
    beside(log, ".sent")
}

fn beside(log: &Path, end: &str) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The part of a tool's arguments that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "the words of `audit.inputs`")]
pub enum AuditInputs {
    /// Only a digest.
    #[default]
    None,
    /// The arguments with likely secrets masked.
    Redacted,
}

/// The effect of a write to a protected file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProtectMode {
    Off,
    Ask,
    Deny,
}

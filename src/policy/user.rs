//! What a server asks of the user's policy before it knows the event.

use super::load::UserPolicy;
use super::{Audit, Failures, Limits, OnFailure};

impl UserPolicy {
    /// What a failure does, by its class.
    pub fn failures(&self) -> Failures {
        self.file.failures
    }

    /// How long things may be.
    pub fn limits(&self) -> Limits {
        self.file.limits
    }

    /// Whether and where records are written.
    pub fn audit(&self) -> &Audit {
        &self.file.audit
    }

    /// Where it came from: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.file.source.shown
    }
}

impl Failures {
    /// The same for every class, where the file that would say it cannot be read.
    pub fn all(on: OnFailure) -> Self {
        Self { input: on, policy: on, handler: on, deadline: on, unknown: on, audit: on }
    }
}

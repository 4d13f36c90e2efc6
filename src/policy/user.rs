//! The settings of the user's policy that a server needs before it has an event.

use super::load::UserPolicy;
use super::{Audit, Failures, OnFailure, PolicyLimits};

impl UserPolicy {
    /// The `[failure]` table.
    pub fn failures(&self) -> Failures {
        self.file.failures
    }

    /// The `[limits]` table.
    pub fn limits(&self) -> PolicyLimits {
        self.file.limits
    }

    /// The `[audit]` table.
    pub fn audit(&self) -> &Audit {
        &self.file.audit
    }

    /// The origin of the policy: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.file.source.shown
    }
}

impl Failures {
    /// Creates a table with the same value for every class.
    pub fn all(on: OnFailure) -> Self {
        Self { input: on, policy: on, handler: on, deadline: on, unknown: on, audit: on }
    }
}

//! The examined versions of an agent.

use super::block::within;
use super::{Agent, EventRow, Role};

/// One version range of an agent, or one execution path of such a range, whose behaviour was measured or read in the
/// source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// The short name that rows and effects use. An execution path of a host is named `host-path`.
    pub id: &'static str,
    /// The versions, as text.
    pub versions: &'static str,
    /// The first version in the range; empty: no lower limit.
    pub from: &'static str,
    /// The first version after the range; empty: no upper limit.
    pub before: &'static str,
    /// The gates of one tool call in a standard installation, as event and role, in the agent's order; empty for an
    /// execution path or a case of another host.
    pub gates: &'static [(&'static str, Role)],
}

impl Host {
    /// Creates a host.
    pub const fn new(id: &'static str, versions: &'static str) -> Self {
        Self { id, versions, from: "", before: "", gates: &[] }
    }

    /// Sets the version range; an empty limit is open.
    #[must_use]
    pub const fn between(mut self, from: &'static str, before: &'static str) -> Self {
        self.from = from;
        self.before = before;
        self
    }

    /// Sets the gates of a tool call.
    #[must_use]
    pub const fn gates(mut self, gates: &'static [(&'static str, Role)]) -> Self {
        self.gates = gates;
        self
    }

    /// Returns true if the range contains a version such as `1.2.3` or `v1.2.3`.
    pub fn fits(&self, version: &str) -> bool {
        within(version, self.from, self.before)
    }

    /// Returns true if an id in a row is this host or one of its execution paths.
    pub fn is(&self, id: &str) -> bool {
        id.strip_prefix(self.id).is_some_and(|lane| lane.is_empty() || lane.starts_with('-'))
    }

    /// Returns the row of one gate, and the id of this host in that row.
    pub fn gate(&self, agent: &'static Agent, native: &str, role: Role) -> Option<(&'static EventRow, &'static str)> {
        let mut rows = agent.events.iter().filter(|row| row.native == native);
        rows.find_map(|row| {
            let here = row.hosts.iter().copied().find(|id| self.is(id))?;
            row.is_in_role(role).then_some((row, here))
        })
    }
}

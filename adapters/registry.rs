//! Who there is, in a fixed order. The list is open: another crate's agent joins by one call.

use std::collections::BTreeMap;

use crate::protocol::HookProtocol;

/// Holds the agents that a program knows, by id.
#[derive(Clone, Default)]
pub struct Registry {
    agents: BTreeMap<&'static str, &'static dyn HookProtocol>,
}

impl Registry {
    /// Holds every agent of this crate.
    pub fn standard() -> Self {
        Self::empty()
            .with(&crate::claude_code::ClaudeCode)
            .with(&crate::codex::Codex)
            .with(&crate::docker_agent::DockerAgent)
            .with(&crate::hygge::Hygge)
            .with(&crate::picoclaw::PicoClaw)
    }

    /// Holds no agent.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds an agent; one of the same id is replaced in its place.
    #[must_use]
    pub fn with(mut self, protocol: &'static dyn HookProtocol) -> Self {
        self.agents.insert(protocol.agent().id, protocol);
        self
    }

    /// Finds an agent by its id.
    pub fn get(&self, id: &str) -> Option<&'static dyn HookProtocol> {
        self.agents.get(id).copied()
    }

    /// Every agent, by id.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn HookProtocol> {
        self.agents.values().copied()
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.agents.keys().copied()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

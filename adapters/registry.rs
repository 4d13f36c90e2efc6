//! The agents of a program, sorted by id. Agents of other crates can be added.

use std::collections::BTreeMap;

use crate::protocol::{Agent, HookProtocol, Native};

/// A map of agents by id.
#[derive(Clone, Default)]
pub struct Registry {
    agents: BTreeMap<&'static str, &'static dyn HookProtocol>,
}

impl Registry {
    /// Creates a registry with every agent of this crate.
    pub fn standard() -> Self {
        crate::STANDARD.iter().fold(Self::empty(), |registry, protocol| registry.with(*protocol))
    }

    /// Creates a registry without agents.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds an agent, replacing an agent with the same id.
    #[must_use]
    pub fn with(mut self, protocol: &'static dyn HookProtocol) -> Self {
        self.agents.insert(protocol.agent().id, protocol);
        self
    }

    /// Returns the agent with this id.
    pub fn get(&self, id: &str) -> Option<&'static dyn HookProtocol> {
        self.agents.get(id).copied()
    }

    /// Returns the agent that a user names, by its id or an alias.
    pub fn named(&self, name: &str) -> Option<&'static dyn HookProtocol> {
        self.get(name).or_else(|| self.iter().find(|protocol| protocol.agent().aliases.contains(&name)))
    }

    /// Returns the agent that sent a message to the registered line of `line`: another one that uses the hooks of that
    /// agent and is identified by the message, otherwise `line` itself.
    pub fn sender(&self, line: &'static dyn HookProtocol, native: &Native) -> &'static dyn HookProtocol {
        let id = line.agent().id;
        let Ok(message) = native.object() else { return line };
        let sent = |other: &&'static dyn HookProtocol| {
            other.agent().shared_hooks.is_some_and(|shared| shared.identifies(id, &message))
        };
        self.iter().find(sent).unwrap_or(line)
    }

    /// Returns true if other agents use the hooks of this one.
    pub fn is_shared(&self, line: &Agent) -> bool {
        self.iter().any(|other| other.agent().shared_hooks.is_some_and(|shared| shared.of.contains(&line.id)))
    }

    /// Returns every agent, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn HookProtocol> {
        self.agents.values().copied()
    }

    /// Returns every id, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.agents.keys().copied()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

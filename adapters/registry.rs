//! The agents of a program, sorted by id. Agents of other crates can be added.

use std::borrow::Cow;

use crate::protocol::{Agent, HookProtocol, Native};

/// Agents, each with its own id.
#[derive(Clone, Default)]
pub struct Registry {
    /// Sorted by id.
    agents: Cow<'static, [&'static dyn HookProtocol]>,
}

impl Registry {
    /// Creates a registry with every agent of this crate.
    pub fn standard() -> Self {
        Self { agents: Cow::Borrowed(crate::STANDARD) }
    }

    /// Creates a registry without agents.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds an agent, replacing an agent with the same id.
    #[must_use]
    pub fn with(mut self, protocol: &'static dyn HookProtocol) -> Self {
        let found = self.find(protocol.agent().id);
        let (Ok(at) | Err(at)) = found;
        let agents = self.agents.to_mut();
        if found.is_ok() {
            agents.remove(at);
        }
        agents.insert(at, protocol);
        self
    }

    /// Returns the agent with this id.
    pub fn get(&self, id: &str) -> Option<&'static dyn HookProtocol> {
        self.agents.get(self.find(id).ok()?).copied()
    }

    /// The index of an agent, or the one where it would be.
    fn find(&self, id: &str) -> Result<usize, usize> {
        self.agents.binary_search_by_key(&id, |protocol| protocol.agent().id)
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
        self.agents.iter().copied()
    }

    /// Returns every id, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.iter().map(|protocol| protocol.agent().id)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_found_by_its_id_and_may_be_replaced() {
        static OTHER: &Agent = &Agent::new("codex", "Another");
        static FIRST: &Agent = &Agent::new("aa", "First");
        let standard = Registry::standard();
        assert!(standard.ids().is_sorted());
        assert!(standard.ids().all(|id| standard.get(id).is_some_and(|protocol| protocol.agent().id == id)));
        let changed = standard.clone().with(&OTHER).with(&FIRST);
        assert_eq!(changed.ids().count(), standard.ids().count() + 1);
        assert_eq!(changed.ids().next(), Some("aa"));
        assert_eq!(changed.get("codex").unwrap().agent().name, "Another");
    }
}

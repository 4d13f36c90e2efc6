//! The names of the registered agents and of the arguments of their tools, which rules may use.

use std::cell::OnceCell;

use snaphook_adapters::protocol::{ActionKind, Agent, EventRow, HookProtocol, ListedName, ListedNames, ToolAction};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{AgentEvent, ArgumentSlot, Vocabulary};

/// The names of the registered agents and of the arguments of their tools.
pub(crate) struct AgentNames<'a> {
    registry: &'a Registry,
    /// The arguments that hold a command, path or URL.
    slots: OnceCell<ListedNames>,
}

impl<'a> AgentNames<'a> {
    /// The names of the agents in a registry.
    pub(crate) fn new(registry: &'a Registry) -> Self {
        Self { registry, slots: OnceCell::new() }
    }

    fn all_agents(&self) -> impl Iterator<Item = &'static Agent> {
        self.registry.iter().map(HookProtocol::agent)
    }
}

impl Vocabulary for AgentNames<'_> {
    fn agents(&self) -> Vec<&str> {
        self.registry.ids().collect()
    }

    fn events(&self, agent: &str) -> Vec<AgentEvent<'_>> {
        let events = self.registry.get(agent).into_iter().flat_map(|protocol| protocol.agent().events);
        let named = |row: &'static EventRow| AgentEvent {
            name: row.native,
            registered_name: row.registered_name(),
            kind: row.kind,
        };
        events.map(named).collect()
    }

    fn slot(&self, argument: &str) -> Option<ArgumentSlot> {
        let listed = self.slots.get_or_init(|| ListedNames::of_slots(self.all_agents()));
        if !listed.may_have(ListedName::new(argument)) {
            return None;
        }
        let actions = self.all_agents().flat_map(|agent| agent.tools).flat_map(|row| row.actions);
        let mut slots = actions.filter(|act| act.slot.keys.contains(&argument));
        slots.find_map(|act| match act.kind {
            ActionKind::Shell | ActionKind::ShellInput => Some(ArgumentSlot::Command),
            ActionKind::Read | ActionKind::List | ActionKind::Search => Some(ArgumentSlot::ReadPath),
            ActionKind::Write | ActionKind::Edit | ActionKind::Delete | ActionKind::Move | ActionKind::Patch => {
                Some(ArgumentSlot::WrittenPath)
            }
            ActionKind::Fetch => Some(ArgumentSlot::Url),
            _ => None,
        })
    }
}

impl AgentNames<'_> {
    /// Returns true if some tool has the argument.
    pub(super) fn knows(&self, argument: &str) -> bool {
        self.slot(argument).is_some()
            || self.all_agents().flat_map(|agent| agent.tools).any(|row| {
                let named = |act: &ToolAction| {
                    act.with == Some(argument)
                        || act.slot.keys.contains(&argument)
                        || act.only.is_some_and(|only| only.key == argument)
                };
                row.actions.iter().any(named) || row.sample.contains(&format!("\"{argument}\""))
            })
    }
}

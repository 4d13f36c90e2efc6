//! The names of the registered agents and of the arguments of their tools, which rules may use.

use snaphook_adapters::protocol::{ActionKind, EventRow, HookProtocol, ListedName, ToolAction};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{AgentEvent, ArgumentSlot, Vocabulary};

/// The names of the registered agents and of the arguments of their tools.
pub(crate) struct AgentNames<'a>(pub(crate) &'a Registry);

impl Vocabulary for AgentNames<'_> {
    fn agents(&self) -> Vec<&str> {
        self.0.ids().collect()
    }

    fn events(&self, agent: &str) -> Vec<AgentEvent<'_>> {
        let events = self.0.get(agent).into_iter().flat_map(|protocol| protocol.agent().events);
        let named = |row: &'static EventRow| AgentEvent {
            name: row.native,
            registered_name: row.registered_name(),
            kind: row.kind,
        };
        events.map(named).collect()
    }

    fn slot(&self, argument: &str) -> Option<ArgumentSlot> {
        let name = ListedName::new(argument);
        let agents = self.0.iter().map(HookProtocol::agent);
        let tools = agents.filter(|agent| agent.may_have_slot(name)).flat_map(|agent| agent.tools);
        let actions = tools.flat_map(|row| row.actions);
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
            || self.0.iter().flat_map(|protocol| protocol.agent().tools).any(|row| {
                let named = |act: &ToolAction| {
                    act.with == Some(argument)
                        || act.slot.keys.contains(&argument)
                        || act.only.is_some_and(|only| only.key == argument)
                };
                row.actions.iter().any(named) || row.sample.contains(&format!("\"{argument}\""))
            })
    }
}

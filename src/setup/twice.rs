//! Finds calls that reach snaphook twice, because an agent also uses the hooks of another one.

use std::path::PathBuf;

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::hooks::our_hooks;
use super::target::SetupContext;

/// An agent that meets snaphook in its own file and in the file of another agent.
#[derive(Debug)]
pub(crate) struct JudgedTwice {
    /// The agent that calls both.
    pub(crate) caller: &'static Agent,
    /// The agent whose hooks it uses too.
    pub(crate) other: &'static Agent,
    /// The file of the other agent.
    pub(crate) file: PathBuf,
}

/// Returns the cases in which an agent is the caller or the other one. Both must be registered.
pub(crate) fn judged_twice(context: &SetupContext, registry: &Registry, agent: &'static Agent) -> Vec<JudgedTwice> {
    let named = |id: &&str| registry.get(id).map(HookProtocol::agent);
    let callers = registry.iter().map(HookProtocol::agent);
    let pairs = callers.flat_map(|caller| {
        let others = caller.shared_hooks.map_or(&[][..], |shared| shared.of).iter().filter_map(named);
        others.map(move |other| (caller, other))
    });
    let meant = pairs.filter(|(caller, other)| caller.id == agent.id || other.id == agent.id);
    meant
        .filter_map(|(caller, other)| {
            registered_in(context, caller)?;
            Some(JudgedTwice { caller, other, file: registered_in(context, other)? })
        })
        .collect()
}

/// Returns a file of an agent with an entry of snaphook.
fn registered_in(context: &SetupContext, agent: &Agent) -> Option<PathBuf> {
    context.files(agent).into_iter().find(|path| {
        let text = crate::files::read_text(path);
        text.is_ok_and(|text| our_hooks(path, &text, agent.id).is_ok_and(|hooks| !hooks.is_empty()))
    })
}

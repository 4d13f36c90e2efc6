//! Finds the entries of a file that call snaphook, and distinguishes those that snaphook wrote from changed ones.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::protocol::Agent;

use super::command_line::CommandPaths;
use super::edit::{Document, EditFault, Format, FoundNode, Node};
use super::hooks::hooks_of;
use super::render::entries;

/// Finds the nodes of a file that call snaphook for an agent, and the whole text of a separate file of snaphook.
pub(crate) fn named(document: &Document, agent: &str) -> Result<Vec<FoundNode>, EditFault> {
    let mut ours: Vec<FoundNode> = Vec::new();
    let mut number = 0;
    let mut last: Option<(Vec<String>, bool)> = None;
    for node in document.entries()? {
        let place = (node.at.clone(), node.in_list);
        number = if last.as_ref() == Some(&place) { number + 1 } else { 0 };
        last = Some(place);
        if node.text.is_some() && document.has_our_name() || calls(&node.value, agent) {
            ours.push(FoundNode { node, number });
        }
    }
    Ok(ours)
}

/// Returns true if a value has a command that calls snaphook for an agent.
pub(crate) fn calls(value: &Value, agent: &str) -> bool {
    hooks_of(value, &[]).iter().any(|hook| hook.line.calls(agent))
}

/// Returns true if a file calls snaphook for an agent. Returns false if the file cannot be read.
pub(crate) fn calls_us(path: &Path, agent: &str) -> bool {
    let Ok(text) = crate::files::read_text(path) else { return false };
    let Ok(document) = Document::parse(Format::of(&path.to_string_lossy()), &text) else { return false };
    let found = named(&document, agent).unwrap_or_default();
    found.iter().any(|found| calls(&found.node.value, agent))
}

/// Returns true if snaphook would write the same node with the paths that it contains.
pub(crate) fn is_ours(agent: &Agent, format: Format, node: &Node) -> bool {
    let hooks = hooks_of(&node.value, &[]);
    let paths = hooks.first().and_then(|hook| hook.line.paths(agent.id));
    paths.is_some_and(|paths| is_written_for(agent, format, &paths, node))
}

/// Returns true if snaphook would write the same node with these paths.
pub(crate) fn is_written_for(agent: &Agent, format: Format, paths: &CommandPaths, node: &Node) -> bool {
    agent.registration.blocks.iter().any(|block| {
        entries(agent, block, format, paths).into_iter().any(|mut wanted| {
            // The priority depends on the other hooks of the file.
            if let (Some(number), Some(here)) = (wanted.value.get_mut(block.last_word), node.value.get(block.last_word))
            {
                *number = here.clone();
            }
            wanted == *node || covers(agent, node, &wanted)
        })
    })
}

/// Returns true if a node is the wanted one, possibly with members that the agent added.
pub(crate) fn covers(agent: &Agent, found: &Node, wanted: &Node) -> bool {
    let (Value::Object(there), Value::Object(members)) = (&found.value, &wanted.value) else { return false };
    let is_default = |name: &str, value: &Value| {
        let of_agent = agent.registration.defaults.iter().find(|(default, _)| *default == name);
        of_agent.is_some_and(|(_, default)| serde_json::from_str(default).is_ok_and(|default: Value| default == *value))
    };
    !found.in_list
        && found.text.is_none()
        && found.at == wanted.at
        && members.keys().all(|name| there.contains_key(name))
        && there.iter().all(|(name, value)| match members.get(name) {
            Some(wanted) => wanted == value,
            None => is_default(name, value),
        })
}

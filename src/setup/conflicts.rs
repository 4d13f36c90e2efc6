//! Finds hooks of other programs that run after ours and could undo a required change.

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::protocol::{ActionKind, Agent, Block};

use super::edit::{Document, Format, Node};
use super::ours::calls;
use super::target::SetupContext;

/// A hook of another program that could undo our changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConflictingHook {
    pub(crate) file: PathBuf,
    /// Its path, such as `hooks.PreToolUse[2]`.
    pub(crate) place: String,
}

/// Finds such hooks in other files than `ours`: the order in which an agent reads files is unknown.
pub(crate) fn in_other_files(context: &SetupContext, agent: &'static Agent, ours: &[PathBuf]) -> Vec<ConflictingHook> {
    let Some(block) = agent.registration.blocks.iter().find(|block| !block.last_entry.is_empty()) else {
        return Vec::new();
    };
    let plugins = agent.registration.plugins.iter().filter_map(|path| context.path(agent, path));
    let files = context.files(agent).into_iter().chain(plugins.flat_map(|path| every(&path)));
    let mut found = Vec::new();
    for file in files.filter(|file| !ours.contains(file)) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let Ok(document) = Document::parse(Format::of(&file.to_string_lossy()), &text) else { continue };
        let Ok(entries) = document.entries() else { continue };
        for (number, node) in numbered(&entries) {
            if is_conflicting(agent, block, node) {
                found.push(ConflictingHook { file: file.clone(), place: format!("{}[{number}]", node.at.join(".")) });
            }
        }
    }
    found
}

/// The index of the last such hook at a path after the entry with index `number`.
pub(crate) fn last_after(
    agent: &Agent,
    block: &Block,
    entries: &[Node],
    at: &[String],
    number: usize,
) -> Option<usize> {
    let mut later = numbered(entries).filter(|(other, node)| node.at == at && *other > number);
    later.rfind(|(_, node)| is_conflicting(agent, block, node)).map(|(number, _)| number)
}

/// The elements of lists, each with its index.
fn numbered(entries: &[Node]) -> impl DoubleEndedIterator<Item = (usize, &Node)> {
    let number = |at: usize, node: &Node| {
        entries.get(..at).unwrap_or_default().iter().rev().take_while(|other| other.at == node.at).count()
    };
    entries.iter().enumerate().filter(|(_, node)| node.in_list).map(move |(at, node)| (number(at, node), node))
}

/// Returns true if an entry of another program is called for commands at an event at which the last change wins.
fn is_conflicting(agent: &Agent, block: &Block, node: &Node) -> bool {
    node.at.last().is_some_and(|event| block.last_entry.contains(&event.as_str()))
        && !calls(&node.value, agent.id)
        && is_for_commands(agent, node.value.get("matcher").and_then(Value::as_str).unwrap_or_default())
}

/// Returns true unless a matcher is a list of names without a tool that runs commands.
fn is_for_commands(agent: &Agent, matcher: &str) -> bool {
    let is_list = matcher.chars().all(|c| c.is_alphanumeric() || "_- ,|".contains(c));
    let runs = |name: &str| {
        let rows = agent.tools.iter().filter(|row| row.native == name);
        rows.flat_map(|row| row.actions).any(|act| act.kind == ActionKind::Shell)
    };
    matcher.is_empty() || !is_list || matcher.split([',', '|']).any(|name| runs(name.trim()))
}

/// Expands `*` in a path to every matching file.
pub(super) fn every(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for step in path {
        found = if step == "*" {
            let folders = found.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
            folders.map(|entry| entry.path()).collect()
        } else {
            found.into_iter().map(|folder| folder.join(step)).collect()
        };
    }
    found.retain(|path| path.is_file());
    found.sort();
    found
}

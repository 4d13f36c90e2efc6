//! Compares the entries of a file with the wanted entries.

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, EntryKey};

use super::command_line::CommandPaths;
use super::conflicts::last_after;
use super::edit::{Document, EditFault, Format, FoundNode, Node};
use super::ours::{calls, covers, is_ours, named};
use super::record::{FileRecord, Owned};
use super::render::{entries, settings};
use super::target::RegistrationTarget;

/// The result of comparing one file.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// The wanted entries, each with its state.
    pub(crate) wanted: Vec<(Node, State)>,
    /// Entries of an earlier version of snaphook that are not wanted any more.
    pub(crate) leftover: Vec<FoundNode>,
    /// Entries that name snaphook but were changed or added by someone else.
    pub(crate) foreign: Vec<FoundNode>,
    /// Settings that must have another value, or the agent ignores the file; each with its current value.
    pub(crate) unset: Vec<(Node, Option<Value>)>,
    /// Members because of which the agent rejects the file.
    strange: Vec<String>,
    /// The priority with which our entry runs last, and the highest priority of the other entries.
    pub(crate) above: Option<(i64, i64)>,
    /// An entry of another program that runs after ours and could undo its changes.
    pub(crate) followed: Option<String>,
    agent: &'static Agent,
}

/// The state of a wanted entry in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The entry is up to date.
    Current,
    /// An earlier form of the entry exists, with this index.
    Stale(usize),
    /// The entry exists, with this index, but an entry of another program runs after it and could undo its changes.
    Followed(usize),
    /// The user changed the entry, so it is not touched.
    Edited,
    /// The entry does not exist.
    Absent,
}

impl Comparison {
    /// Compares a file with the entries of its block. `record` has the entries that snaphook wrote.
    pub(crate) fn at(
        document: &Document,
        target: &RegistrationTarget,
        paths: &CommandPaths,
        record: Option<&FileRecord>,
    ) -> Result<Self, EditFault> {
        let (agent, block) = (target.agent, target.block);
        let mut ours = named(document, agent.id)?;
        // If there are equal entries, as many are ours as are on record.
        let mut owned: Vec<&Owned> = record.iter().flat_map(|record| &record.entries).collect();
        let mut is_owned = |node: &Node| {
            let found = owned.iter().position(|owned| owned.is(node));
            found.map(|at| owned.remove(at)).is_some()
        };
        let mut wanted: Vec<(Node, Option<usize>)> = Vec::with_capacity(block.entries.len());
        let mut above = None;
        let all = document.entries()?;
        for mut node in entries(agent, block, target.format, paths) {
            above = above.or(raised(document, block.last_word, &mut node)?);
            let here = ours.iter().position(|found| found.node == node || covers(agent, &found.node, &node));
            let number = here.map(|at| {
                let found = ours.remove(at);
                is_owned(&found.node);
                found.number
            });
            wanted.push((node, number));
        }
        let (mut earlier, mut foreign): (Vec<_>, Vec<_>) = ours.into_iter().partition(|found| match record {
            Some(_) => is_owned(&found.node),
            // Without a record, an entry is ours if only snaphook writes it in this form.
            None => is_ours(agent, target.format, &found.node),
        });
        // A member with the name of our entry that calls another program.
        for (node, here) in &wanted {
            let is_known = |found: &FoundNode| found.node.at == node.at;
            let is_named = !node.at.is_empty() || target.format == Format::Script;
            if here.is_none() && !node.in_list && is_named && !earlier.iter().chain(&foreign).any(is_known) {
                let found = document.found(&node.at, false)?.into_iter().next();
                foreign.extend(found.map(|value| FoundNode { node: Node::member(node.at.clone(), value), number: 0 }));
            }
        }
        let mut followed = None;
        let wanted = wanted.into_iter().map(|(node, here)| {
            let event = |node: &Node| match block.key {
                EntryKey::List(member) => node.value.get(member).cloned(),
                EntryKey::Event | EntryKey::Name => None,
            };
            let same = |found: &FoundNode| {
                found.node.at == node.at && found.node.in_list == node.in_list && event(&found.node) == event(&node)
            };
            let old =
                if here.is_none() { earlier.iter().position(same).map(|at| earlier.remove(at).number) } else { None };
            let conflict = here.or(old).and_then(|number| last_after(agent, block, &all, &node.at, number));
            if let Some(number) = conflict {
                followed = Some(format!("{}[{number}]", node.at.join(".")));
            }
            let state = match (here, old) {
                (Some(number), _) | (_, Some(number)) if conflict.is_some() => State::Followed(number),
                (Some(_), _) => State::Current,
                (None, Some(number)) => State::Stale(number),
                (None, None) if foreign.iter().any(same) => State::Edited,
                (None, None) => State::Absent,
            };
            (node, state)
        });
        let wanted = wanted.collect();
        let unset = settings(block).into_iter().filter_map(|setting| {
            let found = document.found(&setting.at, false).ok()?.into_iter().next();
            (found.as_ref() != Some(&setting.value)).then_some((setting, found))
        });
        let unset = unset.collect();
        let top = document.found(&[], false)?.into_iter().next();
        let names = top.iter().filter_map(Value::as_object).flat_map(|top| top.keys());
        let is_strange = |name: &&String| !block.only.is_empty() && !block.only.contains(&name.as_str());
        let strange = names.filter(is_strange).cloned().collect();
        Ok(Self { wanted, leftover: earlier, foreign, unset, strange, above, followed, agent })
    }

    /// The reason why the agent would call no hook of this file, and what to change; `None` if it would.
    pub(crate) fn rejected(&self) -> Option<String> {
        if let Some(name) = self.strange.first() {
            let name_of = self.agent.name;
            return Some(format!("{name_of} rejects the whole file because of the member `{name}`; remove it"));
        }
        self.unset.iter().find_map(|(setting, found)| {
            let (name, found) = (setting.at.join("."), found.as_ref()?);
            Some(format!("`{name}` is {found}, so no hook is called; set it to {}", setting.value))
        })
    }

    /// The paths of entries that name snaphook but were changed or added by someone else.
    pub(crate) fn places_of_others(&self) -> Vec<String> {
        self.foreign.iter().map(|found| found.node.title()).collect()
    }

    /// The paths of entries that have the name of one of ours but do not call snaphook.
    pub(crate) fn taken(&self) -> Vec<String> {
        let taken = self.foreign.iter().filter(|found| !calls(&found.node.value, self.agent.id));
        taken.map(|found| found.node.title()).collect()
    }

    /// Returns true if the file has no entry of snaphook; if it needs none, if a setting is missing.
    pub(crate) fn is_absent(&self) -> bool {
        self.leftover.is_empty()
            && self.foreign.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Absent)
            && (!self.wanted.is_empty() || !self.unset.is_empty() && self.rejected().is_none())
    }

    /// Returns true if all entries and settings are up to date.
    pub(crate) fn is_current(&self) -> bool {
        self.leftover.is_empty()
            && self.unset.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Current)
    }
}

/// Raises the priority of an entry above that of every other one; a priority that is high enough stays.
fn raised(document: &Document, member: &str, node: &mut Node) -> Result<Option<(i64, i64)>, EditFault> {
    let (Some((name, parents)), false) = (node.at.split_last(), member.is_empty()) else { return Ok(None) };
    let beside = document.found(parents, false)?.into_iter().next();
    let number = |entry: &Value| entry.get(member).and_then(Value::as_i64);
    let numbers = beside.iter().filter_map(Value::as_object).flatten();
    let (ours, others): (Vec<_>, Vec<_>) = numbers.partition(|(beside, _)| *beside == name);
    // The default priority is 0.
    let highest = others.iter().map(|(_, entry)| number(entry).unwrap_or_default()).max();
    let least = highest.map_or(i64::MIN, |highest| highest.saturating_add(1));
    let now = ours.iter().find_map(|(_, entry)| number(entry));
    let wanted = number(&node.value).into_iter().chain(now).fold(least, i64::max);
    if let Some(value) = node.value.get_mut(member) {
        *value = wanted.into();
    }
    Ok(highest.map(|highest| (wanted, highest)))
}

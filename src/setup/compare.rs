//! Compares the entries of a file with those that we want in it.

use serde_json::Value;
use snaphook_adapters::protocol::Agent;

use super::command_line::CommandPaths;
use super::edit::{Document, Fault, FoundNode, Node};
use super::ours::{calls, covers, is_ours, named};
use super::record::{FileRecord, Owned};
use super::render::{entries, settings};
use super::rivals::behind;
use super::target::Target;

/// Holds the result for one file.
#[derive(Debug)]
pub(crate) struct Look {
    /// The entries that should be there, each with its state.
    pub(crate) wanted: Vec<(Node, State)>,
    /// Entries that an earlier version of us put there, and that are not wanted any more.
    pub(crate) leftover: Vec<FoundNode>,
    /// Entries that name us and that somebody else changed or put there.
    pub(crate) foreign: Vec<FoundNode>,
    /// Members that must have another value, or the agent does not use the file; each with its present value.
    pub(crate) unset: Vec<(Node, Option<Value>)>,
    /// Members for which the agent rejects the file.
    strange: Vec<String>,
    /// The number that gives ours the last word, and the highest of others'.
    pub(crate) above: Option<(i64, i64)>,
    /// An entry of another program that follows ours and would have the last word.
    pub(crate) followed: Option<String>,
    agent: &'static Agent,
}

/// Says what a file has of a wanted entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The entry as it should be.
    Current,
    /// An earlier form of the entry, at this number of its place.
    Stale(usize),
    /// The entry, at this number of its place, and after it one of another program that would have the last word.
    Followed(usize),
    /// A form that somebody changed; it is theirs now.
    Edited,
    /// Nothing of it.
    Absent,
}

impl Look {
    /// Compares a file with the entries of its block; `record` says what we put there.
    pub(crate) fn at(
        document: &Document,
        target: &Target,
        paths: &CommandPaths,
        record: Option<&FileRecord>,
    ) -> Result<Self, Fault> {
        let (agent, block) = (target.agent, target.block);
        let mut ours = named(document, agent.id)?;
        // Of equal entries as many are ours as are on record.
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
            // Without a record, whatever only we write is ours.
            None => is_ours(agent, target.format, &found.node),
        });
        // A member with the name of ours that calls another program.
        for (node, here) in &wanted {
            let is_known = |found: &FoundNode| found.node.at == node.at;
            if here.is_none() && !node.in_list && !node.at.is_empty() && !earlier.iter().chain(&foreign).any(is_known) {
                let found = document.found(&node.at, false)?.into_iter().next();
                foreign.extend(found.map(|value| FoundNode { node: Node::member(node.at.clone(), value), number: 0 }));
            }
        }
        let mut followed = None;
        let wanted = wanted.into_iter().map(|(node, here)| {
            let same = |found: &FoundNode| found.node.at == node.at && found.node.in_list == node.in_list;
            let old =
                if here.is_none() { earlier.iter().position(same).map(|at| earlier.remove(at).number) } else { None };
            let rival = here.or(old).and_then(|number| behind(agent, block, &all, &node.at, number));
            if let Some(number) = rival {
                followed = Some(format!("{}[{number}]", node.at.join(".")));
            }
            let state = match (here, old) {
                (Some(number), _) | (_, Some(number)) if rival.is_some() => State::Followed(number),
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

    /// The reason why the agent would call no hook of this file; `None`: it would call them.
    pub(crate) fn rejected(&self) -> Option<String> {
        let again = format!("then run snaphook install {}", self.agent.id);
        if let Some(name) = self.strange.first() {
            return Some(format!(
                "`{name}` stands in it, and {} rejects the whole file for it; take it out, {again}",
                self.agent.name
            ));
        }
        self.unset.iter().find_map(|(setting, found)| {
            let (name, found) = (setting.at.join("."), found.as_ref()?);
            Some(format!("`{name}` is {found}, and then no hook is called; set it to {}, {again}", setting.value))
        })
    }

    /// The places of entries that name us and that somebody else changed or put there.
    pub(crate) fn places_of_others(&self) -> Vec<String> {
        self.foreign.iter().map(|found| found.node.title()).collect()
    }

    /// The places of entries that have the place of one of ours and do not call us.
    pub(crate) fn taken(&self) -> Vec<String> {
        let taken = self.foreign.iter().filter(|found| !calls(&found.node.value, self.agent.id));
        taken.map(|found| found.node.title()).collect()
    }

    /// Returns true if nothing of ours is there.
    pub(crate) fn is_absent(&self) -> bool {
        self.leftover.is_empty()
            && self.foreign.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Absent)
    }

    /// Returns true if everything is as it should be.
    pub(crate) fn is_current(&self) -> bool {
        self.leftover.is_empty()
            && self.unset.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Current)
    }
}

/// Raises the number of an entry above that of every other one beside it; one that is high enough stays.
fn raised(document: &Document, member: &str, node: &mut Node) -> Result<Option<(i64, i64)>, Fault> {
    let (Some((name, parents)), false) = (node.at.split_last(), member.is_empty()) else { return Ok(None) };
    let beside = document.found(parents, false)?.into_iter().next();
    let number = |entry: &Value| entry.get(member).and_then(Value::as_i64);
    let numbers = beside.iter().filter_map(Value::as_object).flatten();
    let (ours, others): (Vec<_>, Vec<_>) = numbers.partition(|(beside, _)| *beside == name);
    // Without a number it is 0.
    let highest = others.iter().map(|(_, entry)| number(entry).unwrap_or_default()).max();
    let least = highest.map_or(i64::MIN, |highest| highest.saturating_add(1));
    let now = ours.iter().find_map(|(_, entry)| number(entry));
    let wanted = number(&node.value).into_iter().chain(now).fold(least, i64::max);
    if let Some(value) = node.value.get_mut(member) {
        *value = wanted.into();
    }
    Ok(highest.map(|highest| (wanted, highest)))
}

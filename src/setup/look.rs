//! What stands in a file, compared with what should.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, Setup};

use super::edit::{Document, Entry, Fault, Format, Place, parts};
use super::lines::of_entry;
use super::record::{FileRecord, Owned};
use super::rivals::behind;
use super::target::Target;

/// Holds what was found of us in one file.
#[derive(Debug)]
pub(crate) struct Look {
    /// What should be there, and how it stands with it.
    pub(crate) wanted: Vec<(Entry, State)>,
    /// What an earlier version of us put there, and is not wanted any more.
    pub(crate) leftover: Vec<Place>,
    /// What names us and was changed, or put there, by somebody else.
    pub(crate) foreign: Vec<Place>,
    /// Members that must have another value for the agent to heed the file, and the one that they have.
    pub(crate) unset: Vec<(Entry, Option<Value>)>,
    /// Members for which the agent rejects the file.
    strange: Vec<String>,
    /// The number that gives ours the last word, and the highest of others'.
    pub(crate) above: Option<(i64, i64)>,
    /// An entry of another program that follows ours and would have the last word.
    pub(crate) followed: Option<String>,
    agent: &'static Agent,
}

/// Says how it stands with one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is there as it should be.
    Current,
    /// An earlier form of it is there, at this number of its place.
    Stale(usize),
    /// It is there, at this number of its place, and an entry behind it would have the last word.
    Followed(usize),
    /// Somebody changed it; it is theirs now.
    Edited,
    /// It is not there.
    Absent,
}

impl Look {
    /// Compares a file with what a block wants in it; `record` says what we put there.
    pub(crate) fn at(
        document: &Document,
        target: &Target,
        setup: &Setup,
        record: Option<&FileRecord>,
    ) -> Result<Self, Fault> {
        let agent = target.agent;
        let (entries, settings) = parts(target.format, &(target.block.text)(setup))?;
        let mut ours = named(document, agent.id)?;
        // Of equal entries as many are ours as are on record.
        let mut owned: Vec<&Owned> = record.iter().flat_map(|record| &record.entries).collect();
        let mut is_owned = |entry: &Entry| {
            let found = owned.iter().position(|owned| owned.is(entry));
            found.map(|at| owned.remove(at)).is_some()
        };
        let mut wanted: Vec<(Entry, Option<usize>)> = Vec::with_capacity(entries.len());
        let mut above = None;
        let all = document.parts()?.0;
        let last_after = |at: &[String], number| behind(agent, target.block, &all, at, number);
        for mut entry in entries {
            above = above.or(raised(document, target.block.last_word, &mut entry)?);
            let here = ours.iter().position(|place| place.entry == entry || covers(agent, &place.entry, &entry));
            let number = here.map(|at| {
                let place = ours.remove(at);
                is_owned(&place.entry);
                place.number
            });
            wanted.push((entry, number));
        }
        let (mut earlier, mut foreign): (Vec<_>, Vec<_>) = ours.into_iter().partition(|place| match record {
            Some(_) => is_owned(&place.entry),
            // The record is lost: what nobody but us writes is ours.
            None => is_form(agent, target.format, &place.entry),
        });
        // A member with the name of ours that calls another program.
        for (entry, here) in &wanted {
            let is_known = |place: &Place| place.entry.at == entry.at;
            if here.is_none() && !entry.in_list && !entry.at.is_empty() && !earlier.iter().chain(&foreign).any(is_known)
            {
                let found = document.found(&entry.at, false)?.into_iter().next();
                foreign.extend(found.map(|value| Place { entry: Entry { value, ..entry.clone() }, number: 0 }));
            }
        }
        let mut followed = None;
        let wanted = wanted.into_iter().map(|(entry, here)| {
            let same = |place: &Place| place.entry.at == entry.at && place.entry.in_list == entry.in_list;
            let old =
                if here.is_none() { earlier.iter().position(same).map(|at| earlier.remove(at).number) } else { None };
            let behind = here.or(old).and_then(|number| last_after(&entry.at, number));
            if let Some(number) = behind {
                followed = Some(format!("{}[{number}]", entry.at.join(".")));
            }
            let now = match (here, old) {
                (Some(number), _) | (_, Some(number)) if behind.is_some() => State::Followed(number),
                (Some(_), _) => State::Current,
                (None, Some(number)) => State::Stale(number),
                (None, None) if foreign.iter().any(same) => State::Edited,
                (None, None) => State::Absent,
            };
            (entry, now)
        });
        let wanted = wanted.collect();
        let unset = settings.into_iter().filter_map(|setting| {
            let found = document.found(&setting.at, false).ok()?.into_iter().next();
            (found.as_ref() != Some(&setting.value)).then_some((setting, found))
        });
        let unset = unset.collect();
        let only = target.block.only;
        let top = document.found(&[], false)?.into_iter().next();
        let names = top.iter().filter_map(Value::as_object).flat_map(|top| top.keys());
        let strange = names.filter(|name| !only.is_empty() && !only.contains(&name.as_str())).cloned().collect();
        Ok(Self { wanted, leftover: earlier, foreign, unset, strange, above, followed, agent })
    }

    /// Why the agent would call no hook of this file, whatever stands in it; absent: it would.
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

    /// Where something stands that calls us, and that somebody changed or put there.
    pub(crate) fn places_of_others(&self) -> Vec<String> {
        self.foreign.iter().map(|place| title(&place.entry)).collect()
    }

    /// What stands in the place of an entry of ours and does not call us.
    pub(crate) fn taken(&self) -> Vec<String> {
        let taken = self.foreign.iter().filter(|place| !calls(&place.entry.value, self.agent.id));
        taken.map(|place| title(&place.entry)).collect()
    }

    /// Whether nothing of ours is there.
    pub(crate) fn is_absent(&self) -> bool {
        self.leftover.is_empty()
            && self.foreign.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Absent)
    }

    /// Whether everything is as it should be.
    pub(crate) fn is_current(&self) -> bool {
        self.leftover.is_empty()
            && self.unset.is_empty()
            && self.wanted.iter().all(|(_, state)| *state == State::Current)
    }
}

/// Raises the number of an entry above that of every other one beside it; one that is high enough stays.
fn raised(document: &Document, member: &str, entry: &mut Entry) -> Result<Option<(i64, i64)>, Fault> {
    let (Some((name, parents)), false) = (entry.at.split_last(), member.is_empty()) else { return Ok(None) };
    let beside = document.found(parents, false)?.into_iter().next();
    let number = |entry: &Value| entry.get(member).and_then(Value::as_i64);
    let numbers = beside.iter().filter_map(Value::as_object).flatten();
    let (ours, others): (Vec<_>, Vec<_>) = numbers.partition(|(beside, _)| *beside == name);
    // Without a number it is 0.
    let highest = others.iter().map(|(_, entry)| number(entry).unwrap_or_default()).max();
    let least = highest.map_or(i64::MIN, |highest| highest.saturating_add(1));
    let now = ours.iter().find_map(|(_, entry)| number(entry));
    let wanted = number(&entry.value).into_iter().chain(now).fold(least, i64::max);
    if let Some(value) = entry.value.get_mut(member) {
        *value = wanted.into();
    }
    Ok(highest.map(|highest| (wanted, highest)))
}

/// Whether a file calls our hook for an agent; one that cannot be read does not.
pub(crate) fn calls_us(path: &Path, agent: &str) -> bool {
    let Ok(text) = crate::files::read_text(path) else { return false };
    let Ok(document) = Document::parse(Format::of(&path.to_string_lossy()), &text) else { return false };
    let found = named(&document, agent).unwrap_or_default();
    found.iter().any(|place| calls(&place.entry.value, agent))
}

/// Everything in a file that calls our hook for an agent.
pub(crate) fn named(document: &Document, agent: &str) -> Result<Vec<Place>, Fault> {
    let mut ours: Vec<Place> = Vec::new();
    let mut number = 0;
    let mut last: Option<(Vec<String>, bool)> = None;
    for entry in document.parts()?.0 {
        let place = (entry.at.clone(), entry.in_list);
        number = if last.as_ref() == Some(&place) { number + 1 } else { 0 };
        last = Some(place);
        // A file that bears our name is ours whatever stands in it.
        if entry.at.is_empty() || calls(&entry.value, agent) {
            ours.push(Place { entry, number });
        }
    }
    Ok(ours)
}

/// Returns true if a value, or the YAML text that it is, holds a line that calls our hook for this agent.
pub(crate) fn calls(value: &Value, agent: &str) -> bool {
    let format = if value.is_string() { Format::Own } else { Format::Json };
    let entry = Entry { at: Vec::new(), in_list: false, value: value.clone() };
    of_entry(&entry, format).iter().any(|line| line.calls(agent))
}

/// What a person calls an entry.
pub(crate) fn title(entry: &Entry) -> String {
    if entry.at.is_empty() { "the file".to_owned() } else { entry.at.join(".") }
}

/// Whether an entry under our own name is ours although the agent added its defaults to it.
fn covers(agent: &Agent, found: &Entry, wanted: &Entry) -> bool {
    let (Value::Object(there), Value::Object(members)) = (&found.value, &wanted.value) else { return false };
    let is_default = |name: &str, value: &Value| {
        let of_agent = agent.registration.defaults.iter().find(|(default, _)| *default == name);
        of_agent.is_some_and(|(_, default)| serde_json::from_str(default).is_ok_and(|default: Value| default == *value))
    };
    !found.in_list
        && found.at == wanted.at
        && members.keys().all(|name| there.contains_key(name))
        && there.iter().all(|(name, value)| match members.get(name) {
            Some(wanted) => wanted == value,
            None => is_default(name, value),
        })
}

/// Whether a block of ours writes an entry like this one, for these names.
pub(crate) fn is_written_for(agent: &Agent, format: Format, setup: &Setup, entry: &Entry) -> bool {
    agent.registration.blocks.iter().any(|block| {
        let (entries, _) = parts(format, &(block.text)(setup)).unwrap_or_default();
        entries.into_iter().any(|mut wanted| {
            // The number depends on what stands beside it.
            if let (Some(number), Some(here)) =
                (wanted.value.get_mut(block.last_word), entry.value.get(block.last_word))
            {
                *number = here.clone();
            }
            wanted == *entry || covers(agent, entry, &wanted)
        })
    })
}

/// Whether a block of ours writes an entry like this one, for the names that stand in it.
pub(crate) fn is_form(agent: &Agent, format: Format, entry: &Entry) -> bool {
    let lines = of_entry(entry, format);
    lines
        .first()
        .and_then(|line| line.names(agent.id))
        .is_some_and(|setup| is_written_for(agent, format, &setup, entry))
}

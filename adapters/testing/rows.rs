//! The tables are complete: every row has its facts and a fixture, and every fixture has a row.

use std::collections::BTreeSet;

use super::{Fixture, Suite};
use crate::Raw;
use crate::model::{EventKind, HookEvent, Incoming};
use crate::protocol::{Agent, EventRow, Power, Role};
use crate::registry::Registry;

/// Finds gaps in an agent's tables and fixtures.
pub fn rows(suite: &Suite) -> Vec<String> {
    let agent = suite.protocol().agent();
    let mut found = suite.faults.clone();
    if !is_kebab(agent.id) || agent.name.is_empty() {
        found.push(format!("{:?} {:?}: an id is kebab-case, and a name is needed", agent.id, agent.name));
    }
    let mut keys = BTreeSet::new();
    for row in agent.events {
        let at = format!("{} {}", agent.id, row.key());
        if !keys.insert(row.key()) {
            found.push(format!("{at}: two rows have this name, dialect, role and case"));
        }
        found.extend(facts(agent, row).into_iter().map(|f| format!("{at}: {f}")));
    }
    found.extend(fixtures(suite));
    found
}

/// Finds faults in the order and the ids of a registry.
pub fn registry(registry: &Registry) -> Vec<String> {
    let ids: Vec<_> = registry.ids().collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found: Vec<_> = ids
        .iter()
        .filter(|id| registry.get(id).is_none_or(|p| p.agent().id != **id))
        .map(|id| format!("{id}: is not found"))
        .collect();
    if sorted != ids {
        found.push(format!("the agents are not in order: {ids:?}"));
    }
    found
}

fn facts(agent: &Agent, row: &EventRow) -> Vec<String> {
    use EventKind as K;
    let mut faults = Vec::new();
    for host in row.hosts {
        if !agent.hosts.iter().any(|known| known.id == *host) {
            faults.push(format!("the host `{host}` is not listed with the agent"));
        }
    }
    if !row.gating {
        return faults;
    }
    if !matches!(row.kind, K::PreTool | K::Permission | K::Prompt | K::PreModel | K::PreCompact) {
        faults.push(format!("{:?} gates nothing", row.kind));
    }
    if ![Power::Deny, Power::Abort, Power::HardAbort].iter().any(|power| row.can(*power)) {
        faults.push("a gate that cannot block".to_owned());
    }
    if row.failure.timeout.is_none() {
        faults.push("the agent's time limit is not given".to_owned());
    }
    faults
}

fn fixtures(suite: &Suite) -> Vec<String> {
    let agent = suite.protocol().agent();
    let mut found = Vec::new();
    let mut seen: Vec<HookEvent> = Vec::new();
    let mut greeted = Vec::new();
    for fixture in suite.fixtures() {
        let at = format!("{} [{}]", agent.id, fixture.stem);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !fixture.stem.chars().all(plain) {
            found.push(format!("{at}: a fixture is named in lower case with underscores"));
        }
        let kind = fixture.source.split([';', ',']).next().unwrap_or_default().trim();
        if !["recorded", "source", "docs", "made"].contains(&kind) || fixture.source.trim().len() <= kind.len() {
            found.push(format!(
                "{at}: `source` begins with recorded, source, docs or made, and says of what: {:?}",
                fixture.source
            ));
        }
        match suite.protocol().parse(&fixture.native) {
            Ok(Incoming::Event(event) | Incoming::Observed(event)) => seen.push(*event),
            Ok(Incoming::Handshake { .. }) => greeted.extend(fixture.native.body.at(agent.event_at)),
            Err(error) => found.push(format!("{at}: is not read: {error}")),
        }
    }
    for row in agent.events {
        let mine = || seen.iter().filter(|event| event.row.key() == row.key());
        let dialects =
            row.selector.dialects.iter().filter(|dialect| !mine().any(|event| event.dialect == Some(*dialect)));
        found.extend(dialects.map(|dialect| format!("{} {}: no fixture of dialect {dialect}", agent.id, row.key())));
        let roles =
            row.selector.roles.iter().filter(|role| !suite.fixtures().iter().any(|f| reaches(suite, f, row, **role)));
        found.extend(roles.map(|role| format!("{} {}: no fixture leads here in role {role:?}", agent.id, row.key())));
        if mine().next().is_none() && !greeted.contains(&Raw::string(row.native)) {
            found.push(format!("{} {}: no fixture", agent.id, row.key()));
        }
    }
    found
}

/// Returns true if a command line in this role reads the fixture by this row.
fn reaches(suite: &Suite, fixture: &Fixture, row: &EventRow, role: Role) -> bool {
    let native = fixture.native.clone();
    let line = native.line.clone().role(role);
    match suite.protocol().parse(&native.line(line)) {
        Ok(Incoming::Event(event) | Incoming::Observed(event)) => event.row.key() == row.key(),
        _ => false,
    }
}

fn is_kebab(id: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    id.split('-').all(plain)
}

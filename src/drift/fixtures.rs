//! The shapes of the fixtures, which a test writes to a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::shape::MemberType;

/// The members of all fixtures of an event and tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FixtureShape {
    pub(super) agent: String,
    pub(super) dialect: Option<String>,
    pub(super) event: String,
    pub(super) tool: Option<String>,
    pub(super) members: FixtureMembers,
}

pub(super) type FixtureMembers = BTreeMap<String, FixtureMember>;

/// The members of all fixtures of an event, as they are written.
#[derive(Debug, Serialize, Deserialize)]
struct EventShapes {
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
    event: String,
    /// The members that are the same with every tool.
    members: FixtureMembers,
    /// The others by the name of the tool, which is empty for an event without one.
    tools: BTreeMap<String, FixtureMembers>,
}

impl EventShapes {
    fn shapes(self) -> impl Iterator<Item = FixtureShape> {
        let Self { agent, dialect, event, members, tools } = self;
        tools.into_iter().map(move |(tool, own)| FixtureShape {
            agent: agent.clone(),
            dialect: dialect.clone(),
            event: event.clone(),
            tool: Some(tool).filter(|tool| !tool.is_empty()),
            members: members.clone().into_iter().chain(own).collect(),
        })
    }
}

/// A member of fixtures: a letter for each of its types, and before them `?` if it is missing in some of the objects that
/// could have it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct FixtureMember(String);

const LETTERS: &[(char, MemberType)] = &[
    ('z', MemberType::Null),
    ('b', MemberType::Bool),
    ('n', MemberType::Number),
    ('t', MemberType::Text),
    ('a', MemberType::Array),
    ('o', MemberType::Object),
];

impl FixtureMember {
    /// Returns true if no fixture lacks it.
    pub(super) fn is_required(&self) -> bool {
        !self.0.starts_with('?')
    }

    pub(super) fn types(&self) -> impl Iterator<Item = MemberType> {
        LETTERS.iter().filter(|(letter, _)| self.0.contains(*letter)).map(|(_, is)| *is)
    }
}

/// The shapes of all fixtures.
pub(super) fn all() -> Vec<FixtureShape> {
    let events = WRITTEN.lines().filter_map(|line| serde_json::from_str::<EventShapes>(line).ok());
    events.flat_map(EventShapes::shapes).collect()
}

const WRITTEN: &str = include_str!("fixtures.jsonl");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use snaphook_adapters::model::Incoming;
    use snaphook_adapters::registry::Registry;
    use snaphook_adapters::testing::Suite;

    use super::*;
    use crate::drift::MessageShape;
    use crate::drift::compare::parent;

    /// The shapes of all fixtures, sorted.
    fn of_fixtures() -> Vec<MessageShape> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut shapes = Vec::new();
        for protocol in Registry::standard().iter() {
            let id = protocol.agent().id;
            let suite = Suite::read(protocol, &root.join("adapters").join(id.replace('-', "_")).join("fixtures"));
            for fixture in suite.fixtures() {
                if let Ok(Incoming::Event(event) | Incoming::Observed(event)) = protocol.parse(&fixture.native) {
                    shapes.extend(MessageShape::of(id, &fixture.native, Some(&event)));
                }
            }
        }
        shapes.sort();
        shapes
    }

    fn merged(shapes: &[MessageShape]) -> FixtureShape {
        let MessageShape { agent, dialect, event, tool, .. } = shapes[0].clone();
        let mut members: BTreeMap<String, FixtureMember> = BTreeMap::new();
        for path in shapes.iter().flat_map(|shape| shape.members.keys()) {
            let types: Vec<_> = shapes.iter().filter_map(|shape| shape.members.get(path)).map(|is| is.word()).collect();
            let could_have = |shape: &&MessageShape| {
                parent(path).is_none_or(|parent| shape.members.get(parent) == Some(&MemberType::Object))
            };
            let optional = (types.len() < shapes.iter().filter(could_have).count()).then_some('?');
            let letters = LETTERS.iter().filter(|(_, is)| types.contains(&is.word())).map(|(letter, _)| *letter);
            members.insert(path.clone(), FixtureMember(optional.into_iter().chain(letters).collect()));
        }
        FixtureShape { agent, dialect, event, tool, members }
    }

    fn of_event(shapes: &[FixtureShape]) -> EventShapes {
        let FixtureShape { agent, dialect, event, members, .. } = &shapes[0];
        let is_common = |(path, member): &(&String, &FixtureMember)| {
            shapes.iter().all(|shape| shape.members.get(*path) == Some(*member))
        };
        let common: FixtureMembers =
            members.iter().filter(is_common).map(|(path, member)| (path.clone(), member.clone())).collect();
        let own = |shape: &FixtureShape| {
            let own = shape.members.iter().filter(|(path, _)| !common.contains_key(*path));
            let own = own.map(|(path, member)| (path.clone(), member.clone())).collect();
            (shape.tool.clone().unwrap_or_default(), own)
        };
        let (agent, dialect, event) = (agent.clone(), dialect.clone(), event.clone());
        EventShapes { agent, dialect, event, tools: shapes.iter().map(own).collect(), members: common }
    }

    #[test]
    fn the_written_shapes_are_those_of_the_fixtures() {
        let shapes = of_fixtures();
        let key = |shape: &MessageShape| {
            (shape.agent.clone(), shape.dialect.clone(), shape.event.clone(), shape.tool.clone())
        };
        let merged: Vec<_> = shapes.chunk_by(|one, other| key(one) == key(other)).map(merged).collect();
        assert!(merged.len() > 300, "{}", merged.len());
        let events = merged.chunk_by(|one, other| {
            (&one.agent, &one.dialect, &one.event) == (&other.agent, &other.dialect, &other.event)
        });
        let lines: Vec<_> = events.map(|event| serde_json::to_string(&of_event(event)).unwrap() + "\n").collect();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drift/fixtures.jsonl");
        if std::env::var_os("SNAPHOOK_WRITE_DOCS").is_some() {
            std::fs::write(file, lines.concat()).unwrap();
            return;
        }
        let says = "out of date; to write it: SNAPHOOK_WRITE_DOCS=1 cargo test -p snaphook --lib fixtures";
        assert!(std::fs::read_to_string(file).unwrap() == lines.concat(), "{says}");
        assert_eq!(all(), merged);
    }

    #[test]
    fn fixtures_do_not_differ_from_themselves() {
        let found = crate::drift::compare(&Registry::standard(), &of_fixtures());
        let first = found.first().map(|drift| (&drift.agent, &drift.event, &drift.tool, &drift.differences));
        assert_eq!((found.len(), first), (0, None));
    }
}

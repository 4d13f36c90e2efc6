//! Compares shapes that were seen with those of the fixtures.

use std::collections::BTreeSet;

use serde::Serialize;
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;

use super::MessageShape;
use super::fixtures::{self, FixtureMember, FixtureShape};
use super::shape::{ANY, MemberType, OTHER_TOOL};

/// What is different in the messages of one event and tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MessageDrift {
    pub(crate) agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dialect: Option<String>,
    pub(crate) event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    pub(crate) differences: Vec<ShapeDifference>,
    /// A message that differs.
    #[serde(skip)]
    pub(crate) example: MessageShape,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct ShapeDifference {
    pub(crate) kind: DriftKind,
    /// The path of the member, or the name of the event or tool.
    pub(crate) name: String,
    /// The types in the fixtures, and in the messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) expected: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<&'static str>,
}

impl ShapeDifference {
    fn new(kind: DriftKind, name: &str) -> Self {
        Self { kind, name: name.to_owned(), expected: Vec::new(), found: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DriftKind {
    /// The message could not be parsed.
    Unreadable,
    NewEvent,
    NewTool,
    New,
    Missing,
    Retyped,
}

impl DriftKind {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Unreadable => "cannot be read",
            Self::NewEvent => "new event",
            Self::NewTool => "new tool",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Retyped => "retyped",
        }
    }
}

/// Returns the differences, one entry for each agent, event and tool.
pub(crate) fn compare(registry: &Registry, seen: &[MessageShape]) -> Vec<MessageDrift> {
    let fixtures = fixtures::all();
    let mut found: Vec<MessageDrift> = Vec::new();
    for shape in seen {
        let Some(protocol) = registry.named(&shape.agent) else { continue };
        let differences = differences(protocol.agent(), shape, &fixtures);
        if differences.is_empty() {
            continue;
        }
        let same = |drift: &&mut MessageDrift| {
            (&drift.agent, &drift.dialect, &drift.event, &drift.tool)
                == (&shape.agent, &shape.dialect, &shape.event, &shape.tool)
        };
        if let Some(drift) = found.iter_mut().find(same) {
            drift.differences.extend(differences);
            drift.differences.sort();
            drift.differences.dedup();
            continue;
        }
        found.push(MessageDrift {
            agent: shape.agent.clone(),
            dialect: shape.dialect.clone(),
            event: shape.event.clone(),
            tool: shape.tool.clone(),
            differences,
            example: shape.clone(),
        });
    }
    found
}

fn differences(agent: &Agent, shape: &MessageShape, fixtures: &[FixtureShape]) -> Vec<ShapeDifference> {
    if shape.event.is_empty() {
        return vec![ShapeDifference::new(DriftKind::Unreadable, "")];
    }
    let of_agent: Vec<_> = fixtures.iter().filter(|known| known.agent == shape.agent).collect();
    let is_event = |known: &&&FixtureShape| (&known.dialect, &known.event) == (&shape.dialect, &shape.event);
    let of_event: Vec<_> = of_agent.iter().filter(is_event).copied().collect();
    if of_event.is_empty() {
        // An event that has a row and no fixture cannot be compared.
        let is_known = agent.events.iter().any(|row| row.native == shape.event);
        return if is_known { Vec::new() } else { vec![ShapeDifference::new(DriftKind::NewEvent, &shape.event)] };
    }
    let mut differences = Vec::new();
    if let Some(tool) = shape.tool.as_deref().filter(|tool| *tool != OTHER_TOOL) {
        let is_listed = agent.tools.iter().any(|row| row.native.eq_ignore_ascii_case(tool));
        let has_fixture = of_agent.iter().any(|known| known.tool.as_deref() == Some(tool));
        differences.extend((!is_listed && !has_fixture).then(|| ShapeDifference::new(DriftKind::NewTool, tool)));
    }
    let of_tool: Vec<_> = of_event.iter().filter(|known| known.tool == shape.tool).copied().collect();
    // Without a fixture of the tool, only the members that the event has with every tool are compared.
    let is_whole = !of_tool.is_empty();
    differences.extend(in_members(shape, if is_whole { &of_tool } else { &of_event }, is_whole));
    differences.sort();
    differences
}

/// The differences in the members, also those of members or only those at the top.
fn in_members(shape: &MessageShape, fixtures: &[&FixtureShape], is_whole: bool) -> Vec<ShapeDifference> {
    let is_compared = |path: &str| is_whole || !path.contains(['.', '[']);
    let known = |path: &str| fixtures.iter().filter_map(|fixture| fixture.members.get(path)).collect::<Vec<_>>();
    let mut differences = Vec::new();
    for (path, is) in shape.members.iter().filter(|(path, _)| is_compared(path)) {
        let known_types: Vec<_> = known(path).iter().flat_map(|member| member.types()).collect();
        if known_types.is_empty() {
            // The items of a list that is empty in the fixtures say nothing, nor do the members of a new member.
            if !path.ends_with("[]") && parent(path).is_none_or(|parent| !known(parent).is_empty()) {
                differences
                    .push(ShapeDifference { found: Some(is.word()), ..ShapeDifference::new(DriftKind::New, path) });
            }
        } else if !known_types.iter().any(|known| is_same(*known, *is)) {
            let expected: BTreeSet<_> = known_types.iter().map(|is| is.word()).collect();
            let expected = expected.into_iter().collect();
            let found = Some(is.word());
            differences.push(ShapeDifference { expected, found, ..ShapeDifference::new(DriftKind::Retyped, path) });
        }
    }
    let Some((first, others)) = fixtures.split_first() else { return differences };
    for (path, member) in first.members.iter().filter(|(path, _)| is_compared(path)) {
        let is_required = member.is_required()
            && others.iter().all(|other| other.members.get(path).is_some_and(FixtureMember::is_required));
        let is_missing =
            is_required && !shape.members.contains_key(path) && !path.contains("[]") && !path.contains(ANY);
        // The members of a missing member are not listed.
        if is_missing && parent(path).is_none_or(|parent| shape.members.get(parent) == Some(&MemberType::Object)) {
            let expected = member.types().map(MemberType::word).collect();
            differences.push(ShapeDifference { expected, ..ShapeDifference::new(DriftKind::Missing, path) });
        }
    }
    differences
}

/// Returns true if two types are the same, or one of them is null.
fn is_same(one: MemberType, other: MemberType) -> bool {
    [one, other].contains(&MemberType::Null) || one.word() == other.word()
}

/// The path of the member that has this one; `None` at the top.
pub(super) fn parent(path: &str) -> Option<&str> {
    path.rfind(['.', '[']).and_then(|end| path.get(..end))
}

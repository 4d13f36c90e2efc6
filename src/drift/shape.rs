//! The shape of one message.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use snaphook_adapters::model::HookEvent;
use snaphook_adapters::protocol::Native;

/// The members of a message and their types, by agent, event and tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct MessageShape {
    pub(crate) agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dialect: Option<String>,
    /// The name of the event; empty if the message could not be parsed.
    pub(crate) event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// The path of each member, such as `tool_input.command` or `edits[].path`, with its type.
    pub(crate) members: ShapeMembers,
}

pub(crate) type ShapeMembers = BTreeMap<String, MemberType>;

/// The type of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemberType {
    Null,
    Bool,
    Number,
    Text,
    Array,
    Object,
    /// The name of the event.
    Event,
    /// The name of the tool.
    Tool,
}

impl MemberType {
    /// The word for the type in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::Text | Self::Event | Self::Tool => "text",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl MessageShape {
    /// Returns the shape of a message; `None` if it is too large, or not an object. `event` is absent if it was not parsed.
    pub(crate) fn of(agent: &str, native: &Native, event: Option<&HookEvent>) -> Option<Self> {
        let text = native.body.as_str();
        if text.len() > MESSAGE_MAX {
            return None;
        }
        let Ok(Value::Object(members)) = serde_json::from_str(text) else { return None };
        let call = event.and_then(HookEvent::call);
        let is_listed = call.is_none_or(|call| call.row.is_some());
        let tool = call.map(|call| &call.name).filter(|name| !name.starts_with(MCP) && is_word(name));
        let tool = call.map(|_| tool.map_or(OTHER_TOOL, String::as_str).to_owned());
        let names = ShapeNames {
            event: event.map(|event| event.native.as_str()),
            tool: call.map(|call| call.name.as_str()),
            // What the arguments of an unlisted tool are called says what the tool is about.
            depth: if is_listed { DEPTH } else { 1 },
        };
        let mut found = ShapeMembers::new();
        names.walk(&Value::Object(members), &mut String::new(), 0, &mut found);
        Some(Self {
            agent: agent.to_owned(),
            dialect: event.and_then(|event| event.dialect).map(str::to_owned),
            event: event.map(|event| event.native.clone()).filter(|name| is_word(name)).unwrap_or_default(),
            tool,
            members: found,
        })
    }
}

/// The names that a message has as values.
struct ShapeNames<'a> {
    event: Option<&'a str>,
    tool: Option<&'a str>,
    /// The depth of the members that are looked at.
    depth: usize,
}

impl ShapeNames<'_> {
    fn walk(&self, value: &Value, path: &mut String, depth: usize, found: &mut ShapeMembers) {
        if !path.is_empty() {
            if found.len() >= MEMBERS_MAX {
                return;
            }
            let is = self.type_of(value, depth);
            // Items of an array may differ; a null says nothing.
            let known = found.entry(path.clone()).or_insert(is);
            if *known == MemberType::Null {
                *known = is;
            }
        }
        if depth >= self.depth {
            return;
        }
        let length = path.len();
        match value {
            Value::Object(members) => {
                let name = path.rsplit('.').next().unwrap_or_default();
                let is_map = MAPS.contains(&name) || members.len() > MAP_MEMBERS;
                for (key, value) in members.iter().filter(|(key, _)| !INVENTED.contains(&key.as_str())) {
                    if length > 0 {
                        path.push('.');
                    }
                    path.push_str(if is_map || !is_name(key) { ANY } else { key });
                    self.walk(value, path, depth + 1, found);
                    path.truncate(length);
                }
            }
            Value::Array(items) => {
                path.push_str("[]");
                items.iter().take(ITEMS_MAX).for_each(|item| self.walk(item, path, depth, found));
                path.truncate(length);
            }
            _ => {}
        }
    }

    fn type_of(&self, value: &Value, depth: usize) -> MemberType {
        match value {
            Value::Null => MemberType::Null,
            Value::Bool(_) => MemberType::Bool,
            Value::Number(_) => MemberType::Number,
            Value::String(text) if depth <= 2 && self.event == Some(text) => MemberType::Event,
            Value::String(text) if depth <= 2 && self.tool == Some(text) => MemberType::Tool,
            Value::String(_) => MemberType::Text,
            Value::Array(_) => MemberType::Array,
            Value::Object(_) => MemberType::Object,
        }
    }
}

/// Returns true if a text can be the name of an event or a tool, and is not a sentence.
fn is_word(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$.:/".contains(&byte);
    text.len() <= NAME_MAX && text.bytes().all(is_part)
}

/// Returns true if a text can be the name of a member, and not a path, an address or a sentence.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$".contains(&byte);
    text.len() <= NAME_MAX
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c))
        && text.bytes().all(is_part)
}

/// Stands for any name in a map, or for one that cannot be the name of a member.
pub(super) const ANY: &str = "*";
/// How the tools of MCP servers begin.
const MCP: &str = "mcp__";
/// Stands for all tools of MCP servers, and for names of another form.
pub(super) const OTHER_TOOL: &str = "mcp__server__tool";
/// ShapeMembers whose own members have names that a user or a model chooses.
const MAPS: &[&str] =
    &["env", "environment", "headers", "files", "changes", "variables", "answers", "metadata", "properties"];
/// An object with more members is a map.
const MAP_MEMBERS: usize = 40;
/// ShapeMembers that fixtures have to show that unknown ones are kept.
const INVENTED: &[&str] = &["a_field_we_do_not_know", "later_option"];
/// The limits of a shape.
const MESSAGE_MAX: usize = 1 << 20;
const MEMBERS_MAX: usize = 200;
const ITEMS_MAX: usize = 20;
const NAME_MAX: usize = 48;
/// The depth of the members that are looked at.
const DEPTH: usize = 3;

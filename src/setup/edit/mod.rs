//! Inserts nodes into the text of a configuration file, finds them and removes them.
//!
//! All other bytes stay the same: comments, order, indentation, line ends, and a byte order mark.

mod json;
pub(super) mod plugin;
mod script;
mod toml;
pub(super) mod yaml;

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas if the agent accepts them.
    Json,
    /// TOML.
    Toml,
    /// YAML of other programs; all our entries are one text between two marks.
    Yaml,
    /// YAML in a separate file of snaphook; all our entries are its text.
    Own,
    /// JavaScript or TypeScript in a separate file of snaphook.
    Plugin,
    /// A program that an agent finds by its name, which has no ending; our entry is its text.
    Script,
}

impl Format {
    /// The format of a file by its name.
    pub(crate) fn of(file: &str) -> Self {
        let name = file.rsplit('/').next().unwrap_or_default();
        if !name.contains(['.', ' ', '*']) {
            return Self::Script;
        }
        match file.rsplit('.').next() {
            Some("json" | "jsonc") => Self::Json,
            Some("toml") => Self::Toml,
            Some("js" | "mjs" | "ts") => Self::Plugin,
            Some("yaml" | "yml") if !name.contains(OUR_NAME) => Self::Yaml,
            _ => Self::Own,
        }
    }

    /// The nodes for these entries in a file of this format.
    pub(crate) fn nodes(self, entries: Vec<Node>) -> Vec<Node> {
        let in_text = match self {
            Self::Json | Self::Toml | Self::Plugin => return entries,
            Self::Yaml => yaml::between_marks,
            Self::Own => yaml::written,
            Self::Script => script::written,
        };
        let mut tree = Value::Object(Map::new());
        for entry in entries {
            let place = entry.at.iter().fold(&mut tree, |place, name| &mut place[name.as_str()]);
            match place {
                Value::Array(list) => list.push(entry.value),
                place => *place = Value::Array(vec![entry.value]),
            }
        }
        vec![Node::text(in_text(&tree), tree)]
    }
}

/// A value of a file, and its location.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The path of members to it; empty for the whole file, or for our lines in it.
    pub(crate) at: Vec<String>,
    /// True for an element of the list at that path, false for the member itself.
    pub(crate) in_list: bool,
    pub(crate) value: Value,
    /// Its text, if snaphook wrote it as a text; such nodes are compared by their text.
    pub(crate) text: Option<String>,
}

impl Node {
    /// Creates a member.
    pub(crate) fn member(at: Vec<String>, value: Value) -> Self {
        Self { at, in_list: false, value, text: None }
    }

    /// Creates an element of a list.
    pub(crate) fn element(at: Vec<String>, value: Value) -> Self {
        Self { at, in_list: true, value, text: None }
    }

    /// Creates a node from a text of snaphook and its parsed value.
    pub(crate) fn text(text: String, value: Value) -> Self {
        Self { at: Vec::new(), in_list: false, value, text: Some(text) }
    }

    /// The value by which it is recognized: its text, if it has one.
    pub(crate) fn identity(&self) -> Cow<'_, Value> {
        self.text.as_ref().map_or(Cow::Borrowed(&self.value), |text| Cow::Owned(Value::String(text.clone())))
    }

    /// Its path for messages.
    pub(crate) fn title(&self) -> String {
        if self.at.is_empty() { "the file".to_owned() } else { self.at.join(".") }
    }
}

/// A node that was found in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundNode {
    pub(crate) node: Node,
    /// Its index among the nodes with the same path.
    pub(crate) number: usize,
}

/// The reason why a file is not changed, with its location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditFault {
    /// The text is not valid.
    #[error("{line}:{column}: {what}")]
    Syntax { line: usize, column: usize, what: String },
    /// A node cannot be inserted there.
    #[error("`{at}` is {what}")]
    Place { at: String, what: String },
}

impl EditFault {
    fn place(at: &[String], what: impl Into<String>) -> Self {
        Self::Place { at: at.join("."), what: what.into() }
    }

    /// Creates a syntax error with the line and column of a byte, from 1.
    fn syntax(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self::Syntax { line, column, what: what.into() }
    }
}

/// A text of one format that can be edited.
trait Tree {
    fn text(&self) -> String;

    fn entries(&self) -> Result<Vec<Node>, EditFault>;

    fn is_empty(&self) -> bool;

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, EditFault>;

    fn put(&mut self, node: &Node, instead: Option<usize>) -> Result<(), EditFault>;

    fn take(&mut self, found: &FoundNode, ours: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault>;
}

/// The text of a file that is being edited.
pub(crate) struct Document {
    tree: Box<dyn Tree>,
    bom: bool,
    format: Format,
}

const BOM: char = '\u{feff}';

impl Document {
    /// Parses a text; a missing file is an empty text.
    pub(crate) fn parse(format: Format, text: &str) -> Result<Self, EditFault> {
        let (text, bom) = text.strip_prefix(BOM).map_or((text, false), |text| (text, true));
        let tree: Box<dyn Tree> = match format {
            Format::Json => Box::new(json::Json::parse(text)?),
            Format::Toml => Box::new(toml::Toml::parse(text)?),
            Format::Yaml => Box::new(yaml::Marked::parse(text)?),
            Format::Own => Box::new(OwnFile { text: text.to_owned(), value_of: yaml::value_of }),
            Format::Plugin => Box::new(OwnFile { text: text.to_owned(), value_of: plugin::value_of }),
            Format::Script => Box::new(OwnFile { text: text.to_owned(), value_of: script::value_of }),
        };
        Ok(Self { tree, bom, format })
    }

    /// Returns true if a text that is one entry is ours, whatever it contains: the file or its marks have our name.
    pub(crate) fn has_our_name(&self) -> bool {
        self.format != Format::Script
    }

    /// The current text.
    pub(crate) fn text(&self) -> String {
        let text = self.tree.text();
        if self.bom { format!("{BOM}{text}") } else { text }
    }

    /// The values at a path: the elements of the list there, or the member itself.
    pub(crate) fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, EditFault> {
        self.tree.found(at, in_list)
    }

    /// Inserts a node at its path: in place of the one with the index `instead`, else after all others. Creates missing
    /// parent members.
    pub(crate) fn put(&mut self, node: &Node, instead: Option<usize>) -> Result<(), EditFault> {
        self.tree.put(node, instead)
    }

    /// Removes a node, and its parent members that are empty then and for which `ours` returns true.
    pub(crate) fn take(&mut self, found: &FoundNode, ours: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault> {
        self.tree.take(found, ours)
    }

    /// Returns true if it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// All nodes that can be a hook: each element of a list, each member with our name, and our own text.
    pub(crate) fn entries(&self) -> Result<Vec<Node>, EditFault> {
        self.tree.entries()
    }
}

/// Returns true for a name that snaphook gives to an entry.
fn is_our_name(name: &str) -> bool {
    name.starts_with(OUR_NAME)
}

/// The name of our entries in files that name them.
pub(crate) const OUR_NAME: &str = "snaphook";

fn entries_of(at: Vec<String>, value: Value, entries: &mut Vec<Node>) {
    match value {
        value if at.last().is_some_and(|name| is_our_name(name)) => entries.push(Node::member(at, value)),
        Value::Object(members) => {
            for (name, value) in members {
                entries_of([at.as_slice(), &[name]].concat(), value, entries);
            }
        }
        Value::Array(elements) => {
            entries.extend(elements.into_iter().map(|value| Node::element(at.clone(), value)));
        }
        _ => {}
    }
}

/// A separate file of snaphook; its whole text is one entry.
struct OwnFile {
    text: String,
    value_of: fn(&str) -> Value,
}

impl Tree for OwnFile {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn entries(&self) -> Result<Vec<Node>, EditFault> {
        let text = Some(&self.text).filter(|text| !text.is_empty());
        Ok(text.map(|text| Node::text(text.clone(), (self.value_of)(text))).into_iter().collect())
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn found(&self, _: &[String], _: bool) -> Result<Vec<Value>, EditFault> {
        Ok(if self.is_empty() { Vec::new() } else { vec![Value::String(self.text.clone())] })
    }

    fn put(&mut self, node: &Node, _: Option<usize>) -> Result<(), EditFault> {
        self.text = node.text.clone().unwrap_or_default();
        Ok(())
    }

    fn take(&mut self, _: &FoundNode, _: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault> {
        self.text.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

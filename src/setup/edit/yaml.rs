//! Edits YAML files of other programs: inserts and removes one block of lines between two marks.
//!
//! No YAML editor preserves every byte, so the existing text is not changed. Our block is appended, if none of its keys
//! exists yet.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use snaphook_adapters::raw::quoted;
use yaml_rust2::{Yaml, YamlLoader};

use super::{EditFault, FoundNode, Node, Tree, entries_of};

pub(super) struct Marked {
    before: String,
    /// Our lines, including the marks.
    ours: Option<String>,
    after: String,
    /// The parsed text without our lines.
    value: Value,
}

const BEGIN: &str = "# begin of snaphook's lines";
const END: &str = "# end of snaphook's lines";

/// Splits a text into the part before our lines, our lines with the marks, and the part after them.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let begin = lines(text).find(|(_, line)| line.trim_end() == BEGIN)?.0;
    let (at, last) = lines(text).find(|(at, line)| *at > begin && line.trim_end() == END)?;
    let end = at + last.len();
    Some((text.get(..begin)?, text.get(begin..end)?, text.get(end..)?))
}

/// The lines including their ends, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

impl Marked {
    pub(super) fn parse(text: &str) -> Result<Self, EditFault> {
        let (before, ours, after) =
            split(text).map_or((text, None, ""), |(before, ours, after)| (before, Some(ours), after));
        let value = value(&[before, after].concat())?;
        Ok(Self { before: before.to_owned(), ours: ours.map(str::to_owned), after: after.to_owned(), value })
    }
}

impl Tree for Marked {
    fn text(&self) -> String {
        [&self.before, self.ours.as_deref().unwrap_or_default(), &self.after].concat()
    }

    fn entries(&self) -> Result<Vec<Node>, EditFault> {
        let ours = self.ours.as_ref().map(|ours| Node::text(ours.clone(), value_of(ours)));
        let mut entries: Vec<_> = ours.into_iter().collect();
        entries_of(Vec::new(), self.value.clone(), &mut entries);
        Ok(entries)
    }

    fn is_empty(&self) -> bool {
        self.ours.is_none() && self.before.trim().is_empty() && self.after.trim().is_empty()
    }

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, EditFault> {
        let found = at.iter().try_fold(&self.value, |value, name| value.get(name));
        Ok(match found {
            Some(Value::Array(elements)) if in_list => elements.clone(),
            Some(value) if !in_list => vec![value.clone()],
            _ => Vec::new(),
        })
    }

    fn put(&mut self, node: &Node, _: Option<usize>) -> Result<(), EditFault> {
        let names = || node.value.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(name) = names().find(|name| self.value.get(name.as_str()).is_some()) {
            let what = "already defined, and a block cannot be merged with it";
            return Err(EditFault::place(std::slice::from_ref(name), what));
        }
        if self.ours.is_none() {
            // Moved to the end of the text, so that our lines do not split a block of the file.
            self.before.push_str(&std::mem::take(&mut self.after));
            if !self.before.is_empty() && !self.before.ends_with('\n') {
                self.before.push('\n');
            }
        }
        self.ours.clone_from(&node.text);
        // Nothing can follow a mapping in braces or the end marker of a document.
        let mut whole = self.value.clone();
        if let (Some(whole), Some(new)) = (whole.as_object_mut(), node.value.as_object()) {
            whole.extend(new.clone());
        }
        if value(&self.text()).ok() == Some(whole) {
            return Ok(());
        }
        let first: Vec<String> = names().take(1).cloned().collect();
        Err(EditFault::place(&first, "impossible to add at the end of this file; write the file in block style"))
    }

    fn take(&mut self, found: &FoundNode, _: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault> {
        if found.node.at.is_empty() {
            self.ours = None;
            return Ok(());
        }
        Err(EditFault::place(&found.node.at, "no longer between the marks of snaphook; remove it manually"))
    }
}

fn value(text: &str) -> Result<Value, EditFault> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| EditFault::Syntax {
        line: error.marker().line(),
        column: error.marker().col() + 1,
        what: error.info().to_owned(),
    })?;
    match documents.as_slice() {
        [] | [Yaml::Null] => Ok(Value::Object(Map::new())),
        [document @ Yaml::Hash(_)] => Ok(of_yaml(document)),
        [_] => Err(EditFault::syntax(text, 0, "a mapping is expected")),
        _ => Err(EditFault::syntax(text, 0, "one document is expected")),
    }
}

/// Parses a text; several documents become a list.
pub(in crate::setup) fn value_of(text: &str) -> Value {
    match documents(text) {
        mut one if one.len() == 1 => one.remove(0),
        several => Value::Array(several),
    }
}

/// Parses every document of a text; empty if the text is invalid.
pub(in crate::setup) fn documents(text: &str) -> Vec<Value> {
    YamlLoader::load_from_str(text).unwrap_or_default().iter().map(of_yaml).collect()
}

fn of_yaml(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::String(text) => Value::String(text.clone()),
        Yaml::Boolean(value) => Value::Bool(*value),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Array(list) => list.iter().map(of_yaml).collect(),
        Yaml::Hash(members) => {
            let members = members.iter().filter_map(|(name, value)| Some((name.as_str()?.to_owned(), of_yaml(value))));
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}

/// Formats our lines with the marks.
pub(super) fn between_marks(tree: &Value) -> String {
    format!("{BEGIN}\n{}{END}\n", written(tree))
}

/// Formats a mapping in block style.
pub(super) fn written(tree: &Value) -> String {
    let mut text = String::new();
    write(tree, 0, &mut text);
    text
}

fn write(value: &Value, indent: usize, text: &mut String) {
    let blank = " ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let _ = write!(text, "{blank}{name}:");
                if value.is_object() || value.is_array() {
                    text.push('\n');
                    write(value, indent + 2, text);
                } else {
                    let _ = writeln!(text, " {}", scalar(value));
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                let begin = text.len() + indent;
                write(element, indent + 2, text);
                text.replace_range(begin..=begin, "-");
            }
        }
        value => {
            let _ = writeln!(text, "{blank}{}", scalar(value));
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(word) if is_plain(word) => word.clone(),
        Value::String(text) => quoted(text),
        value => value.to_string(),
    }
}

/// Returns true for a string that needs no quotes.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase()) && matches!(Yaml::from_str(word), Yaml::String(_))
}

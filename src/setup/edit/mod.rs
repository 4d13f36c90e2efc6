//! A configuration file of an agent as a text in which our entries are put, found and taken out.
//!
//! What stands around them stays byte for byte: comments, order, indentation, line ends, and a mark
//! at the beginning.

mod json;
mod toml;
pub(super) mod yaml;

use serde_json::{Map, Value};

/// Says how a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas where the agent takes them.
    Json,
    /// TOML.
    Toml,
    /// YAML of others, with lines of our own between two marks, which are one entry.
    Yaml,
    /// A file of our own; its whole text is one entry.
    Own,
}

impl Format {
    /// The format of a file by its name.
    pub(crate) fn of(file: &str) -> Self {
        match file.rsplit('.').next() {
            Some("json" | "jsonc") => Self::Json,
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") if !file.rsplit('/').next().unwrap_or_default().contains("snaphook") => Self::Yaml,
            _ => Self::Own,
        }
    }
}

/// Holds one thing that is put into a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The members that lead to it; empty: it is the whole file.
    pub(crate) at: Vec<String>,
    /// An element of the list at that place, not the member itself.
    pub(crate) in_list: bool,
    /// What it is.
    pub(crate) value: Value,
}

/// Names one of several that stand at the same place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) entry: Entry,
    /// Its number among what stands there.
    pub(crate) number: usize,
}

/// Says why a file is not touched, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// It is not what its name says.
    #[error("{line}:{column}: {what}")]
    Syntax { line: usize, column: usize, what: String },
    /// Something else stands where an entry belongs.
    #[error("`{at}` is {what}")]
    Place { at: String, what: String },
}

impl Fault {
    fn place(at: &[String], what: impl Into<String>) -> Self {
        Self::Place { at: at.join("."), what: what.into() }
    }

    /// Names the place of a byte, counted from 1.
    fn syntax(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self::Syntax { line, column, what: what.into() }
    }
}

/// A text that is changed, however it is written.
trait Tree {
    fn text(&self) -> String;

    /// All that stands in it.
    fn value(&self) -> Result<Value, Fault>;

    /// What of it is an entry, and what a setting.
    fn parts(&self) -> Result<(Vec<Entry>, Vec<Entry>), Fault> {
        let (mut entries, mut settings) = (Vec::new(), Vec::new());
        walk(Vec::new(), self.value()?, &mut entries, &mut settings);
        Ok((entries, settings))
    }

    fn is_empty(&self) -> bool;

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, Fault>;

    fn put(&mut self, entry: &Entry, instead: Option<usize>) -> Result<(), Fault>;

    fn take(&mut self, place: &Place, ours: &dyn Fn(&[String]) -> bool) -> Result<(), Fault>;
}

/// Holds a file while it is changed.
pub(crate) struct Document {
    tree: Box<dyn Tree>,
    bom: bool,
}

const BOM: char = '\u{feff}';

impl Document {
    /// Reads a file; empty text is a file that is not there yet.
    pub(crate) fn parse(format: Format, text: &str) -> Result<Self, Fault> {
        let (text, bom) = text.strip_prefix(BOM).map_or((text, false), |text| (text, true));
        let tree: Box<dyn Tree> = match format {
            Format::Json => Box::new(json::Json::parse(text)?),
            Format::Toml => Box::new(toml::Toml::parse(text)?),
            Format::Yaml => Box::new(yaml::Marked::parse(text)?),
            Format::Own => Box::new(Own(text.to_owned())),
        };
        Ok(Self { tree, bom })
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        let text = self.tree.text();
        if self.bom { format!("{BOM}{text}") } else { text }
    }

    /// What stands at a place: the elements of the list there, or the member itself.
    pub(crate) fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, Fault> {
        self.tree.found(at, in_list)
    }

    /// Puts an entry at its place: instead of the `instead`-th that was found there, else behind
    /// them. What leads to it is made where it is missing.
    pub(crate) fn put(&mut self, entry: &Entry, instead: Option<usize>) -> Result<(), Fault> {
        self.tree.put(entry, instead)
    }

    /// Takes something out, and of what leads to it whatever is empty then, as long as `ours` says
    /// that it was made for it.
    pub(crate) fn take(&mut self, place: &Place, ours: &dyn Fn(&[String]) -> bool) -> Result<(), Fault> {
        self.tree.take(place, ours)
    }

    /// Whether nothing is left in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Takes it apart into entries and settings, which are members that are neither: an element of a
    /// list is an entry, a member with our name too, and so is the text of a file of our own.
    pub(crate) fn parts(&self) -> Result<(Vec<Entry>, Vec<Entry>), Fault> {
        self.tree.parts()
    }
}

/// Takes a block that an agent's row wrote apart, as [`Document::parts`] does.
pub(crate) fn parts(format: Format, block: &str) -> Result<(Vec<Entry>, Vec<Entry>), Fault> {
    Document::parse(format, block)?.parts()
}

fn walk(at: Vec<String>, value: Value, entries: &mut Vec<Entry>, settings: &mut Vec<Entry>) {
    let is_ours = at.last().is_none_or(|name| name.starts_with("snaphook"));
    match value {
        Value::Object(members) if at.is_empty() || !is_ours => {
            for (name, value) in members {
                walk([at.as_slice(), &[name]].concat(), value, entries, settings);
            }
        }
        Value::Array(elements) if !is_ours => {
            entries.extend(elements.into_iter().map(|value| Entry { at: at.clone(), in_list: true, value }));
        }
        value if is_ours => entries.push(Entry { at, in_list: false, value }),
        value => settings.push(Entry { at, in_list: false, value }),
    }
}

/// A file of our own; its whole text is one entry.
struct Own(String);

impl Tree for Own {
    fn text(&self) -> String {
        self.0.clone()
    }

    fn value(&self) -> Result<Value, Fault> {
        // What is empty has no entry, as an object without members has none.
        Ok(if self.is_empty() { Value::Object(Map::new()) } else { Value::String(self.0.clone()) })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn found(&self, _: &[String], _: bool) -> Result<Vec<Value>, Fault> {
        Ok(if self.is_empty() { Vec::new() } else { vec![Value::String(self.0.clone())] })
    }

    fn put(&mut self, entry: &Entry, _: Option<usize>) -> Result<(), Fault> {
        entry.value.as_str().unwrap_or_default().clone_into(&mut self.0);
        Ok(())
    }

    fn take(&mut self, _: &Place, _: &dyn Fn(&[String]) -> bool) -> Result<(), Fault> {
        self.0.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

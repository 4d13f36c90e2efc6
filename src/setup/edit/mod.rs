//! A configuration file of an agent as a text in which our entries are put, found and taken out.
//!
//! What stands around them stays byte for byte: comments, order, indentation, line ends, and a mark
//! at the beginning.

mod json;
mod toml;

use serde_json::Value;

/// Says how a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas where the agent takes them.
    Json,
    /// TOML.
    Toml,
    /// A file of our own; its whole text is one entry.
    Own,
}

impl Format {
    /// The format of a file by its name.
    pub(crate) fn of(file: &str) -> Self {
        match file.rsplit('.').next() {
            Some("json" | "jsonc") => Self::Json,
            Some("toml") => Self::Toml,
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

/// Holds what a file must have besides entries: a member with this value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    pub(crate) at: Vec<String>,
    pub(crate) value: Value,
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

/// Holds a file while it is changed.
pub(crate) struct Document {
    tree: Tree,
    bom: bool,
}

enum Tree {
    Json(json::Json),
    Toml(toml::Toml),
    Own(String),
}

const BOM: char = '\u{feff}';

impl Document {
    /// Reads a file; empty text is a file that is not there yet.
    pub(crate) fn parse(format: Format, text: &str) -> Result<Self, Fault> {
        let (text, bom) = text.strip_prefix(BOM).map_or((text, false), |text| (text, true));
        let tree = match format {
            Format::Json => Tree::Json(json::Json::parse(text)?),
            Format::Toml => Tree::Toml(toml::Toml::parse(text)?),
            Format::Own => Tree::Own(text.to_owned()),
        };
        Ok(Self { tree, bom })
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        let text = match &self.tree {
            Tree::Json(json) => json.text(),
            Tree::Toml(toml) => toml.text(),
            Tree::Own(text) => text.clone(),
        };
        if self.bom { format!("{BOM}{text}") } else { text }
    }

    /// What stands at a place: the elements of the list there, or the member itself.
    pub(crate) fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, Fault> {
        match &self.tree {
            Tree::Json(json) => json.found(at, in_list),
            Tree::Toml(toml) => toml.found(at, in_list),
            Tree::Own(text) if text.is_empty() => Ok(Vec::new()),
            Tree::Own(text) => Ok(vec![Value::String(text.clone())]),
        }
    }

    /// Puts an entry at its place: instead of the `instead`-th that was found there, else behind
    /// them. What leads to it is made where it is missing.
    pub(crate) fn put(&mut self, entry: &Entry, instead: Option<usize>) -> Result<(), Fault> {
        match &mut self.tree {
            Tree::Json(json) => json.put(entry, instead),
            Tree::Toml(toml) => toml.put(entry, instead),
            Tree::Own(text) => {
                entry.value.as_str().unwrap_or_default().clone_into(text);
                Ok(())
            }
        }
    }

    /// Takes out the `number`-th that was found at a place, and of what leads to it whatever is
    /// empty then, as long as `ours` says that it was made for it.
    pub(crate) fn take(
        &mut self,
        at: &[String],
        in_list: bool,
        number: usize,
        ours: &dyn Fn(&[String]) -> bool,
    ) -> Result<(), Fault> {
        match &mut self.tree {
            Tree::Json(json) => json.take(at, in_list, number, ours),
            Tree::Toml(toml) => toml.take(at, in_list, number, ours),
            Tree::Own(text) => {
                text.clear();
                Ok(())
            }
        }
    }

    /// Everything in it that could be an entry.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, Fault> {
        Ok(self.parts()?.0)
    }

    /// Takes it apart: an element of a list is an entry, a member with our name too, and any other
    /// value a setting.
    fn parts(&self) -> Result<(Vec<Entry>, Vec<Setting>), Fault> {
        let (mut entries, mut settings) = (Vec::new(), Vec::new());
        let whole = match &self.tree {
            Tree::Json(json) => json.value()?,
            Tree::Toml(toml) => toml.value(),
            Tree::Own(text) => {
                if !text.is_empty() {
                    entries.push(Entry { at: Vec::new(), in_list: false, value: Value::String(text.clone()) });
                }
                return Ok((entries, settings));
            }
        };
        walk(Vec::new(), whole, &mut entries, &mut settings);
        Ok((entries, settings))
    }

    /// Whether nothing is left in it.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.tree {
            Tree::Json(json) => json.is_empty(),
            Tree::Toml(toml) => toml.is_empty(),
            Tree::Own(text) => text.is_empty(),
        }
    }
}

/// Takes a block that an agent's row wrote apart into entries and what the file must have besides.
pub(crate) fn parts(format: Format, block: &str) -> Result<(Vec<Entry>, Vec<Setting>), Fault> {
    Document::parse(format, block)?.parts()
}

fn walk(at: Vec<String>, value: Value, entries: &mut Vec<Entry>, settings: &mut Vec<Setting>) {
    match value {
        value if at.last().is_some_and(|name| name.starts_with("snaphook")) => {
            entries.push(Entry { at, in_list: false, value });
        }
        Value::Object(members) => {
            for (name, value) in members {
                walk([at.as_slice(), &[name]].concat(), value, entries, settings);
            }
        }
        Value::Array(elements) => {
            entries.extend(elements.into_iter().map(|value| Entry { at: at.clone(), in_list: true, value }));
        }
        value => settings.push(Setting { at, value }),
    }
}

#[cfg(test)]
mod tests;

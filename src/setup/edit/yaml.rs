//! YAML that others wrote: read as a whole, and changed only by lines of our own between two marks.
//!
//! No editor of YAML keeps every byte, so nothing that stands there is touched: our lines are put
//! behind it, where none of their keys is taken yet, and cut out again.

use serde_json::{Map, Value};
use yaml_rust2::{Yaml, YamlLoader};

use super::{Entry, Fault, Place, Tree, walk};

pub(super) struct Marked {
    before: String,
    /// Our lines, with the marks around them.
    ours: Option<String>,
    after: String,
    /// What stands around ours.
    value: Value,
}

const BEGIN: &str = "# begin of snaphook's lines";
const END: &str = "# end of snaphook's lines";

/// Our lines, with the marks, and what stands around them.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let begin = lines(text).find(|(_, line)| line.trim_end() == BEGIN)?.0;
    let (at, last) = lines(text).find(|(at, line)| *at > begin && line.trim_end() == END)?;
    let end = at + last.len();
    Some((text.get(..begin)?, text.get(begin..end)?, text.get(end..)?))
}

/// The lines with their ends, and where each begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

impl Marked {
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
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

    fn value(&self) -> Result<Value, Fault> {
        Ok(self.value.clone())
    }

    fn parts(&self) -> Result<(Vec<Entry>, Vec<Entry>), Fault> {
        let (mut entries, mut settings) = (Vec::new(), Vec::new());
        let ours = self.ours.clone().map(|ours| Entry { at: Vec::new(), in_list: false, value: Value::String(ours) });
        entries.extend(ours);
        walk(Vec::new(), self.value.clone(), &mut entries, &mut settings);
        Ok((entries, settings))
    }

    fn is_empty(&self) -> bool {
        self.ours.is_none() && self.before.trim().is_empty() && self.after.trim().is_empty()
    }

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, Fault> {
        let found = at.iter().try_fold(&self.value, |value, name| value.get(name));
        Ok(match found {
            Some(Value::Array(elements)) if in_list => elements.clone(),
            Some(value) if !in_list => vec![value.clone()],
            _ => Vec::new(),
        })
    }

    fn put(&mut self, entry: &Entry, _: Option<usize>) -> Result<(), Fault> {
        let text = entry.value.as_str().unwrap_or_default();
        let wanted = value(text)?;
        let names = || wanted.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(name) = names().find(|name| self.value.get(name.as_str()).is_some()) {
            let what = "there already, and YAML of others is added to at its end only";
            return Err(Fault::place(std::slice::from_ref(name), what));
        }
        if self.ours.is_none() {
            // Behind everything, so that no block of theirs goes on below ours.
            self.before.push_str(&std::mem::take(&mut self.after));
            if !self.before.is_empty() && !self.before.ends_with('\n') {
                self.before.push('\n');
            }
        }
        self.ours = Some(text.to_owned());
        // What stands in one pair of braces, or ends with a mark of its own, has no place behind it.
        let mut whole = self.value.clone();
        if let (Some(whole), Some(new)) = (whole.as_object_mut(), wanted.as_object()) {
            whole.extend(new.clone());
        }
        if value(&self.text()).ok() == Some(whole) {
            return Ok(());
        }
        let first: Vec<String> = names().take(1).cloned().collect();
        Err(Fault::place(&first, "not to be had by lines at the end of this file; write it in plain blocks"))
    }

    fn take(&mut self, place: &Place, _: &dyn Fn(&[String]) -> bool) -> Result<(), Fault> {
        if place.entry.at.is_empty() {
            self.ours = None;
            return Ok(());
        }
        Err(Fault::place(&place.entry.at, "not between our marks any more; take it out by hand"))
    }
}

fn value(text: &str) -> Result<Value, Fault> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| Fault::Syntax {
        line: error.marker().line(),
        column: error.marker().col() + 1,
        what: error.info().to_owned(),
    })?;
    match documents.as_slice() {
        [] | [Yaml::Null] => Ok(Value::Object(Map::new())),
        [document @ Yaml::Hash(_)] => Ok(of_yaml(document)),
        [_] => Err(Fault::syntax(text, 0, "a mapping is expected")),
        _ => Err(Fault::syntax(text, 0, "one document is expected")),
    }
}

/// What JSON can say of it.
pub(in crate::setup) fn of_yaml(yaml: &Yaml) -> Value {
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

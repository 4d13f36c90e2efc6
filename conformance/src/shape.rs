//! The shape of a message: its members and their types, and the difference between two shapes.

use std::collections::BTreeMap;

use serde_json::Value;

/// Members whose content is written by the model or is test data, so that only their presence is compared.
const OPAQUE: &[&str] = &["tool_input", "arguments", "params.arguments", "params.decision.arguments"];

/// Members that fixtures have in addition to the recorded ones.
const INVENTED: &[&str] = &["a_field_we_do_not_know", "later_option"];

/// The paths of members, with their types.
pub(crate) type Shape = BTreeMap<String, String>;

/// The difference between a newer and an older shape.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) new: Vec<String>,
    pub(crate) missing: Vec<String>,
    /// Old path, new path: members of the same type and parent, of which one is missing and one is new.
    pub(crate) renamed: Vec<(String, String)>,
    /// Path, old type, new type.
    pub(crate) retyped: Vec<(String, String, String)>,
}

impl Difference {
    /// Returns true if there is no difference.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The number of differences.
    pub(crate) fn len(&self) -> usize {
        self.new.len() + self.missing.len() + self.renamed.len() + self.retyped.len()
    }

    /// One line for each difference.
    pub(crate) fn lines(&self) -> Vec<String> {
        let new = self.new.iter().map(|at| format!("new: {at}"));
        let missing = self.missing.iter().map(|at| format!("missing: {at}"));
        let renamed = self.renamed.iter().map(|(from, to)| format!("renamed: {from} -> {to}"));
        let retyped = self.retyped.iter().map(|(at, from, to)| format!("{at}: {from} -> {to}"));
        new.chain(missing).chain(renamed).chain(retyped).collect()
    }
}

/// The shape of a value.
pub(crate) fn shape(value: &Value) -> Shape {
    let mut shape = Shape::new();
    walk(value, "", &mut shape);
    shape
}

fn walk(value: &Value, at: &str, shape: &mut Shape) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !at.is_empty() {
        shape.insert(at.to_owned(), kind.to_owned());
    }
    if OPAQUE.contains(&at) {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !INVENTED.contains(&key.as_str())) {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                walk(value, &at, shape);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{at}[]"), shape)),
        _ => {}
    }
}

/// Compares `new` with `old`.
pub(crate) fn difference(old: &Shape, new: &Shape) -> Difference {
    let mut difference = Difference::default();
    // Members below a new or missing member are not listed.
    let top = |at: &str, other: &Shape| parent(at).is_empty() || other.contains_key(parent(at));
    // A list may be empty by chance, so its items are not compared.
    let item = |at: &str| at.ends_with("[]");
    let mut came: Vec<_> = new.iter().filter(|(at, _)| !old.contains_key(*at) && top(at, old) && !item(at)).collect();
    for (at, kind) in old.iter().filter(|(at, _)| !item(at)) {
        match new.get(at) {
            Some(now) if now == kind || [now.as_str(), kind].contains(&"null") => {}
            Some(now) => difference.retyped.push((at.clone(), kind.clone(), now.clone())),
            None if !top(at, new) => {}
            None => {
                let alike = |(to, now): &(&String, &String)| *now == kind && parent(to) == parent(at);
                match came.iter().position(alike) {
                    Some(place) => difference.renamed.push((at.clone(), came.remove(place).0.clone())),
                    None => difference.missing.push(at.clone()),
                }
            }
        }
    }
    difference.new = came.into_iter().map(|(at, _)| at.clone()).collect();
    difference
}

fn parent(at: &str) -> &str {
    at.rfind(['.', '[']).and_then(|end| at.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn new_missing_renamed_and_retyped_members_are_distinguished() {
        let old = json!({"session_id": "s", "cwd": "/x", "turn": 1, "tool_input": {"command": "ls"}, "deep": {"a": 1}, "list": []});
        let new = json!({"session_id": "t", "directory": "/x", "turn": "1", "tool_input": {"cmd": "ls"}, "deep": {"a": 2, "b": []}, "list": [{"x": 1}]});
        let found = difference(&shape(&old), &shape(&new));
        assert_eq!(
            found.lines(),
            ["new: deep.b", "renamed: cwd -> directory", "turn: number -> text"],
            "what the model wrote is no drift"
        );
    }

    #[test]
    fn invented_members_of_fixtures_are_not_drift() {
        let old = json!({"cwd": "/x", "a_field_we_do_not_know": {"z": 1}});
        assert!(difference(&shape(&old), &shape(&json!({"cwd": "/y"}))).is_none());
    }
}

//! Converts the `permission` of OpenCode, and of programs that were made from it. Only denials are imported: the agent still
//! asks and approves by itself, and a question of a policy would be a denial.
//!
//! The last rule that matches a call wins in OpenCode, and the strictest one in a policy. So a denial is not imported if a
//! later rule may be an exception to it.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::Layer;
use super::forms::{is_plain, path};

/// One rule: the permission, the pattern and the word.
struct OpenCodeRule {
    name: String,
    pattern: String,
    word: String,
}

impl OpenCodeRule {
    fn new(name: &str, pattern: &str, word: &Value) -> Self {
        let text = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
        Self { name: name.to_owned(), pattern: pattern.to_owned(), word: text }
    }

    /// Returns true if both rules may match one call.
    fn meets(&self, other: &Self) -> bool {
        let common = |one: &str, other: &str| {
            let literal = |text: &str| text.split(['*', '?']).next().unwrap_or_default().trim_end().to_owned();
            let (one, other) = (literal(one), literal(other));
            one.starts_with(&other) || other.starts_with(&one)
        };
        common(&self.name, &other.name) && common(&self.pattern, &other.pattern)
    }
}

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, agent: &str, registry: &Registry) {
    let rules = rules_of(file);
    for (at, rule) in rules.iter().enumerate() {
        let OpenCodeRule { name, pattern, word } = rule;
        let shown = if pattern == "*" { format!("{name}: {word}") } else { format!("{name}: {pattern}: {word}") };
        let is_exception = |later: &OpenCodeRule| later.word != "deny" && later.meets(rule);
        let why = match word.as_str() {
            "deny" if rules.iter().skip(at + 1).any(is_exception) => {
                "a later rule may be an exception to it".to_owned()
            }
            "deny" => match converted(name, pattern) {
                Some(rule) => {
                    layer.add(List::Deny, &shown, rule, registry);
                    continue;
                }
                None => "it has no form that is certain to mean the same".to_owned(),
            },
            "ask" => format!("{agent} still asks; a rule here would deny, because a plug-in cannot have it ask"),
            _ => format!("{agent} still applies it"),
        };
        layer.lost.push(format!("{shown}: {why}"));
    }
    for member in ["agent", "mode"] {
        for (name, settings) in file.get(member).and_then(Value::as_object).into_iter().flatten() {
            if settings.get("permission").or_else(|| settings.get("tools")).is_some() {
                layer
                    .lost
                    .push(format!("{member}.{name}: its rules hold for one agent; a rule here would hold for all"));
            }
        }
    }
}

/// Every rule of a file, in the order in which the agent reads them.
fn rules_of(file: &Value) -> Vec<OpenCodeRule> {
    let mut rules = Vec::new();
    // The older form: a tool that is switched off.
    for (name, is_on) in file.get("tools").and_then(Value::as_object).into_iter().flatten() {
        rules.extend((*is_on == Value::Bool(false)).then(|| OpenCodeRule::new(name, "*", &"deny".into())));
    }
    match file.get("permission") {
        None => {}
        Some(Value::Object(permissions)) => {
            for (name, value) in permissions {
                match value {
                    Value::Object(patterns) => {
                        rules.extend(patterns.iter().map(|(pattern, word)| OpenCodeRule::new(name, pattern, word)));
                    }
                    word => rules.push(OpenCodeRule::new(name, "*", word)),
                }
            }
        }
        Some(word) => rules.push(OpenCodeRule::new("*", "*", word)),
    }
    rules
}

/// The rule of a policy for a denial.
fn converted(name: &str, pattern: &str) -> Option<String> {
    let is_all = pattern == "*";
    Some(match name {
        "bash" if is_all => "Bash".to_owned(),
        "bash" => is_plain(pattern, " _-./=@,*").then(|| format!("Bash({pattern})"))?,
        "edit" | "write" if is_all => "Edit".to_owned(),
        "edit" => format!("Edit({})", path(pattern)?),
        "read" if is_all => "Read".to_owned(),
        "read" => format!("Read({})", path(pattern)?),
        "webfetch" if is_all => "WebFetch".to_owned(),
        // They are about no tool.
        "external_directory" | "doom_loop" => return None,
        "*" if is_all => "*".to_owned(),
        _ if is_all && is_plain(name, "_-*") && name.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
            format!("Tool({name})")
        }
        _ => return None,
    })
}

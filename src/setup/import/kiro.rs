//! Converts the rules in the files of Kiro's agents. A denial of one agent becomes one for all of them, while an approval
//! is never imported: it holds for one agent, and a rule would hold for all.

use serde_json::{Map, Value};
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, texts};

/// Reads the file of one agent.
pub(super) fn agent_file(layer: &mut Layer, file: &Value, registry: &Registry) {
    for tool in file.get("allowedTools").map(texts).unwrap_or_default() {
        layer.lost.push(format!("allowedTools: {tool}: {ONE_AGENT}"));
    }
    if file.get("tools").is_some_and(|tools| tools.is_array() && !texts(tools).iter().any(|tool| tool == "*")) {
        layer.lost.push("tools: the agent has only these tools, which a rule cannot express".to_owned());
    }
    let settings = file.get("toolsSettings").and_then(Value::as_object);
    for (tool, settings) in settings.into_iter().flatten() {
        if let Value::Object(settings) = settings {
            tool_settings(layer, tool, settings, registry);
        }
    }
}

const ONE_AGENT: &str = "it holds for one agent; a rule here would hold for all";

fn tool_settings(layer: &mut Layer, tool: &str, settings: &Map<String, Value>, registry: &Registry) {
    for (name, value) in settings {
        let convert: fn(&str) -> Option<String> = match (tool, name.as_str()) {
            (_, name) if name.starts_with("allow") || name.starts_with("auto") => {
                layer.lost.push(format!("{tool}.{name}: {ONE_AGENT}"));
                continue;
            }
            ("execute_bash" | "shell", "deniedCommands") => command,
            ("fs_read" | "read", "deniedPaths") => |path| Some(format!("Read({})", anchored(path)?)),
            ("fs_write" | "write", "deniedPaths") => |path| Some(format!("Edit({})", anchored(path)?)),
            (_, name) if name.starts_with("den") => |_| None,
            _ => continue,
        };
        for entry in texts(value) {
            let shown = format!("{tool}.{name}: {entry}");
            match convert(&entry) {
                Some(rule) => layer.add(List::Deny, &shown, rule, registry),
                None => layer.lost.push(format!("{shown}: it has no form that is certain to mean the same")),
            }
        }
    }
}

/// A regular expression on the whole command: literal words, and anything after them.
fn command(pattern: &str) -> Option<String> {
    let (words, rest) = pattern.strip_suffix(" .*").map_or((pattern, ""), |words| (words, ":*"));
    let is_literal = |c: char| c.is_ascii_alphanumeric() || " _-/=@,".contains(c);
    let is_rule = words.chars().all(is_literal) && words.split(' ').all(|word| !word.is_empty());
    is_rule.then(|| format!("Bash({words}{rest})"))
}

/// A glob as in gitignore, relative to the working directory unless it is absolute.
fn anchored(path: &str) -> Option<String> {
    match path {
        path if path.contains(['$', '(', ')']) => None,
        path if path.starts_with('/') => Some(format!("/{path}")),
        path => Some(path.to_owned()),
    }
}

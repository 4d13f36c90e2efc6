//! Converts the denials of Mistral Vibe: the lists of its tools, and the tools that are disabled. What it asks about and
//! approves is not imported: Vibe still does so.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, forms};

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, registry: &Registry) {
    for name in layer.texts(file, &["disabled_tools"]) {
        layer.converted(List::Deny, &format!("disabled_tools: {name}"), tool(&name).map(str::to_owned), registry);
    }
    if !layer.texts(file, &["enabled_tools"]).is_empty() {
        layer.lost.push("enabled_tools: Vibe has only these tools; a policy has no such list".to_owned());
    }
    for (name, settings) in file.get("tools").and_then(Value::as_object).into_iter().flatten() {
        for entry in layer.texts(file, &["tools", name, "denylist"]) {
            layer.converted(List::Deny, &format!("tools.{name}.denylist: {entry}"), listed(name, &entry), registry);
        }
        for (member, why) in [("denylist_standalone", STANDALONE), ("sensitive_patterns", ASKS), ("allowlist", APPLIES)]
        {
            if !layer.texts(file, &["tools", name, member]).is_empty() {
                layer.lost.push(format!("tools.{name}.{member}: {why}"));
            }
        }
        let word = settings.get("permission").and_then(Value::as_str);
        let shown = format!("tools.{name}.permission: {}", word.unwrap_or_default());
        let has_exceptions = name == "bash" || settings.get("allowlist").is_some();
        match word {
            Some("never") if has_exceptions => layer.lost.push(format!("{shown}: {EXCEPTIONS}")),
            Some("never") => layer.converted(List::Deny, &shown, tool(name).map(str::to_owned), registry),
            Some("ask") => layer.lost.push(format!("{shown}: {ASKS}")),
            Some(_) => layer.lost.push(format!("{shown}: {APPLIES}")),
            None => {}
        }
    }
}

const ASKS: &str = "Vibe still asks; a rule here would deny, because a hook cannot have it ask";
const APPLIES: &str = "Vibe still applies it";
const STANDALONE: &str =
    "Vibe still denies them without arguments; a rule here would also deny them with redirected input";
const EXCEPTIONS: &str = "what the allowlist of this tool names is an exception to it";

/// The rule about everything that a tool does.
fn tool(name: &str) -> Option<&'static str> {
    Some(match name {
        "bash" => "Bash",
        "read" | "read_file" => "Read",
        "edit" | "search_replace" | "write_file" => "Edit",
        "web_fetch" => "WebFetch",
        "web_search" => "WebSearch",
        _ => return None,
    })
}

/// The rule for an entry in the list of denials of a tool.
fn listed(name: &str, entry: &str) -> Option<String> {
    match tool(name)? {
        "Bash" => forms::command(entry),
        kind @ ("Read" | "Edit") => Some(format!("{kind}({})", path(entry)?)),
        _ => None,
    }
}

/// A pattern of Vibe for a whole path, in which `*` is any text, also a `/`.
fn path(pattern: &str) -> Option<String> {
    match pattern.strip_prefix("**/").or_else(|| pattern.strip_prefix("*/")) {
        Some(name) if name.contains('/') => None,
        Some(name) => forms::path(name),
        // It is compared with the whole path, so that another one matches no file.
        None => pattern.starts_with(['/', '*']).then(|| forms::path(pattern))?,
    }
}

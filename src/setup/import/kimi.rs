//! Converts the permission rules of Kimi Code and the tools that it disables. A denial wins over its other rules, whatever
//! their order. What it asks about and approves is not imported: Kimi Code still does so.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, forms};

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, registry: &Registry) {
    // A rule of a member that is named like a decision has that decision.
    for (member, decision) in [("rules", None), ("deny", Some("deny")), ("ask", Some("ask")), ("allow", Some("allow"))]
    {
        let Some(rules) = file.get("permission").and_then(|permission| permission.get(member)) else { continue };
        for rule in rules.as_array().map_or(std::slice::from_ref(rules), Vec::as_slice) {
            let text = |key| rule.get(key).and_then(Value::as_str);
            let pattern = match (text("tool"), text("match").or_else(|| text("pattern"))) {
                (Some(tool), Some(argument)) => Some(format!("{tool}({argument})")),
                (tool, _) => tool.or_else(|| text("pattern")).map(str::to_owned),
            };
            let (Some(pattern), Some(decision)) = (pattern, decision.or_else(|| text("decision"))) else {
                layer.lost.push(format!("permission.{member}: {rule} is not a rule"));
                continue;
            };
            let shown = format!("permission.{member}: {pattern}: {decision}");
            let why = match decision {
                "deny" if text("scope") == Some("session-runtime") => "Kimi Code does not apply a rule of this scope",
                "deny" => {
                    layer.converted(List::Deny, &shown, converted(&pattern), registry);
                    continue;
                }
                "ask" => "Kimi Code still asks; a rule here would deny, because a hook cannot have it ask",
                _ => "Kimi Code still applies it",
            };
            layer.lost.push(format!("{shown}: {why}"));
        }
    }
    for name in layer.texts(file, &["tools", "disabled"]) {
        layer.converted(List::Deny, &format!("tools.disabled: {name}"), converted(&name), registry);
    }
    if !layer.texts(file, &["tools", "enabled"]).is_empty() {
        layer.lost.push("tools.enabled: Kimi Code has only these tools; a policy has no such list".to_owned());
    }
}

/// The rule of a policy for a denial.
fn converted(pattern: &str) -> Option<String> {
    let (name, argument) = match pattern.trim().split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')')?),
        None => (pattern.trim(), ""),
    };
    Some(match (name, argument) {
        ("Write", "") => "Edit".to_owned(),
        ("Bash" | "Read" | "Edit" | "*", "") => name.to_owned(),
        ("FetchURL", "") => "WebFetch".to_owned(),
        ("Bash", command) => forms::is_plain(command, " _-./=@,*").then(|| format!("Bash({command})"))?,
        ("Read", pattern) => format!("Read({})", forms::path(pattern)?),
        ("Edit" | "Write", pattern) => format!("Edit({})", forms::path(pattern)?),
        (name, "") if name.starts_with("mcp__") && forms::is_plain(name, "_-*") => name.to_owned(),
        (name, "") if !name.is_empty() && forms::is_plain(name, "_-") => format!("Tool({name})"),
        _ => return None,
    })
}

//! Converts the rules of Copilot: addresses in its settings, and approvals for single folders. The rules of its command
//! line are stored in no file.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, texts};

/// Reads the settings. A denied host becomes a rule.
pub(super) fn settings(layer: &mut Layer, settings: &Value, registry: &Registry) {
    for entry in settings.get("deniedUrls").map(texts).unwrap_or_default() {
        let shown = format!("deniedUrls: {entry}");
        match host(&entry) {
            Some(host) => layer.add(List::Deny, &shown, format!("WebFetch(domain:{host})"), registry),
            None => layer.lost.push(format!("{shown}: a rule is about a host, not about a part of it")),
        }
    }
    for entry in settings.get("allowedUrls").map(texts).unwrap_or_default() {
        layer.lost.push(format!("allowedUrls: {entry}: it allows one scheme; a rule here would allow http and https"));
    }
}

/// Reads the saved approvals, each of which holds in one folder.
pub(super) fn approvals(layer: &mut Layer, file: &Value) {
    for (folder, saved) in file.get("locations").and_then(Value::as_object).into_iter().flatten() {
        let approvals = saved.get("tool_approvals").and_then(Value::as_array).into_iter().flatten();
        for approval in approvals {
            let names = ["kind", "commandIdentifiers", "serverName", "toolName", "extensionName", "operation"];
            let words: Vec<_> = names.into_iter().filter_map(|name| approval.get(name)).flat_map(texts).collect();
            layer.lost.push(format!("{}: it holds in {folder}; a rule here would hold everywhere", words.join(" ")));
        }
        for path in saved.get("allowed_directories").map(texts).unwrap_or_default() {
            layer.lost.push(format!("allowed_directories: {path}: it is no rule about a tool"));
        }
    }
}

/// The host of an entry that is about a whole host.
fn host(entry: &str) -> Option<&str> {
    let rest = entry.split_once("://").map_or(entry, |(_, rest)| rest);
    let host = rest.strip_suffix("/*").or_else(|| rest.strip_suffix('/')).unwrap_or(rest);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.*".contains(c);
    (!host.is_empty() && host.chars().all(is_plain)).then_some(host)
}

//! Converts the tools that the settings of Crush disable. An approval is not imported: Crush still applies it to what a
//! policy leaves to it.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, forms};

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, registry: &Registry) {
    for tool in layer.texts(file, &["options", "disabled_tools"]) {
        let rule = match tool.as_str() {
            "bash" => Some("Bash".to_owned()),
            _ => is_name(&tool).then(|| format!("Tool({tool})")),
        };
        layer.converted(List::Deny, &format!("options.disabled_tools: {tool}"), rule, registry);
    }
    for server in file.get("mcp").and_then(Value::as_object).into_iter().flat_map(|servers| servers.keys()) {
        for tool in layer.texts(file, &["mcp", server, "disabled_tools"]) {
            let rule = (is_name(server) && is_name(&tool)).then(|| format!("mcp__{server}__{tool}"));
            layer.converted(List::Deny, &format!("mcp.{server}.disabled_tools: {tool}"), rule, registry);
        }
    }
    for tool in layer.texts(file, &["permissions", "allowed_tools"]) {
        layer.lost.push(format!("permissions.allowed_tools: {tool}: Crush still applies it"));
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && forms::is_plain(text, "_-")
}

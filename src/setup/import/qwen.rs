//! Converts the rules of Qwen Code: the lists of its `permissions`, and the tools that its settings exclude. An approval is
//! not imported: Qwen Code still applies it to what a policy leaves to it.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, texts};

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, registry: &Registry) {
    for (list, member) in
        [(List::Deny, "permissions/deny"), (List::Deny, "tools/exclude"), (List::Ask, "permissions/ask")]
    {
        for entry in file.pointer(&format!("/{member}")).map(texts).unwrap_or_default() {
            let shown = format!("{}: {entry}", member.replace('/', "."));
            layer.converted(list, &shown, converted(&entry), registry);
        }
    }
    for member in ["permissions/allow", "tools/allowed"] {
        for entry in file.pointer(&format!("/{member}")).map(texts).unwrap_or_default() {
            layer.lost.push(format!("{}: {entry}: Qwen Code still applies it", member.replace('/', ".")));
        }
    }
}

/// The rule of a policy. Qwen Code has several names for each tool.
fn converted(entry: &str) -> Option<String> {
    let (name, specifier) = match entry.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.trim().strip_suffix(')')?.trim()),
        None => (entry.trim(), ""),
    };
    let kind = match name {
        "run_shell_command" | "Shell" | "ShellTool" | "Bash" => "Bash",
        "read_file" | "ReadFile" | "ReadFileTool" | "Read" => "Read",
        "edit" | "Edit" | "EditTool" | "replace" => "Edit",
        "write_file" | "WriteFile" | "WriteFileTool" | "Write" => "Write",
        "web_fetch" | "WebFetch" | "WebFetchTool" => "WebFetch",
        _ if !specifier.is_empty() => return None,
        name if name.starts_with("mcp__") => return Some(name.to_owned()),
        // Another spelling would match no call.
        name if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') => return Some(format!("Tool({name})")),
        _ => return None,
    };
    Some(if specifier.is_empty() { kind.to_owned() } else { format!("{kind}({specifier})") })
}

//! The actions of calls that are written as a tool with a path, an address or a text.

use snaphook_adapters::model::{Action, McpName};

/// The tools that [`named_action`] knows, without MCP tools.
pub const NAMED_TOOLS: &[&str] = &["Read", "Edit", "Write", "Delete", "WebFetch", "WebSearch", "Agent"];

/// Returns the action of a call that names a tool; `None` for any other tool. `part` returns the value that belongs to a
/// key: `path`, `url` or `text`.
///
/// # Errors
/// The key that the tool needs and that has no value.
pub fn named_action(
    tool: &str,
    mut part: impl FnMut(&'static str) -> Option<String>,
) -> Result<Option<Action>, &'static str> {
    let mut need = |key| part(key).ok_or(key);
    Ok(Some(match tool {
        "Read" => Action::Read { path: need("path")? },
        "Write" => Action::Write { path: need("path")? },
        "Edit" => Action::Edit { path: need("path")? },
        "Delete" => Action::Delete { path: need("path")? },
        "WebFetch" => Action::Fetch { url: need("url")? },
        "WebSearch" => Action::WebSearch { query: need("text")? },
        "Agent" => Action::Subagent { name: part("text") },
        tool => match tool.strip_prefix("mcp__").and_then(|name| name.split_once("__")) {
            Some((server, tool)) => Action::Mcp(McpName::Split { server: server.to_owned(), tool: tool.to_owned() }),
            None => return Ok(None),
        },
    }))
}

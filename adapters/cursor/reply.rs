//! Writes the replies of Cursor.

use crate::prelude::*;

/// An empty reply counts as a failure of the hook, and a document with an unknown word in `permission` as a denial, so
/// there is always one document. Different versions show the user or the model either text of a denial.
pub(super) fn reply(event: &HookEvent, fitted: &Fitted) -> Reply {
    use VerdictKind as V;
    let reason = fitted.verdict().reason();
    let permission = |word| {
        let answer = JsonBuilder::new().text("permission", word);
        answer.text("user_message", reason).text("agent_message", reason)
    };
    let answer = match fitted.verdict().kind() {
        V::Pass | V::Allow => JsonBuilder::new(),
        V::KeepGoing => JsonBuilder::new().text("followup_message", reason),
        V::Ask => permission("ask"),
        V::Deny | V::Respond | V::Abort | V::HardAbort if event.kind() == EventKind::Prompt => {
            JsonBuilder::new().bool("continue", false).text("user_message", reason)
        }
        V::Deny | V::Respond | V::Abort | V::HardAbort => permission("deny"),
    };
    let changes = [(Target::Input, "updated_input"), (Target::Result, "updated_mcp_tool_output")];
    Reply::document(answer.changes(fitted, &changes).maybe("additional_context", fitted.context()).finish())
}

/// The members that Cursor takes over from a new input, by tool. It merges those of MCP tools.
const TAKEN: &[(&str, &[&str])] = &[
    ("Shell", &["command", "cwd", "timeout"]),
    ("Read", &["file_path"]),
    ("Write", &["file_path"]),
    ("Delete", &["file_path"]),
    ("ReadLints", &["file_path"]),
    ("List", &["file_path"]),
    ("Grep", &["pattern", "file_path"]),
    ("Fetch", &["url"]),
    ("ListMcpResources", &["server"]),
    ("FetchMcpResource", &["server", "uri", "download_path"]),
];

/// Cursor copies a few members of the new input, and keeps the others as they were.
pub(super) fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let (call, Ok(new)) = (event.call()?, change.value.object()) else { return None };
    let taken = TAKEN.iter().find(|(tool, _)| *tool == call.name).map_or(&[][..], |(_, taken)| taken);
    let is_mcp = call.name.starts_with("MCP:");
    let old = call.input.object().ok()?;
    let is_kept = |key: &str| old.last(key).is_some_and(|value| new.last(key).is_some_and(|new| new.means(&value)));
    let removes = old.members().any(|(key, _)| !new.has(key));
    let changes_other = new.members().any(|(key, _)| !is_mcp && !taken.contains(&key) && !is_kept(key));
    if removes || changes_other {
        return Some("Cursor takes over only some of the arguments of this tool");
    }
    call.with_input(event.agent, change.value.clone()).is_none().then_some("the tool does not accept these arguments")
}

//! The tools of Cursor.

use crate::prelude::ActionKind::{Delete, Fetch, List, Mcp, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) const SHELL: &str = "Shell";
pub(super) const READ: &str = "Read";
/// The tool of an event that names server and tool.
pub(super) const MCP: &str = "MCP";

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new(SHELL, &[Shell.on(Slot::key(&["command"])).with("cwd")]),
    ToolRow::new(READ, &[Read.on(PATH)]),
    ToolRow::new("Write", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("Delete", &[Delete.on(PATH)]),
    ToolRow::new("Grep", &[Search.on(HERE).with("glob")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("List", &[List.on(HERE)]),
    ToolRow::new("ReadLints", &[Read.on(HERE)]),
    ToolRow::new("Fetch", &[Fetch.on(URL)]),
    ToolRow::new("WebFetch", &[Fetch.on(URL)]),
    ToolRow::new("WebSearch", &[WebSearch.on(Slot::any(&["query", "search_term"]).absent(Absent::As("")))]),
    ToolRow::new("Task", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))]),
    ToolRow::new(MCP, &[Mcp.on(Slot::key(&["mcp_server_name"])).with("tool_name")])
        .sample(r#"{"tool_name":"","tool_input":"{}"}"#),
    ToolRow::new("FetchMcpResource", &[Write.on(Slot::key(&["download_path"]).absent(Absent::Nothing))]),
    ToolRow::new("ListMcpResources", &[]),
    ToolRow::new("WriteShellStdin", &[]).unseen(),
    ToolRow::new("ComputerUse", &[]).unseen(),
    ToolRow::new("RecordScreen", &[]),
];

const PATH: Slot = Slot::key(&["file_path"]);
const URL: Slot = Slot::key(&["url"]);
/// An absent path means the folder of the session.
const HERE: Slot = Slot::key(&["file_path"]).absent(Absent::As("."));

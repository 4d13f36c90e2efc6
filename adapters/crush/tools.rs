//! The tools of Crush.

use crate::prelude::ActionKind::{Edit, Fetch, List, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;
use crate::protocol::ToolAction;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("bash", &[Shell.on(Slot::key(&["command"])).with("working_dir")])
        .sample(r#"{"command":"","description":"a command"}"#),
    ToolRow::new("view", &[Read.on(FILE)]),
    ToolRow::new("write", &[Write.on(FILE)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(FILE)]).sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("multiedit", &[Edit.on(FILE)])
        .sample(r#"{"file_path":"","edits":[{"old_string":"old","new_string":"new"}]}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("ls", &[List.on(HERE)]),
    ToolRow::new("fetch", &[Fetch.on(URL)]).sample(r#"{"url":"","format":"text"}"#),
    ToolRow::new("download", &[Fetch.on(URL), Write.on(FILE)]),
    // Without `url` the sub-agent searches the web for what the prompt says.
    ToolRow::new("agentic_fetch", &[Fetch.on(Slot::any(&["url", "prompt"])), AGENT]),
    ToolRow::new("sourcegraph", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("agent", &[AGENT]).sample(r#"{"prompt":"a task"}"#),
    ToolRow::new("lsp_rename", &[Edit.on(HERE)]).sample(r#"{"symbol":"old","new_name":"new"}"#),
    ToolRow::new("lsp_replace_symbol", &[Edit.on(FILE)]).sample(r#"{"symbol":"name","file_path":"","replacement":""}"#),
    ToolRow::new("lsp_symbols", &[Read.on(FILE)]),
    ToolRow::new("lsp_diagnostics", &[Read.on(FILE.absent(Absent::Nothing))]),
    ToolRow::new("lsp_definition", &[Search.on(HERE)]).sample(r#"{"symbol":"name"}"#),
    ToolRow::new("lsp_references", &[Search.on(HERE)]).sample(r#"{"symbol":"name"}"#),
    ToolRow::new("lsp_call_hierarchy", &[Search.on(HERE)]).sample(r#"{"symbol":"name","direction":"incoming"}"#),
    ToolRow::new("lsp_restart", &[]),
    ToolRow::new("todos", &[]),
    ToolRow::new("question", &[]),
    ToolRow::new("job_output", &[]),
    ToolRow::new("job_kill", &[]),
    ToolRow::new("crush_info", &[]),
    ToolRow::new("crush_logs", &[]),
    ToolRow::new("list_mcp_resources", &[]),
    ToolRow::new("read_mcp_resource", &[]),
];

const FILE: Slot = Slot::key(&["file_path"]);
const URL: Slot = Slot::key(&["url"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));
/// Sub-agents have no names.
const AGENT: ToolAction = Subagent.on(Slot::any(&[]).absent(Absent::As("")));

//! The tools of Grok Build, of all its toolsets.

use crate::prelude::ActionKind::{Edit, List, Patch, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_terminal_command", &[Shell.on(COMMAND)]),
    ToolRow::new("run_terminal_cmd", &[Shell.on(COMMAND)]),
    ToolRow::new("monitor", &[Shell.on(COMMAND)]),
    ToolRow::new("bash", &[Shell.on(COMMAND)]),
    ToolRow::new("read_file", &[Read.on(Slot::any(&["target_file", "file_path", "filePath"]))]),
    ToolRow::new("read", &[Read.on(Slot::any(&["filePath", "target_file", "file_path"]))]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("search_replace", &[Edit.on(PATH)])
        .sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("hashline_edit", &[Edit.on(PATH)]).sample(r#"{"file_path":"","edits":"[]"}"#),
    ToolRow::new("edit", &[Edit.on(Slot::any(&["filePath", "file_path"]))])
        .sample(r#"{"filePath":"","oldString":"old","newString":"new"}"#),
    ToolRow::new("apply_patch", &[Patch.on(Slot::any(&["patch", "input"]))]),
    ToolRow::new("grep", &[Search.on(Slot::key(&["path"]).absent(Absent::As(".")))]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("list_dir", &[List.on(Slot::any(&["target_directory", "dir_path"]).absent(Absent::As(".")))]),
    ToolRow::new("web_search", &[WebSearch.on(Slot::any(&["query", "search_term"]).absent(Absent::As("")))]),
    ToolRow::new("spawn_subagent", &[Subagent.on(Slot::any(&["subagent_type", "agent_type"]).absent(Absent::As("")))]),
];

const COMMAND: Slot = Slot::key(&["command"]);
const PATH: Slot = Slot::any(&["file_path", "filePath"]);

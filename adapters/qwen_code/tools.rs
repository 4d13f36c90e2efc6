//! The tools of Qwen Code.

use crate::prelude::ActionKind::{Edit, Fetch, List, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_shell_command", &[Shell.on(COMMAND).with("directory")])
        .sample(r#"{"command":"ls","is_background":false}"#),
    ToolRow::new("monitor", &[Shell.on(COMMAND).with("directory")]),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("zoom_image", &[Read.on(PATH)]),
    ToolRow::new("write_file", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("notebook_edit", &[Edit.on(Slot::key(&["notebook_path"]))]).sample(r#"{"new_source":"x"}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep_search", &[Search.on(HERE).with("glob")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("list_directory", &[List.on(HERE)]),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["url"]))]).sample(r#"{"url":"","prompt":"Summarise"}"#),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("agent", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))])
        .sample(r#"{"description":"d","prompt":"a task"}"#),
    ToolRow::new("todo_write", &[]),
    ToolRow::new("save_memory", &[]),
    ToolRow::new("skill", &[]),
    ToolRow::new("ask_user_question", &[]),
    ToolRow::new("enter_plan_mode", &[]),
    ToolRow::new("exit_plan_mode", &[]),
];

const COMMAND: Slot = Slot::key(&["command"]);
const PATH: Slot = Slot::key(&["file_path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

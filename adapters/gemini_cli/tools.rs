//! The tools of Gemini CLI.

use crate::prelude::ActionKind::{Edit, Fetch, List, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_shell_command", &[Shell.on(Slot::key(&["command"])).with("dir_path")]),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("read_many_files", &[Read.on(Slot::each(&["include"]))]),
    ToolRow::new("write_file", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("replace", &[Edit.on(PATH)])
        .sample(r#"{"file_path":"","instruction":"why","old_string":"old","new_string":"new"}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep_search", &[Search.on(HERE).with("include_pattern")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("search_file_content", &[Search.on(HERE).with("include_pattern")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("list_directory", &[List.on(HERE)]),
    // The address is somewhere in the text, so that no rule can allow a host.
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["prompt"]))]),
    ToolRow::new("google_web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("invoke_agent", &[Subagent.on(Slot::key(&["agent_name"]).absent(Absent::As("")))])
        .sample(r#"{"agent_name":"","prompt":"a task"}"#),
    ToolRow::new("write_todos", &[]),
    ToolRow::new("save_memory", &[]),
    ToolRow::new("ask_user", &[]),
    ToolRow::new("activate_skill", &[]),
    ToolRow::new("enter_plan_mode", &[]),
    ToolRow::new("exit_plan_mode", &[]),
];

const PATH: Slot = Slot::key(&["file_path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["dir_path"]).absent(Absent::As("."));

//! The tools of Cline: those of the CLI and the SDK, then those that only the extension has.

use crate::prelude::ActionKind::{Edit, Fetch, List, Patch, Read, Search, Shell, Subagent, Write};
use crate::prelude::*;
use crate::protocol::ToolAction;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_commands", &[Shell.on(Slot::elements(&["commands"], COMMAND))]).sample(r#"{"commands":[]}"#),
    ToolRow::new("read_files", &[Read.on(Slot::elements(&["files", "file_paths", "paths"], FILE))])
        .sample(r#"{"files":[]}"#),
    ToolRow::new("editor", &[Edit.on(PATH)]).sample(r#"{"path":"","new_text":"text"}"#),
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["input"]))])
        .sample(r#"{"input":"*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"}"#),
    ToolRow::new("search_codebase", &[Search.on(HERE)]).sample(r#"{"queries":["text"]}"#),
    ToolRow::new("fetch_web_content", &[Fetch.on(Slot::elements(&["requests"], Element::new(&["url"]).loose()))])
        .sample(r#"{"requests":[]}"#),
    ToolRow::new("spawn_agent", &[AGENT]).sample(r#"{"systemPrompt":"a role","task":"a task"}"#),
    ToolRow::new("team_spawn_teammate", &[AGENT]),
    ToolRow::new("skills", &[]),
    ToolRow::new("ask_question", &[]),
    ToolRow::new("submit_and_exit", &[]),
    ToolRow::new("execute_command", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("write_to_file", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("replace_in_file", &[Edit.on(PATH)]).sample(r#"{"path":"","diff":"text"}"#),
    ToolRow::new("search_files", &[Search.on(PATH).with("file_pattern")]).sample(r#"{"path":".","regex":"text"}"#),
    ToolRow::new("list_files", &[List.on(PATH)]),
    ToolRow::new("list_code_definition_names", &[Read.on(PATH)]),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("browser_action", &[Fetch.on(Slot::key(&["url"]).absent(Absent::Nothing))]),
    ToolRow::new("use_mcp_tool", &[]),
    ToolRow::new("access_mcp_resource", &[]),
    ToolRow::new("ask_followup_question", &[]),
    ToolRow::new("attempt_completion", &[]),
    ToolRow::new("new_task", &[]),
];

/// With `args`, the program runs without a shell.
const COMMAND: Element = Element::new(&["command", "cmd"]).words("args").loose();
const FILE: Element = Element::new(&["path", "file_path", "filePath"]).loose();
const PATH: Slot = Slot::key(&["path"]);
/// The whole workspace is searched.
const HERE: Slot = Slot::any(&[]).absent(Absent::As("."));
/// Sub-agents have no names.
const AGENT: ToolAction = Subagent.on(Slot::any(&[]).absent(Absent::As("")));

//! The tools of Copilot: by their own names, by the names of Claude Code in the dialect of PascalCase, and those of Visual
//! Studio Code. The names of the arguments are the same in both dialects of the command line program.

use crate::model::ShellKind;
use crate::prelude::ActionKind::{Edit, Fetch, Patch, Read, Search, Shell, ShellInput, Subagent, WebSearch, Write};
use crate::prelude::*;
use crate::protocol::ToolAction;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("bash", BASH),
    ToolRow::new("Bash", BASH),
    ToolRow::new("powershell", &[Shell.on(COMMAND).shell(ShellKind::PowerShell)]),
    ToolRow::new("write_bash", &[ShellInput.on(Slot::key(&["input"]).absent(Absent::Nothing))]),
    ToolRow::new("read_bash", &[]),
    ToolRow::new("stop_bash", &[]),
    ToolRow::new("list_bash", &[]),
    ToolRow::new("view", &[Read.on(PATH)]),
    ToolRow::new("Read", &[Read.on(PATH)]),
    ToolRow::new("create", CREATE).sample(NEW),
    ToolRow::new("Write", CREATE).sample(NEW),
    ToolRow::new("edit", EDIT).sample(CHANGED),
    ToolRow::new("Edit", EDIT).sample(CHANGED),
    // Models of OpenAI send the patch as the whole input.
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["input"]))]).text_input("input").sample(PATCH),
    ToolRow::new("grep", GREP).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("Grep", GREP).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("rg", GREP).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("glob", GLOB).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("Glob", GLOB).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("web_fetch", FETCH),
    ToolRow::new("WebFetch", FETCH),
    ToolRow::new("web_search", SEARCH),
    ToolRow::new("WebSearch", SEARCH),
    ToolRow::new("run_in_terminal", BASH),
    ToolRow::new("read_file", &[Read.on(FILE)]),
    ToolRow::new("create_file", &[Write.on(FILE)]).sample(r#"{"filePath":"","content":"text"}"#),
    ToolRow::new("replace_string_in_file", &[Edit.on(FILE)])
        .sample(r#"{"filePath":"","oldString":"old","newString":"new"}"#),
    ToolRow::new("editFiles", &[Edit.on(Slot::each(&["files"]))]),
    ToolRow::new("task", TASK).sample(AGENT),
    ToolRow::new("Agent", TASK).sample(AGENT),
];

const COMMAND: Slot = Slot::key(&["command"]);
/// A question about a file has the name of Claude Code for its path.
const PATH: Slot = Slot::any(&["path", "file_path"]);
const FILE: Slot = Slot::key(&["filePath"]);
const BASH: &[ToolAction] = &[Shell.on(COMMAND)];
const CREATE: &[ToolAction] = &[Write.on(PATH)];
const NEW: &str = r#"{"path":"","file_text":"text"}"#;
const EDIT: &[ToolAction] = &[Edit.on(PATH)];
const CHANGED: &str = r#"{"path":"","old_str":"old","new_str":"new"}"#;
const GREP: &[ToolAction] = &[Search.on(HERE).with("glob")];
const GLOB: &[ToolAction] = &[Search.on(HERE).with("pattern")];
/// An absent path means the directory of the session.
const HERE: Slot = Slot::one_or_each(&["paths", "path"]).absent(Absent::As("."));
const FETCH: &[ToolAction] = &[Fetch.on(Slot::key(&["url"]))];
const SEARCH: &[ToolAction] = &[WebSearch.on(Slot::key(&["query"]))];
const TASK: &[ToolAction] = &[Subagent.on(Slot::key(&["agent_type"]))];
const PATCH: &str = r#"{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"}"#;
const AGENT: &str = r#"{"agent_type":"","description":"a task","prompt":"do it"}"#;

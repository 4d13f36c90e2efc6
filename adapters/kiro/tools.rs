//! The tools of Kiro, by their names in both generations of its command line program and in the IDE.

use crate::model::ShellKind;
use crate::prelude::ActionKind::{Edit, Fetch, Read, Search, Shell, WebSearch, Write};
use crate::prelude::*;
use crate::protocol::{ActionCondition, ToolAction};

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("execute_bash", BASH),
    ToolRow::new("shell", BASH),
    ToolRow::new("execute_cmd", &[Shell.on(COMMAND).with("cwd").shell(ShellKind::Cmd)]),
    ToolRow::new("execute_pwsh", &[Shell.on(COMMAND).with("cwd").shell(ShellKind::PowerShell)]),
    ToolRow::new("fs_read", READ).sample(OPERATIONS),
    ToolRow::new("read", READ).sample(OPERATIONS),
    ToolRow::new("fs_write", WRITE).sample(NEW),
    ToolRow::new("write", WRITE).sample(NEW),
    ToolRow::new("fs_append", &[Edit.on(PATH)]).sample(r#"{"path":"","text":"text"}"#),
    ToolRow::new("str_replace", &[Edit.on(PATH)]).sample(r#"{"path":"","oldStr":"old","newStr":"new"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("use_aws", &[]),
    ToolRow::new("introspect", &[]),
    ToolRow::new("report_issue", &[]),
    ToolRow::new("thinking", &[]),
    ToolRow::new("knowledge", &[]),
    ToolRow::new("todo_list", &[]),
    ToolRow::new("delegate", &[]),
];

const COMMAND: Slot = Slot::key(&["command"]);
const BASH: &[ToolAction] = &[Shell.on(COMMAND).with("cwd")];
/// Each operation names a file or a folder, and one about images several files.
const READ: &[ToolAction] = &[Read.on(Slot::elements(&["operations"], Element::new(&["path", "image_paths"])))];
const OPERATIONS: &str = r#"{"operations":[{"mode":"Line","path":"a"}]}"#;
const PATH: Slot = Slot::key(&["path"]);
/// The IDE writes a whole file without naming a command.
const WRITE: &[ToolAction] = &[
    Write.on(PATH).only(ActionCondition::when("command", &["create"]).or_absent().or_unlisted()),
    Edit.on(PATH)
        .only(ActionCondition::when("command", &["str_replace", "strReplace", "insert", "append"]).or_unlisted()),
];
const NEW: &str = r#"{"command":"create","path":"","file_text":"text"}"#;
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

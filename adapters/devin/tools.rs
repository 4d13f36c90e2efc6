//! The tools of Devin.

use crate::prelude::ActionKind::{Edit, Fetch, Patch, Read, Search, Shell, Subagent, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("exec", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("read", &[Read.on(PATH)]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("glob_pattern")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("webfetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("apply_patch", &[Patch.on(Slot::any(&["patch", "input"]))]),
    ToolRow::new("notebook_read", &[Read.on(NOTEBOOK)]),
    ToolRow::new("notebook_edit", &[Edit.on(NOTEBOOK)]),
    ToolRow::new("run_subagent", &[Subagent.on(Slot::key(&["profile"]).absent(Absent::As("")))])
        .sample(r#"{"profile":"","task":"a task","title":"a task"}"#),
    ToolRow::new("todo_write", &[]),
    ToolRow::new("ask_user_question", &[]),
    ToolRow::new("skill", &[]),
];

const PATH: Slot = Slot::key(&["file_path"]);
const NOTEBOOK: Slot = Slot::key(&["notebook_path"]);
/// An absent path means the folder of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

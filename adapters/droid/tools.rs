//! The tools of Factory Droid.

use crate::prelude::ActionKind::{Edit, Fetch, List, Patch, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("Execute", &[Shell.on(Slot::key(&["command"]))]).sample(r#"{"summary":"List files","command":"ls"}"#),
    ToolRow::new("Read", &[Read.on(PATH)]),
    ToolRow::new("Create", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("Edit", &[Edit.on(PATH)]).sample(r#"{"file_path":"","old_str":"old","new_str":"new"}"#),
    ToolRow::new("MultiEdit", &[Edit.on(PATH)]).sample(r#"{"file_path":"","changes":[]}"#),
    ToolRow::new("ApplyPatch", &[Patch.on(Slot::any(&["input", "patch"]))]),
    ToolRow::new("LS", &[List.on(Slot::key(&["directory_path"]).absent(Absent::As(".")))]),
    ToolRow::new("Glob", &[Search.on(Slot::key(&["folder"]).absent(Absent::As(".")))]).sample(r#"{"patterns":["*"]}"#),
    ToolRow::new("Grep", &[Search.on(Slot::key(&["path"]).absent(Absent::As("."))).with("glob_pattern")])
        .sample(r#"{"pattern":"text"}"#),
    ToolRow::new("FetchUrl", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("WebSearch", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("Task", &[Subagent.on(Slot::key(&["subagent_type"]))])
        .sample(r#"{"subagent_type":"","description":"d","prompt":"a task"}"#),
    ToolRow::new("TodoWrite", &[]),
    ToolRow::new("ToolSearch", &[]),
    ToolRow::new("Skill", &[]),
    ToolRow::new("AskUser", &[]),
    ToolRow::new("ExitSpecMode", &[]),
];

const PATH: Slot = Slot::key(&["file_path"]);

//! The tools of OpenCode.

use crate::prelude::ActionKind::{Edit, Fetch, List, Patch, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &ALL;

/// The tools, the one that loads skills first.
pub(crate) const ALL: [ToolRow; 16] = [
    ToolRow::new("skill", &[]).sample(SKILL),
    ToolRow::new("bash", &[Shell.on(Slot::key(&["command"])).with("workdir")])
        .sample(r#"{"command":"","description":"a command"}"#),
    ToolRow::new("read", &[Read.on(PATH)]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"filePath":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"filePath":"","oldString":"old","newString":"new"}"#),
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["patchText"]))]),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("list", &[List.on(HERE)]),
    ToolRow::new("lsp", &[Read.on(PATH)]).sample(r#"{"operation":"hover","filePath":"","line":1,"character":1}"#),
    ToolRow::new("webfetch", &[Fetch.on(Slot::key(&["url"]))]).sample(r#"{"url":"","format":"text"}"#),
    ToolRow::new("websearch", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("task", &[Subagent.on(Slot::key(&["subagent_type"]))])
        .sample(r#"{"subagent_type":"","description":"a task","prompt":"do it"}"#),
    ToolRow::new("todowrite", &[]).sample(r#"{"todos":[]}"#),
    ToolRow::new("question", &[]).sample(r#"{"questions":[]}"#),
    ToolRow::new("invalid", &[]),
];

pub(crate) const SKILL: &str = r#"{"name":"skill"}"#;
const PATH: Slot = Slot::key(&["filePath"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

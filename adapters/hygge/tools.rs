//! The tools of hygge. Its decoder ignores the case of argument names and rejects unknown arguments.

use crate::prelude::ActionKind::{Edit, Fetch, Read, Search, Shell, Subagent, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("bash", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("read", &[Read.on(PATH)]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"path":"","oldString":"old","newString":"new"}"#),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("webfetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("subagent", &[Subagent.on(Slot::key(&["subagent_type"]))])
        .sample(r#"{"subagent_type":"","description":"a task","prompt":"do it"}"#),
    ToolRow::new("todo", &[]).sample(r#"{"items":[]}"#),
    ToolRow::new("question", &[]).sample(r#"{"question":"which?"}"#),
    ToolRow::new("skill", &[]).sample(r#"{"name":"skill"}"#),
    ToolRow::new("remember", &[]),
    ToolRow::new("forget", &[]),
    ToolRow::new("compact", &[]),
];

const PATH: Slot = Slot::key(&["path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

//! The tools of hygge. Its decoder ignores the case of argument names and rejects unknown arguments.

use crate::protocol::{Absent, Act, Slot, ToolRow, What};

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("bash", &[Act::new(What::Shell, Slot::key(&["command"]))]),
    ToolRow::new("read", &[Act::new(What::Read, PATH)]),
    ToolRow::new("write", &[Act::new(What::Write, PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit", &[Act::new(What::Edit, PATH)]).sample(r#"{"path":"","oldString":"old","newString":"new"}"#),
    ToolRow::new("glob", &[Act::new(What::Search, HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep", &[Act::new(What::Search, HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("webfetch", &[Act::new(What::Fetch, Slot::key(&["url"]))]),
    ToolRow::new("subagent", &[Act::new(What::Subagent, Slot::key(&["subagent_type"]))])
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

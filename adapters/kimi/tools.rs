//! The tools of Kimi Code.

use crate::prelude::ActionKind::{Edit, Fetch, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("Bash", &[Shell.on(Slot::key(&["command"])).with("cwd")]),
    ToolRow::new("Read", &[Read.on(PATH)]),
    ToolRow::new("ReadMediaFile", &[Read.on(PATH)]),
    ToolRow::new("Write", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("Edit", &[Edit.on(PATH)]).sample(r#"{"path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("Glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("Grep", &[Search.on(HERE).with("glob")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("FetchURL", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("WebSearch", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("Agent", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))])
        .sample(r#"{"description":"d","prompt":"a task"}"#),
    ToolRow::new("AgentSwarm", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))])
        .sample(r#"{"description":"d","prompt_template":"a task","items":[]}"#),
    ToolRow::new("TodoList", &[]),
    ToolRow::new("AskUserQuestion", &[]),
    ToolRow::new("Skill", &[]),
    ToolRow::new("EnterPlanMode", &[]),
    ToolRow::new("ExitPlanMode", &[]),
];

const PATH: Slot = Slot::key(&["path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

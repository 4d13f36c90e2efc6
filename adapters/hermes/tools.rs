//! The tools of Hermes Agent.

use crate::prelude::ActionKind::{Edit, Fetch, Patch, Read, Search, Shell, ShellInput, Subagent, WebSearch, Write};
use crate::prelude::*;
use crate::protocol::ActionCondition;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("terminal", &[Shell.on(Slot::key(&["command"])).with("workdir")]),
    ToolRow::new(
        "process",
        &[ShellInput.on(Slot::key(&["data"])).only(ActionCondition::when("action", &["write", "submit"]))],
    ),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("write_file", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new(
        "patch",
        &[
            Edit.on(PATH).only(ActionCondition::when("mode", &["replace"]).or_absent()),
            Patch.on(Slot::key(&["patch"])).only(ActionCondition::when("mode", &["patch"])),
        ],
    )
    .sample(r#"{"mode":"replace","path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("search_files", &[Search.on(Slot::key(&["path"]).absent(Absent::As("."))).with("file_glob")])
        .sample(r#"{"pattern":"text"}"#),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("web_extract", &[Fetch.on(Slot::each(&["urls"]))]),
    ToolRow::new("browser_navigate", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("delegate_task", &[Subagent.on(Slot::any(&[]).absent(Absent::As("")))]).sample(r#"{"goal":"a task"}"#),
    ToolRow::new("execute_code", &[]).unseen(),
    // A job may be a script in the folder of scripts, which the scheduler runs without a hook.
    ToolRow::new("cronjob", &[]).unseen(),
    // A skill may hold shell lines, which Hermes runs if its setting `inline_shell` is on.
    ToolRow::new("skill_view", &[]).unseen(),
    ToolRow::new("skills_list", &[]),
    ToolRow::new("skill_manage", &[]),
    ToolRow::new("todo", &[]),
    ToolRow::new("memory", &[]),
    ToolRow::new("clarify", &[]),
    ToolRow::new("session_search", &[]),
];

const PATH: Slot = Slot::key(&["path"]);

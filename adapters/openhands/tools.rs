//! The tools of OpenHands. An argument that is not used is `null`.

use crate::prelude::ActionKind::{Edit, Fetch, List, Patch, Read, Search, Shell, Subagent, Write};
use crate::prelude::*;
use crate::protocol::ActionCondition;

pub(super) static TOOLS: &[ToolRow] = &[
    // What is typed into a running program is judged like a command.
    ToolRow::new("terminal", &[Shell.on(COMMAND)]).sample(r#"{"command":"ls","is_input":false}"#),
    ToolRow::new(
        "file_editor",
        &[
            Read.on(PATH).only(ActionCondition::when("command", &["view"]).or_unlisted()),
            Write.on(PATH).only(ActionCondition::when("command", &["create"]).or_unlisted()),
            Edit.on(PATH).only(
                ActionCondition::when("command", &["str_replace", "insert", "undo_edit"]).or_absent().or_unlisted(),
            ),
        ],
    )
    .sample(r#"{"command":"str_replace","path":"","old_str":"old","new_str":"new"}"#),
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["patch"]))]),
    ToolRow::new("glob", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("include")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("read_file", &[Read.on(FILE)]),
    ToolRow::new("write_file", &[Write.on(FILE)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(FILE)]).sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("list_directory", &[List.on(Slot::key(&["dir_path"]).absent(Absent::As(".")))]),
    ToolRow::new("browser_navigate", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("task", &[Subagent.on(Slot::key(&["subagent_type"]).absent(Absent::As("")))])
        .sample(r#"{"prompt":"a task"}"#),
    ToolRow::new("task_tracker", &[]),
    ToolRow::new("think", &[]),
    ToolRow::new("finish", &[]),
];

const COMMAND: Slot = Slot::key(&["command"]).absent(Absent::Nothing);
const PATH: Slot = Slot::key(&["path"]);
const FILE: Slot = Slot::key(&["file_path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));

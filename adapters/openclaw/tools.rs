//! The tools of OpenClaw.

use crate::prelude::ActionKind::{Edit, Fetch, List, Patch, Read, Shell, ShellInput, Subagent, WebSearch, Write};
use crate::prelude::*;
use crate::protocol::ActionCondition;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("exec", &[Shell.on(Slot::key(&["command"])).with("workdir")]),
    // The calls of tools in a script are reported one by one.
    ToolRow::new("code_mode_exec", &[]),
    ToolRow::new(
        "process",
        &[
            ShellInput.on(Slot::key(&["data"])).only(ActionCondition::when("action", &["write"])),
            ShellInput.on(Slot::key(&["text"])).only(ActionCondition::when("action", &["paste"])),
            ShellInput
                .on(Slot::one_or_each(&["literal", "keys", "hex"]))
                .only(ActionCondition::when("action", &["send-keys"])),
        ],
    ),
    ToolRow::new("read", &[Read.on(PATH)]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"path":"","edits":[{"oldText":"old","newText":"new"}]}"#),
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["input"]))]),
    ToolRow::new("ls", &[List.on(Slot::key(&["path"]).absent(Absent::As(".")))]),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("sessions_spawn", &[Subagent.on(Slot::key(&["agentId"]).absent(Absent::As("")))])
        .sample(r#"{"task":"a task"}"#),
    ToolRow::new("tool_search", &[]),
    ToolRow::new("tool_describe", &[]),
    ToolRow::new("tool_call", &[]),
    ToolRow::new("session_status", &[]),
    ToolRow::new("memory_search", &[]),
];

const PATH: Slot = Slot::key(&["path"]);

//! The tools of PicoClaw. Argument names are compared exactly, and an unknown argument is an error.

use crate::protocol::ActionKind::{Edit, Fetch, List, Read, Shell, ShellInput, Subagent, WebSearch, Write};
use crate::protocol::{Absent, ActionCondition, Slot, ToolRow};

pub(super) static TOOLS: &[ToolRow] = &[
    // v0.2.4 has no `action`, and rejects a call that has one.
    ToolRow::new(
        "exec",
        &[
            Shell.on(Slot::key(&["command"])).with("cwd").only(ActionCondition::when("action", &["run"]).or_absent()),
            ShellInput.on(Slot::key(&["data"])).only(ActionCondition::when("action", &["write"])),
            ShellInput.on(Slot::key(&["keys"])).only(ActionCondition::when("action", &["send-keys"])),
        ],
    )
    .sample(r#"{"action":"run"}"#),
    // The command runs later, without a hook.
    ToolRow::new("cron", &[Shell.on(Slot::key(&["command"]).absent(Absent::Nothing))])
        .sample(r#"{"action":"add","message":"a message","every_seconds":3600}"#),
    ToolRow::new("read_file", &[Read.on(PATH)]),
    ToolRow::new("write_file", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("append_file", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit_file", &[Edit.on(PATH)]).sample(r#"{"path":"","old_text":"old","new_text":"new"}"#),
    ToolRow::new("list_dir", &[List.on(Slot::key(&["path"]).absent(Absent::As(".")))]),
    ToolRow::new("load_image", &[Read.on(PATH)]),
    ToolRow::new("send_file", &[Read.on(PATH)]),
    ToolRow::new("web_fetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("web_search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("spawn", &[Subagent.on(NAME)]).sample(TASK),
    ToolRow::new("subagent", &[Subagent.on(NAME)]).sample(TASK),
    ToolRow::new("delegate", &[Subagent.on(NAME)]).sample(TASK),
    ToolRow::new("spawn_status", &[]),
    ToolRow::new("message", &[]).sample(r#"{"content":"text"}"#),
    ToolRow::new("reaction", &[]),
    ToolRow::new("send_tts", &[]),
    ToolRow::new("find_skills", &[]),
    ToolRow::new("install_skill", &[]),
    ToolRow::new("tool_search_tool_regex", &[]),
    ToolRow::new("tool_search_tool_bm25", &[]),
    ToolRow::new("i2c", &[]),
    ToolRow::new("spi", &[]),
    ToolRow::new("serial", &[]),
];

const PATH: Slot = Slot::key(&["path"]);
/// The agent to start; absent: the calling agent.
const NAME: Slot = Slot::key(&["agent_id"]).absent(Absent::As(""));
const TASK: &str = r#"{"task":"a task"}"#;

//! The tools of PicoClaw. Argument names are compared exactly, and an unknown argument is an error.

use crate::protocol::{Absent, Act, Only, Slot, ToolRow, What};

pub(super) static TOOLS: &[ToolRow] = &[
    // v0.2.4 has no `action`, and rejects a call that has one.
    ToolRow::new(
        "exec",
        &[
            Act::new(What::Shell, Slot::key(&["command"])).with("cwd").only(Only::when("action", &["run"]).or_absent()),
            Act::new(What::ShellInput, Slot::key(&["data"])).only(Only::when("action", &["write"])),
            Act::new(What::ShellInput, Slot::key(&["keys"])).only(Only::when("action", &["send-keys"])),
        ],
    )
    .sample(r#"{"action":"run"}"#),
    // The command runs later, without a hook.
    ToolRow::new("cron", &[Act::new(What::Shell, Slot::key(&["command"]).absent(Absent::Nothing))])
        .sample(r#"{"action":"add","message":"a message","every_seconds":3600}"#),
    ToolRow::new("read_file", &[Act::new(What::Read, PATH)]),
    ToolRow::new("write_file", &[Act::new(What::Write, PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("append_file", &[Act::new(What::Write, PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit_file", &[Act::new(What::Edit, PATH)]).sample(r#"{"path":"","old_text":"old","new_text":"new"}"#),
    ToolRow::new("list_dir", &[Act::new(What::List, Slot::key(&["path"]).absent(Absent::As(".")))]),
    ToolRow::new("load_image", &[Act::new(What::Read, PATH)]),
    ToolRow::new("send_file", &[Act::new(What::Read, PATH)]),
    ToolRow::new("web_fetch", &[Act::new(What::Fetch, Slot::key(&["url"]))]),
    ToolRow::new("web_search", &[Act::new(What::WebSearch, Slot::key(&["query"]))]),
    ToolRow::new("spawn", &[Act::new(What::Subagent, NAME)]).sample(TASK),
    ToolRow::new("subagent", &[Act::new(What::Subagent, NAME)]).sample(TASK),
    ToolRow::new("delegate", &[Act::new(What::Subagent, NAME)]).sample(TASK),
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

//! The tools of Claude Code.

use crate::model::ShellKind;
use crate::protocol::ActionKind::{Edit, Fetch, List, Read, Search, Shell, Subagent, WebSearch, Write};
use crate::protocol::{Absent, Skills, Slot, ToolRow};

const FILE: Slot = Slot::key(&["file_path"]);
const COMMAND: Slot = Slot::key(&["command"]);
/// Without a path the search starts in the working directory.
const BELOW: Slot = Slot::key(&["path"]).absent(Absent::As("."));
const KIND: Slot = Slot::key(&["subagent_type"]).absent(Absent::As(""));

/// The agent runs `` !`command` `` in such a file when it loads the file.
static SKILLS: Skills = Skills::new(
    &["skill", "command", "name"],
    &[
        ".claude/skills",
        ".claude/commands",
        "~/.claude/skills",
        "~/.claude/commands",
        "/etc/claude-code/.claude/skills",
        "/etc/claude-code/.claude/commands",
        "~/.claude/plugins",
    ],
)
.arguments("args");

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("Bash", &[Shell.on(COMMAND)])
        .result_text("/stdout")
        .sample(r#"{"command":"ls","description":"List files"}"#),
    ToolRow::new("PowerShell", &[Shell.on(COMMAND).shell(ShellKind::PowerShell)])
        .result_text("/stdout")
        .sample(r#"{"command":"ls","description":"List files"}"#),
    ToolRow::new("Monitor", &[Shell.on(COMMAND.absent(Absent::Nothing))])
        .sample(r#"{"command":"ls","description":"Watch"}"#),
    ToolRow::new("Read", &[Read.on(FILE)])
        .result_text("/file/content")
        .sample(r#"{"file_path":"/home/user/project/a.txt"}"#),
    ToolRow::new("Write", &[Write.on(FILE)]).sample(r#"{"file_path":"/home/user/project/a.txt","content":"hi"}"#),
    ToolRow::new("Edit", &[Edit.on(FILE)]).sample(
        r#"{"file_path":"/home/user/project/a.txt","old_string":"one","new_string":"ONE","replace_all":false}"#,
    ),
    ToolRow::new("MultiEdit", &[Edit.on(FILE)]).sample(r#"{"file_path":"/home/user/project/a.txt","edits":[]}"#),
    ToolRow::new("NotebookEdit", &[Edit.on(Slot::key(&["notebook_path"]))])
        .sample(r#"{"notebook_path":"/home/user/project/a.ipynb","new_source":"x"}"#),
    ToolRow::new("LS", &[List.on(BELOW)]).sample(r#"{"path":"/home/user/project"}"#),
    ToolRow::new("Glob", &[Search.on(BELOW).with("pattern")])
        .sample(r#"{"pattern":"**/*.rs","path":"/home/user/project"}"#),
    ToolRow::new("Grep", &[Search.on(BELOW).with("glob")])
        .sample(r#"{"pattern":"fn main","path":"/home/user/project"}"#),
    ToolRow::new("WebFetch", &[Fetch.on(Slot::key(&["url"]))])
        .sample(r#"{"url":"https://example.com","prompt":"Summarise"}"#),
    ToolRow::new("WebSearch", &[WebSearch.on(Slot::key(&["query"]))]).sample(r#"{"query":"rust"}"#),
    ToolRow::new("Agent", &[Subagent.on(KIND)])
        .result_text("/content/0/text")
        .sample(r#"{"description":"d","prompt":"p","subagent_type":"general-purpose"}"#),
    ToolRow::new("Task", &[Subagent.on(KIND)])
        .result_text("/content/0/text")
        .sample(r#"{"description":"d","prompt":"p","subagent_type":"general-purpose"}"#),
    ToolRow::new("Skill", &[]).skills(&SKILLS).sample(r#"{"skill":"review"}"#),
    ToolRow::new("SlashCommand", &[]).skills(&SKILLS).sample(r#"{"command":"/review"}"#),
];

//! The tools of docker-agent.

use crate::protocol::ActionKind::{Delete, Edit, Fetch, List, Read, Search, Shell, Subagent, Write};
use crate::protocol::{Absent, Skills, Slot, ToolAction, ToolRow};

const PATH: Slot = Slot::key(&["path"]);
const FILE: Slot = Slot::key(&["file"]);
const AGENT: Slot = Slot::key(&["agent"]);

/// `command` is the alias that the shell tool uses if `cmd` is blank, since v1.53.
const COMMAND: [ToolAction; 1] = [Shell.on(Slot::any(&["cmd", "command"])).with("cwd")];

const READ: [ToolAction; 1] = [Read.on(PATH)];
const WRITE: [ToolAction; 1] = [Write.on(PATH)];
const LIST: [ToolAction; 1] = [List.on(PATH)];
const READ_SOURCE: [ToolAction; 1] = [Read.on(FILE)];
const EDIT_SOURCE: [ToolAction; 1] = [Edit.on(FILE)];
const DELEGATE: [ToolAction; 1] = [Subagent.on(AGENT)];

/// The agent runs `` !`command` `` in such a file when it loads the file.
static SKILLS: Skills = Skills::new(
    &["name", "skill_name"],
    &[".claude/skills", ".agents/skills", ".codex/skills", "~/.claude/skills", "~/.agents/skills", "~/.codex/skills"],
)
.file("path");

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("shell", &COMMAND).sample(r#"{"cwd":"."}"#),
    ToolRow::new("run_background_job", &COMMAND).sample(r#"{"cwd":"."}"#),
    ToolRow::new("read_file", &READ),
    ToolRow::new("read_multiple_files", &[Read.on(Slot::each(&["paths"]))]),
    ToolRow::new("write_file", &WRITE).sample(r#"{"content":""}"#),
    ToolRow::new("edit_file", &[Edit.on(PATH)]).sample(r#"{"edits":[{"newText":"b","oldText":"a"}]}"#),
    ToolRow::new("list_directory", &LIST),
    ToolRow::new("directory_tree", &LIST),
    ToolRow::new("search_files_content", &[Search.on(PATH)]).sample(r#"{"query":"x"}"#),
    // MCP servers have tools of the same name, distinguished only by `tool_category`, with the arguments `path` and
    // `url`. Both forms are read, and a call with neither takes no action.
    ToolRow::new(
        "create_directory",
        &[Write.on(Slot::each(&["paths"]).absent(Absent::Nothing)), Write.on(PATH.absent(Absent::Nothing))],
    ),
    ToolRow::new(
        "fetch",
        &[
            Fetch.on(Slot::each(&["urls"]).absent(Absent::Nothing)),
            Fetch.on(Slot::key(&["url"]).absent(Absent::Nothing)),
        ],
    ),
    ToolRow::new("remove_directory", &[Delete.on(Slot::each(&["paths"]))]),
    ToolRow::new("transfer_task", &DELEGATE).sample(r#"{"expected_output":"x","task":"x"}"#),
    ToolRow::new("run_background_agent", &DELEGATE).sample(r#"{"task":"x"}"#),
    ToolRow::new("handoff", &DELEGATE),
    ToolRow::new("lsp_rename", &EDIT_SOURCE),
    ToolRow::new("lsp_format", &EDIT_SOURCE),
    ToolRow::new("lsp_call_hierarchy", &READ_SOURCE),
    ToolRow::new("lsp_code_actions", &READ_SOURCE),
    ToolRow::new("lsp_definition", &READ_SOURCE),
    ToolRow::new("lsp_diagnostics", &READ_SOURCE),
    ToolRow::new("lsp_document_symbols", &READ_SOURCE),
    ToolRow::new("lsp_hover", &READ_SOURCE),
    ToolRow::new("lsp_implementations", &READ_SOURCE),
    ToolRow::new("lsp_inlay_hints", &READ_SOURCE),
    ToolRow::new("lsp_references", &READ_SOURCE),
    ToolRow::new("lsp_signature_help", &READ_SOURCE),
    ToolRow::new("lsp_type_hierarchy", &READ_SOURCE),
    ToolRow::new("git_blame", &READ),
    ToolRow::new("export_plan_to_file", &WRITE),
    ToolRow::new("update_plan_from_file", &READ),
    // The calls inside the script run without hooks, so a rule can only match the whole script.
    ToolRow::new("run_tools_with_javascript", &[]).unseen(),
    ToolRow::new("add_dependency", &[]),
    ToolRow::new("add_memory", &[]),
    ToolRow::new("add_tool", &[]),
    ToolRow::new("cancel_schedule", &[]),
    ToolRow::new("change_model", &[]),
    ToolRow::new("create_schedule", &[]),
    ToolRow::new("create_task", &[]),
    ToolRow::new("create_todo", &[]),
    ToolRow::new("create_todos", &[]),
    ToolRow::new("delete_memory", &[]),
    ToolRow::new("delete_plan", &[]),
    ToolRow::new("delete_task", &[]),
    ToolRow::new("disable_remote_mcp_server", &[]),
    ToolRow::new("enable_remote_mcp_server", &[]),
    ToolRow::new("exit_plan_mode", &[]),
    ToolRow::new("get_memories", &[]),
    ToolRow::new("get_plan_status", &[]),
    ToolRow::new("get_task", &[]),
    ToolRow::new("git_branches", &[]),
    ToolRow::new("git_log", &[]),
    ToolRow::new("git_show", &[]),
    ToolRow::new("git_status", &[]),
    ToolRow::new("list_background_agents", &[]),
    ToolRow::new("list_background_jobs", &[]),
    ToolRow::new("list_plans", &[]),
    ToolRow::new("list_remote_mcp_servers", &[]),
    ToolRow::new("list_schedules", &[]),
    ToolRow::new("list_sessions", &[]),
    ToolRow::new("list_tasks", &[]),
    ToolRow::new("list_todos", &[]),
    ToolRow::new("lsp_workspace", &[]),
    ToolRow::new("lsp_workspace_symbols", &[]),
    ToolRow::new("next_task", &[]),
    ToolRow::new("open_url", &[]),
    ToolRow::new("read_plan", &[]),
    ToolRow::new("read_session", &[]),
    ToolRow::new("read_session_plan", &[]),
    ToolRow::new("read_skill", &[]).skills(&SKILLS),
    ToolRow::new("read_skill_file", &[]).skills(&SKILLS),
    ToolRow::new("remove_dependency", &[]),
    ToolRow::new("reset_remote_mcp_server_auth", &[]),
    ToolRow::new("revert_model", &[]),
    ToolRow::new("run_skill", &[]).skills(&SKILLS),
    ToolRow::new("search_memories", &[]),
    ToolRow::new("search_remote_mcp_servers", &[]),
    ToolRow::new("search_tool", &[]),
    ToolRow::new("set_plan_status", &[]),
    ToolRow::new("stop_background_agent", &[]),
    ToolRow::new("stop_background_job", &[]),
    ToolRow::new("think", &[]),
    ToolRow::new("update_memory", &[]),
    ToolRow::new("update_task", &[]),
    ToolRow::new("update_todos", &[]),
    ToolRow::new("user_prompt", &[]),
    ToolRow::new("view_background_agent", &[]),
    ToolRow::new("view_background_job", &[]),
    ToolRow::new("wait_background_job", &[]),
    ToolRow::new("write_plan", &[]),
    ToolRow::new("write_session_plan", &[]),
];

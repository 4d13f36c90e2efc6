//! Chooses a tool for a step, and its arguments.

use serde_json::{Map, Value, json};

use super::steps::{SUB_AGENT, Step};
use super::{Tool, ToolKind, list, text};

/// The file that the steps write, read and change.
pub(crate) const NOTE: &str = "/home/user/project/note.txt";

/// The page that is fetched; no server answers there.
const PAGE: &str = "http://127.0.0.1:9/page";

const SHELL: &[&str] = &[
    "bash",
    "shell",
    "exec_command",
    "shell_command",
    "run_shell_command",
    "exec",
    "run_command",
    "execute",
    "terminal",
    "run_commands",
];
const WRITE: &[&str] = &["write", "write_file", "create_file", "create", "editor", "file_editor", "apply_patch"];
const EDIT: &[&str] = &["edit", "edit_file", "replace", "str_replace", "editor", "file_editor", "apply_patch", "patch"];
const READ: &[&str] = &["read", "read_file", "view", "read_text_file", "read_files", "file_editor"];
const FETCH: &[&str] = &["webfetch", "web_fetch", "fetch", "fetch_web_content"];
/// The arguments of a shell tool that name a folder.
const FOLDER: &[&str] = &["workdir", "cwd", "working_dir"];
const SUB: &[&str] = &[
    "agent",
    "task",
    "subagent",
    "spawn_agent",
    "invoke_agent",
    "spawn",
    "delegate",
    "delegate_task",
    "sessions_spawn",
];

const CODE: &str = "run_typescript";

/// Finds the tool for a step, the best name first; without one that writes, edits or reads, the shell does it.
pub(super) fn choose<'a>(step: &Step, offered: &'a [Tool]) -> Option<&'a Tool> {
    let named =
        |names: &[&str]| names.iter().find_map(|name| offered.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)));
    match step {
        Step::Shell(_) | Step::Escalated(_) | Step::ShellIn { .. } => named(SHELL),
        Step::Write { .. } => named(WRITE).or_else(|| named(SHELL)),
        Step::Edit => named(EDIT).or_else(|| named(SHELL)),
        Step::Read(_) => named(READ).or_else(|| named(SHELL)),
        Step::Fetch => named(FETCH).or_else(|| search(offered)),
        Step::SubAgent => named(SUB).or_else(|| search(offered)).or_else(|| code(offered)),
        Step::Call { tools, .. } => {
            let exact = tools.iter().find_map(|name| offered.iter().find(|tool| tool.name.ends_with(name)));
            exact.or_else(|| search(offered)).or_else(|| code(offered))
        }
        Step::Mcp => {
            let exact = offered.iter().find(|tool| tool.name.ends_with("say_it"));
            exact.or_else(|| search(offered)).or_else(|| code(offered))
        }
    }
}

/// The tool that searches for other tools.
fn search(offered: &[Tool]) -> Option<&Tool> {
    offered.iter().find(|tool| matches!(tool.kind, ToolKind::Search(_)) || tool.name == "ToolSearch")
}

/// The tool of Vibe that runs code; other tools are functions of it.
fn code(offered: &[Tool]) -> Option<&Tool> {
    offered.iter().find(|tool| tool.name == CODE)
}

/// The step as code.
fn program(step: &Step) -> Option<String> {
    let call = match step {
        Step::Mcp => "mcp_my_srv.say_it({word: 'hello'})".to_owned(),
        Step::Call { tools, input } => format!("mcp_my_srv.{}({input})", tools.first()?),
        Step::SubAgent => format!("agents.spawn({{name: 'probe-' + Date.now(), message: '{SUB_AGENT}'}})"),
        _ => return None,
    };
    Some(format!("async function main() {{ return await tools.{call}; }}"))
}

/// The text for a tool that takes a patch.
pub(super) fn patch(step: &Step) -> Option<String> {
    let change = match step {
        Step::Write { path, text } => {
            let lines: String = text.lines().flat_map(|line| ["+", line, "\n"]).collect();
            format!("*** Add File: {}\n{lines}", path.strip_prefix("/home/user/project/").unwrap_or(path))
        }
        Step::Edit => "*** Update File: note.txt\n@@\n-alpha\n+gamma\n beta\n".to_owned(),
        _ => return None,
    };
    Some(format!("*** Begin Patch\n{change}*** End Patch\n"))
}

/// The arguments of a call, by the tool's own schema: what the step needs, and what the tool requires.
pub(super) fn arguments(step: &Step, tool: &str, schema: &Value) -> Value {
    let required: Vec<_> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let mut arguments = Map::new();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return json!({}) };
    for (name, schema) in properties {
        let value = meant(step, tool, name, schema, properties);
        let value = value.or_else(|| required.contains(&name.as_str()).then(|| filler(name, schema)));
        if let Some(value) = value {
            arguments.insert(name.clone(), value);
        }
    }
    Value::Object(arguments)
}

/// The text of an object, preceded by the members that the schema requires and the text does not mention.
pub(super) fn with_required(input: &str, schema: &Value) -> String {
    let named = list(schema, "required").iter().filter_map(Value::as_str);
    let missing = named.filter(|name| !input.contains(&format!("\"{name}\"")));
    let properties = schema.get("properties").unwrap_or(&Value::Null);
    let filled = missing.filter_map(|name| Some(format!("{}:{},", json!(name), filler(name, properties.get(name)?))));
    input.replacen('{', &format!("{{{}", filled.collect::<Vec<_>>().concat()), 1)
}

/// The value that a step gives to an argument of this name.
fn meant(step: &Step, tool: &str, name: &str, schema: &Value, properties: &Map<String, Value>) -> Option<Value> {
    let key: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let key = key.as_str();
    let nested = |schema: &Value| arguments(step, tool, schema.get("items").unwrap_or(schema));
    match (step, key) {
        (_, "code") if tool == CODE => Some(json!(program(step)?)),
        (_, "command") if schema.get("enum").is_some() => Some(json!(editor(step)?)),
        // Hermes asks about a shell in a command line, and has no argument that asks.
        (Step::Escalated(line), "command") if tool == "terminal" => Some(json!(format!("sh -c '{line}'"))),
        (_, "command" | "cmd") => Some(json!(command(step, properties)?)),
        (_, "commands") => Some(json!([command(step, properties)?])),
        (Step::Read(_), "files") | (Step::Fetch, "requests") => Some(json!([nested(schema)])),
        (Step::Escalated(_), "sandboxpermissions") => Some(json!("require_escalated")),
        (Step::Escalated(_), "justification") => Some(json!("the step needs it")),
        (Step::ShellIn { folder, .. }, "workdir" | "cwd" | "workingdir") => Some(json!(folder)),
        (Step::Write { path, .. } | Step::Read(path), "path" | "filepath" | "absolutepath" | "filename") => {
            Some(json!(path))
        }
        (Step::Edit, "path" | "filepath" | "absolutepath" | "filename") => Some(json!(NOTE)),
        (Step::Write { text, .. }, "content" | "contents" | "text" | "filetext" | "newtext") => Some(json!(text)),
        (Step::Edit, "oldstring" | "oldtext" | "oldstr") => Some(json!("alpha")),
        (Step::Edit, "newstring" | "newtext" | "newstr") => Some(json!("gamma")),
        (Step::Edit, "edits") => Some(json!([edit(&nested(schema))])),
        (Step::Fetch, "url") => Some(json!(PAGE)),
        (Step::Fetch, "urls") => Some(json!([PAGE])),
        (Step::Mcp, "word") => Some(json!("hello")),
        (Step::Fetch, "query") => Some(json!("select:WebFetch")),
        (Step::Call { tools, .. }, "query") => Some(json!(searched(tool, schema, tools.first()?))),
        (Step::SubAgent, "query") => Some(json!("spawn agent")),
        (Step::Mcp, "query") => Some(json!(searched(tool, schema, "say_it"))),
        (Step::SubAgent, "prompt" | "message" | "task" | "goal" | "instructions") => Some(json!(SUB_AGENT)),
        (Step::SubAgent, "subagenttype" | "agenttype") => {
            Some(first(schema).unwrap_or_else(|| json!(sub_agent(tool, schema, properties))))
        }
        (Step::SubAgent, "agentname") => Some(json!("generalist")),
        _ => None,
    }
}

/// The sub-agent that can do everything, for tools that name their sub-agents outside of the schema.
fn sub_agent(tool: &str, schema: &Value, properties: &Map<String, Value>) -> &'static str {
    match tool {
        _ if properties.contains_key("complexity") => "worker", // Droid
        _ if text(schema, "description").contains("\"coder\"") => "coder", // Kimi Code
        "task" if !properties.contains_key("resume") => "general", // OpenCode, unlike OpenHands
        _ => "general-purpose",
    }
}

/// One item of a list of edits; in the usual form if the schema does not describe it.
fn edit(described: &Value) -> Value {
    if described.as_object().is_some_and(|members| !members.is_empty()) {
        described.clone()
    } else {
        json!({"oldText": "alpha", "newText": "gamma"})
    }
}

/// The step as the command of a tool for all that is done with files.
fn editor(step: &Step) -> Option<&'static str> {
    match step {
        Step::Write { .. } => Some("create"),
        Step::Edit => Some("str_replace"),
        Step::Read(_) => Some("view"),
        _ => None,
    }
}

/// The step as a command line: for the shell, and for agents without a tool of another kind.
fn command(step: &Step, properties: &Map<String, Value>) -> Option<String> {
    let takes_a_folder = || FOLDER.iter().any(|name| properties.contains_key(*name));
    Some(match step {
        Step::ShellIn { command, folder } if !takes_a_folder() => format!("cd {folder} && {command}"),
        Step::Shell(line) | Step::Escalated(line) | Step::ShellIn { command: line, .. } => line.clone(),
        Step::Write { path, text } => format!("printf '{}' > {path}", text.replace('\n', "\\n")),
        Step::Edit => "sed -i s/alpha/gamma/ note.txt".into(),
        Step::Read(path) => format!("cat {path}"),
        _ => return None,
    })
}

/// The search words for a tool of the MCP server.
fn searched(search: &str, schema: &Value, tool: &str) -> String {
    // Droid, whose tool loads what it finds, has other names for these tools than Claude Code.
    let by_name = search == "ToolSearch" && !text(schema, "description").contains("auto-load");
    if by_name { format!("select:mcp__my-srv__{tool}") } else { tool.replace('_', " ") }
}

fn first(schema: &Value) -> Option<Value> {
    list(schema, "enum").first().cloned()
}

/// Any value of the schema's type.
fn filler(name: &str, schema: &Value) -> Value {
    // `null` for a folder is refused.
    if FOLDER.contains(&name) {
        return json!(".");
    }
    if let Some(value) = schema.get("default").cloned().or_else(|| first(schema)) {
        return value;
    }
    let types = schema.get("type");
    let nullable = types.and_then(Value::as_array).is_some_and(|types| types.contains(&json!("null")));
    match types.and_then(Value::as_str) {
        _ if nullable => Value::Null,
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ if text(schema, "format") == "uri" => json!(PAGE),
        _ => json!("a scripted step"),
    }
}

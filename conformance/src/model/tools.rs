//! Which of the offered tools does a step, and with which arguments.

use serde_json::{Map, Value, json};

use super::steps::{SUB_AGENT, Step};
use super::{Kind, Tool, list, text};

/// The file that the steps write, read and change.
pub(crate) const NOTE: &str = "/home/user/project/note.txt";

/// The page that is fetched: nobody is there.
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
];
const WRITE: &[&str] = &["write", "write_file", "create_file", "create", "apply_patch"];
const EDIT: &[&str] = &["edit", "edit_file", "replace", "str_replace", "apply_patch"];
const READ: &[&str] = &["read", "read_file", "view", "read_text_file"];
const FETCH: &[&str] = &["webfetch", "web_fetch", "fetch"];
const SUB: &[&str] = &["agent", "task", "subagent", "spawn_agent", "spawn", "delegate"];

/// Finds the tool for a step, the best name first; without one that writes, edits or reads, the shell does it.
pub(super) fn choose<'a>(step: &Step, offered: &'a [Tool]) -> Option<&'a Tool> {
    let named =
        |names: &[&str]| names.iter().find_map(|name| offered.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)));
    match step {
        Step::Shell(_) | Step::Escalated(_) => named(SHELL),
        Step::Write => named(WRITE).or_else(|| named(SHELL)),
        Step::Edit => named(EDIT).or_else(|| named(SHELL)),
        Step::Read => named(READ).or_else(|| named(SHELL)),
        Step::Fetch => named(FETCH).or_else(|| search(offered)),
        Step::SubAgent => named(SUB).or_else(|| search(offered)),
        Step::Mcp => offered.iter().find(|tool| tool.name.ends_with("say_it")).or_else(|| search(offered)),
    }
}

/// The tool by which others are found.
fn search(offered: &[Tool]) -> Option<&Tool> {
    offered.iter().find(|tool| matches!(tool.kind, Kind::Search(_)) || tool.name == "ToolSearch")
}

/// The text for a tool that takes a patch.
pub(super) fn patch(step: &Step) -> Option<&'static str> {
    match step {
        Step::Write => Some("*** Begin Patch\n*** Add File: note.txt\n+alpha\n+beta\n*** End Patch\n"),
        Step::Edit => Some("*** Begin Patch\n*** Update File: note.txt\n@@\n-alpha\n+gamma\n beta\n*** End Patch\n"),
        _ => None,
    }
}

/// The arguments of a call, by the tool's own schema: what the step needs, and what the tool requires.
pub(super) fn arguments(step: &Step, tool: &str, schema: &Value) -> Value {
    let required: Vec<_> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let mut arguments = Map::new();
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let value = meant(step, tool, name, schema);
        let value = value.or_else(|| required.contains(&name.as_str()).then(|| filler(schema)));
        if let Some(value) = value {
            arguments.insert(name.clone(), value);
        }
    }
    Value::Object(arguments)
}

/// The value that a step gives to an argument of this name.
fn meant(step: &Step, tool: &str, name: &str, schema: &Value) -> Option<Value> {
    let key: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let key = key.as_str();
    let nested = |schema: &Value| arguments(step, tool, schema.get("items").unwrap_or(schema));
    match (step, key) {
        (_, "command" | "cmd") => Some(json!(command(step)?)),
        (Step::Escalated(_), "sandboxpermissions") => Some(json!("require_escalated")),
        (Step::Escalated(_), "justification") => Some(json!("the step needs it")),
        (Step::Write | Step::Edit | Step::Read, "path" | "filepath" | "absolutepath" | "filename") => Some(json!(NOTE)),
        (Step::Write, "content" | "contents" | "text") => Some(json!("alpha\nbeta\n")),
        (Step::Edit, "oldstring" | "oldtext" | "oldstr") => Some(json!("alpha")),
        (Step::Edit, "newstring" | "newtext" | "newstr") => Some(json!("gamma")),
        (Step::Edit, "edits") => Some(json!([edit(&nested(schema))])),
        (Step::Fetch, "url") => Some(json!(PAGE)),
        (Step::Fetch, "urls") => Some(json!([PAGE])),
        (Step::Mcp, "word") => Some(json!("hello")),
        (Step::Fetch, "query") => Some(json!("select:WebFetch")),
        (Step::SubAgent, "query") => Some(json!("spawn agent")),
        (Step::Mcp, "query") => Some(json!(if tool == "ToolSearch" { "select:mcp__my-srv__say_it" } else { "say it" })),
        (Step::SubAgent, "prompt" | "message" | "task" | "instructions") => Some(json!(SUB_AGENT)),
        (Step::SubAgent, "subagenttype") => Some(first(schema).unwrap_or_else(|| json!("general-purpose"))),
        _ => None,
    }
}

/// The one change of a list of changes; where the schema does not say what one looks like, its usual form.
fn edit(described: &Value) -> Value {
    if described.as_object().is_some_and(|members| !members.is_empty()) {
        described.clone()
    } else {
        json!({"oldText": "alpha", "newText": "gamma"})
    }
}

/// The step as a command line, for agents without a tool of that kind.
fn command(step: &Step) -> Option<&str> {
    match step {
        Step::Shell(line) | Step::Escalated(line) => Some(line),
        Step::Write => Some("printf 'alpha\\nbeta\\n' > note.txt"),
        Step::Edit => Some("sed -i s/alpha/gamma/ note.txt"),
        Step::Read => Some("cat note.txt"),
        _ => None,
    }
}

fn first(schema: &Value) -> Option<Value> {
    list(schema, "enum").first().cloned()
}

/// Any value of the schema's type.
fn filler(schema: &Value) -> Value {
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

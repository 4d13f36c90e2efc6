//! The page of one fixture: the message, the event as it was understood, and the row.

use std::fmt::Write as _;

use serde_json::Value;
use snaphook_adapters::model::{Action, Command, Detail, HookEvent, Incoming, McpName, ShellKind};
use snaphook_adapters::protocol::{Native, Role};

use crate::row_page::{Message, name};
use crate::text::{bytes, prose};
use crate::words::{kind, role};

/// Writes the page of a fixture.
pub(crate) fn page(message: &Message) -> String {
    let mut out = String::new();
    let Message { fixture, row, incoming } = message;
    prose(&mut out, "source", &fixture.source);
    prose(&mut out, "row", &name(row));
    out.push('\n');
    bytes(&mut out, "message", fixture.native.body.as_str());
    beside(&mut out, &fixture.native);
    out.push('\n');
    match incoming {
        Incoming::Event(event) | Incoming::Observed(event) => {
            for (name, text) in understood(event) {
                let _ = writeln!(out, "{name}: {}", one_line(&text));
            }
        }
        Incoming::Handshake { modes, .. } => {
            prose(&mut out, "handshake", &modes.iter().flatten().cloned().collect::<Vec<_>>().join(", "));
        }
        _ => {}
    }
    out
}

/// Writes what is known beside the message: the role of the command line and the state of the connection.
fn beside(out: &mut String, native: &Native) {
    if native.line.role != Role::Alone {
        prose(out, "role", role(native.line.role));
    }
    if let Some(modes) = &native.connection.modes {
        prose(out, "modes", &modes.join(", "));
    }
    for (call, text) in &native.connection.answered {
        prose(out, "answered", &format!("{call}: {text}"));
    }
}

/// Returns the event as names and texts.
fn understood(event: &HookEvent) -> Vec<(String, String)> {
    let mut out = vec![("kind".to_owned(), kind(event.kind()))];
    let mut fact = |name: &str, value: Option<&str>| out.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    fact("name", Some(event.native.as_str()).filter(|name| *name != event.row.native));
    fact("dialect", event.dialect);
    fact("session", event.session.as_deref());
    fact("working directory", event.cwd.as_deref());
    fact("mode", event.mode.as_deref());
    match &event.detail {
        Detail::Prompt { text } => fact("prompt", Some(text)),
        Detail::Answered { text, .. } => fact("answered before with", Some(text)),
        Detail::TurnEnd { again } => fact("continued by a hook before", Some(yes_or_no(*again))),
        Detail::ToolDone { result, .. } => {
            fact("result", result.read().map(|text| text.value).as_deref());
            fact("failed", result.is_error.map(yes_or_no));
        }
        Detail::Response { calls_tools, .. } => fact("calls tools", Some(yes_or_no(*calls_tools))),
        _ => {}
    }
    if let Some(call) = event.call() {
        fact("tool", Some(&call.name));
        fact("call", call.id.as_deref());
        out.extend(call.actions.iter().map(action));
        out.extend(call.suggested_actions.iter().map(action).map(|(name, text)| (format!("likely {name}"), text)));
        out.extend(call.skill.iter().map(|skill| ("loads the skill".to_owned(), skill.names.join(", "))));
    }
    out
}

fn yes_or_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn action(action: &Action) -> (String, String) {
    let (name, text) = match action {
        Action::Shell { command, cwd, shell } => {
            let (by, text) = match (command, shell) {
                (Command::Argv(words), _) => ("without a shell", Value::from(words.clone()).to_string()),
                (Command::Text(text), ShellKind::Posix) => ("in a shell", text.to_string()),
                (Command::Text(text), ShellKind::PowerShell) => ("in PowerShell", text.to_string()),
                (Command::Text(text), ShellKind::Cmd) => ("in cmd.exe", text.to_string()),
                (Command::Text(text), _) => ("in an unknown shell", text.to_string()),
            };
            let at = cwd.as_ref().map(|cwd| format!(" at {cwd}")).unwrap_or_default();
            return (format!("runs {by}{at}"), text);
        }
        Action::ShellInput { text } => ("types into a shell", text.to_string()),
        Action::Read { path } => ("reads", path.clone()),
        Action::Write { path } => ("writes", path.clone()),
        Action::Edit { path } => ("edits", path.clone()),
        Action::Delete { path } => ("deletes", path.clone()),
        Action::Move { from, to } => ("moves", format!("{from} to {to}")),
        Action::List { path } => ("lists", path.clone()),
        Action::Search { path, pattern: None } => ("searches", path.clone()),
        Action::Search { path, pattern: Some(pattern) } => ("searches", format!("{path} (files {pattern})")),
        Action::Fetch { url } => ("fetches", url.clone()),
        Action::WebSearch { query } => ("searches the web for", query.clone()),
        Action::Mcp(McpName::Split { server, tool }) => ("calls the MCP tool", format!("{tool} of {server}")),
        Action::Mcp(McpName::Joined(name)) => ("calls the MCP server and tool", name.clone()),
        Action::Mcp(McpName::Bare(name)) => ("may call the MCP tool", name.clone()),
        Action::Subagent { name } => ("starts a sub-agent", name.clone().unwrap_or_default()),
        _ => ("action", "other".to_owned()),
    };
    (name.to_owned(), text)
}

/// Returns a text as it is, or as JSON if it is empty, has several lines or ends in blanks.
fn one_line(text: &str) -> String {
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains(char::is_control);
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}

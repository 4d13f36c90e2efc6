//! The hooks in the configuration of an agent, parsed as the agent parses it.

use serde_json::{Map, Value};

use crate::start::Registered;

/// A configuration that the agent could not parse, or an agent that is not known here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// The text is not valid JSON, or a command in it is not a JSON string.
    #[error("not the JSON that the agent reads: {0}")]
    Json(#[from] serde_json::Error),
    /// The text is not valid TOML.
    #[error("not the TOML that the agent reads: {0}")]
    Toml(#[from] toml::de::Error),
    /// No agent of this id is known here.
    #[error("unknown agent {0}; its form of configuration is not known")]
    Agent(String),
}

/// Returns the commands that an agent starts for an event, by the text of its configuration.
///
/// # Errors
/// The agent could not parse the text, or is not known here.
pub fn registered(agent: &str, text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    match agent {
        "antigravity" => named(text, event),
        "augment" | "claude-code" | "codex" | "devin" | "droid" | "gemini-cli" | "grok" | "iflow" | "openhands"
        | "qwen-code" => settings(text, event),
        "copilot" | "crush" | "cursor" | "windsurf" => flat(text, event),
        "docker-agent" => block(text, "", event),
        "hermes" => block(text, "  ", event),
        "hygge" => entries(text, event),
        "kimi" => listed(text, "event", event),
        "kiro" => one_list(text, event),
        "mistral-vibe" => listed(text, "type", event),
        "picoclaw" => process(text),
        other => Err(Unread::Agent(other.to_owned())),
    }
}

fn settings(text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = serde_json::from_str(text)?;
    let groups = list(file.get("hooks").unwrap_or(&file).get(event));
    let commands =
        groups.flat_map(|group| list(group.get("hooks"))).filter_map(|handler| handler.get("command")?.as_str());
    Ok(commands.map(|command| Registered::Line(command.to_owned())).collect())
}

/// Reads sets of hooks that have names.
fn named(text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Map<String, Value> = serde_json::from_str(text)?;
    let sets: Result<Vec<_>, _> = file.values().map(|set| settings(&set.to_string(), event)).collect();
    Ok(sets?.concat())
}

/// Reads a list of entries, each with its own command.
fn flat(text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = serde_json::from_str(text)?;
    let entries = list(file.get("hooks").and_then(|hooks| hooks.get(event)));
    let commands = entries.filter_map(|entry| entry.get("command")?.as_str());
    Ok(commands.map(|command| Registered::Line(command.to_owned())).collect())
}

/// Reads one list of entries, each with the name of its event.
fn one_list(text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = serde_json::from_str(text)?;
    let entries = list(file.get("hooks")).filter(|entry| entry.get("trigger").is_some_and(|name| name == event));
    let commands = entries.filter_map(|entry| entry.pointer("/action/command")?.as_str());
    Ok(commands.map(|command| Registered::Line(command.to_owned())).collect())
}

/// Reads the few forms of YAML that the block uses: keys with this indentation, commands as JSON strings.
fn block(text: &str, indentation: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let mut here = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.strip_prefix(indentation).unwrap_or_default();
        if !line.starts_with(' ') {
            here = line == format!("{event}:");
        } else if let (true, Some(command)) = (here, line.trim_start_matches([' ', '-']).strip_prefix("command: ")) {
            found.push(Registered::Line(serde_json::from_str(command.trim_end())?));
        }
    }
    Ok(found)
}

fn entries(text: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = toml::from_str(text)?;
    let entries = file.get("hooks").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let ours = entries.filter(|entry| words(entry.get("events")).any(|name| name == event));
    let argv = |entry: &Value| -> Vec<String> {
        let program = entry.get("command").and_then(Value::as_str);
        program.into_iter().chain(words(entry.get("args"))).map(str::to_owned).collect()
    };
    Ok(ours.map(|entry| Registered::Exec(argv(entry))).collect())
}

/// Reads a list of entries, each with its event in a member.
fn listed(text: &str, member: &str, event: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = toml::from_str(text)?;
    let entries = list(file.get("hooks")).filter(|entry| entry.get(member).and_then(Value::as_str) == Some(event));
    let commands = entries.filter_map(|entry| entry.get("command")?.as_str());
    Ok(commands.map(|command| Registered::Line(command.to_owned())).collect())
}

/// The one process that gets every event.
fn process(text: &str) -> Result<Vec<Registered>, Unread> {
    let file: Value = serde_json::from_str(text)?;
    let argv: Vec<_> = words(file.pointer("/hooks/processes/snaphook/command")).map(str::to_owned).collect();
    Ok(Some(argv).filter(|argv| !argv.is_empty()).map(Registered::Exec).into_iter().collect())
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn words(value: Option<&Value>) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}

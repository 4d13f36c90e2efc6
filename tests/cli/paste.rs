//! Parses printed snippets as the configuration of an agent.

use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

/// One block of a snippet: its heading and its text.
pub(crate) struct Block {
    pub(crate) heading: String,
    pub(crate) text: String,
}

/// One command that the agent would start, and its events; empty if the command itself names the event.
pub(crate) struct Entry {
    pub(crate) line: Line,
    pub(crate) events: Vec<String>,
}

/// How the agent starts it.
pub(crate) enum Line {
    /// With a shell.
    Shell(String),
    /// Directly.
    Words(Vec<String>),
}

/// Splits the printed text into blocks: lines with `#` are the heading of the block below.
pub(crate) fn blocks(printed: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut heads = true;
    for line in printed.lines() {
        match line.strip_prefix("# ") {
            Some(heading) if !heads || blocks.is_empty() => {
                blocks.push(Block { heading: heading.to_owned(), text: String::new() });
                heads = true;
            }
            Some(_) => {}
            None => {
                let text = &mut blocks.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
                heads = false;
            }
        }
    }
    // Comments below the last block apply to all blocks.
    blocks.retain(|block| !block.text.trim().is_empty());
    blocks
}

impl Block {
    /// The text, parsed in its own format.
    pub(crate) fn value(&self) -> Value {
        if let Some(command) = self.text.strip_prefix("#!/bin/sh\n") {
            return serde_json::json!({ "command": command.trim_end() });
        }
        if self.text.starts_with('{') {
            return serde_json::from_str(&self.text).unwrap();
        }
        if let Some(settings) = self.text.lines().find_map(|line| line.strip_prefix("const SETTINGS = ")) {
            return serde_json::from_str(settings).unwrap();
        }
        if let Ok(table) = toml::from_str(&self.text) {
            return table;
        }
        let documents = YamlLoader::load_from_str(&self.text).unwrap();
        assert_eq!(documents.len(), 1);
        json(&documents[0])
    }

    /// Every command in it that the agent would start.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut found = Vec::new();
        entries(&self.value(), &mut found);
        found
    }
}

fn entries(value: &Value, found: &mut Vec<Entry>) {
    let words = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| entries(item, found)),
        Value::Object(members) => match (members.get("command"), members.get("args")) {
            (Some(Value::String(program)), Some(args)) => {
                let line = [vec![program.clone()], words(args)].concat();
                found.push(Entry { line: Line::Words(line), events: words(&members["events"]) });
            }
            (Some(Value::String(line)), None) => {
                found.push(Entry { line: Line::Shell(line.clone()), events: Vec::new() });
            }
            (Some(line), _) => {
                let events = match members.get("intercept") {
                    Some(intercept) => words(intercept).iter().map(|event| format!("hook.{event}")).collect(),
                    None => words(&members["events"]),
                };
                found.push(Entry { line: Line::Words(words(line)), events });
            }
            _ => members.values().for_each(|member| entries(member, found)),
        },
        _ => {}
    }
}

fn json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Integer(number) => Value::from(*number),
        Yaml::Boolean(is) => Value::from(*is),
        Yaml::Array(items) => items.iter().map(json).collect(),
        Yaml::Hash(members) => {
            let member = |(key, value): (&Yaml, &Yaml)| (key.as_str().unwrap().to_owned(), json(value));
            Value::Object(members.iter().map(member).collect())
        }
        other => panic!("{other:?}"),
    }
}

//! What an agent reads out of the block that a user pastes.

use serde_json::Value;
use snaphook_adapters::protocol::Setup;
use snaphook_adapters::registry::Registry;
use snaphook_doubles::start::Registered;

/// The lines that a version of an agent has for an event, in the order of the block.
pub(crate) fn lines(agent: &str, version: &str, event: &str, setup: &Setup) -> Vec<Registered> {
    let protocol = Registry::standard().get(agent).unwrap();
    let block = protocol.agent().registration.blocks.iter().find(|block| block.fits(version)).unwrap();
    let text = (block.text)(setup);
    let found = match agent {
        "claude-code" | "codex" => from_settings(&text, event),
        "docker-agent" => from_yaml(&text, event),
        "hygge" => from_toml(&text, event),
        "picoclaw" => vec![Registered::Exec(words(&json(&text)["hooks"]["processes"]["snaphook"]["command"]))],
        other => panic!("nobody knows how {other} reads its configuration"),
    };
    assert!(!found.is_empty(), "{agent} {version}: nothing is registered for {event}:\n{text}");
    found
}

fn from_settings(text: &str, event: &str) -> Vec<Registered> {
    let groups = json(text)["hooks"][event].as_array().cloned().unwrap_or_default();
    let handlers = groups.iter().flat_map(|group| group["hooks"].as_array().unwrap());
    handlers.map(|handler| Registered::Line(handler["command"].as_str().unwrap().to_owned())).collect()
}

/// The few forms of YAML that the block uses: a key at the margin, commands as JSON strings.
fn from_yaml(text: &str, event: &str) -> Vec<Registered> {
    let mut here = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            here = line == format!("{event}:");
        } else if let (true, Some(command)) = (here, line.trim().strip_prefix("command: ")) {
            found.push(Registered::Line(serde_json::from_str(command).unwrap()));
        }
    }
    found
}

fn from_toml(text: &str, event: &str) -> Vec<Registered> {
    let file: Value = toml::from_str(text).unwrap();
    let entries = file["hooks"].as_object().unwrap().values();
    let ours = entries.filter(|entry| words(&entry["events"]).iter().any(|name| name == event));
    ours.map(|entry| {
        let mut argv = words(&entry["args"]);
        argv.insert(0, entry["command"].as_str().unwrap().to_owned());
        Registered::Exec(argv)
    })
    .collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

//! What an agent reads out of the file that `snaphook install` wrote, or that a user pasted where it writes none.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, Setup};
use snaphook_adapters::registry::Registry;
use snaphook_doubles::start::Registered;

use crate::program;

/// The lines that a version of an agent has for an event, in the order of the file.
pub(crate) fn lines(agent: &str, version: &str, event: &str, setup: &Setup) -> Vec<Registered> {
    let text = text(agent, version, setup);
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

/// The file as it was installed, with other names in the place of those that it has.
fn text(agent: &str, version: &str, setup: &Setup) -> String {
    static INSTALLED: LazyLock<Mutex<HashMap<(String, String), String>>> = LazyLock::new(Mutex::default);
    let agent = Registry::standard().get(agent).unwrap().agent();
    let block = agent.registration.blocks.iter().find(|block| block.fits(version)).unwrap();
    if !block.file.starts_with("~/") {
        return (block.text)(setup);
    }
    let mut installed = INSTALLED.lock().unwrap();
    let key = (agent.id.to_owned(), version.to_owned());
    let text = installed.entry(key).or_insert_with(|| install(agent, version, block.file, block.mark));
    let names = [
        (program().to_str().unwrap(), Some(&setup.binary)),
        ("/policy.toml", setup.policy.as_ref()),
        ("/state/snaphook/audit.jsonl", setup.audit.as_ref()),
        ("/state/snaphook/trust.toml", setup.trust.as_ref()),
    ];
    names.into_iter().fold(text.clone(), |text, (old, new)| text.replace(old, new.unwrap()))
}

/// Installs into an empty home, and returns the file with the home taken out of its paths.
fn install(agent: &Agent, version: &str, file: &str, mark: Option<(&str, u64)>) -> String {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let file = at(file.trim_start_matches("~/"));
    if let Some((name, value)) = mark {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{{\"{name}\": {value}}}")).unwrap();
    }
    std::fs::write(at("policy.toml"), "[permissions]\n").unwrap();
    let mut command = Command::new(program());
    command.args(["install", agent.id, "--yes", "--agent-version", version, "--policy"]).arg(at("policy.toml"));
    command.env_clear().env("HOME", home.path()).env("XDG_STATE_HOME", at("state")).stdin(Stdio::null());
    let said = command.output().unwrap();
    assert!(said.status.success(), "{} {version}: {said:?}", agent.id);
    let text = std::fs::read_to_string(&file).unwrap();
    text.replace(path(home.path()), "")
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
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

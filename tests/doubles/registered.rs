//! What an agent reads out of the file that `snaphook install` wrote, or that a user pasted where it writes none.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use snaphook_adapters::protocol::{Agent, Setup};
use snaphook_adapters::registry::Registry;
use snaphook_doubles::registration::registered;
use snaphook_doubles::start::Registered;

use crate::program;

/// The lines that a version of an agent has for an event, in the order of the file.
pub(crate) fn lines(agent: &str, version: &str, event: &str, setup: &Setup) -> Vec<Registered> {
    let text = text(agent, version, setup);
    let found = registered(agent, &text, event).unwrap();
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

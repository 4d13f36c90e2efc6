//! The registered commands that an agent reads from its file, which `snaphook install` wrote or a user pasted.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;
use snaphook_doubles::registration::registered;
use snaphook_doubles::start::Registered;

use crate::program;

/// The paths in a registration.
pub(crate) struct Paths {
    pub(crate) program: String,
    pub(crate) policy: String,
    pub(crate) audit: String,
    pub(crate) trust: String,
}

/// The commands of a version of an agent for an event, in the order of the file.
pub(crate) fn lines(agent: &str, version: &str, event: &str, paths: &Paths) -> Vec<Registered> {
    let text = text(agent, version, paths);
    let found = registered(agent, &text, event).unwrap();
    assert!(!found.is_empty(), "{agent} {version}: nothing is registered for {event}:\n{text}");
    found
}

/// The installed file, with its paths replaced by these.
fn text(agent: &str, version: &str, paths: &Paths) -> String {
    static INSTALLED: LazyLock<Mutex<HashMap<(String, String), String>>> = LazyLock::new(Mutex::default);
    let agent = Registry::standard().get(agent).unwrap().agent();
    let block = agent.registration.blocks.iter().find(|block| block.fits(version)).unwrap();
    let mut installed = INSTALLED.lock().unwrap();
    let key = (agent.id.to_owned(), version.to_owned());
    let text = installed.entry(key).or_insert_with(|| match block.file.strip_prefix("~/") {
        Some(file) => install(agent, version, file, block.mark),
        None => snippet(agent, version),
    });
    let names = [
        (program().to_str().unwrap(), &paths.program),
        ("/policy.toml", &paths.policy),
        ("/state/snaphook/audit.jsonl", &paths.audit),
        ("/state/snaphook/trust.toml", &paths.trust),
    ];
    names.into_iter().fold(text.clone(), |text, (old, new)| text.replace(old, new))
}

/// Installs into an empty home folder, and returns the file with placeholders for the home folder.
fn install(agent: &Agent, version: &str, file: &str, mark: Option<(&str, u64)>) -> String {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let file = at(file);
    if let Some((name, value)) = mark {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{{\"{name}\": {value}}}")).unwrap();
    }
    std::fs::write(at("policy.toml"), "[permissions]\n").unwrap();
    run(home.path(), &["install", agent.id, "--yes", "--agent-version", version]);
    without(home.path(), &std::fs::read_to_string(&file).unwrap())
}

/// Prints the snippet, and returns it with placeholders for the home folder.
fn snippet(agent: &Agent, version: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("policy.toml"), "[permissions]\n").unwrap();
    let printed = run(home.path(), &["agents", agent.id, "--snippet", "--agent-version", version]);
    without(home.path(), &printed)
}

/// Runs snaphook with the policy of a home folder, and returns its output.
fn run(home: &Path, words: &[&str]) -> String {
    let mut command = Command::new(program());
    command.args(words).arg("--policy").arg(home.join("policy.toml")).stdin(Stdio::null());
    command.env_clear().env("HOME", home).env("XDG_STATE_HOME", home.join("state"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn without(home: &Path, text: &str) -> String {
    text.replace(home.to_str().unwrap(), "")
}

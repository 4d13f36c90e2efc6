//! Tests of `install`, `uninstall`, `status`, `doctor` and `import` on whole home folders: the bytes of an agent's
//! files before and after, and that the installed entries block calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(
    clippy::string_slice,
    clippy::print_stdout,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "tests"
)]

mod adopted;
mod awkward;
mod blocks;
mod denial_imports;
mod imports;
mod imports_of_agents;
mod killed;
mod named_policies;
#[path = "../common/pages.rs"]
mod pages;
#[path = "../cli/place.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod place;
mod purge;
mod skill_imports;
#[path = "../common/skipped.rs"]
mod skipped;
mod states;
mod token_imports;
mod trees;

use std::fs;

use place::{Place, Said};
use snaphook_adapters::registry::Registry;

/// A home folder with a shell on PATH.
fn place() -> Place {
    let place = Place::new();
    for name in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{name}"), place.path(&format!("bin/{name}"))).unwrap();
    }
    place
}

const CLAUDE: &str = "home/.claude/settings.json";
const CODEX: &str = "home/.codex/hooks.json";
const CLINE: &str = "home/Documents/Cline/Hooks/PreToolUse";
const COPILOT: &str = "home/.copilot/hooks/snaphook.json";
const CRUSH: &str = "home/.config/crush/crush.json";
const KIRO: &str = "home/.kiro/hooks/snaphook.json";
const OPENCLAW: &str = "home/.openclaw/openclaw.json";
const OPENCODE: &str = "home/.config/opencode/plugins/snaphook.js";
const PICOCLAW: &str = "home/.picoclaw/config.json";
const HERMES: &str = "home/.hermes/config.yaml";
const HYGGE: &str = "home/.config/hygge/hooks.toml";
const DOCKER: &str = "home/.config/cagent/hooks.d/50-snaphook.yaml";

fn install(place: &Place, agent: &str) -> Said {
    place.run(&["install", agent, "--yes"])
}

fn uninstall(place: &Place, agent: &str) -> Said {
    place.answered(&["uninstall", agent], "y\n")
}

/// Records the user's approval of every hook in Codex's hooks.json, as Codex does.
fn approve(place: &Place) {
    let file = place.at(CODEX);
    let events: serde_json::Value = serde_json::from_str(&place.read(CODEX)).unwrap();
    let mut config = String::new();
    for event in events["hooks"].as_object().unwrap().keys() {
        let snake = |(at, c): (usize, char)| match c {
            'A'..='Z' if at > 0 => format!("_{}", c.to_ascii_lowercase()),
            c => c.to_ascii_lowercase().to_string(),
        };
        let event: String = event.char_indices().map(snake).collect();
        config += &format!("[hooks.state.\"{file}:{event}:0:0\"]\ntrusted_hash = \"sha256:1\"\n");
    }
    place.file("home/.codex/config.toml", &config);
}

/// The content of a file, with placeholders for the paths of this machine and for the program of a plug-in.
fn shown(place: &Place, text: &str) -> String {
    let binary = place.binary().to_str().unwrap().to_owned();
    let mut text = text.to_owned();
    for block in Registry::standard().iter().flat_map(|protocol| protocol.agent().registration.blocks) {
        if !block.plugin.is_empty() {
            text = text.replace(&block.plugin.join("\n"), "(the program of the plug-in)\n");
        }
    }
    text.replace(&binary, "/opt/snaphook").replace(&place.at("home"), "/home/user").replace(&place.at(""), "/")
}

/// Writes a file, installs, and asserts that uninstalling restores its bytes. Returns the installed content.
fn there_and_back(agent: &str, name: &str, before: &str) -> String {
    let place = place();
    place.file(name, before);
    install(&place, agent).says(0, &[]);
    let with = place.read(name);
    assert_ne!(with, before);
    let mtime = fs::metadata(place.path(name)).unwrap().modified().unwrap();
    install(&place, agent).says(0, &["is up to date"]);
    assert_eq!(fs::metadata(place.path(name)).unwrap().modified().unwrap(), mtime, "written twice");
    uninstall(&place, agent).says(0, &[]);
    assert_eq!(place.read(name), before);
    shown(&place, &with)
}

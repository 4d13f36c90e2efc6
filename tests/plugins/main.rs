//! The plug-ins of agents, as they are installed: run under node by a fake host, and checked with the agent's types.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;

/// An agent, the installed file below the home folder, and the file in which its types expect the plug-in.
const PLUGINS: &[(&str, &str)] = &[
    ("openclaw", ".openclaw/extensions/snaphook/index.js"),
    ("opencode", ".config/opencode/plugins/snaphook.js"),
    ("pi", ".pi/agent/extensions/snaphook.js"),
];

#[test]
fn each_plugin_does_what_the_program_decides() {
    let Some(node) = tool("node", &["--version"]) else { return };
    // The first version with `import.meta.dirname`.
    if version(&node) < (20, 11) {
        return skipped("node", &format!("version {} is before 20.11", node.trim()));
    }
    PLUGINS.par_iter().for_each(|(agent, file)| {
        let home = Home::new(agent);
        let said = Command::new("node")
            .args(["--test", "--test-reporter=spec"])
            .arg(folder().join(format!("{agent}.test.mjs")))
            .env("SNAPHOOK_PLUGIN", home.path(file))
            .env("SNAPHOOK_PROJECT", home.path("project"))
            .env("HOME", home.0.path())
            .output()
            .unwrap();
        assert!(said.status.success(), "{agent}: {}", text(&said));
    });
}

#[test]
fn each_plugin_fits_the_types_of_its_agent() {
    let Some(compiler) = package("tsc") else { return };
    let checked = packages().join("checked");
    fs::create_dir_all(&checked).unwrap();
    for (agent, file) in PLUGINS {
        let extension = Path::new(file).extension().unwrap().to_str().unwrap();
        let written = fs::read_to_string(Home::new(agent).path(file)).unwrap();
        fs::write(checked.join(format!("{agent}.{extension}")), written).unwrap();
    }
    let said = Command::new(compiler).current_dir(packages()).output().unwrap();
    assert!(said.status.success(), "{}", text(&said));
}

#[test]
fn each_plugin_is_formatted() {
    let Some(prettier) = package("prettier") else { return };
    let said = Command::new(prettier)
        .arg("--config")
        .arg(folder().join("prettier.json"))
        .args(["--check", "tests/plugins/*.mjs", "adapters/shared/plugin/*.js", "adapters/*/plugin.js"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", text(&said));
}

/// A home folder in which snaphook is installed for one agent.
struct Home(tempfile::TempDir);

impl Home {
    fn new(agent: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path(".config/snaphook")).unwrap();
        fs::create_dir_all(home.path("project")).unwrap();
        let policy = "[permissions]\ndeny = [\"Bash(touch denied)\", \"Edit(kept.txt)\"]\n";
        fs::write(home.path(".config/snaphook/snaphook.toml"), policy).unwrap();
        let said = Command::new(env!("CARGO_BIN_EXE_snaphook"))
            .args(["install", agent, "--yes"])
            .current_dir(home.path("project"))
            .env_clear()
            .env("HOME", home.0.path())
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", text(&said));
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }
}

/// The program of a package that npm installed for these tests.
fn package(name: &str) -> Option<PathBuf> {
    tool("node", &["--version"])?;
    let path = packages().join("node_modules/.bin").join(name);
    if !path.exists() {
        skipped("packages of plug-ins", "they are not installed: tests/plugins/packages");
        return None;
    }
    Some(path)
}

/// What a tool prints, or `None` if it is not on this machine.
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(name).args(arguments).output() {
        Ok(said) if said.status.success() => Some(String::from_utf8_lossy(&said.stdout).into_owned()),
        _ => {
            skipped(name, "it is not on this machine");
            None
        }
    }
}

/// The first two numbers of a version such as `v20.11.1`.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.trim().trim_start_matches('v').split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn skipped(what: &str, why: &str) {
    eprintln!("SKIPPED: {what}: {why}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins")
}

/// Where `tests/plugins/packages` installs.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/plugins")
}

fn text(said: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

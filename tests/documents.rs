//! Compares the documents with the program.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Lists the README and the pages of the book.
fn pages() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    for folder in ["guide", "agents", "reference", "design"] {
        let entries = fs::read_dir(root().join("docs").join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        found.extend(names.map(|name| format!("docs/{folder}/{name}")));
    }
    assert!(found.len() > 20);
    found
}

fn run(home: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snaphook"));
    // An empty home folder, and no terminal.
    command.args(words).current_dir(home).env_clear().env("HOME", home).stdin(Stdio::null()).output().unwrap()
}

/// Runs the program and returns its stdout and stderr.
fn said(words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), words);
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// Returns true if a policy file is valid, and the output of the program.
fn loads(text: &str) -> (bool, String) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("policy.toml");
    fs::write(&file, text).unwrap();
    let output = run(home.path(), &["try", "ls", "--json", "--policy", file.to_str().unwrap()]);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (shown["fault"].is_null(), shown.to_string())
}

#[test]
fn every_command_is_in_the_reference() {
    let help = said(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<_> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 5, "{commands:?}");
    let page = read("docs/reference/commands.md");
    for command in commands.into_iter().filter(|command| *command != "help") {
        assert!(page.contains(&format!("| `snaphook {command}")), "{command}");
    }
}

fn flags(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_ascii_lowercase() && c != '-')
        .filter(|word| word.starts_with("--") && !word.starts_with("---"));
    let mut flags: Vec<_> = words.filter(|word| word.len() > 2).map(str::to_owned).collect();
    flags.sort();
    flags.dedup();
    flags
}

#[test]
fn the_documented_flags_of_hook_are_those_in_its_usage() {
    let text = read("docs/reference/registered-line.md");
    let line = text.split("```").nth(1).unwrap();
    assert_eq!(flags(line), flags(&said(&["hook", "--help"])));
}

/// Options of other programs in the documents.
const OTHERS: &[&str] = &[
    "--accept-hooks",
    "--allow-all-tools",
    "--auto-approve",
    "--bare",
    "--code-mode-tools",
    "--config-dir",
    "--delete",
    "--deny-tool",
    "--force",
    "--force-with-lease",
    "--git",
    "--hard",
    "--headless",
    "--kubeconfig",
    "--local",
    "--mirror",
    "--privileged",
    "--request",
    "--path",
    "--release",
    "--runtime",
    "--safe-mode",
    "--target",
    "--profile",
    "--test",
    "--no-extensions",
    "--pure",
    "--to-command",
    "--trust-folder",
    "--workspace",
    "--yolo",
];

#[test]
fn every_documented_flag_exists() {
    let mut known: Vec<String> = OTHERS.iter().map(|flag| (*flag).to_owned()).collect();
    let mut commands = vec![vec!["--help"]];
    for command in [
        "hook",
        "run",
        "try",
        "agents",
        "trust",
        "pause",
        "allow-once",
        "log",
        "stats",
        "replay",
        "install",
        "uninstall",
        "status",
        "doctor",
        "drift",
        "import",
        "adopt",
        "unadopt",
        "why",
        "init",
        "schema",
        "policy check",
        "policy show",
        "policy test",
    ] {
        commands.push(command.split(' ').chain(["--help"]).collect());
    }
    for words in commands {
        known.extend(flags(&said(&words)));
    }
    // The rules of presets name options of other programs.
    for page in pages().into_iter().filter(|page| page != "docs/reference/presets.md") {
        let unknown: Vec<_> = flags(&read(&page)).into_iter().filter(|flag| !known.contains(flag)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{page}");
    }
}

fn examples(page: &str) -> Vec<String> {
    let text = read(page);
    text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn every_policy_in_the_documents_loads() {
    let mut count = 0;
    for page in pages() {
        for example in examples(&page) {
            let (loads, said) = loads(&example);
            assert!(loads, "{page}: {example}: {said}");
            count += 1;
        }
    }
    assert!(count >= 8, "{count}");
    let example = &examples("README.md")[0];
    let rules: Vec<_> = example.lines().filter(|line| line.starts_with("deny") || line.starts_with("ask")).collect();
    assert!(rules.len() >= 2, "{rules:?}");
}

#[test]
fn the_documented_response_answers_the_call() {
    for page in ["README.md", "docs/guide/policy.md"] {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("policy.toml");
        fs::write(&file, &examples(page)[0]).unwrap();
        let shown = |url: &str| {
            let policy = file.to_str().unwrap();
            let words = ["try", "-v", "--tool", "WebFetch", "--url", url, "--agent", "picoclaw", "--policy", policy];
            String::from_utf8(run(home.path(), &words).stdout).unwrap()
        };
        let answered = shown("https://intranet.example.org/a");
        assert!(answered.contains("picoclaw: respond"), "{answered}");
        let other = shown("https://example.org/a");
        assert!(other.contains("picoclaw: ask"), "{other}");
    }
}

#[test]
fn every_documented_policy_table_exists() {
    let text = read("docs/reference/policy-file.md");
    let tables = text.split("| table | purpose |\n|---|---|\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut names: Vec<_> = tables.split('`').filter(|word| word.starts_with('[')).collect();
    names.retain(|name| !name.starts_with("[["));
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let needs = if name == "[sandbox]" { "launcher = \"bwrap\"\n" } else { "" };
        let (loads, said) = loads(&format!("{}\n{needs}", name.replace("ID", "codex")));
        assert!(loads, "{name}: {said}");
    }
    for name in ["[[respond]]", "[[handler]]", "[[test]]"] {
        assert!(tables.contains(name));
    }
}

#[test]
fn the_documented_starter_policy_is_the_built_in_one() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["init", "--policy", "starter.toml"]).status.success());
    let rules = |text: &str| {
        let table: toml::Table = text.parse().unwrap();
        (table.get("extends").cloned(), table.get("permissions").cloned())
    };
    let starter = fs::read_to_string(home.path().join("starter.toml")).unwrap();
    let documented = examples("docs/reference/policy-file.md");
    assert!(documented.iter().any(|example| rules(example) == rules(&starter)));
}

#[test]
fn every_document_of_an_agent_has_the_same_headings() {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for entry in fs::read_dir(root().join("adapters")).unwrap() {
        let file = entry.unwrap().path().join("docs.md");
        if let Ok(text) = fs::read_to_string(&file) {
            let headings = text.lines().filter(|line| line.starts_with("# ")).map(str::to_owned).collect();
            all.push((file.display().to_string(), headings));
        }
    }
    assert!(all.len() >= 5);
    for (file, headings) in &all {
        assert_eq!(headings, &all[0].1, "{file} and {}", all[0].0);
        assert_eq!(headings.len(), 9, "{file}");
    }
}

#[test]
fn every_example_in_the_help_can_be_parsed() {
    let home = tempfile::tempdir().unwrap();
    let commands = [
        "try",
        "agents",
        "log",
        "install",
        "uninstall",
        "status",
        "doctor",
        "drift",
        "import",
        "adopt",
        "unadopt",
        "why",
        "trust",
        "pause",
        "allow-once",
        "init",
        "completions",
        "man",
        "schema",
        "policy check",
        "policy show",
        "policy test",
    ];
    let pages: Vec<_> =
        commands.iter().map(|command| said(&command.split(' ').chain(["--help"]).collect::<Vec<_>>())).collect();
    for (command, page) in commands.iter().zip(&pages) {
        assert!(page.contains("Examples:"), "{command} --help shows no example");
    }
    let pages = [said(&["--help"])].into_iter().chain(pages).collect::<Vec<_>>();
    let lines =
        pages.iter().flat_map(|page| page.lines()).filter_map(|line| line.trim_start().strip_prefix("snaphook "));
    let mut count = 0;
    for line in lines {
        let line = line.split("   ").next().unwrap().split(" && ").next().unwrap().split(" > ").next().unwrap();
        let words = line.split('\'').enumerate().flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let words: Vec<_> = words.collect();
        let output = run(home.path(), &words);
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("Usage:") && !err.contains("unexpected"), "{line}: {err}");
        count += 1;
    }
    assert!(count > 8, "{count}");
}

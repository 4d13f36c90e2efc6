//! What the documents say about the program is what the program does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

fn run(home: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snaphook"));
    // Nobody's own files, and nobody to be asked.
    command.args(words).current_dir(home).env_clear().env("HOME", home).stdin(Stdio::null()).output().unwrap()
}

/// What the program prints, on either of the two.
fn said(words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), words);
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// Whether a policy file is taken, and what is said.
fn loads(text: &str) -> (bool, String) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("policy.toml");
    fs::write(&file, text).unwrap();
    let output = run(home.path(), &["try", "ls", "--json", "--policy", file.to_str().unwrap()]);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (shown["fault"].is_null(), shown.to_string())
}

const FROM: &str = "<!-- matrix: snaphook agents --markdown -->\n";
const TO: &str = "<!-- end of matrix -->\n";
/// Set to anything, it has the matrix written instead of compared.
const WRITE: &str = "SNAPHOOK_WRITE_README";

#[test]
fn the_matrix_is_the_one_that_the_program_prints() {
    let text = readme();
    let (before, rest) = text.split_once(FROM).unwrap();
    let (matrix, after) = rest.split_once(TO).unwrap();
    let printed = said(&["agents", "--markdown"]);
    if std::env::var_os(WRITE).is_some() {
        fs::write(root().join("README.md"), [before, FROM, &printed, TO, after].concat()).unwrap();
        return;
    }
    assert!(
        matrix == printed,
        "the matrix in README.md is an older one; to write it: {WRITE}=1 cargo test --test documents"
    );
}

#[test]
fn every_command_is_in_the_readme() {
    let help = said(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<_> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let text = readme();
        assert!(text.contains(&format!("snaphook {command}")) || text.contains(&format!("-- {command} ")), "{command}");
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
fn the_flags_of_the_registered_line_are_those_of_its_usage() {
    let text = readme();
    let line = text.split("## The registered line").nth(1).unwrap().split("```").nth(1).unwrap();
    assert_eq!(flags(line), flags(&said(&["hook", "--help"])));
}

#[test]
fn every_flag_in_the_readme_is_one_of_the_program() {
    let mut known: Vec<String> = ["--release", "--path", "--target", "--workspace", "--yolo"].map(str::to_owned).into();
    for words in [
        &["--help"][..],
        &["hook", "--help"],
        &["try", "--help"],
        &["agents", "--help"],
        &["trust", "--help"],
        &["log", "--help"],
        &["run", "--help"],
        &["install", "--help"],
        &["status", "--help"],
    ] {
        known.extend(flags(&said(words)));
    }
    let text = readme();
    let prose = text.split(FROM).next().unwrap();
    let unknown: Vec<_> = flags(prose).into_iter().filter(|flag| !known.contains(flag) && flag != "--force").collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn the_policy_in_the_readme_loads() {
    let text = readme();
    let example = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    for each in text.split("```toml\n").skip(1) {
        let each = each.split("```").next().unwrap();
        let (loads, said) = loads(each);
        assert!(loads, "{each}: {said}");
    }
    let rules: Vec<_> = example.lines().filter(|line| line.starts_with("deny") || line.starts_with("ask")).collect();
    assert!(rules.len() >= 2, "{rules:?}");
}

#[test]
fn the_response_in_the_readme_answers() {
    let text = readme();
    let example = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("policy.toml");
    fs::write(&file, example).unwrap();
    let shown = |url: &str| {
        let policy = file.to_str().unwrap();
        let words = ["try", "--tool", "WebFetch", "--url", url, "--agent", "picoclaw", "--policy", policy];
        String::from_utf8(run(home.path(), &words).stdout).unwrap()
    };
    let answered = shown("https://intranet.example.org/a");
    assert!(answered.contains("picoclaw: respond"), "{answered}");
    let other = shown("https://example.org/a");
    assert!(other.contains("picoclaw: ask"), "{other}");
}

#[test]
fn every_table_in_the_readme_is_one_of_the_policy() {
    let text = readme();
    let tables = text.split("| table | what it is for |\n|---|---|\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut names: Vec<_> = tables.split('`').filter(|word| word.starts_with('[')).collect();
    names.retain(|name| !name.starts_with("[["));
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let needs = if name == "[sandbox]" { "launcher = \"bwrap\"\n" } else { "" };
        let (loads, said) = loads(&format!("{}\n{needs}", name.replace("ID", "codex")));
        assert!(loads, "{name}: {said}");
    }
    for name in ["[[respond]]", "[[handler]]"] {
        assert!(tables.contains(name));
    }
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
fn every_link_leads_somewhere() {
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(name)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file: PathBuf = root().join(link.split('#').next().unwrap());
            assert!(link.contains("://") || file.exists(), "{name}: {link}");
        }
    }
}

#[test]
fn every_example_in_the_help_is_a_line_that_is_understood() {
    let home = tempfile::tempdir().unwrap();
    let commands = [
        "try",
        "agents",
        "log",
        "install",
        "uninstall",
        "status",
        "doctor",
        "import",
        "why",
        "trust",
        "init",
        "completions",
        "man",
    ];
    let pages: Vec<_> = commands.iter().map(|command| said(&[command, "--help"])).collect();
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

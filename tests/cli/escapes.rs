//! Untrusted names and texts on a terminal cannot move the cursor, reverse text or start a new line.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::place::{Place, Said, fixture};

/// One character of each kind that a terminal does not display as itself.
const HIDDEN: &str = "\u{1b}[2K\r\u{7f}\u{85}\u{9b}\u{61c}\u{200b}\u{200f}\u{202e}\u{2028}\u{2029}\u{2066}\u{e0041}";

fn is_safe(said: &Said) {
    for text in [&said.out, &said.err] {
        let bad = text.chars().find(|c| HIDDEN.contains(*c) && !matches!(c, '[' | '2' | 'K'));
        assert_eq!(bad, None, "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("FORGED")), "{text}");
    }
}

#[test]
fn trust_escapes_the_name_of_a_folder() {
    let place = Place::new();
    let folder = format!("project/a{HIDDEN}\nFORGED");
    place.file(&format!("{folder}/.git/HEAD"), "");
    place.file(&format!("{folder}/.snaphook.toml"), &format!("# {}\n[permissions]\n", HIDDEN.replace('\r', "")));
    let dir = place.at(&folder);
    let shown = place.run(&["trust", &dir]);
    is_safe(&shown);
    shown.says(2, &["\\u{1b}[2K\\u{d}\\u{7f}\\u{85}", "\\u{202e}", "\\nFORGED/.snaphook.toml:\n"]);
    place.file(&format!("{folder}/.snaphook.toml"), "[permissions]\n");
    let trusted = place.answered(&["trust", &dir], "y\n");
    is_safe(&trusted);
    trusted.says(0, &["any change to the file revokes this"]);
    place.run(&["trust", &dir]).says(0, &["already trusted"]);
    is_safe(&place.run(&["trust", &place.at(&format!("project/none{HIDDEN}\nFORGED"))]));
}

#[test]
fn arguments_and_paths_in_messages_are_escaped() {
    let place = Place::new();
    let odd = format!("x{HIDDEN}\nFORGED");
    for words in [
        &["status", &odd][..],
        &["log", "--since", &odd],
        &["log", &format!("--{odd}")],
        &["log", "--audit", &odd],
        &["why", &odd],
        &["try", "ls", "--agent", &odd],
        &["init", "--policy", &place.at(&odd)],
        &["man", &place.at(&format!("{odd}2"))],
        &["import", &odd],
        &["hook", &odd],
        &["hook", "codex", &odd],
        &["run", "--policy", &odd, "--", "true"],
        &["install", "claude-code", "--dry-run", "--policy", &place.at(&odd)],
        &["agents", "claude-code", "--snippet", "--policy", &place.at(&odd)],
        &["agents", "docker-agent", "--snippet", "--policy", &place.at(&odd)],
        &["agents", "hygge", "--snippet", "--policy", &place.at(&odd)],
    ] {
        is_safe(&place.run(words));
    }
}

#[test]
fn status_doctor_and_import_escape_the_contents_of_files() {
    let place = Place::new();
    let odd = format!("x{HIDDEN}\nFORGED");
    place.file("home/.codex/hooks.json", &json!({ &odd: 1, "hooks": {} }).to_string());
    let rule = format!("Bash({odd}");
    let hook = json!({"matcher": &odd, "hooks": [{"type": "command", "command": &odd}, {"type": &odd}]});
    let settings =
        json!({"permissions": {"deny": [rule, 3], &odd: []}, "hooks": {"PreToolUse": [&hook], &odd: [&hook]}});
    place.file("home/.claude/settings.json", &settings.to_string());
    symlink(place.path("home"), place.path(&format!("link{HIDDEN}\nFORGED"))).unwrap();
    let home = place.path(&format!("link{HIDDEN}\nFORGED"));
    for words in [
        &["status"][..],
        &["status", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["import", "--dry-run"],
        &["adopt", "--dry-run"],
        &["unadopt", "--dry-run"],
        &["install", "--dry-run"],
        &["install", "--yes"],
        &["uninstall", "--yes"],
    ] {
        let said = Said::of(place.command(place.binary()).env("HOME", &home).args(words), "");
        is_safe(&said);
        if words.contains(&"--json") {
            assert!(serde_json::from_str::<Value>(&said.out).is_ok(), "{said:?}");
        }
    }
}

#[test]
fn the_log_and_the_reply_escape_invisible_characters_without_losing_values() {
    let place = Place::new();
    let policy =
        place.file("policy.toml", "[permissions]\ndeny = [\"Bash\", \"Tool\"]\n[audit]\ninputs = \"redacted\"\n");
    let mut message = serde_json::from_str::<Value>(&fixture("claude-code", "pre_tool_use_bash")).unwrap();
    let session = format!("s{HIDDEN}");
    message["session_id"] = session.as_str().into();
    message["tool_input"]["command"] = format!("ls {HIDDEN}\nFORGED").into();
    let said = place.fed(&["hook", "claude-code", "--policy", &policy], &message.to_string());
    is_safe(&said);
    let log = place.read("home/.local/state/snaphook/audit.jsonl");
    is_safe(&Said { code: None, out: log.clone(), err: String::new() });
    let record: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(record["session"], session);
    let id = record["id"].as_str().unwrap();
    is_safe(&place.run(&["why", id]));
    is_safe(&place.run(&["log"]));
    // A record of an earlier version, which did not escape.
    let raw = record.to_string();
    assert!(raw.contains('\u{202e}'));
    place.file("home/.local/state/snaphook/audit.jsonl", &format!("{raw}\n"));
    let printed = place.run(&["log", "--json"]);
    is_safe(&printed);
    assert_eq!(serde_json::from_str::<Value>(&printed.out).unwrap(), record);
    let command = format!("ls {HIDDEN}\nFORGED");
    is_safe(&place.run(&["try", &command, "--policy", &policy]));
    let tried = place.run(&["try", &command, "--policy", &policy, "--json"]);
    is_safe(&tried);
    assert!(serde_json::from_str::<Value>(&tried.out).is_ok(), "{tried:?}");
}

//! The policies that registered lines name, which an update keeps or replaces.

use std::fs;

use serde_json::json;

use crate::states::states;
use crate::{CLAUDE, DOCKER, HYGGE, install, place, uninstall};

#[test]
fn an_update_keeps_the_named_policy() {
    let place = place();
    for (agent, file) in [("claude-code", CLAUDE), ("hygge", HYGGE), ("docker-agent", DOCKER)] {
        let install = |words: &[&str]| {
            let version: &[&str] = if agent == "docker-agent" { &["--agent-version", "1.140.0"] } else { &[] };
            place.run(&[&["install", agent, "--yes"], version, words].concat())
        };
        let mine = place.file("home/my policies/mine.toml", "[permissions]\n");
        let other = place.file("home/other.toml", "[permissions]\n");
        install(&["--policy", &mine]).says(0, &["registered in"]);
        install(&[]).says(0, &["is up to date"]);
        assert!(place.read(file).contains("/my policies/mine.toml"), "{agent}");
        let version: &[&str] = if agent == "docker-agent" { &["--agent-version", "1.140.0"] } else { &[] };
        assert_eq!(states(&place, &[&[agent], version].concat()), ["current"]);
        // `--yes` adds entries, but does not change the policy of existing ones.
        install(&["--policy", &other]).says(1, &["Nothing was changed", "on a terminal"]);
        let words = [&["install", agent, "--yes"], version, &["--policy", &other]].concat();
        place.answered(&words, "y\n").says(0, &["renewed"]);
        assert!(place.read(file).contains(&other) && !place.read(file).contains("mine.toml"), "{agent}");
        // A missing policy would deny every call.
        fs::remove_file(&other).unwrap();
        place.answered(&[&["install", agent], version].concat(), "y\n").says(0, &["renewed"]);
        assert!(place.read(file).contains("/.config/snaphook/snaphook.toml"), "{agent}");
        uninstall(&place, agent).says(0, &[]);
    }
}

#[test]
fn a_policy_below_the_home_folder_in_a_line_written_by_hand_is_kept() {
    let place = place();
    let policy = place.file("home/team/p.toml", "[permissions]\ndeny = [\"Bash(git push *)\"]\n");
    for named in ["~/team/p.toml", "\"$HOME/team/p.toml\""] {
        let line = format!("{} hook claude-code --policy {named}", env!("CARGO_BIN_EXE_snaphook"));
        let entry = json!({"matcher": "*", "hooks": [{"type": "command", "command": line}]});
        place.file(CLAUDE, &json!({"hooks": {"PreToolUse": [entry]}}).to_string());
        install(&place, "claude-code").says(0, &[]);
        let file = place.read(CLAUDE);
        assert!(file.contains(&policy) && !file.contains("'~/"), "{file}");
        assert!(!place.path("project/~").exists());
        let blocks =
            "ok    claude-code PermissionRequest in ~/.claude/settings.json: blocks a call that must be denied";
        place
            .run(&["doctor", "claude-code"])
            .says(1, &["claude-code: ~/.claude/settings.json is edited by you", blocks]);
        uninstall(&place, "claude-code").says(0, &[]);
    }
}

#[test]
fn an_unrecorded_policy_inside_the_project_is_not_kept() {
    let place = place();
    let theirs = place.file("project/theirs.toml", "[permissions]\nallow = [\"Bash\"]\n");
    let install = |words: &[&str]| place.run(&[&["install", "claude-code", "--project", "--yes"], words].concat());
    install(&["--policy", &theirs]).says(0, &[]);
    let file = "project/.claude/settings.json";
    install(&[]).says(0, &["is up to date"]);
    // The same in a cloned project, for which there is no record.
    fs::remove_dir_all(place.path("home/.local")).unwrap();
    assert_eq!(states(&place, &["claude-code"]), ["absent", "stale"]);
    install(&[]).says(0, &["renewed"]);
    assert!(!place.read(file).contains("theirs.toml"));
}

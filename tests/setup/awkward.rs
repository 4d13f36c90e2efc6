//! Cases of install and uninstall that the snapshots do not cover.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::{CLAUDE, CODEX, install, place, there_and_back};

#[test]
fn a_file_that_cannot_be_edited_does_not_prevent_other_registrations() {
    let place = place();
    place.file(CLAUDE, "{");
    place.file(CODEX, "{}");
    place.run(&["install", "claude-code", "codex", "--yes"]).says(1, &["claude-code: ", "codex: registered"]);
    assert!(place.read(CODEX).contains("hook codex"));
    // A file that is not writable is an error too.
    let place = crate::place();
    place.file(CLAUDE, "{}");
    fs::set_permissions(place.path(CLAUDE), fs::Permissions::from_mode(0o444)).unwrap();
    place
        .run(&["install", "claude-code", "codex", "--yes"])
        .says(1, &["claude-code: not registered", "codex: registered"]);
    // Codex keeps the approvals of its hooks in another file, which is the invalid one here.
    let place = crate::place();
    let marked_twice = "\u{feff}\u{feff}a = 1\n";
    place.file("home/.codex/config.toml", marked_twice);
    place.run(&["install", "codex", "--yes"]).says(1, &["/.codex/config.toml: 1:1: a second byte order mark"]);
    assert_eq!(place.read("home/.codex/config.toml"), marked_twice);
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let place = place();
    place.file("home/.bashrc", "");
    place.file("project/.claude/settings.local.json", "{}");
    place.file("elsewhere/settings.json", "{}");
    let out = |name: &str, to: &str| {
        let _ = fs::remove_file(place.path(name));
        symlink(place.path(to), place.path(name)).unwrap();
    };
    for to in ["home/.bashrc", "home/nothing-yet"] {
        out("project/.claude/settings.json", to);
        place.run(&["install", "claude-code", "--project", "--yes"]).says(1, &["leads out of the project", to]);
    }
    place.run(&["install", "claude-code", "--yes"]).says(0, &[]);
    out("project/.claude/settings.json", "home/.claude/settings.json");
    place.answered(&["uninstall", "claude-code", "--project"], "y\n").says(2, &["leads out of the project"]);
    place.answered(&["uninstall", "claude-code"], "y\n").says(0, &[]);
    out("project/.hygge", "elsewhere");
    place.run(&["install", "hygge", "--project", "--yes"]).says(1, &["leads out of the project"]);
    place.file("project/.claude/settings.local.json", "{\"permissions\": {\"deny\": [\"Bash(curl *)\"]}}");
    out("project/.snaphook.toml", "home/.bashrc");
    place.answered(&["import", "claude-code"], "y\n").says(2, &["leads out of the project"]);
    assert_eq!((place.read("home/.bashrc").as_str(), place.path("home/nothing-yet").exists()), ("", false));
    assert!(!place.path("elsewhere/hooks.toml").exists());
    // A link to a file inside of the project is followed.
    place.file("project/shared/settings.json", "{}");
    out("project/.claude/settings.json", "project/shared/settings.json");
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    assert!(place.read("project/shared/settings.json").contains("hook claude-code"));
}

#[test]
fn a_huge_file_can_be_edited() {
    let filler: String = (0..40_000).map(|n| format!("  \"key{n}\": \"{}\", // {n}\n", "x".repeat(120))).collect();
    let before = format!("{{\n{filler}}}\n");
    assert!(before.len() > 5 << 20, "{}", before.len());
    there_and_back("claude-code", CLAUDE, &before);
}

#[test]
fn a_dry_run_and_a_question_change_nothing() {
    let place = place();
    place.file(CLAUDE, "{}\n");
    let before = place.all();
    place.run(&["install", "claude-code", "--dry-run"]).says(0, &["+", "Nothing was changed"]);
    // There is no terminal to answer on.
    place.run(&["install", "claude-code"]).says(1, &["on a terminal, or --yes"]);
    place.fed(&["install", "claude-code"], "y\n").says(1, &["on a terminal"]);
    assert_eq!(place.all(), before);
    install(&place, "claude-code").says(0, &[]);
    let before = place.all();
    place.run(&["uninstall", "claude-code", "--dry-run"]).says(0, &["-", "Nothing was changed"]);
    place.fed(&["uninstall", "claude-code"], "y\n").says(1, &["on a terminal"]);
    place.run(&["uninstall", "claude-code", "--yes"]).says(2, &["--purge"]);
    place.answered(&["uninstall", "claude-code"], "n\n").says(1, &["Nothing was changed"]);
    assert_eq!(place.all(), before);
}

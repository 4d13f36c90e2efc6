//! Files as people have them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::{CLAUDE, CODEX, HYGGE, install, place, shown, there_and_back, uninstall};

/// The groups of an event that are ours and that are not, in their order.
fn groups(text: &str, event: &str) -> Vec<bool> {
    let value: Value = serde_json::from_str(text).unwrap();
    let groups = value["hooks"][event].as_array().cloned().unwrap_or_default();
    groups.iter().map(|group| group.to_string().contains("hook claude-code")).collect()
}

#[test]
fn what_others_wrote_stays_as_it_is() {
    let files = [
        "{}",
        "{}\n",
        "\n",
        "{\n  // how I like it\n  \"model\": \"opus\", /* for now */\n  \"env\": {\"A\": \"1.10\"},\n}\n",
        "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}",
        "{\r\n  \"model\": \"opus\", // why\r\n  \"hooks\": {},\r\n}\r\n",
        "\u{feff}{\"a\":1e400,\"b\":[1,2,],}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"audit.sh\"}]}, // first\n    ],\n  },\n}\n",
    ];
    for before in files {
        let with = there_and_back("claude-code", CLAUDE, before);
        for line in before.lines().filter(|line| line.contains("//")) {
            assert!(with.contains(line.trim_end_matches(',')), "{line} is lost in\n{with}");
        }
        assert_eq!(with.starts_with('\u{feff}'), before.starts_with('\u{feff}'));
        if before.contains("\r\n") {
            assert_eq!(with.matches('\n').count(), with.matches("\r\n").count(), "mixed line ends:\n{with:?}");
        }
        if before.contains("\n\t") {
            assert!(with.contains("\n\t\t\"PreToolUse\""), "{with}");
        }
    }
    let before = "# mine\r\n[hooks.theirs] # first\r\nevents = [\"pre_tool\"]\r\ncommand = '/bin/true'\r\n";
    let with = there_and_back("hygge", HYGGE, before);
    assert!(with.starts_with(before), "{with:?}");
    assert_eq!(with.matches('\n').count(), with.matches("\r\n").count(), "mixed line ends:\n{with:?}");
}

#[test]
fn other_tools_hooks_keep_their_place() {
    let before = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "first"}]},
        {"matcher": "*", "hooks": [{"type": "command", "command": "second"}]},
    ]}});
    let before = serde_json::to_string_pretty(&before).unwrap();
    let with = there_and_back("claude-code", CLAUDE, &before);
    assert_eq!(groups(&with, "PreToolUse"), [false, false, true]);
    assert!(with.find("first").unwrap() < with.find("second").unwrap());
}

#[test]
fn a_file_that_does_not_fit_is_never_touched() {
    for (agent, name, text, parts) in [
        ("claude-code", CLAUDE, "{\n  \"a\": 1,\n  \"b\": [1, 2\n}\n", &["settings.json: 4:1: "][..]),
        ("claude-code", CLAUDE, "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}", &["`hooks` is there twice"]),
        ("claude-code", CLAUDE, "{\"hooks\": []}", &["`hooks` is no object"]),
        ("claude-code", CLAUDE, "[]", &["1:1", "an object"]),
        ("claude-code", CLAUDE, "{\"hooks\": {\"Stop\": \"x\"}}", &["`hooks.Stop` is no list"]),
        ("codex", CODEX, "{'hooks': {}}", &["hooks.json", "1:2"]),
        ("hygge", HYGGE, "[hooks.a]\nevents = [\n\n[x]\n", &["hooks.toml", ":"]),
        ("hygge", HYGGE, "hooks = 3\n", &["`hooks` is no table"]),
    ] {
        let place = place();
        place.file(name, text);
        let before = place.read(name);
        install(&place, agent).says(1, parts);
        assert_eq!(place.read(name), before);
        let kept = place.all().keys().filter(|path| path.to_string_lossy().contains("snaphook-")).count();
        assert_eq!(kept, 0, "a temporary file stays");
    }
    let place = place();
    place.file(CLAUDE, "");
    fs::write(place.path(CLAUDE), b"{\"a\": \"\xff\"}").unwrap();
    install(&place, "claude-code").says(1, &["UTF-8"]);
    assert_eq!(fs::read(place.path(CLAUDE)).unwrap(), b"{\"a\": \"\xff\"}");
}

#[test]
fn one_that_does_not_fit_keeps_no_other_from_being_registered() {
    let place = place();
    place.file(CLAUDE, "{");
    place.file(CODEX, "{}");
    place.run(&["install", "claude-code", "codex", "--yes"]).says(1, &["claude-code: ", "codex: registered"]);
    assert!(place.read(CODEX).contains("hook codex"));
}

#[test]
fn a_link_stays_one() {
    let place = place();
    place.file("home/dotfiles/claude.json", "{}\n");
    fs::create_dir_all(place.path("home/.claude")).unwrap();
    symlink("../dotfiles/claude.json", place.path(CLAUDE)).unwrap();
    install(&place, "claude-code").says(0, &[]);
    assert!(fs::symlink_metadata(place.path(CLAUDE)).unwrap().is_symlink());
    assert!(place.read("home/dotfiles/claude.json").contains("hook claude-code"));
    uninstall(&place, "claude-code").says(0, &[]);
    assert!(fs::symlink_metadata(place.path(CLAUDE)).unwrap().is_symlink());
    assert_eq!(place.read("home/dotfiles/claude.json"), "{}\n");

    // A link to a file that is not there yet.
    let place = crate::place();
    fs::create_dir_all(place.path("home/.claude")).unwrap();
    symlink("../dotfiles/claude.json", place.path(CLAUDE)).unwrap();
    install(&place, "claude-code").says(0, &[]);
    assert!(fs::symlink_metadata(place.path(CLAUDE)).unwrap().is_symlink());
    assert!(place.read("home/dotfiles/claude.json").contains("hook claude-code"));
    uninstall(&place, "claude-code").says(0, &[]);
    assert!(fs::symlink_metadata(place.path(CLAUDE)).unwrap().is_symlink());
    assert!(!place.path("home/dotfiles/claude.json").exists());
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
    place.run(&["uninstall", "claude-code", "--project", "--yes"]).says(1, &["leads out of the project"]);
    place.run(&["uninstall", "claude-code", "--yes"]).says(0, &[]);
    out("project/.hygge", "elsewhere");
    place.run(&["install", "hygge", "--project", "--yes"]).says(1, &["leads out of the project"]);
    place.file("project/.claude/settings.local.json", "{\"permissions\": {\"deny\": [\"Bash(curl *)\"]}}");
    out("project/.snaphook.toml", "home/.bashrc");
    place.run(&["import", "claude-code", "--yes"]).says(1, &["leads out of the project"]);
    assert_eq!((place.read("home/.bashrc").as_str(), place.path("home/nothing-yet").exists()), ("", false));
    assert!(!place.path("elsewhere/hooks.toml").exists());
    // One that stays inside is as good as a file.
    place.file("project/shared/settings.json", "{}");
    out("project/.claude/settings.json", "project/shared/settings.json");
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    assert!(place.read("project/shared/settings.json").contains("hook claude-code"));
}

#[test]
fn permissions_stay_and_write_protection_holds() {
    let place = place();
    place.file(CLAUDE, "{}\n");
    let mode = |mode| fs::set_permissions(place.path(CLAUDE), fs::Permissions::from_mode(mode)).unwrap();
    let is = || fs::metadata(place.path(CLAUDE)).unwrap().permissions().mode() & 0o7777;
    mode(0o640);
    install(&place, "claude-code").says(0, &[]);
    assert_eq!(is(), 0o640);
    uninstall(&place, "claude-code").says(0, &[]);
    assert_eq!(is(), 0o640);
    mode(0o444);
    install(&place, "claude-code").says(1, &["settings.json", "write-protected; give it write permission"]);
    assert_eq!((place.read(CLAUDE).as_str(), is()), ("{}\n", 0o444));
    place.run(&["status", "claude-code"]).says(1, &["absent"]);
}

#[test]
fn a_huge_file_is_no_matter() {
    let filler: String = (0..40_000).map(|n| format!("  \"key{n}\": \"{}\", // {n}\n", "x".repeat(120))).collect();
    let before = format!("{{\n{filler}}}\n");
    assert!(before.len() > 5 << 20, "{}", before.len());
    there_and_back("claude-code", CLAUDE, &before);
}

#[test]
fn without_a_file_there_is_none_afterwards() {
    for (agent, words) in
        [("claude-code", &[][..]), ("codex", &[]), ("hygge", &[]), ("docker-agent", &["--agent-version", "1.140.0"])]
    {
        let place = place();
        let names =
            || place.all().into_keys().filter(|path| !path.to_string_lossy().contains("snaphook")).collect::<Vec<_>>();
        let before = names();
        place.run(&[&["install", agent, "--yes"], words].concat()).says(0, &[]);
        uninstall(&place, agent).says(0, &[]);
        let after: Vec<_> = names().into_iter().filter(|path| !before.contains(path)).collect();
        let left: Vec<_> = after.iter().map(|path| shown(&place, path.to_str().unwrap())).collect();
        // Our own policy and state stay.
        assert!(
            left.iter().all(|path| ["/.config", "/.local", "/.local/state"].iter().any(|end| path.ends_with(end))),
            "{agent}: {left:?}"
        );
    }
}

#[test]
fn a_dry_run_and_a_question_change_nothing() {
    let place = place();
    place.file(CLAUDE, "{}\n");
    let before = place.all();
    place.run(&["install", "claude-code", "--dry-run"]).says(0, &["+", "Nothing was changed"]);
    // Nobody sits there to answer.
    place.run(&["install", "claude-code"]).says(1, &["--yes"]);
    assert_eq!(place.all(), before);
    install(&place, "claude-code").says(0, &[]);
    let before = place.all();
    place.run(&["uninstall", "claude-code", "--dry-run"]).says(0, &["-", "Nothing was changed"]);
    place.run(&["uninstall", "claude-code"]).says(1, &["--yes"]);
    assert_eq!(place.all(), before);
}

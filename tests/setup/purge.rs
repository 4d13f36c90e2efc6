//! Tests of `uninstall --purge`.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::place::{Place, Said};
use crate::{CLAUDE, OPENCODE, install, place};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";
const STATE: &str = "home/.local/state/snaphook";

/// A home folder with a plug-in, an entry, a policy, a log and a trusted project.
fn used() -> Place {
    let place = place();
    place.file(CLAUDE, "{}\n");
    fs::create_dir_all(place.path("home/.config/opencode")).unwrap();
    install(&place, "claude-code").says(0, &[]);
    install(&place, "opencode").says(0, &[]);
    place.file("project/.snaphook.toml", "[permissions]\nallow = []\n");
    place.answered(&["trust"], "y\n").says(0, &["trusted"]);
    let message = place::fixtures("claude-code").swap_remove(0);
    place.fed(&["hook", "claude-code"], &message);
    assert!(place.path(&format!("{STATE}/audit.jsonl")).exists());
    place.answered(&["pause", "10m"], "y\n").says(0, &["paused"]);
    place
}

#[test]
fn a_purge_names_and_removes_each_file_of_snaphook() {
    let place = used();
    let before = place.all();
    let named = [
        format!("{} is removed", place.at(POLICY)),
        format!("{}/audit.jsonl is removed", place.at(STATE)),
        format!("{}/trust.toml is removed", place.at(STATE)),
        format!("{}/installed.json is removed", place.at(STATE)),
        format!("{} is removed", place.at("home/.config/snaphook/overrides/pause.toml")),
        format!("{} is removed", place.at(OPENCODE)),
    ];
    let named: Vec<_> = named.iter().map(String::as_str).collect();
    place.run(&["uninstall", "--purge", "--dry-run"]).says(0, &named);
    place.fed(&["uninstall", "--purge"], "y\n").says(1, &["on a terminal, or --yes"]);
    place.answered(&["uninstall", "--purge"], "n\n").says(1, &["Nothing was changed"]);
    assert_eq!(place.all(), before);
    place.answered(&["uninstall", "--purge"], "y\n").says(0, &named);
    let ours = |path: &std::path::Path| path.to_string_lossy().contains("/home/") && path.ends_with("snaphook");
    assert!(!place.all().keys().any(|path| ours(path)), "{:?}", place.all().keys());
    assert_eq!(place.read(CLAUDE), "{}\n");
    // The policy of the project is not snaphook's.
    assert!(place.path("project/.snaphook.toml").exists());
    place.run(&["uninstall", "--purge", "--yes"]).says(0, &["No entry of snaphook was found"]);
}

#[test]
fn a_purge_keeps_what_is_not_in_its_folders() {
    let place = used();
    let handler = place.file("home/.config/snaphook/handler.sh", "mine");
    let log = place.file("home/log.jsonl", "");
    place.file(POLICY, &format!("[audit]\nfile = '{log}'\n"));
    let outside = place.file("home/outside/file", "theirs");
    symlink(place.path("home/outside"), place.path(&format!("{STATE}/link"))).unwrap();
    symlink(&outside, place.path(&format!("{STATE}/backups/file"))).unwrap();
    let said = place.run(&["uninstall", "--purge", "--yes"]);
    said.says(0, &["link (the link alone) is removed", &format!("{log} stays: the policy names this log")]);
    assert!(!said.out.contains("outside/file"), "{said:?}");
    assert!(!place.path(STATE).exists() && !place.path(POLICY).exists());
    for kept in [handler, log, outside] {
        assert!(fs::exists(&kept).unwrap(), "{kept}");
    }
    // A policy and a state folder that are links.
    let place = used();
    fs::rename(place.path(POLICY), place.path("home/dotfile.toml")).unwrap();
    symlink(place.path("home/dotfile.toml"), place.path(POLICY)).unwrap();
    fs::rename(place.path(STATE), place.path("home/moved")).unwrap();
    symlink(place.path("home/moved"), place.path(STATE)).unwrap();
    place.run(&["uninstall", "--purge", "--yes"]).says(0, &["snaphook (the link alone) is removed"]);
    assert!(place.path("home/dotfile.toml").exists() && place.path("home/moved/trust.toml").exists());
    assert!(!place.path(STATE).exists() && !place.path(POLICY).exists());
}

#[test]
fn nothing_is_purged_while_an_entry_would_block_every_call() {
    let place = used();
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    let before = place.all();
    let said = place.run(&["uninstall", "--purge", "--yes"]);
    said.says(2, &["nothing was removed", "uninstall --project", "project/.claude/settings"]);
    assert_eq!(place.all(), before);
    let place = used();
    place.file(CLAUDE, &place.read(CLAUDE).replace("hook claude-code", "hook claude-code --no-audit"));
    let before = place.all();
    place.run(&["uninstall", "--purge", "--yes"]).says(2, &["nothing was removed", "settings.json"]);
    assert_eq!(place.all(), before);
}

#[test]
fn a_purge_goes_on_after_a_file_that_cannot_be_removed() {
    let place = used();
    let works = Command::new("bwrap").args(["--ro-bind", "/", "/", "/bin/true"]).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return crate::skipped::skipped("bwrap: no bubblewrap for a folder that cannot be written");
    }
    let folder = place.at("home/.config/snaphook");
    let mut command = place.command("/usr/bin/bwrap");
    command.args(["--dev-bind", "/", "/", "--ro-bind", &folder, &folder]).arg(place.binary());
    let said = Said::of(command.args(["uninstall", "--purge", "--yes"]), "");
    said.says(2, &["snaphook.toml: not removed", "Read-only file system"]);
    assert!(place.path(POLICY).exists());
    assert!(!place.path(STATE).exists());
}

#[test]
fn a_purge_is_of_everything() {
    let place = place();
    place.run(&["uninstall", "claude-code", "--purge"]).says(2, &["cannot be used with"]);
    place.run(&["uninstall", "--project", "--purge"]).says(2, &["cannot be used with"]);
    for words in
        [&["uninstall", "--yes"][..], &["uninstall", "claude-code", "--yes"], &["uninstall", "--project", "--yes"]]
    {
        place.run(words).says(2, &["--yes is only for --purge"]);
    }
}

//! `snaphook pause`, and what a model could do to get one.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::managed::Managed;
use crate::monitor::{message, record, shell};
use crate::place::{Place, Said, fixture};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";
const PAUSE: &str = "home/.config/snaphook/overrides/pause.toml";
const LOG: &str = "home/.local/state/snaphook/audit.jsonl";

/// A place whose policy denies `frob`.
fn place() -> Place {
    let place = Place::new();
    place.file(POLICY, "[permissions]\ndeny = ['Bash(frob *)']\nallow = ['Bash(frob *)']\n");
    place
}

fn denies(place: &Place) -> bool {
    let said = shell(place, "frob x");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.is_empty() || said.out.contains("\"deny\""), "{said:?}");
    !said.out.is_empty()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn write(place: &Place, from: u64, until: u64) {
    place.file(PAUSE, &format!("from = {from}\nuntil = {until}\n"));
}

#[test]
fn a_pause_needs_an_answer_on_a_terminal_and_ends() {
    let place = place();
    place.fed(&["pause", "10m"], "y\n").says(1, &["not paused", "on a terminal"]);
    place.answered(&["pause", "10m"], "n\n").says(1, &["not paused"]);
    assert!(denies(&place) && !place.path(PAUSE).exists());
    place.answered(&["pause", "10m"], "y\n").says(0, &["For 10m, what your policy", "paused until 20"]);
    assert_eq!(fs::metadata(place.path(PAUSE)).unwrap().permissions().mode() & 0o777, 0o600);
    let started = place
        .read(LOG)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|record| record["event"] == "pause");
    assert!(started.unwrap()["reason"].as_str().unwrap().starts_with("until 20"));
    // Not even the allow rule approves it.
    assert!(!denies(&place));
    let waived = record(&place);
    let members = ["would", "waived", "wanted", "sent"].map(|name| waived[name].as_str().unwrap());
    assert_eq!(members, ["deny", "pause", "pass", "pass"], "{waived:#}");
    place.run(&["why", waived["id"].as_str().unwrap()]).says(0, &["of deny, which was not enforced: pause"]);
    place.run(&["log", "--waived"]).says(0, &["pass (would deny)"]);
    fs::create_dir(place.path("home/.claude")).unwrap();
    for words in [&["pause"][..], &["status"], &["doctor"], &["try", "frob x"], &["try", "frob x", "-v"]] {
        let said = place.run(words);
        assert!(said.out.contains("paused until 20"), "{words:?} {said:?}");
    }
    place.run(&["try", "frob x", "--all", "--check"]).says(0, &["(would deny, but is not enforced)"]);
    place.run(&["pause", "--stop"]).says(0, &["the pause is over"]);
    place.run(&["pause", "--stop"]).says(0, &["there is no pause"]);
    place.run(&["pause"]).says(0, &["there is no pause"]);
    assert!(denies(&place));
}

#[test]
fn the_length_is_limited() {
    let place = place();
    for time in ["9h", "8h 1s", "0s", "1", "later", "1000000000y", ""] {
        place.answered(&["pause", time], "y\n").says(2, &["at most 8h"]);
    }
    place.run(&["pause", "1h", "--stop"]).says(2, &["cannot be used with"]);
    place.answered(&["pause", "8h"], "y\n").says(0, &["paused until"]);
}

#[test]
fn protection_holds_in_a_pause() {
    let place = place();
    place.answered(&["pause", "10m"], "y\n").says(0, &["paused"]);
    for command in [
        "snaphook pause 8h",
        "snaphook trust",
        &format!("rm {}", place.at(POLICY)),
        &format!("touch {}", place.at(PAUSE)),
    ] {
        assert!(shell(&place, command).out.contains("protect.snaphook denies"), "{command}");
        assert_eq!(record(&place).get("would"), None, "{command}");
    }
    // A policy that cannot be read denies as ever.
    place.file(POLICY, "[permisions]\n");
    assert!(shell(&place, "ls").out.contains("\"deny\""));
    place.answered(&["pause", "10m"], "y\n").says(2, &["permisions"]);
}

#[test]
fn a_running_server_sees_when_a_pause_begins_and_ends() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\ndeny = ['*']\n");
    let mut server = place.command(place.binary());
    let mut server = server.args(["hook", "picoclaw"]).stdin(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut answer = |stem: &str| {
        writeln!(input, "{}", fixture("picoclaw", stem)).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    answer("hello_modes");
    let mut denies = || answer("before_tool_exec").contains("deny_tool");
    assert!(denies());
    write(&place, now(), now() + 600);
    assert!(!denies());
    place.run(&["pause", "--stop"]).says(0, &["is over"]);
    assert!(denies());
    drop(input);
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_pause_that_is_not_as_it_was_written_has_no_effect() {
    let place = place();
    let is_root = rustix::process::geteuid().is_root();
    let (now, path) = (now(), place.path(PAUSE));
    write(&place, now, now + 600);
    assert!(!denies(&place), "a valid one holds");
    let refused = |why: &str| {
        assert!(denies(&place), "{why}");
        let record = record(&place);
        let remarks = record["remarks"].to_string();
        assert!(
            remarks.contains("pause.toml: ") && remarks.contains(why) && remarks.contains("has no effect"),
            "{why} {remarks}"
        );
        let said = place.run(&["pause"]);
        assert!(said.out.contains(why), "{why} {said:?}");
    };
    fs::create_dir(place.path("home/.claude")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    refused("writable by group or others");
    for words in [&["status"][..], &["doctor"], &["try", "frob x"]] {
        place.run(words).says(i32::from(words != ["try", "frob x"]), &["writable by group or others"]);
    }
    fs::remove_file(&path).unwrap();
    write(&place, now + 3600, now + 4000);
    refused("the clock was set back");
    write(&place, now - 10, now + 8 * 3600);
    refused("lasts longer than is possible");
    write(&place, now, now - 1);
    refused("ends before it begins");
    for text in ["paused", "from = 1", "until = 99999999999\nfrom = 0\nx = 1", "\u{0}"] {
        place.file(PAUSE, text);
        refused("expected only `from` and `until`");
    }
    place.file(PAUSE, "");
    refused("empty file");
    place.file(PAUSE, &format!("from = {now}\nuntil = {}\n#{}", now + 600, "x".repeat(2000)));
    refused("larger than 1 KiB");
    fs::remove_file(&path).unwrap();
    place.file("home/elsewhere.toml", &format!("from = {now}\nuntil = {}\n", now + 600));
    symlink(place.path("home/elsewhere.toml"), &path).unwrap();
    refused("not a regular file");
    place.answered(&["pause", "10m"], "y\n").says(2, &["not a regular file; remove it"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused("not a regular file");
    fs::remove_dir(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    refused("not a regular file");
    fs::remove_file(&path).unwrap();
    if is_root {
        write(&place, now, now + 600);
        std::os::unix::fs::chown(&path, Some(4242), Some(4242)).unwrap();
        refused("owned by another user");
        fs::remove_file(&path).unwrap();
    }
    // One that is over is no longer spoken of.
    write(&place, now - 600, now - 1);
    assert!(denies(&place));
    assert_eq!(record(&place).get("remarks"), None);
    place.run(&["pause"]).says(0, &["there is no pause"]);
}

#[test]
fn a_pause_that_cannot_be_recorded_does_not_begin() {
    let place = place();
    fs::create_dir_all(place.path(LOG)).unwrap();
    place.answered(&["pause", "10m"], "y\n").says(2, &["audit.jsonl: cannot be written, so nothing was changed"]);
    assert!(!place.path(PAUSE).exists());
    let place = self::place();
    place.file(&format!("{PAUSE}/x"), "");
    place.answered(&["pause", "10m"], "y\n").says(2, &["pause.toml: not a regular file"]);
}

/// What a model could run to get a pause. Each is denied before it runs.
#[test]
fn no_spelling_of_the_command_reaches_the_question() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\n");
    let own = place.binary().display().to_string();
    symlink(&own, place.path("bin/other")).unwrap();
    let link = place.at("bin/other");
    for command in [
        "snaphook pause 10m",
        "snaphook  pause",
        "'snap'hook pa\\use 10m",
        "env snaphook pause 10m",
        "env -i HOME=/x snaphook pause 10m",
        "command snaphook pause 10m",
        "exec snaphook pause 10m",
        "X=1 snaphook pause 10m",
        "sh -c 'snaphook pause 10m'",
        "bash -lc \"snaphook pause 10m\"",
        "yes | snaphook pause 10m",
        "snaphook pause 10m <<< y",
        "echo y | snaphook pause 10m",
        "nohup setsid snaphook pause 10m &",
        "setsid --ctty snaphook pause 10m",
        "timeout 9 snaphook pause 10m",
        "script -qec 'snaphook pause 10m' /dev/null",
        "echo y | script -qec 'snaphook pause 10m' /dev/null",
        "script -c 'env snaphook pause 8h' -q x",
        "expect -c 'spawn snaphook pause 10m; expect N; send y\\r'",
        "python3 -c 'import pty; pty.spawn([\"snaphook\", \"pause\", \"10m\"])'",
        "python3 - <<'E'\nimport pty\npty.spawn(['snaphook', 'pause', '8h'])\nE",
        "perl -e 'exec \"snaphook pause 10m\"'",
        "alias s=snaphook; snaphook pause 10m",
        "ssh -tt localhost snaphook pause 10m",
        "snaphook --color never pause 10m",
        "ssh localhost snaphook --color never pause 10m",
        "script -qec 'snaphook --color=auto pause 10m' /dev/null",
        "python3 -c 'import os; os.system(\"snaphook --color never pause 10m\")'",
        "tmux new-session -d 'snaphook pause 10m'",
        "screen -dm snaphook pause 10m",
        "sudo -u me snaphook pause 10m",
        "xargs snaphook pause < x",
        "find . -exec snaphook pause 10m ;",
        "eval 'snaphook pause 10m'",
        "echo 'snaphook pause 10m' | sh",
        "echo 'snaphook pause 10m' | at now",
        "snaphook $SUB 10m",
        "C=pause; snaphook $C 10m",
        "if true; then snaphook pause 10m; fi",
        "(snaphook pause 10m)",
        "x() { snaphook pause 10m; }; x",
        "socat - EXEC:'snaphook pause 10m',pty,ctty",
        &format!("{own} pause 10m"),
        &format!("{link} pause 10m"),
        &format!("script -qec '{own} pause 10m' /dev/null"),
    ] {
        let said = shell(&place, command);
        assert!(said.out.contains("protect.snaphook denies"), "{command}\n{said:?}");
    }
}

/// What a model could write to get a pause.
#[test]
fn no_tool_and_no_command_writes_the_file() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\n");
    let (path, folder) = (place.at(PAUSE), place.at("home/.config/snaphook/overrides"));
    for command in [
        format!("printf 'from = 0' > {path}"),
        format!("echo x >> {path}"),
        format!("echo x | tee {path}"),
        format!("cp /tmp/x {path}"),
        format!("mv /tmp/x {folder}/pause.toml"),
        format!("ln -s /tmp/x {path}"),
        format!("install -m 600 /tmp/x {path}"),
        format!("dd if=/tmp/x of={path}"),
        format!("cd {folder} && echo x > pause.toml"),
        "echo x > ~/.config/snaphook/overrides/pause.toml".to_owned(),
        "echo x > $HOME/.config/snaphook/overrides/pau*.toml".to_owned(),
        "cp -r x/overrides ~/.config/snaphook/".to_owned(),
        format!("mv {folder} /tmp/x"),
        format!("touch -d tomorrow {path}"),
    ] {
        let said = shell(&place, &command);
        assert!(said.out.contains("\"deny\""), "{command}\n{said:?}");
    }
    for (tool, input) in [
        ("Write", json!({"file_path": path, "content": "x"})),
        ("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"})),
    ] {
        let said = place.fed(&["hook", "claude-code"], &message(&place, "PreToolUse", tool, &input));
        assert!(said.out.contains("\"deny\""), "{tool} {said:?}");
    }
}

#[test]
fn a_pause_is_beside_the_policy_that_the_registered_line_names() {
    let place = place();
    let valid = format!("from = {}\nuntil = {}\n", now(), now() + 600);
    let text = message(&place, "PreToolUse", "Bash", &json!({"command": "frob x"}));
    let own = place.at(POLICY);
    let denies = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = place.command(place.binary());
        command.args(["hook", "claude-code"]).args(words).envs(variables.iter().copied()).stdin(Stdio::piped());
        Said::of(&mut command, &text).out.contains("\"deny\"")
    };
    // Variables, which the settings of a project may set, do not move it.
    for folder in
        ["moved/snaphook", "moved/.config/snaphook", "moved/.local/state/snaphook", "home/.local/state/snaphook"]
    {
        place.file(&format!("{folder}/overrides/pause.toml"), &valid);
        place.file(&format!("{folder}/pause.toml"), &valid);
    }
    let moved = place.at("moved");
    let variables = [("HOME", moved.as_str()), ("XDG_STATE_HOME", &moved), ("XDG_CONFIG_HOME", &moved)];
    assert!(denies(&["--policy", &own], &variables));
    place.file(PAUSE, &valid);
    assert!(!denies(&["--policy", &own], &variables) && !denies(&[], &[]));
    // It is of one policy.
    let other = place.file("home/policies/other.toml", &place.read(POLICY));
    assert!(denies(&["--policy", &other], &[]));
    place.file("home/policies/overrides/pause.toml", &valid);
    assert!(!denies(&["--policy", &other], &[]));
    let write = json!({"command": format!("echo x > {}", place.at("home/policies/overrides/pause.toml"))});
    let said = place.fed(&["hook", "claude-code", "--policy", &other], &message(&place, "PreToolUse", "Bash", &write));
    assert!(said.out.contains("protect.snaphook denies"), "{said:?}");
}

#[test]
fn a_policy_can_forbid_pauses() {
    let place = place();
    place.file(POLICY, "[overrides]\npause = false\n[permissions]\ndeny = ['Bash(frob *)']\n");
    place.answered(&["pause", "10m"], "y\n").says(2, &["snaphook.toml: `overrides.pause = false` forbids this"]);
    write(&place, now(), now() + 60);
    assert!(denies(&place));
    // A project cannot forbid it.
    place.file(POLICY, "[permissions]\ndeny = ['Bash(frob *)']\n");
    place.file("project/.snaphook.toml", "[overrides]\npause = false\n");
    assert!(!denies(&place));
    place.run(&["policy", "show"]).says(0, &["[overrides] ignored"]);
    let rules = "[permissions]\ndeny = ['Bash(frob *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    write(&managed.place, now(), now() + 60);
    managed
        .place
        .file(POLICY, "[overrides]\npause = true\n[permissions]\ndeny = ['Bash(own *)']\nask = ['Bash(frob *)']\n");
    let verdicts = || ["frob x", "own x"].map(|command| managed.verdict(command));
    assert_eq!(verdicts(), ["deny", "pass"]);
    managed.place.file("etc/policy.toml", &format!("[overrides]\npause = false\n{rules}"));
    assert_eq!(verdicts(), ["deny", "deny"]);
    managed.run(&["pause", "1m"]).says(2, &["/etc/snaphook/policy.toml: `overrides.pause = false` forbids this"]);
    managed.place.file("etc/policy.toml", &format!("only_managed = true\n{rules}"));
    assert_eq!(verdicts(), ["deny", "pass"]);
    managed.run(&["pause", "1m"]).says(2, &["only the managed policy applies"]);
}

/// Writes an entry for one event, whose line has these words.
pub(crate) fn register(place: &Place, file: &str, agent: &str, words: &[&str]) {
    let line = [&["snaphook", "hook", agent], words].concat().join(" ");
    let hook = json!({"type": "command", "command": line});
    place.file(file, &json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}).to_string());
}

#[test]
fn a_pause_names_the_lines_that_it_does_not_reach() {
    let (claude, codex) = ("home/.claude/settings.json", "home/.codex/hooks.json");
    let place = place();
    let own = place.at(POLICY);
    let team = place.file("home/a team/policy.toml", &place.read(POLICY));
    let quoted = format!("'{team}'");
    register(&place, claude, "claude-code", &["--policy", &own]);
    register(&place, codex, "codex", &["--policy", &quoted]);
    // One of two.
    let command = "snaphook pause 1h30m --policy ~/'a team/policy.toml'";
    let missed =
        format!("does not reach codex in ~/.codex/hooks.json, with the policy ~/a team/policy.toml: {command}\n");
    place.answered(&["pause", "90m"], "y\n").says(0, &[&missed, "paused until 20"]);
    for words in [&["pause"][..], &["status"]] {
        let said = place.run(words);
        assert!(said.out.contains(" for claude-code in ~/.claude/settings.json: what the rules"), "{words:?} {said:?}");
    }
    // The command that is named reaches it.
    let other = ["pause", "90m", "--policy", &team];
    place
        .answered(&other, "y\n")
        .says(0, &["does not reach claude-code in ~/.claude/settings.json", "paused until 20"]);
    assert!(place.path("home/a team/overrides/pause.toml").exists());
    for words in [&["pause"][..], &["status"], &["doctor"]] {
        let said = place.run(words);
        let stop = " for codex in ~/.codex/hooks.json: what the rules would block is only recorded; \
            snaphook pause --stop --policy ~/'a team/policy.toml' ends it";
        assert!(said.out.contains(stop), "{words:?} {said:?}");
    }
    place.run(&["pause", "--stop", "--policy", &team]).says(0, &["the pause is over"]);
    place.run(&["pause", "--stop", "--policy", &team]).says(0, &["there is no pause"]);
    place.run(&["pause", "--stop"]).says(0, &["the pause is over"]);
    // None at all.
    fs::remove_file(place.path(claude)).unwrap();
    let warning = "warning: no registered line was found that this reaches\n";
    place.answered(&["pause", "90m"], "n\n").says(1, &[warning, command]);
    assert!(!place.path(PAUSE).exists());
    // A policy that forbids it, and one that cannot be read.
    register(&place, claude, "claude-code", &["--policy", &own]);
    for (text, why) in [
        ("[overrides]\npause = false\n", "`overrides.pause = false` forbids this"),
        ("[permisions]\n", "it is invalid, so its `[failure] policy` decides; see snaphook doctor"),
    ] {
        place.file("home/a team/policy.toml", text);
        place.answered(&["pause", "90m"], "n\n").says(1, &["does not reach codex in ~/.codex/hooks.json", why]);
    }
    // A line that a person wrote.
    let written = place.file("home/b/policy.toml", "[permissions]\n");
    for words in ["~/b/policy.toml", "$HOME/b/policy.toml"] {
        register(&place, codex, "codex", &["--policy", words]);
        let said = place.answered(&["pause", "90m", "--policy", &written], "n\n");
        assert!(said.says(1, &["does not reach claude-code"]).out.matches("does not reach").count() == 1, "{said:?}");
        assert!(!place.run(&["doctor", "codex"]).out.contains("does not exist"));
    }
    // A line without a policy reads the usual one.
    register(&place, codex, "codex", &[]);
    let said = place.answered(&["pause", "90m"], "n\n");
    assert!(said.code == Some(1) && !said.out.contains("does not reach"), "{said:?}");
}

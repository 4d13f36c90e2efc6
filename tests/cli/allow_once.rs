//! `snaphook allow-once`: a blocked call passes once, and only that one.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::managed::Managed;
use crate::monitor::{message, record, shell};
use crate::pause::register;
use crate::place::{Place, Said, fixture};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";
const ONCE: &str = "home/.config/snaphook/overrides";
const RULES: &str = "[permissions]\ndeny = ['Bash(frob *)']\nallow = ['Bash(frob *)']\n";

/// A place whose policy denies `frob`.
fn place() -> Place {
    let place = Place::new();
    place.file(POLICY, RULES);
    place
}

fn denies(place: &Place, command: &str) -> bool {
    let said = shell(place, command);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.is_empty() || said.out.contains("\"deny\""), "{said:?}");
    !said.out.is_empty()
}

/// Has a call denied, and lets it pass once.
fn allowed(place: &Place, command: &str) -> String {
    assert!(denies(place, command));
    let id = record(place)["id"].as_str().unwrap().to_owned();
    place.answered(&["allow-once", &id], "y\n").says(0, &["the same call of claude-code passes once until 20"]);
    id
}

fn ask(place: &Place, event: &str, input: &Value) -> Said {
    place.fed(&["hook", "claude-code"], &message(place, event, "Bash", input))
}

#[test]
fn a_blocked_call_passes_once() {
    let place = place();
    place.run(&["allow-once", "last"]).says(2, &["the log does not exist yet"]);
    assert!(denies(&place, "frob x"));
    let id = record(&place)["id"].as_str().unwrap().to_owned();
    place.run(&["why", &id]).says(0, &[&format!("in your terminal: snaphook allow-once {id}")]);
    place.fed(&["allow-once", &id], "y\n").says(1, &["not allowed", "on a terminal"]);
    place.answered(&["allow-once", "last"], "n\n").says(1, &["Bash(frob *) says deny", "not recorded", "not allowed"]);
    assert!(denies(&place, "frob x") && !place.path(ONCE).exists());
    allowed(&place, "frob x");
    // A trial does not use it up.
    place.run(&["try", "frob x", "--agent", "claude-code", "--check"]).says(1, &[]);
    // Not even the allow rule approves it.
    assert!(!denies(&place, "frob x"));
    let passed = record(&place);
    let members = ["would", "waived", "wanted", "sent"].map(|name| passed[name].as_str().unwrap());
    assert_eq!(members, ["deny", "allow-once", "pass", "pass"], "{passed:#}");
    assert_eq!(passed.get("fingerprint"), None);
    assert!(denies(&place, "frob x"), "it is used up");
    let log = place.read("home/.local/state/snaphook/audit.jsonl");
    let recorded = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(recorded.filter(|record| record["event"] == "allow-once").count(), 1);
    // It can be given again.
    place.answered(&["allow-once", &id], "y\n").says(0, &["passes once"]);
    assert!(!denies(&place, "frob x") && denies(&place, "frob x"));
}

#[test]
fn the_call_is_shown_if_its_arguments_are_recorded() {
    let place = place();
    place.file(POLICY, &format!("{RULES}[audit]\ninputs = 'redacted'\n"));
    assert!(denies(&place, "frob \u{202e}x"));
    let said = place.answered(&["allow-once", "last"], "n\n");
    said.says(1, &["\"command\":", "frob", "Bash(frob *) says deny on Bash: frob"]);
    assert!(!said.out.contains('\u{202e}'), "{said:?}");
}

#[test]
fn another_call_does_not_pass() {
    let place = place();
    allowed(&place, "frob x");
    for command in ["frob y", "frob x ", "frob  x", "frob x; ls"] {
        assert!(denies(&place, command), "{command}");
    }
    let more = json!({"command": "frob x", "run_in_background": true});
    assert!(ask(&place, "PreToolUse", &more).out.contains("\"deny\""), "other arguments");
    let elsewhere =
        message(&place, "PreToolUse", "Bash", &json!({"command": "frob x"})).replace("/project\"", "/project/sub\"");
    assert!(place.fed(&["hook", "claude-code"], &elsewhere).out.contains("\"deny\""), "another folder");
    let codex = fixture("codex", "pre_tool_use_bash").replace("echo hello > /home/user/lab/side; echo hello", "frob x");
    assert_eq!(place.fed(&["hook", "codex"], &codex).code, Some(2), "another agent");
    assert!(!denies(&place, "frob x"), "it was not used up");
}

#[test]
fn each_gate_of_the_call_lets_it_pass_once() {
    let place = place();
    let input = json!({"command": "frob x"});
    allowed(&place, "frob x");
    for event in ["PreToolUse", "PermissionRequest"] {
        assert_eq!(ask(&place, event, &input).out, "", "{event}");
        assert!(ask(&place, event, &input).out.contains("deny"), "{event} again");
    }
}

#[test]
fn of_several_calls_at_a_time_one_passes() {
    let place = place();
    allowed(&place, "frob x");
    let text = message(&place, "PreToolUse", "Bash", &json!({"command": "frob x"}));
    let start = || {
        let mut child =
            place.command(place.binary()).args(["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        child
    };
    let children: Vec<_> = (0..12).map(|_| start()).collect();
    let passed = children.into_iter().map(|child| child.wait_with_output().unwrap().stdout.is_empty());
    assert_eq!(passed.filter(|passed| *passed).count(), 1);
}

#[test]
fn some_calls_cannot_be_allowed_once() {
    let place = place();
    let refused =
        |id: &str| place.answered(&["allow-once", id], "y\n").says(2, &["cannot be allowed once"]).out.clone();
    shell(&place, "ls");
    refused(record(&place)["id"].as_str().unwrap());
    shell(&place, "snaphook trust");
    refused("last");
    let text = message(&place, "PreToolUse", "Bash", &json!({"command": format!("frob {}", "x".repeat(2 << 20))}));
    assert!(place.fed(&["hook", "claude-code"], &text).out.contains("\"deny\""));
    refused("last");
    place.fed(&["hook", "claude-code"], "{");
    refused("last");
    place.answered(&["allow-once", "nosuch1"], "y\n").says(2, &["no record with the id nosuch1"]);
    // A record that somebody wrote.
    let log = "home/.local/state/snaphook/audit.jsonl";
    let forged = |call: &str| {
        let line = json!({"time": "", "id": "forged1", "agent": "x", "event": "", "wanted": "deny", "sent": "deny", "form": "",
            "policy": "", "ms": 0.0, "fingerprint": call});
        place.file(log, &format!("{line}\n"));
        place.answered(&["allow-once", "forged1"], "y\n").code
    };
    assert_eq!(
        ["../pause.toml", "", "x", &"g".repeat(64), &format!("../{}", "a".repeat(61))].map(forged),
        [Some(2); 5]
    );
    assert!(!place.path(ONCE).exists());
}

#[test]
fn a_permission_that_is_not_as_it_was_written_has_no_effect() {
    let place = place();
    allowed(&place, "frob x");
    let entries = || fs::read_dir(place.path(ONCE)).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let file = entries().pop().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (text, why) in [
        (String::new(), "empty file"),
        ("x".repeat(4096), "larger than 1 KiB"),
        ("from = 1".to_owned(), "expected only"),
        (format!("from = {now}\nuntil = {}\n", now + 601), "longer than is possible"),
        (format!("from = {}\nuntil = {}\n", now + 300, now + 600), "the clock was set back"),
    ] {
        fs::write(&file, text).unwrap();
        assert!(denies(&place, "frob x"), "{why}");
        assert!(record(&place)["remarks"].to_string().contains(why), "{why} {:#}", record(&place));
    }
    // One that is over, and a link to one that holds.
    fs::write(&file, format!("from = {}\nuntil = {}\n", now - 600, now - 1)).unwrap();
    assert!(denies(&place, "frob x"));
    fs::write(place.path("home/copy"), format!("from = {now}\nuntil = {}\n", now + 600)).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(place.path("home/copy"), &file).unwrap();
    assert!(denies(&place, "frob x"));
    fs::remove_file(&file).unwrap();
    // One that is used is not valid again if its mark cannot be made.
    allowed(&place, "frob x");
    let valid = fs::read(&file).unwrap();
    assert!(!denies(&place, "frob x"));
    fs::write(&file, valid).unwrap();
    assert!(denies(&place, "frob x"), "a copy of a used one");
    // Older ones are removed with the next.
    fs::write(&file, format!("from = {}\nuntil = {}\n", now - 600, now - 1)).unwrap();
    allowed(&place, "frob y");
    assert_eq!(entries().len(), 1, "{:?}", entries());
}

#[test]
fn the_managed_policy_holds_and_may_forbid_it() {
    let rules = "[permissions]\ndeny = ['Bash(frob *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    managed.place.file(POLICY, "[permissions]\ndeny = ['Bash(own *)', 'Bash(frob *)']\n");
    let denies = |command: &str| managed.hook(command, &[]).code == Some(2);
    // The terminal of the program is that of the machine, so the permission is written as the command writes it.
    let grant = || {
        let call = record(&managed.place)["fingerprint"].as_str().unwrap().to_owned();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        managed.place.file(&format!("{ONCE}/{call}"), &format!("from = {now}\nuntil = {}\n", now + 60));
    };
    assert!(denies("frob x"));
    grant();
    assert!(denies("frob x"), "the managed policy denies it");
    assert_eq!(fs::read_dir(managed.place.path(ONCE)).unwrap().count(), 1, "it was not used up");
    assert!(denies("own x"));
    grant();
    assert!(!denies("own x") && denies("own x"));
    managed.place.file("etc/policy.toml", &format!("[overrides]\nallow_once = false\n{rules}"));
    assert!(denies("own y"));
    grant();
    assert!(denies("own y"));
    managed.run(&["allow-once", "last"]).says(2, &["`overrides.allow_once = false` forbids this"]);
}

#[test]
fn a_model_cannot_run_it_or_write_a_permission() {
    let place = place();
    for command in [
        "snaphook allow-once last".to_owned(),
        "script -qec 'snaphook allow-once last' /dev/null".to_owned(),
        "python3 -c 'import pty; pty.spawn([\"snaphook\", \"allow-once\", \"last\"])'".to_owned(),
        "expect -c 'spawn snaphook allow-once last'".to_owned(),
        format!("echo x > {}/x", place.at(ONCE)),
        format!("mkdir -p {}/x", place.at(ONCE)),
        format!("rm -r {}", place.at(ONCE)),
    ] {
        assert!(shell(&place, &command).out.contains("protect.snaphook denies"), "{command}");
    }
}

#[test]
fn a_permission_is_beside_the_policy_of_the_agents_line() {
    let place = place();
    let team = place.file("home/team/policy.toml", RULES);
    register(&place, "home/.claude/settings.json", "claude-code", &["--policy", &team]);
    let message = message(&place, "PreToolUse", "Bash", &json!({"command": "frob x"}));
    let denies = || place.fed(&["hook", "claude-code", "--policy", &team], &message).out.contains("\"deny\"");
    assert!(denies());
    let id = record(&place)["id"].as_str().unwrap().to_owned();
    let right = format!("snaphook allow-once {id} --policy ~/team/policy.toml\n");
    for id in [&id, "last"] {
        let said = place.answered(&["allow-once", id], "n\n");
        said.says(
            1,
            &[
                "warning: no registered line was found that this reaches\n",
                "claude-code in ~/.claude/settings.json",
                right.trim_end(),
            ],
        );
    }
    assert!(!place.path(ONCE).exists() && denies());
    let why = place.run(&["why", &id]);
    assert!(why.out.ends_with(&right), "{why:?}");
    place.answered(&["allow-once", &id, "--policy", &team], "y\n").says(0, &["passes once until 20"]);
    assert!(!denies() && denies());
}

#[test]
fn the_command_for_a_permission_names_the_log_that_another_policy_would_not_read() {
    let place = place();
    let team =
        place.file("home/team/policy.toml", &format!("{RULES}[audit]\nfile = '{}'\n", place.at("home/team/log")));
    register(&place, "home/.claude/settings.json", "claude-code", &[]);
    let message = message(&place, "PreToolUse", "Bash", &json!({"command": "frob x"}));
    place.fed(&["hook", "claude-code", "--policy", &team], &message).says(0, &["\"deny\""]);
    let said = place.json(&["log", "--json", "--audit", &place.at("home/team/log")]);
    let id = said["id"].as_str().unwrap();
    let why = place.run(&["why", id, "--policy", &team]);
    let command = format!("snaphook allow-once {id} --audit ~/team/log\n");
    assert!(why.out.ends_with(&command), "{why:?}");
    place.answered(&["allow-once", id, "--policy", &team], "n\n").says(1, &[&command]);
}

//! `mode = "monitor"`: what the rules would block is recorded, and nothing of it is enforced.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::managed::Managed;
use crate::place::{Place, Said, fixture};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";
const MONITOR: &str = "mode = 'monitor'\n";

/// A message of Claude Code about a tool.
pub(crate) fn message(place: &Place, event: &str, tool: &str, input: &Value) -> String {
    let mut message: Value = serde_json::from_str(&fixture("claude-code", "pre_tool_use_bash")).unwrap();
    let members = [("hook_event_name", json!(event)), ("tool_name", json!(tool)), ("tool_input", input.clone())];
    for (name, value) in members.into_iter().chain([("cwd", json!(place.at("project")))]) {
        message[name] = value;
    }
    message.to_string()
}

pub(crate) fn shell(place: &Place, command: &str) -> Said {
    place.fed(&["hook", "claude-code"], &message(place, "PreToolUse", "Bash", &json!({"command": command})))
}

pub(crate) fn record(place: &Place) -> Value {
    let log = place.read("home/.local/state/snaphook/audit.jsonl");
    serde_json::from_str(log.lines().last().unwrap()).unwrap()
}

#[test]
fn a_verdict_is_recorded_and_the_agents_own_rules_decide() {
    let place = Place::new();
    let handler = place.file("bin/judge", "#!/bin/sh\necho '{\"verdict\": \"deny\", \"reason\": \"no\"}'\n");
    fs::set_permissions(&handler, fs::Permissions::from_mode(0o755)).unwrap();
    for (policy, would) in [
        ("[permissions]\ndeny = ['Bash(frob *)']\nallow = ['Bash(frob *)']\n".to_owned(), "deny"),
        ("[permissions]\nask = ['Bash(frob *)']\nallow = ['Bash']\n".to_owned(), "ask"),
        ("[[respond]]\nmatch = 'Bash(frob *)'\ntext = 'no'\n".to_owned(), "respond"),
        (format!("[[handler]]\nmatch = ['Bash(frob *)']\ncommand = ['{handler}']\n"), "deny"),
        ("[[handler]]\nmatch = ['Bash(frob *)']\ncommand = ['/no/such/program']\n".to_owned(), "deny"),
    ] {
        place.file(POLICY, &policy);
        assert_ne!(shell(&place, "frob x").out, "", "{policy}");
        place.file(POLICY, &format!("{MONITOR}{policy}"));
        let said = shell(&place, "frob x");
        assert_eq!((said.out.as_str(), said.code), ("", Some(0)), "{policy}{said:?}");
        let record = record(&place);
        let verdicts = ["would", "waived", "wanted", "sent"].map(|name| record[name].as_str().unwrap().to_owned());
        assert_eq!(verdicts, [would, "monitor", "pass", "pass"], "{policy}{record:#}");
        assert_eq!(record["causes"][0]["verdict"], would, "{record:#}");
        let id = record["id"].as_str().unwrap();
        place.run(&["why", id]).says(0, &[&format!("of {would}, which was not enforced: monitor")]);
        place.run(&["log", "--waived"]).says(0, &[&format!("pass (would {would})")]);
    }
    place.file(POLICY, "mode = 'monitor'\n[shell]\nnot_understood = 'deny'\n");
    assert_eq!(shell(&place, "eval \"$X\"").out, "");
    assert_eq!(record(&place)["would"], "deny");
    // What would not have been blocked is not marked.
    shell(&place, "ls");
    assert_eq!(record(&place).get("would"), None);
}

#[test]
fn no_agent_blocks_or_asks() {
    let place = Place::new();
    for (list, word) in [("deny", "deny"), ("ask", "ask")] {
        let policy = format!("[permissions]\n{list} = ['Bash(frob *)']\n");
        place.file(POLICY, &policy);
        place.run(&["try", "frob x", "--all", "--check"]).says(1, &[]);
        place.file(POLICY, &format!("{MONITOR}{policy}"));
        let would = format!("(would {word}, but is not enforced)");
        place.run(&["try", "frob x", "--all", "--check"]).says(0, &["mode = \"monitor\" (~/.config", &would]);
    }
}

#[test]
fn protection_and_the_sandbox_hold() {
    let place = Place::new();
    let policy =
        place.file(POLICY, &format!("{MONITOR}[permissions]\ndeny = ['*']\n[sandbox]\nlauncher = ['wrap', '{{}}']\n"));
    for command in [format!("sed -i s/monitor/x/ {policy}"), format!("echo x > {policy}"), "snaphook trust".to_owned()]
    {
        assert!(shell(&place, &command).out.contains("protect.snaphook"), "{command}");
        let record = record(&place);
        assert_eq!((record.get("would"), &record["sent"]), (None, &json!("deny")), "{record:#}");
    }
    let write = message(&place, "PreToolUse", "Write", &json!({"file_path": policy, "content": "[permissions]"}));
    assert!(place.fed(&["hook", "claude-code"], &write).out.contains("\"deny\""));
    for shell in ["bash", "sh", "zsh"] {
        std::os::unix::fs::symlink("/bin/sh", place.path(&format!("bin/{shell}"))).unwrap();
    }
    // A command is still wrapped, and an agent that cannot wrap it still denies.
    let said = shell(&place, "make");
    assert!(said.out.contains("updatedInput") && said.out.contains("snaphook run "), "{said:?}");
    let record = record(&place);
    assert_eq!((&record["would"], &record["isolated"]), (&json!("deny"), &json!(true)), "{record:#}");
    place.run(&["try", "make", "--agent", "kimi", "--check"]).says(1, &["denied"]);
}

#[test]
fn a_message_that_cannot_be_read_is_still_refused() {
    let place = Place::new();
    place.file(POLICY, MONITOR);
    for message in ["{", "", "{\"hook_event_name\": \"PreToolUse\"}"] {
        let said = place.fed(&["hook", "claude-code"], message);
        assert!(said.code == Some(2) || said.out.contains("deny"), "{message} {said:?}");
    }
}

#[test]
fn only_the_policy_of_the_user_sets_it() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\ndeny = ['Bash(frob *)']\n");
    place.file("project/.snaphook.toml", MONITOR);
    let denies = |notice: &str| {
        assert!(shell(&place, "frob x").out.contains("\"deny\""));
        place.run(&["policy", "show"]).says(0, &[notice]);
    };
    denies("is not trusted: [mode] ignored");
    place.answered(&["trust"], "y\n").says(0, &["trusted"]);
    denies("[mode] ignored: only the user's own policy sets that");
    for invalid in ["mode = 'off'", "mode = true", "mode = ''", "[mode]"] {
        place.file(POLICY, &format!("{invalid}\n"));
        place.run(&["policy", "check"]).says(1, &["error: mode: "]);
        assert!(shell(&place, "ls").out.contains("\"deny\""), "{invalid}");
    }
}

#[test]
fn every_overview_says_that_nothing_is_enforced() {
    let place = Place::new();
    place.run(&["init"]).says(0, &["mode = \"monitor\""]);
    place.file(POLICY, MONITOR);
    fs::create_dir(place.path("home/.claude")).unwrap();
    for words in [&["status"][..], &["doctor"], &["policy", "show"], &["try", "ls"], &["try", "ls", "-v"]] {
        let said = place.run(words);
        assert!(said.out.contains("mode = \"monitor\" (~/.config/snaphook/snaphook.toml): what"), "{words:?} {said:?}");
    }
    let start = fixture("claude-code", "session_start");
    let said = place.fed(&["hook", "claude-code"], &start);
    assert!(said.out.contains("is only recorded"), "{said:?}");
}

#[test]
fn stats_count_what_was_not_enforced() {
    let place = Place::new();
    place.file(POLICY, &format!("{MONITOR}[permissions]\ndeny = ['Bash(frob *)']\nask = ['Bash(pub *)']\n"));
    for command in ["frob x", "frob y", "pub x", "ls"] {
        shell(&place, command);
    }
    let said = place.run(&["stats"]);
    said.says(0, &["4 calls from ", "\nnot enforced: monitor 3\n"]);
    let rows: Vec<Vec<_>> = said.out.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in ["agent calls pass would ask would deny", "claude-code 4 4 1 2", "Bash(frob *) 2 2 - 2"] {
        assert!(rows.contains(&row.split(' ').collect()), "{row} {said:?}");
    }
    let counts = place.json(&["stats", "--json"]);
    let [all, waived] = ["all", "waived"].map(|name| &counts[name]);
    assert_eq!(
        (&all["pass"], &all["would"]["deny"], &waived["monitor"]),
        (&json!(4), &json!(2), &json!(3)),
        "{counts}"
    );
    place.run(&["log", "--html", "page.html"]).says(0, &[]);
    assert!(place.read("project/page.html").contains("<b>2</b>would deny, not enforced"));
}

#[test]
fn status_as_json_says_what_is_enforced() {
    let place = Place::new();
    place.file(POLICY, "");
    let status = |code| serde_json::from_str::<Value>(&place.run(&["status", "--json"]).says(code, &[]).out).unwrap();
    assert_eq!(status(0)["mode"], Value::Null, "an invalid policy");
    place.file(POLICY, &format!("{MONITOR}[audit]\notlp = 'http://127.0.0.1:9'\n"));
    let report = status(0);
    assert_eq!(
        (&report["mode"], &report["pauses"], &report["registrations"]),
        (&json!("monitor"), &json!([]), &json!([]))
    );
    assert!(report["central_log"]["says"].as_str().unwrap().contains("http://127.0.0.1:9"), "{report:#}");
    place.file(POLICY, "[permissions]\n");
    assert_eq!([&status(0)["mode"], &status(0)["central_log"]], [&json!("enforce"), &Value::Null]);
    let cursor = place.run(&["status", "cursor", "--json"]);
    let cursor: Value = serde_json::from_str(&cursor.says(1, &[]).out).unwrap();
    let text = cursor["unverified"][0].as_str().unwrap();
    assert!(text.starts_with("cursor: "), "{text}");
    place.run(&["status", "cursor"]).says(1, &[text]);
    assert_eq!(status(0)["unverified"], json!([]));
    place.answered(&["pause", "10m"], "y\n").says(0, &["paused"]);
    let report = status(0);
    let pause = &report["pauses"][0];
    assert!(
        pause["until"].as_str().unwrap().ends_with('Z') && pause["says"].as_str().unwrap().contains("paused until")
    );
    place.file("home/.config/snaphook/overrides/pause.toml", "");
    assert_eq!(status(0)["pauses"][0]["until"], Value::Null);
}

#[test]
fn the_managed_policy_holds_beside_a_user_in_this_mode() {
    let rules = "[permissions]\ndeny = ['Bash(frob *)']\nask = ['Bash(pub *)']\nallow = ['Bash(fine *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    let user =
        format!("{MONITOR}[permissions]\ndeny = ['Bash(own *)', 'Bash(fine *)', 'Bash(pub *)', 'Bash(frob *)']\n");
    managed.place.file(POLICY, &user);
    let verdict = |command: &str| managed.verdict(command);
    assert_eq!(["frob x", "pub x", "own x", "fine x"].map(verdict), ["deny", "ask", "pass", "pass"]);
    // The mode of the managed policy wins.
    managed.place.file("etc/policy.toml", &format!("mode = 'enforce'\n{rules}"));
    assert_eq!(["frob x", "pub x", "own x", "fine x"].map(verdict), ["deny"; 4]);
    // In monitor mode, its own rules are recorded too.
    managed.place.file("etc/policy.toml", &format!("{MONITOR}{rules}"));
    assert_eq!(["frob x", "pub x", "own x", "fine x"].map(verdict), ["pass"; 4]);
    managed.run(&["policy", "show"]).says(0, &["mode = \"monitor\" (/etc/snaphook/policy.toml)"]);
    managed.place.file("etc/policy.toml", &format!("only_managed = true\n{MONITOR}{rules}"));
    assert_eq!(["frob x", "pub x", "own x", "fine x"].map(verdict), ["pass", "pass", "pass", "allow"]);
    managed.place.file("etc/policy.toml", &format!("only_managed = true\n{rules}"));
    assert_eq!(["frob x", "pub x", "own x", "fine x"].map(verdict), ["deny", "ask", "pass", "allow"]);
}

#[test]
fn a_change_of_the_managed_policy_holds_where_a_denial_of_the_user_is_not_enforced() {
    let answer = r#"{"changes":[{"target":"input","value":{"command":"safe"},"need":"required"}]}"#;
    let handler = format!("[[handler]]\nmatch = ['PreTool']\ncommand = ['/bin/echo', '{answer}']\n");
    let Some(managed) = Managed::with(&handler) else { return };
    managed.place.file(POLICY, &format!("{MONITOR}[permissions]\ndeny = ['Bash(own *)']\n"));
    for command in ["own x", "other x"] {
        let call = message(&managed.place, "PreToolUse", "Bash", &json!({"command": command}));
        managed.fed(&["hook", "claude-code"], &call).says(0, &[r#""updatedInput":{"command":"safe"}"#]);
    }
}

//! Tests of `snaphook why`, which finds the rule for a block reason.

use crate::place::{Place, fixture};

const LOG: &str = "home/.local/state/snaphook/audit.jsonl";

/// Denies a recorded call and returns the id in the reason.
fn denied(place: &Place, more: &str) -> String {
    let policy = place.file("policy.toml", &format!("[permissions]\ndeny = [\"Bash\"]\n{more}"));
    let message = fixture("codex", "pre_tool_use_bash");
    let said = place.fed(&["hook", "codex", "--policy", &policy, "--event", "PreToolUse"], &message);
    said.says(2, &["snaphook: `echo hello` is denied by Bash (", " (snaphook why "]);
    assert!(said.out.is_empty(), "{said:?}");
    said.err.trim_end().rsplit(' ').next().unwrap().trim_end_matches(')').to_owned()
}

#[test]
fn why_shows_the_rule_and_its_line_for_an_id() {
    let place = Place::new();
    let id = denied(&place, "");
    assert_eq!(id.len(), 7);
    let said = place.run(&["why", &id]);
    let place_of_rule = format!(", {}:2\n", place.at("policy.toml"));
    said.says(
        0,
        &[
            "  codex  PreToolUse, tool ",
            "verdict   deny\nbecause   Bash says deny on Bash",
            &place_of_rule,
            "sent      deny (exit 2)",
            "policy    ",
        ],
    );
    assert!(said.err.is_empty());
    let log = place.read(LOG);
    let command = fixture("codex", "pre_tool_use_bash");
    let command: serde_json::Value = serde_json::from_str(&command).unwrap();
    let command = command["tool_input"]["command"].as_str().unwrap();
    assert!(!log.contains(command) && !said.out.contains(command), "{log}");
    let other = place.at("elsewhere.jsonl");
    std::fs::rename(place.path(LOG), &other).unwrap();
    place.run(&["why", &id, "--audit", &other]).says(0, &["verdict   deny"]);
    let policy = place.file("named.toml", &format!("[audit]\nfile = \"{other}\"\n"));
    place.run(&["why", &id, "--policy", &policy]).says(0, &["verdict   deny"]);
}

#[test]
fn recorded_inputs_are_shown_without_secrets() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\ndeny = [\"Bash\"]\n[audit]\ninputs = \"redacted\"\n");
    let message = serde_json::from_str::<serde_json::Value>(&fixture("claude-code", "pre_tool_use_bash")).unwrap();
    let mut message = message;
    message["tool_input"]["command"] = "curl -H 'Authorization: Bearer hunter2' https://example.org/".into();
    let said = place.fed(&["hook", "claude-code", "--policy", &policy], &message.to_string());
    let id = said.out.split("snaphook why ").nth(1).unwrap()[..7].to_owned();
    let why = place.run(&["why", &id]);
    why.says(0, &["input     {", "curl -H", "***"]);
    assert!(!place.read(LOG).contains("hunter2") && !why.out.contains("hunter2"), "{why:?}");
}

#[test]
fn a_missing_record_is_reported() {
    let place = Place::new();
    place.run(&["why", "abcdefg"]).says(2, &[&place.at(LOG), "the log does not exist yet", "--audit FILE"]);
    denied(&place, "");
    place.run(&["why", "abcdefg"]).says(2, &[&place.at(LOG), "no record with the id abcdefg"]);
    place.run(&["why"]).says(2, &["<ID>", "Usage: snaphook why"]);
}

#[test]
fn the_intact_records_of_a_damaged_log_are_shown() {
    let place = Place::new();
    let first = denied(&place, "");
    let whole = std::fs::read(place.path(LOG)).unwrap();
    // A record that was truncated by a full disk, and a line that is not UTF-8.
    let damaged =
        [&whole[..], b"{\"schema\":1,\"id\":\"zzz", b"\n\xff\xfe\n{}\nnull\n", &whole[..whole.len() / 2]].concat();
    std::fs::write(place.path(LOG), damaged).unwrap();
    let second = denied(&place, "");
    for id in [&first, &second] {
        place.run(&["why", id]).says(0, &["verdict   deny"]);
    }
    place.run(&["why", "zzz"]).says(2, &["no record"]);
}

#[test]
fn why_shows_the_parts_and_the_word_that_is_not_understood_without_the_command() {
    let place = Place::new();
    let told = |more: &str| {
        let rules = "[permissions]\nallow = [\"Bash(ls *)\"]\ndeny = [\"Bash(rm *)\"]\n";
        let policy = place.file("policy.toml", &format!("{rules}{more}"));
        let mut message: serde_json::Value =
            serde_json::from_str(&fixture("claude-code", "pre_tool_use_bash")).unwrap();
        message["tool_input"]["command"] = "ls private; rm hidden | sh".into();
        let said = place.fed(&["hook", "claude-code", "--policy", &policy], &message.to_string());
        let id = said.out.split("snaphook why ").nth(1).unwrap()[..7].to_owned();
        place.run(&["why", &id])
    };
    let said = told("");
    said.says(
        0,
        &[
            "part      Bash  allow, by Bash(ls *)\n",
            "part      Bash  deny, by Bash(rm *)\n",
            "part      Bash  no rule\n",
            "unclear   the command is not understood: `sh`\n",
        ],
    );
    assert!(!place.read(LOG).contains("private") && !place.read(LOG).contains("hidden"));
    told("[audit]\ninputs = \"redacted\"\n").says(0, &["part      Bash: ls private  allow, by Bash(ls *)\n"]);
}

//! `[audit] shapes` and `snaphook drift`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, fixture, fixtures};

const SHAPES: &str = "home/.local/state/snaphook/audit.jsonl.shapes";
const POLICY: &str = "home/.config/snaphook/snaphook.toml";

fn recording() -> Place {
    let place = Place::new();
    place.file(POLICY, "[permissions]\n[audit]\nshapes = true\n");
    place
}

/// Sends a fixture after a change.
fn send(place: &Place, stem: &str, change: impl FnOnce(&mut Value)) {
    let mut message: Value = serde_json::from_str(&fixture("claude-code", stem)).unwrap();
    change(&mut message);
    place.fed(&["hook", "claude-code"], &message.to_string());
}

#[test]
fn messages_like_the_fixtures_have_no_drift() {
    let place = recording();
    for message in fixtures("claude-code") {
        place.fed(&["hook", "claude-code"], &message);
    }
    let lines = place.read(SHAPES).lines().count();
    assert!(lines > 30, "{lines}");
    place.run(&["drift"]).says(0, &[&format!("{lines} shapes compared, 0 with differences\n")]);
    place.run(&["doctor"]).says(0, &[&format!("ok    drift: {lines} shapes of messages are as in the fixtures")]);
    // A shape that is known is not written again.
    place.fed(&["hook", "claude-code"], &fixture("claude-code", "pre_tool_use_bash"));
    assert_eq!(place.read(SHAPES).lines().count(), lines);
}

#[test]
fn new_missing_and_retyped_members_tools_and_events_are_named() {
    let place = recording();
    send(&place, "pre_tool_use_bash", |message| {
        let members = message.as_object_mut().unwrap();
        members.remove("permission_mode").unwrap();
        members.insert("trace".to_owned(), json!({"deep": {"deeper": 1}}));
        members["tool_input"]["timeout_s"] = json!(5);
        members["tool_input"]["description"] = json!(7);
    });
    // A message that cannot be parsed.
    send(&place, "pre_tool_use_bash", |message| message["tool_use_id"] = json!(7));
    send(&place, "pre_tool_use_bash", |message| drop(message.as_object_mut().unwrap().remove("hook_event_name")));
    send(&place, "pre_tool_use_bash", |message| message["tool_name"] = json!("Teleport"));
    send(&place, "stop", |message| message["hook_event_name"] = json!("Halted"));
    let said = place.run(&["drift"]);
    said.says(1, &["5 shapes compared, 5 with differences\n", "claude-code  PreToolUse, tool Bash\n"]);
    said.says(1, &["  new        tool_input.timeout_s  number\n", "  new        trace  object\n"]);
    said.says(1, &["  missing    permission_mode\n", "  retyped    tool_input.description  text > number\n"]);
    said.says(1, &["  new tool   Teleport\n", "  new event  Halted\n"]);
    said.says(1, &["claude-code  PreToolUse\n  retyped    tool_use_id  text > number\n"]);
    said.says(1, &["claude-code  a message\n  cannot be read\n"]);
    assert!(!said.out.contains("trace.deep"), "the members of a new member are not listed: {said:?}");
    place.run(&["doctor"]).says(0, &["note  drift: messages of claude-code differ", "snaphook drift shows how"]);
    place.run(&["drift", "codex"]).says(2, &["no shape of a message is recorded; set `shapes = true` in `[audit]`"]);
    let found: Value = serde_json::from_str(&place.run(&["drift", "claude", "--json"]).out).unwrap();
    let kinds: BTreeSet<_> = found
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|drift| drift["differences"].as_array().unwrap())
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["missing", "new", "new-event", "new-tool", "retyped", "unreadable"]));
    // A written fixture is a message that the program reads, with the same drift.
    place.run(&["drift", "--fixtures", "new"]).says(1, &[]);
    let written: Value = serde_json::from_str(&place.read("project/new/claude-code/pre_tool_use_bash.json")).unwrap();
    let message = &written["stdin"];
    assert_eq!((&message["hook_event_name"], &message["tool_name"]), (&json!("PreToolUse"), &json!("Bash")));
    assert_eq!((&message["session_id"], &message["tool_input"]["timeout_s"]), (&json!("text"), &json!(0)));
    let before = place.read(SHAPES);
    place.fed(&["hook", "claude-code"], &message.to_string()).says(0, &[]);
    assert_eq!(place.read(SHAPES), before);
}

#[test]
fn no_value_and_no_name_that_a_user_chooses_is_recorded() {
    let place = recording();
    send(&place, "pre_tool_use_bash", |message| {
        message["tool_input"] = json!({
            "command": "hunter2", "env": {"HUNTER2": "1"}, "/home/hunter2/file": 1, "hunter2.example.org": 2, "hunter2 is it": 3,
            "list": [{"hunter2@x": 1}],
        });
        message["cwd"] = json!("/home/hunter2");
        message["session_id"] = json!("hunter2");
    });
    send(&place, "pre_tool_use_bash", |message| {
        message["tool_name"] = json!("mcp__hunter2__hunter2");
        message["tool_input"] = json!({"hunter2": 1});
    });
    // More members than any object of a protocol has.
    send(&place, "pre_tool_use_bash", |message| {
        let many = (0..50).map(|number| (format!("hunter2_{number}"), json!(1)));
        message["tool_input"]["map"] = Value::Object(many.collect());
    });
    place.fed(&["hook", "claude-code"], "not JSON, hunter2");
    let shapes = place.read(SHAPES);
    assert_eq!(shapes.lines().count(), 3, "{shapes}");
    assert!(!shapes.to_lowercase().contains("hunter2"), "{shapes}");
    assert!(shapes.contains("\"tool_input.env.*\":\"text\"") && shapes.contains("\"mcp__server__tool\""), "{shapes}");
}

#[test]
fn shapes_are_recorded_only_if_the_policy_asks_for_it_and_a_failure_changes_no_answer() {
    let place = Place::new();
    place.file(POLICY, "[permissions]\n");
    let message = fixture("claude-code", "pre_tool_use_bash");
    place.fed(&["hook", "claude-code"], &message).says(0, &[]);
    assert!(!place.path(SHAPES).exists());
    place.run(&["drift"]).says(2, &["audit.jsonl.shapes: no shape of a message is recorded"]);
    assert!(!place.run(&["doctor"]).out.contains("drift"));
    place.file(POLICY, "[permissions]\ndeny = ['Bash']\n[audit]\nshapes = true\n");
    fs::create_dir(place.path(SHAPES)).unwrap();
    let said = place.fed(&["hook", "claude-code"], &message);
    said.says(0, &["\"permissionDecision\":\"deny\""]);
    assert_eq!(said.err, "");
    place.run(&["drift"]).says(2, &["audit.jsonl.shapes: is not a regular file"]);
    place.run(&["doctor"]).says(0, &["note  drift: ~/.local/state/snaphook/audit.jsonl.shapes: is not a regular file"]);
    fs::remove_dir(place.path(SHAPES)).unwrap();
    // A full file gets no more shapes; damaged lines are skipped.
    place.file(SHAPES, &"x".repeat((1 << 20) + 1));
    place.fed(&["hook", "claude-code"], &message);
    assert_eq!(place.read(SHAPES).len(), (1 << 20) + 1);
    place.file(SHAPES, "{\"agent\":\"cla");
    place.fed(&["hook", "claude-code"], &message);
    assert_eq!(place.read(SHAPES).lines().count(), 2);
    place.run(&["drift"]).says(0, &["1 shapes compared, 0 with differences"]);
}

#[test]
fn a_long_lived_process_records_shapes() {
    let place = recording();
    let messages: Vec<_> = fixtures("picoclaw").into_iter().filter(|message| message.contains("before_tool")).collect();
    place.fed(&["hook", "picoclaw"], &(messages.join("\n") + "\n")).says(0, &[]);
    assert!(place.read(SHAPES).lines().count() > 1);
    place.run(&["drift"]).says(0, &["0 with differences"]);
}

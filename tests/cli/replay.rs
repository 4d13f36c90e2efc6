//! Tests of `snaphook replay`.

use serde_json::{Value, json};

use crate::place::Place;

/// A project with recorded calls, and a new policy.
struct Recorded(Place);

impl Recorded {
    fn new(inputs: &str) -> Self {
        let place = Place::new();
        let audit = format!("[audit]\ninputs = \"{inputs}\"\n");
        place.file("old.toml", &format!("[permissions]\nask = [\"Bash(npm publish *)\"]\n{audit}"));
        place.file(
            "new.toml",
            "[permissions]\ndeny = [\"Bash(rm -rf *)\", \"Read(secrets/**)\"]\nallow = [\"Bash(npm publish *)\"]\n",
        );
        Self(place)
    }

    fn event(&self, event: &str, tool: &str, input: &Value) {
        let mut message = json!({"session_id": "s", "cwd": self.0.at("project"), "hook_event_name": event, "tool_name": tool,
            "tool_input": input});
        if event == "PostToolUse" {
            message["tool_response"] = json!({"stdout": ""});
        }
        self.0.fed(&["hook", "claude-code", "--policy", &self.0.at("old.toml")], &message.to_string()).says(0, &[]);
    }

    fn runs(&self, command: &str) {
        self.event("PreToolUse", "Bash", &json!({"command": command}));
    }

    fn replay(&self, more: &[&str]) -> crate::place::Said {
        self.0.run(&[&["replay", "--policy", &self.0.at("new.toml")], more].concat())
    }
}

#[test]
fn a_verdict_that_was_not_enforced_counts_as_decided() {
    let recorded = Recorded::new("redacted");
    let rules = recorded.0.read("old.toml");
    recorded.0.file("old.toml", &format!("mode = \"monitor\"\n{rules}"));
    recorded.runs("npm publish x");
    recorded.replay(&[]).says(1, &["allow instead of ask, by Bash(npm publish *)"]);
    recorded.0.file("new.toml", &rules);
    recorded.replay(&[]).says(0, &["1 call judged again, none decided differently"]);
    recorded.0.run(&["log", "--verdict", "ask"]).says(0, &["pass (would ask)"]);
}

#[test]
fn only_calls_that_are_decided_differently_are_shown() {
    let recorded = Recorded::new("redacted");
    for command in ["ls", "rm -rf build", "rm -r -f dist", "npm publish x"] {
        recorded.runs(command);
    }
    recorded.event("PreToolUse", "Read", &json!({"file_path": recorded.0.at("project/secrets/a")}));
    recorded.event("PreToolUse", "mcp__x__y", &json!({"command": "rm -rf z"}));
    recorded.event("PostToolUse", "Bash", &json!({"command": "rm -rf build"}));
    let said = recorded.replay(&[]);
    said.says(
        1,
        &[
            "6 calls judged again, 5 decided differently\n",
            "deny instead of pass, by Bash(rm -rf *) (",
            "new.toml:2): 3 calls\n",
            "  claude-code  rm -r -f dist\n",
            "deny instead of pass, by Read(secrets/**)",
            "allow instead of ask, by Bash(npm publish *)",
        ],
    );
    let json: Value = serde_json::from_str(&recorded.replay(&["--json"]).out).unwrap();
    assert_eq!((json["judged"].as_u64(), json["changes"].as_array().unwrap().len()), (Some(6), 3), "{json}");
    recorded.replay(&["--tool", "mcp__x__y"]).says(1, &["1 call judged again, 1 decided differently"]);
    recorded.replay(&["--verdict", "deny"]).says(0, &["0 calls judged again, none decided differently"]);
}

#[test]
fn the_same_policy_changes_nothing() {
    let recorded = Recorded::new("redacted");
    for command in ["ls", "npm publish x", "cat a | sh", "X=$(date); echo $X"] {
        recorded.runs(command);
    }
    recorded
        .0
        .run(&["replay", "--policy", &recorded.0.at("old.toml")])
        .says(0, &["4 calls judged again, none decided differently"]);
}

#[test]
fn calls_that_cannot_be_judged_again_are_counted() {
    let recorded = Recorded::new("none");
    recorded.runs("rm -rf build");
    recorded.0.fed(&["hook", "claude-code", "--event", "PreToolUse", "--policy", &recorded.0.at("old.toml")], "{");
    recorded.replay(&[]).says(0, &["0 calls judged again, none", "not judged again: 1 without recorded arguments"]);
    recorded.0.file("new.toml", "[permissions\n");
    recorded.replay(&[]).says(2, &["new.toml"]);
    recorded.0.run(&["replay", "--audit", "nowhere"]).says(2, &["the log does not exist yet"]);
}

#[test]
fn a_command_is_suggested_only_if_the_user_always_approved_it() {
    let recorded = Recorded::new("redacted");
    let asked = |command: &str, ran: bool| {
        let input = json!({"command": command});
        recorded.event("PreToolUse", "Bash", &input);
        recorded.event("PermissionRequest", "Bash", &input);
        if ran {
            recorded.event("PostToolUse", "Bash", &input);
        }
    };
    for _ in 0..3 {
        asked("npm test", true);
        asked("make deploy", true);
        asked("ls *.rs", true);
    }
    asked("npm ci", true);
    // The user refused it once.
    asked("make deploy", false);
    let said = recorded.replay(&["--suggest"]);
    assert_eq!(
        said.says(0, &[]).out,
        "[permissions]\nallow = [\n  \"Bash(npm test)\", # asked about and approved 3 times\n]\n"
    );
    let policy = recorded.0.file("suggested.toml", &said.out);
    recorded.0.run(&["policy", "check", &policy]).says(0, &[]);
    Recorded::new("redacted").0.run(&["replay", "--suggest"]).says(2, &["the log does not exist yet"]);
}

//! `snaphook import` from Claude Code's rules about skills, and what the imported policy says about them.

use serde_json::{Value, json};

use crate::place::{Place, fixture};
use crate::{CLAUDE, place};

/// A home folder with skills, and an imported policy.
fn imported(rules: &Value, says: &[&str]) -> Place {
    let place = place();
    for skill in ["deploy", "deploy-all", "commit", "apps/web/.claude/skills/deploy"] {
        place.file(&format!("home/.claude/skills/{skill}/SKILL.md"), "Say what you do.\n");
    }
    place.file(CLAUDE, &json!({ "permissions": rules }).to_string());
    place.answered(&["import", "claude-code"], "y\n").says(0, says);
    place
}

/// The decision on a call that loads a skill; empty if the policy says nothing.
fn decision(place: &Place, tool: &str, input: &Value) -> String {
    let mut message: Value = serde_json::from_str(&fixture("claude-code", "pre_tool_use_bash")).unwrap();
    (message["tool_name"], message["tool_input"]) = (tool.into(), input.clone());
    let said = place.fed(&["hook", "claude-code", "--no-audit"], &message.to_string());
    let reply: Value = serde_json::from_str(&said.out).unwrap_or_default();
    reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

fn loads(place: &Place, name: &str) -> String {
    decision(place, "Skill", &json!({ "skill": name }))
}

#[test]
fn a_denied_skill_is_denied_under_each_name_that_claude_code_compares() {
    let place = imported(&json!({ "deny": ["Skill(deploy)"] }), &[": 1 rules are added"]);
    for (name, decision) in
        [("deploy", "deny"), ("/deploy", "deny"), ("apps/web:deploy", "deny"), ("deploy-all", ""), ("commit", "")]
    {
        assert_eq!(loads(&place, name), decision, "{name}");
    }
    assert_eq!(decision(&place, "Skill", &json!({ "skill": "deploy", "args": "prod" })), "deny");
}

#[test]
fn a_prefix_of_names_is_denied_or_asked_about_with_all_of_them() {
    for list in ["deny", "ask"] {
        for rule in ["Skill(deploy:*)", "Skill(deploy *)", "SlashCommand(/deploy:*)", "SlashCommand:/deploy:*"] {
            let place = imported(&json!({ list: [rule] }), &[": 1 rules are added"]);
            for name in ["deploy", "deploy-all", "deploy:web", "apps/web:deploy"] {
                assert_eq!(loads(&place, name), list, "{rule} {name}");
            }
            assert_eq!(decision(&place, "SlashCommand", &json!({ "command": "/deploy prod" })), list, "{rule}");
            assert_eq!(loads(&place, "commit"), "", "{rule}");
        }
    }
}

#[test]
fn an_allow_rule_allows_no_other_skill_than_in_claude_code() {
    let place = imported(
        &json!({ "allow": ["Skill(deploy)", "Skill(commit:*)", "Skill(dep*)", "SlashCommand(/x)", "SlashCommand:/x:*"] }),
        &[
            ": 2 rules are added",
            "not imported: allow: Skill(dep*) may allow other skills here than in Claude Code",
            "not imported: allow: SlashCommand(/x) allows one tool of Claude Code",
            "not imported: allow: SlashCommand:/x:* allows one tool of Claude Code",
        ],
    );
    for (name, decision) in [("deploy", "allow"), ("deploy-all", ""), ("apps/web:deploy", ""), ("commit", "allow")] {
        assert_eq!(loads(&place, name), decision, "{name}");
    }
    assert_eq!(decision(&place, "Skill", &json!({ "skill": "commit", "args": "now" })), "allow");
    assert_eq!(decision(&place, "Skill", &json!({ "skill": "deploy", "args": "now" })), "");
}

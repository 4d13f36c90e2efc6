//! `snaphook import` from the permissions of OpenCode, Kilo and Qwen Code: denials, and no approval.

use crate::place;

const POLICY: &str = "home/.config/snaphook/snaphook.toml";

const PERMISSION: &str = r#"{
  // mine
  "permission": {
    "*": "ask",
    "bash": {"*": "ask", "git push *": "deny", "rm *": "deny", "rm -i *": "allow", "dd ?f=*": "deny", "ls *": "allow"},
    "edit": {"*.env": "deny", "secret/*": "deny", "/etc/**": "deny", "a*b": "deny"},
    "read": {"$HOME/.ssh/*": "deny"},
    "webfetch": "deny",
    "github_*": "deny",
    "external_directory": "deny",
  },
  "tools": {"websearch": false, "grep": true},
  "agent": {"plan": {"permission": {"bash": "deny"}}},
}"#;

#[test]
fn denials_of_opencode_and_kilo_are_imported() {
    for (agent, file) in [("opencode", "opencode/opencode.jsonc"), ("kilo", "kilo/kilo.json")] {
        let place = place();
        place.file(&format!("home/.config/{file}"), PERMISSION);
        place.answered(&["import", agent], "y\n").says(
            0,
            &[
                "not imported: *: ask: ",
                "not imported: bash: rm *: deny: a later rule may be an exception to it",
                "not imported: bash: rm -i *: allow: ",
                "not imported: bash: dd ?f=*: deny: it has no form",
                "not imported: edit: a*b: deny: it has no form",
                "not imported: external_directory: deny: it has no form",
                "not imported: websearch: deny: a later rule may be an exception to it",
                "not imported: agent.plan: its rules hold for one agent",
            ],
        );
        let policy = place.read(POLICY);
        for rule in [
            "Bash(git push *)",
            "Edit(*.env)",
            "Edit(secret/**)",
            "Edit(//etc/**)",
            "Read(~/.ssh/**)",
            "WebFetch",
            "Tool(github_*)",
        ] {
            assert!(policy.contains(&format!("\"{rule}\"")), "{agent} {rule}: {policy}");
        }
        assert!(!policy.contains("Bash(rm") && !policy.contains("Bash(ls"), "{policy}");
        for (call, says) in [("git push -f", "deny"), ("git status", "pass"), ("cat ~/.ssh/id", "deny")] {
            place.run(&["try", "--agent", agent, call]).says(0, &[says]);
        }
    }
}

#[test]
fn a_denial_of_everything_is_imported_unless_something_is_allowed() {
    for (permission, is_imported) in [(r#""deny""#, true), (r#"{"*": "deny", "read": "allow"}"#, false)] {
        let place = place();
        place.file("home/.config/opencode/opencode.json", &format!("{{\"permission\": {permission}}}"));
        place.answered(&["import", "opencode"], "y\n").says(0, &[]);
        let is_there = place.path(POLICY).exists() && place.read(POLICY).contains("\"*\"");
        assert_eq!(is_there, is_imported, "{permission}");
    }
}

#[test]
fn denials_and_questions_of_qwen_code_are_imported() {
    let place = place();
    place.file(
        "home/.qwen/settings.json",
        r#"{
          "permissions": {
            "deny": ["Bash(rm *)", "ShellTool(git push:*)", "Read(//etc/passwd)", "WriteFile", "mcp__git__push", "Skill(x)", "TodoList", "Edit(a"],
            "ask": ["WebFetch(domain:example.org)", "todo_write"],
            "allow": ["Bash(git *)"]
          },
          "tools": {"exclude": ["web_search"], "allowed": ["ls"]}
        }"#,
    );
    place.answered(&["import", "qwen-code"], "y\n").says(
        0,
        &[
            "not imported: permissions.deny: Skill(x): it has no form",
            "not imported: permissions.deny: TodoList: it has no form",
            "not imported: permissions.deny: Edit(a: it has no form",
            "not imported: permissions.allow: Bash(git *): Qwen Code still applies it",
            "not imported: tools.allowed: ls: Qwen Code still applies it",
        ],
    );
    let policy = place.read(POLICY);
    for rule in ["Bash(rm *)", "Bash(git push:*)", "Read(//etc/passwd)", "Write", "mcp__git__push", "Tool(web_search)"]
    {
        assert!(policy.contains(&format!("\"{rule}\"")), "{rule}: {policy}");
    }
    for (call, says) in [("git push", "deny"), ("git status", "pass"), ("rm x", "deny")] {
        place.run(&["try", "--agent", "qwen-code", call]).says(0, &[says]);
    }
}

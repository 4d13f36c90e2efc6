//! `snaphook import` from the permissions of agents of which only denials are imported.

use crate::place;
use crate::place::Place;

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
            place.run(&["try", "-v", "--agent", agent, call]).says(0, &[says]);
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
        place.run(&["try", "-v", "--agent", "qwen-code", call]).says(0, &[says]);
    }
}

/// Imports from the settings of an agent, and checks what is said, the rules in the policy, and what is not in it.
fn denials(agent: &str, file: (&str, &str), says: &[&str], rules: &[&str], none: &[&str]) -> Place {
    let place = place();
    place.file(POLICY, "[permissions]\n");
    place.file(file.0, file.1);
    place.answered(&["import", agent], "y\n").says(0, says);
    let policy = place.read(POLICY);
    for rule in rules {
        assert!(policy.contains(&format!("\"{rule}\"")), "{agent} {rule}: {policy}");
    }
    for text in none {
        assert!(!policy.contains(text), "{agent} {text}: {policy}");
    }
    place
}

#[test]
fn blocked_commands_of_droid_are_imported_and_no_approval_is() {
    let settings = r#"{
      // mine
      "commandBlocklist": ["curl", "git  push", "rm -rf /", "dd if=*", "", 5],
      "commandDenylist": ["shutdown", "mkfs"],
      "commandAllowlist": ["ls"],
      "permissionRules": []
    }"#;
    let place = denials(
        "droid",
        ("home/.factory/settings.json", settings),
        &[
            "not imported: commandBlocklist: 5 is not a text",
            "not imported: commandBlocklist: dd if=*: it has no form",
            "not imported: commandBlocklist: : it has no form",
            "not imported: commandDenylist (2): Droid still asks",
            "not imported: commandAllowlist (1): Droid still applies it",
            "not imported: permissionRules: their form is not documented",
        ],
        &["Bash(curl *)", "Bash(git push *)", "Bash(rm -rf / *)"],
        &["shutdown", "Bash(mkfs *)", "Bash(ls"],
    );
    for (call, says) in [("curl", "deny"), ("sh -c 'curl x'", "deny"), ("git -C a push", "deny"), ("ls", "pass")] {
        place.run(&["try", "-v", "--agent", "droid", call]).says(0, &[says]);
    }
}

#[test]
fn denials_of_kimi_code_are_imported_and_no_approval_is() {
    let settings = r#"
[[permission.rules]]
decision = "allow"
pattern = "Read"

[[permission.rules]]
decision = "deny"
pattern = "Bash(rm -rf*)"
reason = "no"

[[permission.rules]]
decision = "deny"
pattern = "Bash(!git*)"

[[permission.rules]]
decision = "ask"
pattern = "Bash"

[[permission.rules]]
decision = "deny"
scope = "session-runtime"
pattern = "WebSearch"

[[permission.rules]]
decision = "deny"
pattern = "Read(~/.ssh/**"

[[permission.deny]]
tool = "Read"
match = "~/.aws/*"

[permission.allow]
tool = "Glob"

[tools]
enabled = ["Read"]
disabled = ["mcp__github__*", "EnterPlanMode", "FetchURL", "*x"]
"#;
    let place = denials(
        "kimi",
        ("home/.kimi-code/config.toml", settings),
        &[
            "not imported: permission.rules: Read: allow: Kimi Code still applies it",
            "not imported: permission.rules: Bash(!git*): deny: it has no form",
            "not imported: permission.rules: Bash: ask: Kimi Code still asks",
            "not imported: permission.rules: WebSearch: deny: Kimi Code does not apply a rule of this scope",
            "not imported: permission.rules: Read(~/.ssh/**: deny: it has no form",
            "not imported: permission.allow: Glob: allow: Kimi Code still applies it",
            "not imported: tools.enabled: Kimi Code has only these tools",
            "not imported: tools.disabled: *x: it has no form",
        ],
        &["Bash(rm -rf*)", "Read(~/.aws/**)", "mcp__github__*", "Tool(EnterPlanMode)", "WebFetch"],
        &["!git", "WebSearch", "Glob", "allow ="],
    );
    for (call, says) in [("rm -rf x", "deny"), ("cat ~/.aws/credentials", "deny"), ("ls", "pass")] {
        place.run(&["try", "-v", "--agent", "kimi", call]).says(0, &[says]);
    }
}

#[test]
fn denials_of_mistral_vibe_are_imported_and_no_approval_is() {
    let settings = r#"
disabled_tools = ["web_search", "mcp_*", "re:^x"]
enabled_tools = ["bash"]

[tools.bash]
permission = "never"
allowlist = ["ls"]
denylist = ["git push", "vim", "a|b"]
denylist_standalone = ["python3"]
sensitive_patterns = ["sudo"]

[tools.read_file]
permission = "ask"
denylist = ["/etc/*", "**/*.pem", "*/a/b", "secret/*"]

[tools.write_file]
permission = "never"

[tools.grep]
permission = "always"
denylist = 5
"#;
    let place = denials(
        "mistral-vibe",
        ("home/.vibe/config.toml", settings),
        &[
            "not imported: disabled_tools: mcp_*: it has no form",
            "not imported: disabled_tools: re:^x: it has no form",
            "not imported: enabled_tools: Vibe has only these tools",
            "not imported: tools.bash.permission: never: what the allowlist of this tool names is an exception",
            "not imported: tools.bash.allowlist: Vibe still applies it",
            "not imported: tools.bash.denylist: a|b: it has no form",
            "not imported: tools.bash.denylist_standalone: Vibe still denies them",
            "not imported: tools.bash.sensitive_patterns: Vibe still asks",
            "not imported: tools.read_file.permission: ask: Vibe still asks",
            "not imported: tools.read_file.denylist: */a/b: it has no form",
            "not imported: tools.read_file.denylist: secret/*: it has no form",
            "not imported: tools.grep.permission: always: Vibe still applies it",
            "not imported: tools.grep.denylist: not a list",
        ],
        &["WebSearch", "Bash(git push *)", "Bash(vim *)", "Read(//etc/**)", "Read(*.pem)", "Edit"],
        &["python3", "sudo", "Bash(ls", "secret"],
    );
    for (call, says) in [("git push", "deny"), ("cat a/b.pem", "deny"), ("git status", "pass")] {
        place.run(&["try", "-v", "--agent", "mistral-vibe", call]).says(0, &[says]);
    }
}

#[test]
fn disabled_tools_of_crush_are_imported_and_no_approval_is() {
    let settings = r#"{
      "options": {"disabled_tools": ["bash", "sourcegraph", "a b"]},
      "mcp": {"github": {"type": "stdio", "disabled_tools": ["delete_repo"]}},
      "permissions": {"allowed_tools": ["view", "edit:write"]}
    }"#;
    let place = denials(
        "crush",
        ("home/.config/crush/crush.json", settings),
        &[
            "not imported: options.disabled_tools: a b: it has no form",
            "not imported: permissions.allowed_tools: view: Crush still applies it",
            "not imported: permissions.allowed_tools: edit:write: Crush still applies it",
        ],
        &["Bash", "Tool(sourcegraph)", "mcp__github__delete_repo"],
        &["view", "edit"],
    );
    place.run(&["try", "-v", "--agent", "crush", "ls"]).says(0, &["deny"]);
}

#[test]
fn settings_that_cannot_be_read_are_named_and_nothing_is_imported() {
    for (agent, file) in
        [("droid", ".factory/settings.json"), ("kimi", ".kimi-code/config.toml"), ("crush", ".config/crush/crush.json")]
    {
        let place = place();
        place.file(&format!("home/{file}"), "{{ 5 ]");
        place.answered(&["import", agent], "y\n").says(2, &[file]);
        assert!(!place.path(POLICY).exists(), "{agent}");
    }
}

//! `[[tool]]`: tools whose arguments the policy describes.

use serde_json::{Value, json};
use snaphook_adapters::registry::Registry;

use crate::managed::Managed;
use crate::place::{Place, fixture};

const RUN: &str = "[[tool]]\nname = 'mcp__shell__run'\ncommand = '/body'\n";

/// A message of Claude Code about a tool.
fn call(tool: &str, input: &Value) -> String {
    json!({"session_id": "s", "cwd": "/w", "permission_mode": "default", "hook_event_name": "PreToolUse",
           "tool_name": tool, "tool_input": input, "tool_use_id": "t"})
    .to_string()
}

/// The verdict of a policy on a call of Claude Code.
fn verdict(place: &Place, tool: &str, input: &Value) -> String {
    let (policy, message) = (place.at("policy.toml"), call(tool, input));
    let said = place.fed(
        &[
            "try",
            "--agent",
            "claude-code",
            "--payload",
            "-",
            "--policy",
            &policy,
            "--trust",
            &place.at("trust"),
            "--json",
        ],
        &message,
    );
    let shown: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    shown["agents"][0]["verdict"].as_str().unwrap_or_else(|| panic!("{shown:#}")).to_owned()
}

#[test]
fn a_denied_command_of_a_described_mcp_tool_is_denied_for_every_agent() {
    let place = Place::new();
    let rules = "[permissions]\ndeny = ['Bash(rm *)']\n";
    let (with, without) = (place.file("with.toml", &format!("{rules}{RUN}")), place.file("without.toml", rules));
    let does = |policy: &str, command: &str| {
        let input = json!({"body": command, "limit": 1.10}).to_string();
        let words = ["try", "--all", "--tool", "mcp__shell__run", "--input", &input, "--policy", policy, "--json"];
        let mut blocked = Vec::new();
        for agent in place.json(&words)["agents"].as_array().unwrap() {
            let hosts = agent["hosts"].as_array().unwrap_or_else(|| panic!("{agent:#}"));
            let blocks = |host: &Value| ["blocks", "stops"].contains(&host["does"].as_str().unwrap());
            assert!(!hosts.is_empty());
            if hosts.iter().all(blocks) {
                blocked.push(agent["agent"].as_str().unwrap().to_owned());
            } else {
                assert!(!hosts.iter().any(blocks), "{agent:#}");
            }
        }
        blocked
    };
    // Windsurf reports calls of MCP tools by another event.
    let all: Vec<_> = Registry::standard().ids().filter(|id| *id != "windsurf").collect();
    assert_eq!(does(&with, "ls; rm -rf x"), all);
    assert_eq!(does(&with, "ls"), [""; 0]);
    assert_eq!(does(&without, "ls; rm -rf x"), [""; 0]);
    let policy = place.file(
        "own.toml",
        "[permissions]\ndeny = ['Bash(rm *)']\n[[tool]]\nname = 'mcp__github__create_issue'\ncommand = '/title'\n",
    );
    let mut message: Value = serde_json::from_str(&fixture("windsurf", "pre_mcp_tool_use")).unwrap();
    message["tool_info"]["mcp_tool_arguments"] = json!({"title": "rm -rf x"});
    let said = place.fed(&["hook", "windsurf", "--policy", &policy], &message.to_string());
    said.says(2, &["`rm -rf x` is denied by Bash(rm *)"]);
}

#[test]
fn every_kind_of_rule_applies_to_what_the_arguments_are() {
    let place = Place::new();
    place.file(
        "policy.toml",
        &format!(
            "[permissions]\ndeny = ['Bash(rm *)', 'Edit(.env)', 'WebFetch(domain:evil.org)', 'mcp__shell__run_root']\n\
             ask = ['Bash(git push *)', 'Tool(Deploy)']\n\
             allow = ['Bash(ls *)', 'Read(//w/**)', 'WebFetch(domain:ok.org)', 'mcp__shell__*', 'Tool(deploy)']\n\
             {RUN}[[tool]]\nname = 'mcp__shell__run_*'\ncommand = '/run/0/script'\n\
             [[tool]]\nname = 'copy'\npath = '/from'\nkind = 'read'\n\
             [[tool]]\nname = 'copy'\npaths = '/to~1'\nkind = 'write'\n\
             [[tool]]\nname = 'look'\npath = '/at'\nkind = 'read'\nurl = '/href'\n\
             [[tool]]\nname = 'any'\npath = '/file'\n\
             [[tool]]\nname = 'deploy'\ncommand = '/how'\n"
        ),
    );
    for (tool, input, expected) in [
        ("mcp__shell__run", json!({"body": "ls; rm x"}), "deny"),
        ("mcp__shell__run", json!({"body": ["rm", "x"]}), "deny"),
        ("mcp__shell__run", json!({"body": "git push"}), "ask"),
        ("mcp__shell__run", json!({"body": "ls -l"}), "allow"),
        // The rule on the name no longer allows what the command does.
        ("mcp__shell__run", json!({"body": "make"}), "pass"),
        // An argument that is missing leaves the name.
        ("mcp__shell__run", json!({"other": "make"}), "allow"),
        ("mcp__shell__run", json!({"body": null}), "allow"),
        ("mcp__shell__run_it", json!({"run": [{"script": "rm x"}]}), "deny"),
        ("mcp__shell__run_root", json!({"run": [{"script": "ls -l"}]}), "deny"),
        ("copy", json!({"from": "/w/a", "to/": "/w/b"}), "pass"),
        ("copy", json!({"from": "/w/.env", "to/": ["/w/b"]}), "pass"),
        ("copy", json!({"from": "/w/a", "to/": ["/w/b", "/w/.env"]}), "deny"),
        ("look", json!({"at": "/w/a"}), "allow"),
        ("look", json!({"at": "/w/a", "href": "https://ok.org/"}), "allow"),
        ("look", json!({"at": "/w/a", "href": ["https://ok.org/", "https://evil.org/"]}), "deny"),
        ("any", json!({"file": "/w/.env"}), "deny"),
        ("any", json!({"file": "/w/a"}), "pass"),
        ("Deploy", json!({"how": "ls -l"}), "ask"),
    ] {
        assert_eq!(verdict(&place, tool, &input), expected, "{tool} {input}");
    }
}

#[test]
fn an_argument_that_is_not_as_described_is_a_failure_of_the_input() {
    let place = Place::new();
    let policy = place.file("policy.toml", &format!("[permissions]\nallow = ['Bash(ls *)']\n{RUN}"));
    let hook = |body: &str, more: &str| {
        place.file("policy.toml", &format!("[permissions]\nallow = ['Bash(ls *)']\n{RUN}{more}"));
        let message = call("mcp__shell__run", &json!({})).replace("{}", body);
        place.fed(&["hook", "claude-code", "--policy", &policy], &message)
    };
    for (body, problem) in [
        (r#"{"body":7}"#, "`/body` of the tool mcp__shell__run is not a string"),
        (r#"{"body":{"a":"ls"}}"#, "is not a string"),
        (r#"{"body":["ls",1]}"#, "is not an array of strings"),
        (r#"{"body":"ls","body":"rm x"}"#, "is ambiguous"),
        (r#"{"body":"ls","BODY":"rm x"}"#, "is ambiguous"),
        (r#"{"body":"ls\u0000"}"#, "contains a NUL character"),
    ] {
        hook(body, "").says(0, &["\"deny\"", problem, "`tool[0]` in ", "policy.toml:3"]);
    }
    hook(r#"{"body":7}"#, "[failure]\ninput = 'pass'\n").says(0, &[]);
}

#[test]
fn usual_argument_names_are_still_judged_unless_the_table_says_no() {
    let place = Place::new();
    let policy = |more: &str| {
        place.file(
            "policy.toml",
            &format!("[permissions]\ndeny = ['Bash(rm *)', 'Edit(.env)']\n[[tool]]\nname = 'docs_*'\n{more}"),
        )
    };
    let judged = |input: Value| verdict(&place, "docs_search", &input);
    policy("path = '/path'\nkind = 'read'\n");
    assert_eq!(judged(json!({"path": ".env"})), "pass", "it only reads the file");
    assert_eq!(judged(json!({"path": "a", "file_path": ".env"})), "deny", "another argument");
    assert_eq!(judged(json!({"path": "a", "data": {"path": ".env"}})), "deny", "an argument elsewhere");
    assert_eq!(judged(json!({"script": "rm x"})), "deny");
    assert_eq!(verdict(&place, "other", &json!({"path": ".env"})), "deny");
    policy("guess = false\n");
    assert_eq!(judged(json!({"path": ".env", "script": "rm x"})), "pass");
    assert_eq!(verdict(&place, "other", &json!({"script": "rm x"})), "deny");
    policy("command = '/command'\n");
    assert_eq!(judged(json!({"command": "sudo", "args": ["rm", "x"]})), "deny", "words that follow the program");
}

#[test]
fn a_table_weakens_nothing_that_snaphook_knows() {
    let place = Place::new();
    place.file(
        "policy.toml",
        "[permissions]\ndeny = ['Bash(rm *)', 'Read(.env)']\nallow = ['Bash(ls *)', 'Read(//w/**)', 'Tool(TodoWrite)']\n\
         [[tool]]\nname = 'Bash'\npath = '/description'\nkind = 'read'\nguess = false\n\
         [[tool]]\nname = 'Read'\ncommand = '/nothing'\nguess = false\n\
         [[tool]]\nname = 'TodoWrite'\ncommand = '/how'\n",
    );
    for (tool, input, expected) in [
        ("Bash", json!({"command": "rm x"}), "deny"),
        ("Bash", json!({"command": "rm x", "description": "/w/a"}), "deny"),
        ("Bash", json!({"command": "ls x", "description": ".env"}), "deny"),
        ("Bash", json!({"command": "make", "description": "/w/a"}), "pass"),
        ("Bash", json!({"command": "ls x", "description": "/w/a"}), "allow"),
        ("Read", json!({"file_path": "/w/.env"}), "deny"),
        ("TodoWrite", json!({"todos": [], "how": "make"}), "pass"),
        ("TodoWrite", json!({"todos": [], "how": "ls x"}), "allow"),
    ] {
        assert_eq!(verdict(&place, tool, &input), expected, "{tool} {input}");
    }
    let said = place.run(&["policy", "check", &place.at("policy.toml"), "--json"]);
    said.says(0, &["tool[0]: snaphook knows the tool `Bash` of", "its own arguments are judged as well"]);
}

#[test]
fn an_untrusted_project_describes_no_tool() {
    let place = Place::new();
    place.file("policy.toml", "[permissions]\ndeny = ['Edit(.env)']\nallow = ['Bash(ls *)']\n");
    place.file("project/.snaphook.toml", "[[tool]]\nname = 'frob'\ncommand = '/run'\nguess = false\n");
    let judged = || {
        let (policy, trust) = (place.at("policy.toml"), place.at("trust"));
        let words =
            ["try", "-v", "--tool", "frob", "--input", r#"{"run":"ls x","path":".env"}"#, "--agent", "claude-code"];
        place.run(&[&words[..], &["--policy", &policy, "--trust", &trust]].concat())
    };
    judged().says(0, &["claude-code: deny", "1 described tool ignored"]);
    place.answered(&["trust", "--trust", &place.at("trust")], "y\n");
    assert!(judged().out.contains("claude-code: allow"), "{:?}", judged());
}

#[test]
fn only_the_managed_policy_switches_off_what_its_rules_rely_on() {
    let rules = "[permissions]\ndeny = ['Edit(.env)']\n[[tool]]\nname = 'docs'\nguess = false\n";
    let Some(managed) = Managed::with(rules) else { return };
    managed.place.file(
        "home/.config/snaphook/snaphook.toml",
        "[permissions]\ndeny = ['Bash(rm *)']\n\
         [[tool]]\nname = 'frob'\nguess = false\n[[tool]]\nname = 'frob'\npath = '/path'\nkind = 'read'\ncommand = '/run'\n",
    );
    let judged = |tool: &str, input: &str| {
        let said = managed.run(&["try", "-v", "--tool", tool, "--input", input, "--agent", "claude-code", "--json"]);
        let shown: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        shown["agents"][0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(judged("docs", r#"{"path":".env"}"#), "pass");
    assert_eq!(judged("frob", r#"{"path":".env"}"#), "deny");
    assert_eq!(judged("frob", r#"{"run":"rm x"}"#), "deny");
    managed.run(&["policy", "show"]).says(0, &["ignored: `guess = false`, because a managed policy applies"]);
    managed.run(&["policy", "check"]).says(1, &["tool[0].guess: has no effect: only the managed policy"]);
}

#[test]
fn the_commands_of_a_described_tool_run_in_the_sandbox() {
    let place = Place::new();
    std::os::unix::fs::symlink("/bin/bash", place.path("bin/bash")).unwrap();
    let sandbox = "[sandbox]\nlauncher = 'landlock'\n";
    let policy =
        place.file("policy.toml", &format!("{sandbox}[[tool]]\nname = 'mcp__shell__run'\ncommand = '/a/body'\n"));
    let hook = |id: &str, message: &str| place.fed(&["hook", id, "--policy", &policy], message);
    let input = r#"{"n":1.10,"a":{"body":"ls -l","x":[1e400]},"body":"ls"}"#;
    let message = call("mcp__shell__run", &json!({})).replace("{}", input);
    let said = hook("claude-code", &message);
    said.says(0, &[" run --policy ", "-c -- 'ls -l'", r#""n":1.10,"a":{"body":"#, r#","x":[1e400]},"body":"ls"}"#]);
    let words = message.replace(r#""ls -l""#, r#"["ls","-l"]"#);
    hook("claude-code", &words).says(0, &[r#""--","ls","-l"]"#]);
    place.file("policy.toml", &format!("{sandbox}[[tool]]\nname = 'mcp__shell__run'\ncommand = '/script'\n"));
    let twice = message.replace(input, r#"{"script":"ls","script":"ls"}"#);
    let said = hook("claude-code", &twice);
    assert_eq!(said.out.matches(" run --policy ").count(), 2, "both spellings are wrapped: {said:?}");
    // The name may be that of another tool.
    let uncertain =
        r#"{"event":"pre_tool","session_id":"s","cwd":"/w","tool_name":"shell_run","tool_input":{"script":"ls"}}"#;
    hook("hygge", uncertain).says(2, &["cannot be wrapped", "describe the tool in the policy"]);
    place.file("policy.toml", &format!("{sandbox}[[tool]]\nname = 'shell_run'\ncommand = '/script'\n"));
    hook("hygge", uncertain).says(0, &[" run --policy "]);
}

#[test]
fn cases_show_and_errors_know_described_tools() {
    let place = Place::new();
    let case = |input: &str, verdict: &str| {
        format!("[[test]]\ntool = 'mcp__shell__run'\ninput = '{input}'\nverdict = '{verdict}'\n")
    };
    let cases = [case(r#"{"body":"rm x"}"#, "deny"), case(r#"{"body":"ls"}"#, "pass"), case(r#"{"body":1}"#, "deny")];
    let policy = place.file("policy.toml", &format!("[permissions]\ndeny = ['Bash(rm *)']\n{RUN}{}", cases.concat()));
    place.run(&["policy", "test", &policy]).says(0, &["3 cases, 0 failed"]);
    place.run(&["policy", "show", "--policy", &policy]).says(0, &["tool  mcp__shell__run"]);
    let broken = case("[1]", "deny");
    place.file("policy.toml", &broken);
    place.run(&["policy", "test", &policy]).says(2, &["`input` is not a JSON object"]);
    for (table, says) in [
        ("command = '/a'", "missing `name`"),
        ("name = 'x'", "describes nothing"),
        ("name = '*'\nguess = false", "`*` names no tool"),
        ("name = 'mcp__*'\nguess = false", "`mcp__*` names no tool"),
        ("name = 'x'\ncommand = 'a'", "invalid JSON pointer `a`; expected `/`"),
        ("name = 'x'\npath = '/a~b'", "invalid JSON pointer"),
        ("name = 'x'\ncommand = '/a'\nkind = 'read'", "`kind` has a meaning only with `path` or `paths`"),
        ("name = 'x'\npath = '/a'\nshell = 'posix'", "`shell` has a meaning only with `command`"),
        ("name = 'x'\npath = '/a'\nkind = 'run'", "tool[0].kind: "),
        ("name = 'x'\npath = 7", "tool[0].path: expected a string"),
        ("name = 'x'\npath = '/a'\nagent = 'clod'", "tool[0].agent: unknown agent"),
    ] {
        place.file("policy.toml", &format!("[[tool]]\n{table}\n"));
        place.run(&["policy", "check", &policy]).says(1, &[says]);
    }
    let said = place.run(&["try", "-v", "--tool", "mcp__shell__run", "--input", "[1]"]);
    said.says(2, &["--input is not a JSON object"]);
}

#[test]
fn the_arguments_of_a_tool_that_a_row_only_names_are_judged() {
    let place = Place::new();
    let policy = place.file("p.toml", "[permissions]\ndeny = [\"Bash(rm *)\"]\n");
    let message = fixture("windsurf", "pre_mcp_tool_use");
    for (arguments, code) in [(r#"{"command": "rm -rf x"}"#, 2), (r#"{"title": "rm -rf x"}"#, 0)] {
        let mut message: Value = serde_json::from_str(&message).unwrap();
        message["tool_info"]["mcp_tool_arguments"] = serde_json::from_str(arguments).unwrap();
        let said = place.fed(&["hook", "windsurf", "--policy", &policy], &message.to_string());
        assert_eq!(said.code, Some(code), "{arguments} {said:?}");
    }
}

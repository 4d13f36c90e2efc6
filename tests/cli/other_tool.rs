//! Handlers that lead a call to another tool.

use serde_json::{Value, json};

use crate::place::{Place, Said, fixture};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";

/// A place with a policy, and a handler of every call that names another tool.
fn place(tool: &str, input: &Value, need: &str, policy: &str) -> Place {
    let place = Place::new();
    let change = json!({"changes": [{"target": "input", "tool": tool, "value": input, "need": need}]});
    let answer = place.file("home/answer.json", &change.to_string());
    place.file(POLICY, &format!("[[handler]]\nmatch = ['PreTool']\ncommand = ['/bin/cat', '{answer}']\n{policy}"));
    place
}

/// The result in the answer to a call of `exec` by PicoClaw.
fn picoclaw(place: &Place) -> Value {
    let said = place.fed(&["hook", "picoclaw"], &format!("{}\n", fixture("picoclaw", "before_tool_exec")));
    serde_json::from_str::<Value>(&said.out).unwrap_or_else(|_| panic!("{said:?}"))["result"].take()
}

fn claude(place: &Place) -> Said {
    place.fed(&["hook", "claude-code"], &fixture("claude-code", "pre_tool_use_bash"))
}

#[test]
fn picoclaw_runs_the_tool_that_a_handler_names() {
    let input = json!({"path": "docs"});
    let answer = picoclaw(&place("list_dir", &input, "required", ""));
    assert_eq!(answer["action"], "modify");
    assert_eq!((&answer["call"]["tool"], &answer["call"]["arguments"]), (&json!("list_dir"), &input));
    assert!(answer["call"]["meta"].is_object(), "the rest of the call is kept: {answer}");
}

#[test]
fn rules_judge_the_call_of_the_other_tool_and_the_one_that_was_made() {
    for (rules, word) in [
        ("deny = ['Read(.env)']", "deny_tool"),
        ("ask = ['Read(.env)']", "deny_tool"),
        ("deny = ['Read(.env.example)']", "modify"),
        // A denied call does not become harmless by another name.
        ("deny = ['Bash']", "deny_tool"),
    ] {
        let place = place("read_file", &json!({"path": ".env"}), "required", &format!("[permissions]\n{rules}\n"));
        assert_eq!(picoclaw(&place)["action"], word, "{rules}");
    }
    let described = "[permissions]\ndeny = ['Bash(frob *)']\n[[tool]]\nname = 'remote'\ncommand = '/line'\n";
    let place = place("remote", &json!({"line": "frob x"}), "optional", described);
    assert_eq!(picoclaw(&place)["action"], "deny_tool", "described in the policy");
}

#[test]
fn the_command_of_the_other_tool_runs_in_the_sandbox() {
    let sandbox = "[sandbox]\nlauncher = ['wrap', '{}']\n";
    let to_shell = place("exec", &json!({"action": "run", "command": "pwd"}), "required", sandbox);
    let message = fixture("picoclaw", "before_tool_write_file");
    let said = to_shell.fed(&["hook", "picoclaw"], &format!("{message}\n"));
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["result"]["call"]["tool"], "exec", "{said:?}");
    let command = answer["result"]["call"]["arguments"]["command"].as_str().unwrap();
    assert_eq!(command, "snaphook run -- sh -c -- pwd");
}

#[test]
fn an_agent_that_runs_the_called_tool_only_is_denied_or_keeps_it() {
    let input = json!({"file_path": "a.txt"});
    let denied = "the input must be changed before this may happen, but the agent runs only the tool that was called";
    claude(&place("Read", &input, "required", "")).says(0, &["\"permissionDecision\":\"deny\"", denied]);
    let optional = place("Read", &input, "optional", "");
    assert_eq!(claude(&optional).says(0, &[]).out, "");
    optional
        .run(&["log", "--json"])
        .says(0, &["the agent runs only the tool that was called, so the optional change is left out"]);
    // The other call would need no sandbox.
    let sandbox = "[permissions]\nallow = ['Bash']\n[sandbox]\nlauncher = ['wrap', '{}']\nrequired = false\n";
    let wrapped = place("Read", &input, "optional", sandbox);
    std::os::unix::fs::symlink("/bin/bash", wrapped.path("bin/bash")).unwrap();
    claude(&wrapped).says(0, &["updatedInput", " run --policy "]);
}

#[test]
fn a_command_does_not_leave_the_sandbox_by_an_optional_change_that_cannot_be_made() {
    let place = place("list_dir", &json!({"path": "docs"}), "optional", "[sandbox]\nlauncher = ['wrap', '{}']\n");
    // A text that the answer cannot repeat.
    let message = fixture("picoclaw", "before_tool_exec").replace("echo hook-probe", "echo \\ud800");
    assert!(message.contains("\\ud800"));
    let said = place.fed(&["hook", "picoclaw"], &format!("{message}\n"));
    said.says(0, &["deny_tool"]);
}

#[test]
fn a_hook_of_picoclaw_leads_to_another_tool_only_under_picoclaw() {
    // The id of PicoClaw's message, and the one of the message that is made of Claude Code's.
    let place = |id: u32| {
        let place = Place::new();
        let call = json!({"tool": "list_dir", "arguments": {"path": "docs"}});
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "modify", "call": call}});
        let answer = place.file("home/answer.json", &format!("{answer}\n"));
        let command = format!("['/bin/cat', '{answer}']");
        place.file(POLICY, &format!("[[handler]]\nspeaks = 'picoclaw'\nmatch = ['PreTool']\ncommand = {command}\n"));
        place
    };
    assert_eq!(picoclaw(&place(4))["call"]["tool"], "list_dir");
    claude(&place(1)).says(0, &["\"deny\"", "it was changed, but Claude Code does not know its tool list_dir"]);
}

#[test]
fn a_change_of_the_tool_without_its_arguments_is_a_failure_of_the_handler() {
    for change in [
        json!({"target": "prompt", "tool": "read_file", "value": "x"}),
        json!({"target": "input", "tool": "", "value": {}}),
        json!({"target": "input", "tool": "read_file"}),
        json!({"target": "input", "tool": "read_file", "value": {"path": 7}}),
    ] {
        let place = Place::new();
        let answer = place.file("home/answer.json", &json!({"changes": [change]}).to_string());
        place.file(POLICY, &format!("[[handler]]\nmatch = ['PreTool']\ncommand = ['/bin/cat', '{answer}']\n"));
        assert_eq!(picoclaw(&place)["action"], "deny_tool", "{change}");
    }
}

//! The text about the sandbox for the model (R10), and the log records of commands that bypassed it (R11).

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use snaphook_adapters::model::{EventKind, Target};
use snaphook_adapters::protocol::{Agent, EventRow, HostShell, Power};
use snaphook_adapters::registry::Registry;

use crate::place::{Place, SNAPHOOK};

/// Sends one message of Claude Code and returns its answer.
fn claude(place: &Place, event: &str, more: &Value) -> String {
    let mut message = json!({
        "session_id": "s", "transcript_path": "/t.jsonl", "cwd": place.path("home/project"), "hook_event_name": event,
    });
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = place.command(SNAPHOOK);
    let audit = place.path("home/audit.jsonl");
    command.args(["hook", "claude-code", "--event", event, "--audit"]).arg(audit).env("SHELL", "/bin/bash");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn call(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": command, "timeout": 5}})
}

fn done(command: &str) -> Value {
    let mut call = call(command);
    call["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    call
}

fn last_record(place: &Place) -> Value {
    let log = place.text("home/audit.jsonl").unwrap();
    serde_json::from_str(log.lines().last().unwrap()).unwrap()
}

#[test]
fn r10_the_model_is_informed_at_the_start_of_a_session() {
    let place = Place::new();
    place.policy("landlock", "write = [\"/\", \"~/other\"]\nnetwork = \"off\"\n[context]\nsession = \"Be kind.\"");
    let told = claude(&place, "SessionStart", &json!({"source": "startup"}));
    for part in ["Be kind.", "~/project, ~/other", "no network", "`cd`", "Background jobs", "126"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    place.policy("landlock", "agents = [\"codex\"]\n[context]\nsession = \"Be kind.\"");
    let told = claude(&place, "SessionStart", &json!({"source": "startup"}));
    assert!(told.contains("Be kind.") && !told.contains("sandbox"), "{told}");
}

#[test]
fn the_log_and_the_model_get_the_isolation_of_commands() {
    let place = Place::new();
    place.policy("landlock", "match = [\"Bash(npm *)\"]");
    for (command, isolated) in [("npm ci", json!(true)), ("ls", json!(false)), ("eval x", json!(true))] {
        let answer = claude(&place, "PreToolUse", &call(command));
        assert_eq!(last_record(&place)["isolated"], isolated, "{command}");
        assert_eq!(answer.contains(" run "), isolated == json!(true), "{command}: {answer}");
        let id = last_record(&place)["id"].as_str().unwrap().to_owned();
        let mut why = place.command(SNAPHOOK);
        let said = why.args(["why", &id, "--audit"]).arg(place.path("home/audit.jsonl")).output().unwrap();
        let line = if isolated == json!(true) { "runs in the sandbox" } else { "runs outside of the sandbox" };
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains(line) && said.contains("changed   input") == (isolated == json!(true)), "{said}");
        let mut log = place.command(SNAPHOOK);
        let log = log.args(["log", "--last", "1", "--audit"]).arg(place.path("home/audit.jsonl")).output().unwrap();
        let cell = if isolated == json!(true) { "  pass     sandbox  " } else { "  pass     no sandbox  " };
        assert!(String::from_utf8_lossy(&log.stdout).contains(cell), "{log:?}");
    }
    claude(&place, "PostToolUse", &done("ls"));
    assert!(last_record(&place).get("incident").is_none(), "the policy does not require it");
    claude(&place, "PostToolUse", &done("npm ci"));
    assert!(last_record(&place).get("incident").is_some());
    let told = claude(&place, "SessionStart", &json!({"source": "startup"}));
    assert!(told.contains("rules: Bash(npm *). ") && !told.contains("every shell command"), "{told}");
    place.policy("landlock", "[permissions]\ndeny = [\"Bash(npm *)\"]");
    claude(&place, "PreToolUse", &call("npm ci"));
    assert!(last_record(&place).get("isolated").is_none(), "it does not run");
}

/// Sends a message of any agent and returns its record.
fn recorded(place: &Place, line: &[&str], message: &str) -> Value {
    recorded_to(place, line, message, Stdio::piped())
}

/// The same, with the answer written to a file.
fn recorded_to(place: &Place, line: &[&str], message: &str, answer: Stdio) -> Value {
    let audit = place.path("home/audit.jsonl");
    let records = || std::fs::read_to_string(place.path("home/audit.jsonl")).unwrap_or_default().lines().count();
    let before = records();
    let mut command = place.command(SNAPHOOK);
    command.arg("hook").args(line).arg("--audit").arg(audit).env("SHELL", "/bin/bash");
    let mut child = command.stdin(Stdio::piped()).stdout(answer).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    child.wait_with_output().unwrap();
    assert_eq!(records(), before + 1, "{line:?}");
    last_record(place)
}

#[test]
fn a_call_counts_as_isolated_only_if_the_sent_answer_isolates_it() {
    let place = Place::new();
    place.policy("landlock", "required = false");
    let cwd = place.path("home/project");
    let wrapped = claude(&place, "PreToolUse", &call("ls -l"));
    assert_eq!(last_record(&place)["isolated"], json!(true));
    let wrapped: Value = serde_json::from_str(&wrapped).unwrap();
    let wrapped = wrapped["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    let style = |event: &str, command: &str| {
        json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": event, "tool_name": "Bash",
            "tool_use_id": "u", "tool_input": {"command": command}})
        .to_string()
    };
    let docker = |event: &str, command: &str| {
        json!({"session_id": "s", "cwd": cwd, "hook_event_name": event, "agent_name": "root", "tool_category": "shell",
            "tool_name": "shell", "tool_use_id": "u", "tool_input": {"cmd": command}})
        .to_string()
    };
    let pico = |command: &str| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "hook.approve_tool", "params": {"meta": {"SessionKey": "s"},
            "context": {}, "tool": "exec", "arguments": {"action": "run", "command": command}}})
        .to_string()
    };
    let permission = ["claude-code", "--event", "PermissionRequest"];
    let codex = ["codex", "--event", "PreToolUse"];
    let guard = ["docker-agent", "--event", "tool_guard"];
    let lane = ["docker-agent", "--event", "pre_tool_use", "--preempt"];
    for (line, message) in [
        (&permission[..], style("PermissionRequest", "ls -l")),
        (&codex, style("PreToolUse", "ls -l")),
        (&guard, docker("tool_guard", "ls -l")),
        (&lane, docker("pre_tool_use", "ls -l")),
        (&["picoclaw"], pico("ls -l")),
    ] {
        let record = recorded(&place, line, &message);
        assert_eq!((&record["sent"], &record["isolated"]), (&json!("pass"), &json!(false)), "{record}");
        assert!(record["losses"].to_string().contains("optional change of the input not made"), "{record}");
    }
    // Codex passes commands to the login shell, Claude Code to $SHELL.
    place.policy("landlock", "required = false\n[permissions]\nallow = [\"Bash(ls *)\"]");
    let of_codex = place.path("home/codex.json");
    recorded_to(&place, &codex, &style("PreToolUse", "ls -l"), std::fs::File::create(&of_codex).unwrap().into());
    let of_codex: Value = serde_json::from_str(&std::fs::read_to_string(of_codex).unwrap()).unwrap();
    let of_codex = of_codex["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    place.policy("landlock", "required = false");
    for (line, message) in
        [(&permission[..], style("PermissionRequest", wrapped)), (&codex, style("PreToolUse", of_codex))]
    {
        let record = recorded(&place, line, &message);
        assert_eq!((&record["sent"], &record["isolated"]), (&json!("pass"), &json!(true)), "{record}");
        assert!(record.get("losses").is_none(), "{record}");
    }
    let said =
        place.command(SNAPHOOK).args(["try", "-v", "ls -l", "--agent", "codex"]).env("SHELL", "/bin/sh").output();
    let said = String::from_utf8(said.unwrap().stdout).unwrap();
    assert!(said.contains("runs outside of the sandbox") && !said.contains("runs in the sandbox"), "{said}");
    place.policy("landlock", "");
    let record = recorded(&place, &codex, &style("PreToolUse", "ls -l"));
    assert_eq!((&record["sent"], record.get("isolated")), (&json!("deny"), None), "it does not run: {record}");
    assert!(record["reason"].as_str().unwrap().contains("add an allow rule; in the sandbox it runs as: "), "{record}");
}

#[test]
fn r11_a_command_that_ran_outside_is_an_incident() {
    let place = Place::new();
    place.policy("landlock", "");
    let answer = claude(&place, "PreToolUse", &call("ls -l"));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let wrapped = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    assert_eq!(answer["hookSpecificOutput"].get("permissionDecision"), None, "V7: {answer}");
    let said = claude(&place, "PostToolUse", &done(wrapped));
    assert!(said.is_empty() && last_record(&place).get("incident").is_none(), "{said} {}", last_record(&place));
    let said = claude(&place, "PostToolUse", &done("ls -l"));
    assert!(said.contains("outside of the sandbox"), "{said}");
    let record = last_record(&place);
    let incident = record["incident"].as_str().unwrap();
    assert!(incident.contains("Bash"), "{record}");
    let shown = |arguments: &[&str]| {
        let mut command = place.command(SNAPHOOK);
        command.args(arguments).arg("--audit").arg(place.path("home/audit.jsonl"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let failed = shown(&["log", "--failed"]);
    assert!(failed.lines().count() == 2 && failed.contains(&format!("incident: {incident}")), "{failed}");
    let why = shown(&["why", record["id"].as_str().unwrap()]);
    assert!(why.contains(&format!("incident  {incident}\n")), "{why}");
    place.policy("landlock", "required = false");
    assert_eq!(claude(&place, "PostToolUse", &done("ls -l")), "");
}

#[test]
fn r11_a_reported_call_that_was_refused_is_not_an_incident() {
    let place = Place::new();
    place.policy("landlock", "");
    let done = |event: &str, failed: bool| {
        let mut message = json!({"session_id": "s", "cwd": place.path("home/project"), "hook_event_name": event,
            "agent_name": "root", "tool_category": "shell", "tool_name": "shell", "tool_use_id": "u",
            "tool_input": {"cmd": "ls -l"}, "tool_response": "The tool call was rejected by a pre_tool_use hook."});
        if failed {
            message["tool_error"] = json!(true);
        }
        recorded(&place, &["docker-agent", "--event", event], &message.to_string()).get("incident").is_some()
    };
    assert!(!done("tool_response_transform", true), "docker-agent reports its refusals there too");
    assert!(done("tool_response_transform", false) && done("post_tool_use", true));
}

#[test]
fn later_events_are_judged_by_the_command_that_the_model_wrote() {
    let place = Place::new();
    let judge = place.file("home/judge", "#!/bin/sh\ncat >> \"$HOME/seen\"\n");
    std::fs::set_permissions(&judge, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let handler = format!(
        "[[handler]]\nmatch = [\"PreTool\", \"PostTool\", \"Bash(ls *)\"]\ncommand = [\"{}\"]\n",
        judge.display()
    );
    place.policy("landlock", &handler);
    let answer: Value = serde_json::from_str(&claude(&place, "PreToolUse", &call("ls -l"))).unwrap();
    let wrapped = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    claude(&place, "PostToolUse", &done(wrapped));
    let seen = place.text("home/seen").unwrap();
    assert_eq!(seen.matches("\"kind\":\"shell\",\"command\":\"ls -l\"").count(), 2, "{seen}");
}

#[test]
fn j4_a_text_with_a_lone_surrogate_is_not_rewritten() {
    let place = Place::new();
    place.policy("landlock", "");
    let mut command = place.command(SNAPHOOK);
    command.args(["hook", "claude-code", "--event", "PreToolUse", "--no-audit"]).env("SHELL", "/bin/bash");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let message = json!({"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "echo HERE"}});
    let message = message.to_string().replace("HERE", "\\ud800");
    child.stdin.take().unwrap().write_all(message.as_bytes()).unwrap();
    let answer = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer.contains("\"permissionDecision\":\"deny\"") && answer.contains("lone surrogate"), "{answer}");
}

/// Returns true if a command of the agent can be changed to one in the sandbox.
fn wraps(agent: &Agent) -> bool {
    let changes = |row: &EventRow| row.kind == EventKind::PreTool && row.can(Power::Change(Target::Input));
    !matches!(agent.wrapping.shell, HostShell::Unknown) && agent.events.iter().any(changes)
}

#[test]
fn try_shows_the_command_that_runs_and_the_next_gate_accepts_it() {
    let registry = Registry::standard();
    let place = Place::new();
    place.policy("landlock", "[permissions]\nallow = [\"Bash\"]");
    let output =
        place.command(SNAPHOOK).args(["try", "--all", "ls -l", "--json"]).env("SHELL", "/bin/sh").output().unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(shown["warnings"].to_string().contains("match their own allow, ask and deny rules"), "{shown}");
    for agent in shown["agents"].as_array().unwrap() {
        let hosts = agent["hosts"].as_array().unwrap();
        let runs = |host: &Value| host["input"].to_string().contains(" -c -- 'ls -l'");
        let is_wrapped = wraps(registry.get(agent["agent"].as_str().unwrap()).unwrap().agent());
        assert_eq!(hosts.iter().any(runs), is_wrapped, "{agent}");
        let gates = hosts.iter().flat_map(|host| host["gates"].as_array().unwrap());
        for gate in gates.filter(|gate| gate["sent"] == "deny") {
            assert!(!is_wrapped || gate["flag"] == "--preempt", "{agent}: only that lane drops changes");
            let told = gate["answer"].to_string().contains("in the sandbox it runs as");
            assert_eq!(told, is_wrapped, "{gate}");
        }
    }
}

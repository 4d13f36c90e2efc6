//! The project is the folder where the session was started. No call or command can change it.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::{Place, Ran, SNAPHOOK, each};

const ALLOWED: &str = "[permissions]\nallow = [\"Bash\", \"Edit(//**)\"]";

/// The answer of the real program to a message, started in this folder as the agent does.
fn answer(place: &Place, agent: &str, started_in: &str, variables: &[(&str, &Path)], message: &Value) -> Value {
    let mut command = place.command(SNAPHOOK);
    command.current_dir(place.path(started_in)).args(["hook", agent, "--no-audit"]).env("SHELL", "/bin/bash");
    command.env_remove("CLAUDE_PROJECT_DIR").envs(variables.iter().copied());
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", Path::new(SNAPHOOK).parent().unwrap().display()));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    match output.status.code() {
        Some(2) => json!({ "denied": err }),
        _ if out.is_empty() => json!({}),
        _ => serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}")),
    }
}

fn style(event: &str, cwd: &Path, command: &str) -> Value {
    json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": event, "tool_name": "Bash",
        "tool_use_id": "u", "permission_mode": "default", "tool_input": {"command": command}})
}

fn docker(cwd: &str, command: &str, folder: &Path) -> Value {
    json!({"session_id": "s", "cwd": cwd, "hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_use_id": "u",
        "tool_input": {"cmd": command, "cwd": folder}})
}

fn pico(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "hook.before_tool",
        "params": {"meta": {"Source": "x"}, "context": {}, "tool": tool, "arguments": arguments}})
}

/// A command that the model starts in a folder of its choice, in the form of each agent.
fn calls(place: &Place, folder: &str, command: &str) -> Vec<(&'static str, Value)> {
    let (project, chosen) = (place.path("home/project"), place.path(folder));
    let variables = [("CLAUDE_PROJECT_DIR", project.as_path())];
    vec![
        ("codex", answer(place, "codex", "home/project", &[], &style("PreToolUse", &chosen, command))),
        ("claude-code", answer(place, "claude-code", folder, &variables, &style("PreToolUse", &chosen, command))),
        ("docker-agent", answer(place, "docker-agent", "home/project", &[], &docker("", command, &chosen))),
        (
            "docker-agent",
            answer(place, "docker-agent", "home", &[], &docker(project.to_str().unwrap(), command, &chosen)),
        ),
    ]
}

fn wrapped(answer: &Value) -> String {
    let at = ["/hookSpecificOutput/updatedInput/command", "/hook_specific_output/updated_input/cmd"];
    at.iter().find_map(|at| answer.pointer(at)?.as_str()).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn is_denied(answer: &Value) -> bool {
    let text = answer.to_string();
    text.contains("\"deny\"") || text.contains("\"denied\"") || text.contains("deny_tool")
}

#[test]
fn the_project_is_writable_from_every_directory() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, ALLOWED);
        std::fs::create_dir_all(place.path("home/other/.git")).unwrap();
        for (agent, answer) in calls(&place, "home/other", "echo bad > kept; echo x > $HOME/project/in") {
            let text = wrapped(&answer);
            assert!(text.contains(&format!(" --project {} ", place.path("home/project").display())), "{agent}: {text}");
            let mut shell = place.command("/bin/sh");
            let ran = Ran::from(shell.current_dir(place.path("home/other")).args(["-c", &text]).output().unwrap());
            assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher} {agent}: {ran:?}");
            assert_eq!(place.text("home/project/in").as_deref(), Some("x\n"), "{launcher} {agent}: {ran:?}");
            std::fs::remove_file(place.path("home/project/in")).unwrap();
        }
    });
}

#[test]
fn the_project_policy_applies_in_every_directory() {
    let place = Place::new();
    place.file("home/.config/snaphook/snaphook.toml", "[permissions]\nallow = [\"Bash\"]\n");
    place.file("home/project/.snaphook.toml", "[permissions]\ndeny = [\"Bash(git push *)\"]\n");
    std::fs::create_dir_all(place.path("home/project/sub/.git")).unwrap();
    for folder in ["home/project", "home/project/sub", "home/other", "home"] {
        for (agent, answer) in calls(&place, folder, "git push x") {
            assert!(is_denied(&answer), "{agent} {folder}: {answer}");
        }
        for (agent, answer) in calls(&place, folder, "git status") {
            assert!(!is_denied(&answer), "{agent} {folder}: {answer}");
        }
    }
    let call = pico("exec", &json!({"action": "run", "command": "git push x", "cwd": "/"}));
    assert!(is_denied(&answer(&place, "picoclaw", "home/project", &[], &call)));
    let call = pico("exec", &json!({"action": "run", "command": "git status"}));
    assert!(!is_denied(&answer(&place, "picoclaw", "home/project", &[], &call)));
}

#[test]
fn a_relative_path_is_denied_even_if_the_agent_names_no_folder() {
    let place = Place::new();
    let secret = place.path("home/secret");
    let rules = format!("[permissions]\ndeny = [\"Read(/{}/**)\"]\nallow = [\"Read(/**)\"]\n", secret.display());
    place.file("home/.config/snaphook/snaphook.toml", &rules);
    for (path, denied) in [("../secret/k", true), ("./x/../../secret/k", true), ("secret/k", false)] {
        let read = pico("read_file", &json!({ "path": path }));
        assert_eq!(is_denied(&answer(&place, "picoclaw", "home/project", &[], &read)), denied, "{path}");
        let run = pico("exec", &json!({"action": "run", "command": format!("cd . && cat {path}")}));
        assert_eq!(is_denied(&answer(&place, "picoclaw", "home/project", &[], &run)), denied, "{path}");
        let message = docker("", &format!("cat {path}"), Path::new("."));
        assert_eq!(is_denied(&answer(&place, "docker-agent", "home/project", &[], &message)), denied, "{path}");
    }
    for (folder, denied) in [("../secret", true), ("x/../../secret/", true), ("sub", false)] {
        let run = pico("exec", &json!({"action": "run", "command": "cat k", "cwd": folder}));
        assert_eq!(is_denied(&answer(&place, "picoclaw", "home/project", &[], &run)), denied, "{folder}");
        let message = docker("", "cat k", Path::new(folder));
        assert_eq!(is_denied(&answer(&place, "docker-agent", "home/project", &[], &message)), denied, "{folder}");
    }
}

#[test]
fn r6_a_wrapper_that_the_model_writes_is_wrapped_itself() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, ALLOWED);
        let project = place.path("home/project");
        let folder = project.to_str().unwrap();
        let asked = |command: &str| {
            let message = docker(folder, command, Path::new("."));
            answer(&place, "docker-agent", "home/project", &[], &message)
        };
        let ours = wrapped(&asked("echo bad > $HOME/other/kept"));
        assert_eq!(asked(&ours).pointer("/hook_specific_output/updated_input"), None, "{launcher}: it is ours");
        let theirs = ours.replace(&format!("--project {}", project.display()), "--project /");
        assert_ne!(theirs, ours);
        let text = wrapped(&asked(&theirs));
        assert!(text.contains(&format!(" --project {} -- ", project.display())), "{launcher}: {text}");
        let ran = Ran::from(place.command("/bin/sh").args(["-c", &text]).output().unwrap());
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher}: {ran:?}");
    });
}

#[test]
fn hidden_files_in_the_project_stay_hidden_if_a_command_creates_a_repository() {
    if !crate::place::has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/keys/k", "SECRET\n");
        std::fs::create_dir_all(place.path("home/project/pkg/.git")).unwrap();
        place.policy(launcher, "hide = [\"/keys\"]");
        let mut command = place.command(SNAPHOOK);
        command.args(["run", "--project"]).arg(place.path("home/project/pkg"));
        let ran = Ran::from(command.args(["--", "cat", "keys/k"]).output().unwrap());
        assert!(ran.code != Some(0) && !ran.out.contains("SECRET"), "{launcher}: {ran:?}");
    });
}

#[test]
fn s10_project_files_are_protected_from_a_command_in_another_directory() {
    if !crate::place::has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/.snaphook.toml", "[permissions]\n");
        place.file("home/project/pkg/.snaphook.toml", "[permissions]\n");
        place.policy(launcher, &format!("write = [\"/{}\"]", place.path("home/project").display()));
        for folder in ["home/project/pkg", "home/other"] {
            let mut command = place.command(SNAPHOOK);
            command.current_dir(place.path(folder)).args(["run", "--project"]).arg(place.path("home/project"));
            let text = "echo bad > \"$HOME/project/.snaphook.toml\"";
            let ran = Ran::from(command.args(["--", "sh", "-c", text]).output().unwrap());
            assert_ne!(ran.code, Some(0), "{launcher} {folder}: {ran:?}");
            assert_eq!(place.text("home/project/.snaphook.toml").as_deref(), Some("[permissions]\n"), "{folder}");
        }
    });
}

#[test]
fn r11_a_rewrite_that_another_hook_replaced_is_an_incident() {
    let place = Place::new();
    place.policy("landlock", ALLOWED);
    let project = place.path("home/project");
    let variables = [("CLAUDE_PROJECT_DIR", project.as_path())];
    let asked = |message: &Value| answer(&place, "claude-code", "home/project", &variables, message);
    let ours = wrapped(&asked(&style("PreToolUse", &project, "ls -l")));
    for (event, result) in [("PostToolUse", "tool_response"), ("PostToolUseFailure", "error")] {
        for (ran, held) in [
            (ours.clone(), true),
            (format!("{ours}; true"), false),
            (format!("rtk {ours}"), false),
            ("ls -l".to_owned(), false),
            (ours.replace(" --project ", " --project / --project "), false),
        ] {
            let mut message = style(event, &project, &ran);
            message[result] = json!("x");
            let said = asked(&message);
            let told = said["systemMessage"].as_str().unwrap_or_default();
            assert_eq!(told.contains("outside of the sandbox"), !held, "{event} {ran}: {said}");
        }
    }
}

/// PicoClaw starts its hooks in its own working directory, but most of its tools work in the workspace.
#[test]
fn a_relative_path_of_picoclaw_is_relative_to_its_workspace() {
    let place = Place::new();
    let rules = format!("[permissions]\ndeny = [\"Read(/{}/**)\"]\n", place.path("home/secret").display());
    place.file("home/.config/snaphook/snaphook.toml", &rules);
    for folder in ["elsewhere", "home/work/app", "home/work/other", "home/.picoclaw/workspace", "moved/workspace"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    place.file("home/work/app/.snaphook.toml", "[permissions]\ndeny = [\"Bash(git push *)\"]\n");
    place.file("elsewhere/.snaphook.toml", "[permissions]\ndeny = [\"Bash(make *)\"]\n");
    let config = |path: &str, workspace: &str| {
        place.file(path, &json!({"version": 3, "agents": {"defaults": {"workspace": workspace}}}).to_string());
    };
    let denied = |variables: &[(&str, &Path)], path: &str| {
        let read = pico("read_file", &json!({ "path": path }));
        let run = pico("exec", &json!({"action": "run", "command": format!("cat {path}")}));
        let answers = [read, run].map(|call| is_denied(&answer(&place, "picoclaw", "elsewhere", variables, &call)));
        assert_eq!(answers[0], answers[1], "{path}");
        answers[0]
    };
    let (two, three) = ("../../secret/k", "../../../secret/k");
    // The default applies if the setting is absent or broken, empty or a pipe.
    for broken in [None, Some("{"), Some("{\"agents\": {\"defaults\": {\"workspace\": \"\"}}}")] {
        if let Some(text) = broken {
            place.file("home/.picoclaw/config.json", text);
        }
        assert!(denied(&[], two) && !denied(&[], three), "{broken:?}");
    }
    std::fs::remove_file(place.path("home/.picoclaw/config.json")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.path("home/.picoclaw/config.json")).status().unwrap();
    assert!(made.success() && denied(&[], two));
    std::fs::remove_file(place.path("home/.picoclaw/config.json")).unwrap();

    let app = place.path("home/work/app");
    for workspace in [app.to_str().unwrap(), "~/work/app", "../home/work/app"] {
        config("home/.picoclaw/config.json", workspace);
        assert!(denied(&[], two) && !denied(&[], three), "{workspace}");
        assert!(!denied(&[], "../secret/k"), "{workspace}");
        // Its file tools use its working directory if they are not restricted to the workspace.
        assert!(denied(&[], "../home/secret/k"), "{workspace}");
        for command in ["cd sub && cat ../../../secret/k", "cd sub && cat ../../home/secret/k"] {
            let run = pico("exec", &json!({"action": "run", "command": command}));
            assert!(is_denied(&answer(&place, "picoclaw", "elsewhere", &[], &run)), "{workspace}: {command}");
        }
        for (command, denied) in [("git push x", true), ("make x", true), ("git status", false)] {
            let run = pico("exec", &json!({"action": "run", "command": command}));
            let answer = answer(&place, "picoclaw", "elsewhere", &[], &run);
            assert_eq!(is_denied(&answer), denied, "{workspace}: {command}: {answer}");
        }
    }
    // The folder is gone: every path in it is denied.
    config("home/.picoclaw/config.json", "~/work/gone");
    assert!(denied(&[], "../home/secret/k"));

    config("home/.picoclaw/config.json", "~/work");
    config("moved/config.json", "~/work/app");
    let (home, file) = (place.path("moved"), place.path("moved/config.json"));
    let other = place.path("home/work/other");
    assert!(denied(&[], "../secret/k"));
    assert!(denied(&[("PICOCLAW_HOME", &home)], two) && !denied(&[("PICOCLAW_HOME", &home)], "../secret/k"));
    assert!(denied(&[("PICOCLAW_CONFIG", &file)], two));
    std::fs::remove_file(&file).unwrap();
    assert!(denied(&[("PICOCLAW_HOME", &home)], "../../home/secret/k"));
    assert!(denied(&[("PICOCLAW_AGENTS_DEFAULTS_WORKSPACE", &other)], two));
}

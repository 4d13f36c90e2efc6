//! Installed entries block calls: `doctor` starts each registered command as its agent does.

use std::fs;

use serde_json::Value;

use crate::place::Place;
use crate::skipped::skipped;
use crate::{CLAUDE, CODEX, DOCKER, HERMES, HYGGE, PICOCLAW, approve, install, place};

const DOCKER_VERSIONS: [&str; 2] = ["1.140.0", "1.110.0"];

/// The findings about one agent's registered commands: state and text.
fn findings(place: &Place, words: &[&str]) -> Vec<(String, String)> {
    let said = place.run(&[&["doctor", "--json"], words].concat());
    let agent = words[0];
    let all: Vec<Value> = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let about = |finding: &&Value| finding["about"].as_str().unwrap().starts_with(agent);
    let texts = |finding: &Value| {
        let remedy = finding["remedy"].as_str().unwrap_or_default();
        assert!(finding["state"] != "bad" || !remedy.is_empty(), "no remedy: {finding:#}");
        (finding["state"].as_str().unwrap().to_owned(), format!("{} {}", finding["about"], finding["what"]))
    };
    all.iter().filter(about).map(texts).collect()
}

#[test]
fn the_installed_line_of_every_agent_blocks() {
    for (agent, name, before, words) in [
        ("claude-code", CLAUDE, "{}", &[][..]),
        ("codex", CODEX, "{}", &[]),
        ("hygge", HYGGE, "", &[]),
        ("picoclaw", PICOCLAW, "{\"version\": 1}", &[]),
        ("picoclaw", PICOCLAW, "{\"version\": 2}", &[]),
        ("picoclaw", PICOCLAW, "{\"version\": 3}", &[]),
        ("docker-agent", DOCKER, "", &["--agent-version", DOCKER_VERSIONS[0]]),
        ("docker-agent", DOCKER, "", &["--agent-version", DOCKER_VERSIONS[1]]),
    ] {
        let place = place();
        if !before.is_empty() {
            place.file(name, before);
        }
        place.run(&[&["install", agent, "--yes"], words].concat()).says(0, &["starter policy", "registered in"]);
        let doctor = |place: &Place| findings(place, &[&[agent], words].concat());
        if agent == "codex" {
            place.run(&["doctor", agent]).says(1, &["BAD   codex", "waiting for your approval", "/hooks"]);
            approve(&place);
        }
        let found = doctor(&place);
        let blocking = found.iter().filter(|(_, what)| what.contains("blocks a call")).count();
        let passing = found.iter().filter(|(_, what)| what.contains("lets a call pass")).count();
        assert!(
            blocking > 0 && passing == blocking && found.iter().all(|(state, _)| state != "bad"),
            "{agent} {words:?}: {found:#?}"
        );
        // An invalid policy blocks too.
        let policy = place.all().into_keys().find(|path| path.ends_with(".config/snaphook/snaphook.toml")).unwrap();
        fs::write(policy, "[permissions\n").unwrap();
        let found = doctor(&place);
        let mut bad = found.iter().filter(|(state, _)| state == "bad");
        assert!(bad.all(|(_, what)| what.contains("is invalid")), "{agent} {words:?}: {found:#?}");
        assert_eq!(found.iter().filter(|(_, what)| what.contains("blocks a call")).count(), blocking, "{found:#?}");
        place.run(&["doctor", agent]).says(1, &["BAD   policy"]);
    }
}

#[test]
fn doctor_reports_a_line_that_does_not_block() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    let good = place.read(CLAUDE);
    // Without the guard a missing program lets every call through.
    let binary = place.binary().to_str().unwrap();
    let broken = good.replace(binary, "/nowhere/snaphook").replace(" || ", " ; true || ");
    fs::write(place.path(CLAUDE), broken).unwrap();
    let found = findings(&place, &["claude-code"]);
    assert!(found.iter().any(|(state, what)| state == "bad" && what.contains("does not block")), "{found:#?}");
    place.run(&["doctor", "claude-code"]).says(1, &["BAD", "snaphook install claude-code"]);
    // With the guard every call is denied.
    fs::write(place.path(CLAUDE), good.replace(binary, "/nowhere/snaphook")).unwrap();
    let found = findings(&place, &["claude-code"]);
    assert!(found.iter().any(|(_, what)| what.contains("blocks a call")), "{found:#?}");
    let says = "blocks a call that its policy lets pass";
    assert!(found.iter().any(|(state, what)| state == "bad" && what.contains(says)), "{found:#?}");
    // Without any entry.
    fs::write(place.path(CLAUDE), "{}").unwrap();
    place
        .run(&["doctor", "claude-code"])
        .says(1, &["BAD   claude-code: not registered", "snaphook install claude-code"]);
}

#[test]
fn doctor_tests_the_sandbox_and_mentions_the_agents_own_rules() {
    let place = place();
    place.file(CLAUDE, "{\"permissions\": {\"deny\": [\"Bash(curl *)\"]}}");
    install(&place, "claude-code").says(0, &[]);
    let policy = "home/.config/snaphook/snaphook.toml";
    let sandbox = |launcher: &str| place.file(policy, &format!("[sandbox]\nlauncher = {launcher}\n"));
    sandbox("[\"/bin/sh\", \"-c\", \"exec \\\"$@\\\"\", \"sh\", \"{}\"]");
    let lets = place.run(&["doctor", "claude-code"]);
    lets.says(1, &["BAD   sandbox: ", "was not refused", "1 deny and ask rules", "snaphook import claude-code"]);
    sandbox("[\"/nowhere/launcher\", \"{}\"]");
    place.run(&["doctor", "claude-code"]).says(1, &["BAD   sandbox: a command cannot be run in the sandbox"]);
    // The folder for temporary files, which contains this home, is writable unless the list excludes it.
    sandbox("\"landlock\"\nwrite = [\".\"]");
    let said = place.run(&["doctor", "claude-code"]);
    if said.out.contains("cannot be run in the sandbox") {
        skipped("the sandbox of the kernel: not available here");
    } else {
        said.says(0, &["ok    sandbox: a write outside the sandbox is refused"]);
    }
    place.answered(&["import", "claude-code"], "y\n").says(0, &[": 1 rules are added"]);
    let said = place.run(&["doctor", "claude-code"]);
    assert!(!said.out.contains("deny and ask rules"), "{said:?}");
}

/// The pairs of event and command line in Hermes' settings.
fn hooks_of_hermes(settings: &str) -> Vec<Value> {
    let mut event = "";
    let mut pairs = Vec::new();
    for line in settings.lines() {
        if let Some(name) =
            line.strip_prefix("  ").and_then(|line| line.strip_suffix(':')).filter(|name| !name.contains(' '))
        {
            event = name;
        } else if let Some(command) = line.trim().strip_prefix("- command: ") {
            let command: Value = serde_json::from_str(command).unwrap();
            pairs.push(serde_json::json!({"event": event, "command": command}));
        }
    }
    pairs
}

#[test]
fn hermes_waits_until_each_line_is_approved() {
    let place = place();
    place.file(HERMES, "model: x\n");
    install(&place, "hermes").says(0, &["--accept-hooks"]);
    let waits = "waiting for your approval";
    place.run(&["doctor", "hermes"]).says(1, &[waits, "--accept-hooks"]);
    let mut pairs = hooks_of_hermes(&place.read(HERMES));
    let list = |pairs: &[Value]| {
        place.file("home/.hermes/shell-hooks-allowlist.json", &serde_json::json!({"approvals": pairs}).to_string());
    };
    list(&pairs[1..]);
    place.run(&["doctor", "hermes"]).says(1, &[waits]);
    list(&pairs);
    place.run(&["doctor", "hermes"]).says(0, &["config.yaml is current", "blocks a call"]);
    // An approval is about one event.
    pairs[0]["event"] = "post_tool_call".into();
    list(&pairs);
    place.run(&["doctor", "hermes"]).says(1, &[waits]);
    let settings = place.read(HERMES);
    place.file(HERMES, &format!("hooks_auto_accept: true\n{settings}"));
    place.run(&["doctor", "hermes"]).says(0, &["config.yaml is current"]);
}

#[test]
fn doctor_reports_a_gate_without_a_line() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    place.run(&["doctor", "claude-code"]).says(0, &["settings.json is current"]);
    let mut settings: Value = serde_json::from_str(&place.read(CLAUDE)).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("UserPromptSubmit");
    fs::write(place.path(CLAUDE), settings.to_string()).unwrap();
    place
        .run(&["doctor", "claude-code"])
        .says(1, &["is stale", "claude-code UserPromptSubmit: no entry calls snaphook"]);
}

#[test]
fn imported_rules_never_allow_more_than_before() {
    let place = place();
    let kept = [
        "Read(./src/**)",
        "Edit",
        "Bash(git status:*)",
        "WebFetch(domain:example.org)",
        "Task",
        "mcp__github",
        "Skill(x)",
        "TodoWrite",
    ];
    let lost = ["Write", "Write(src/**)", "NotebookEdit(a)", "MultiEdit", "Glob", "Grep(./secret/**)", "LS"];
    let strict = ["Write(docs/**)", "Grep(./secret/**)"];
    let allow = [kept.as_slice(), &lost].concat();
    let settings = serde_json::json!({"permissions": {"allow": allow, "deny": strict}});
    place.file(CLAUDE, &settings.to_string());
    let said = place.answered(&["import", "claude-code"], "y\n");
    said.says(0, &[": 10 rules are added"]);
    let policy: toml::Table = toml::from_str(&place.read("home/.config/snaphook/snaphook.toml")).unwrap();
    let new = |list: &str| -> Vec<String> {
        let rules = policy["permissions"].get(list).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        rules.iter().map(|rule| rule.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((new("allow"), new("deny")), (kept.map(str::to_owned).to_vec(), strict.map(str::to_owned).to_vec()));
    for rule in lost {
        assert!(said.out.contains(&format!("not imported: allow: {rule}")), "{rule}: {}", said.out);
    }
}

#[test]
fn doctor_names_the_versions_that_changed_the_protocol() {
    let place = place();
    let doctor = |agent: &str, version: &str| place.run(&["doctor", agent, "--agent-version", version]).out;
    for (agent, version, says) in [
        (
            "claude-code",
            "2.1.200",
            &["note  claude-code: version 2.1.200 is before 2.1.241: `onFailure`", "update Claude Code"][..],
        ),
        (
            "claude-code",
            "2.1.400",
            &["version 2.1.400 is newer than 2.1.329", "have it run a command that the policy denies"],
        ),
        ("codex", "0.120.0", &["hooks receive only Bash"]),
        ("docker-agent", "1.110.0", &["is before 1.138.0"]),
        ("docker-agent", "v1.60.0", &["is before 1.89.0: since v1.53 no hook is called before a tool under --yolo"]),
        ("picoclaw", "0.2.5", &["is before 0.2.6"]),
    ] {
        let said = doctor(agent, version);
        assert!(says.iter().all(|part| said.contains(part)), "{agent} {version}: {said}");
    }
    for (agent, version) in
        [("claude-code", "2.1.329"), ("docker-agent", "1.141.0"), ("hygge", "0.17.5"), ("picoclaw", "0.2.8")]
    {
        assert!(doctor(agent, version).contains(&format!("ok    {agent}: version {version}")), "{agent}");
    }
}

#[test]
fn doctor_sends_a_call_that_must_pass_and_leaves_no_record() {
    let place = place();
    place.run(&["install", "claude-code", "--yes"]).says(0, &[]);
    let doctor = || place.run(&["doctor", "claude-code"]);
    doctor().says(0, &["PreToolUse in ~/.claude/settings.json: lets a call pass that the policy does not block"]);
    assert!(!place.path("home/.local/state/snaphook/audit.jsonl").exists());

    let (policy, settings) = ("home/.config/snaphook/snaphook.toml", "home/.claude/settings.json");
    let written = place.read(policy);
    fs::remove_file(place.path(policy)).unwrap();
    let said = doctor();
    said.says(1, &["snaphook.toml, which does not exist: every gated call is denied"]);
    assert_eq!(said.out.matches("which does not exist").count(), 1, "{said:?}");
    place.file(policy, "[permissions]\ndeny = ['Bsh']\n");
    doctor().says(1, &["the policy that the entry names is invalid", "unknown rule name `Bsh`"]);
    place.file(policy, "[permissions]\ndeny = ['*']\n");
    doctor().says(0, &["its policy blocks every harmless call of the check"]);
    place.file(policy, "[[handler]]\nname = 'strict'\nmatch = ['PreTool']\ncommand = ['/bin/false']\n");
    doctor().says(0, &["note  claude-code PreToolUse", "blocks a harmless call (strict)"]);

    // Another policy than the one of the user: the line decides which one is meant.
    place.file(policy, "[permissions]\ndeny = ['Bsh']\n");
    let other = place.file("other.toml", &written);
    let text = place.read(settings);
    place.file(settings, &text.replace(&place.at(policy), &other));
    doctor().says(1, &["BAD   policy", "ok    claude-code PreToolUse in ~/.claude/settings.json: lets a call pass"]);

    // A program in the place of snaphook that blocks everything.
    place.file(policy, &written);
    let blocks = place.file("home/snaphook-blocks", "#!/bin/sh\necho no >&2\nexit 2\n");
    fs::set_permissions(&blocks, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    place.file(settings, &text.replace(place.binary().to_str().unwrap(), &blocks));
    doctor().says(1, &["BAD   claude-code PreToolUse", "blocks a call that its policy lets pass: exit 2, no"]);
}

//! The states that `status` reports, and the effects of install and uninstall in each.

use std::fs;

use serde_json::{Value, json};
use snaphook_adapters::protocol::HookProtocol;
use snaphook_adapters::registry::Registry;

use crate::place::Place;
use crate::{CLAUDE, CODEX, DOCKER, HYGGE, OPENCLAW, PICOCLAW, approve, install, place, uninstall};

/// The states of an agent; checks that the exit code agrees.
pub(crate) fn states(place: &Place, words: &[&str]) -> Vec<String> {
    let said = place.run(&[&["status", "--json"], words].concat());
    let report: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let lines = report["registrations"].as_array().unwrap();
    let states: Vec<String> = lines.iter().map(|line| line["state"].as_str().unwrap().to_owned()).collect();
    let current = states.iter().all(|state| state == "current");
    assert_eq!(said.code, Some(i32::from(!current)), "{said:?}");
    for line in lines.iter().filter(|line| line["state"] != "current") {
        assert!(!line["remedy"].as_str().unwrap().is_empty(), "{line:#}");
    }
    states
}

#[test]
fn an_agent_with_settings_in_another_file_is_registered_with_all_of_them() {
    let place = place();
    place.file(OPENCLAW, "{}");
    assert_eq!(states(&place, &["openclaw"]), ["absent"]);
    install(&place, "openclaw").says(0, &["plugins.allow"]);
    assert_eq!(states(&place, &["openclaw"]), ["current"]);
    let with = place.read(OPENCLAW);
    // OpenClaw goes on without the plug-in and does not say so.
    fs::write(place.path(OPENCLAW), with.replace("\"enabled\": true", "\"enabled\": false")).unwrap();
    assert_eq!(states(&place, &["openclaw"]), ["switched-off"]);
    for missing in ["home/.openclaw/extensions/snaphook/package.json", OPENCLAW] {
        fs::write(place.path(OPENCLAW), &with).unwrap();
        fs::write(place.path(missing), "{}").unwrap();
        assert_eq!(states(&place, &["openclaw"]), ["absent"], "{missing}");
        install(&place, "openclaw").says(0, &[]);
        assert_eq!(states(&place, &["openclaw"]), ["current"], "{missing}");
    }
}

#[test]
fn an_install_and_an_uninstall_change_the_state() {
    let place = place();
    place.file(CLAUDE, "{}");
    assert_eq!(states(&place, &["claude-code"]), ["absent"]);
    install(&place, "claude-code").says(0, &[]);
    assert_eq!(states(&place, &["claude-code"]), ["current"]);
    assert_eq!(states(&place, &[]), ["current"]);
    uninstall(&place, "claude-code").says(0, &[]);
    assert_eq!(states(&place, &["claude-code"]), ["absent"]);
    place.file(CLAUDE, "{");
    assert_eq!(states(&place, &["claude-code"]), ["unknown"]);
}

#[test]
fn an_entry_changed_by_the_user_is_kept() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    let mut changed: Value = serde_json::from_str(&place.read(CLAUDE)).unwrap();
    changed["hooks"]["PreToolUse"][0]["matcher"] = json!("Bash");
    let text = serde_json::to_string_pretty(&changed).unwrap();
    fs::write(place.path(CLAUDE), &text).unwrap();
    assert_eq!(states(&place, &["claude-code"]), ["edited"]);
    install(&place, "claude-code")
        .says(0, &["not changed, because it was changed since the install: hooks.PreToolUse"]);
    assert_eq!(place.read(CLAUDE), text);
    uninstall(&place, "claude-code").says(0, &["not changed, because"]);
    let left: Value = serde_json::from_str(&place.read(CLAUDE)).unwrap();
    assert_eq!(left["hooks"]["PreToolUse"], changed["hooks"]["PreToolUse"]);
    assert_eq!(left["hooks"].as_object().unwrap().len(), 1, "{left:#}");
}

/// The commands of an event of Claude Code, in order; that of snaphook is shortened to `snaphook`.
fn commands(place: &Place, event: &str) -> Vec<String> {
    let now: Value = serde_json::from_str(&place.read(CLAUDE)).unwrap();
    let command = |group: &Value| group["hooks"][0]["command"].as_str().unwrap().to_owned();
    let commands = now["hooks"][event].as_array().unwrap().iter().map(command);
    commands.map(|text| if text.contains("snaphook hook") { "snaphook".to_owned() } else { text }).collect()
}

/// Appends an entry after all others.
fn add(place: &Place, file: &str, event: &str, matcher: &str, command: &str) {
    let mut text: Value =
        fs::read_to_string(place.path(file)).map_or(json!({}), |text| serde_json::from_str(&text).unwrap());
    let list = &mut text["hooks"][event];
    if list.is_null() {
        *list = json!([]);
    }
    let group = json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    list.as_array_mut().unwrap().push(group);
    place.file(file, &text.to_string());
}

#[test]
fn the_path_of_a_moved_program_is_updated_in_place_unless_the_last_entry_decides() {
    let old = Place::with_program_in("old");
    for event in ["PreToolUse", "PostToolUse"] {
        add(&old, CLAUDE, event, "*", "first");
    }
    install(&old, "claude-code").says(0, &[]);
    for event in ["PreToolUse", "PostToolUse"] {
        add(&old, CLAUDE, event, "*", "last");
    }
    fs::create_dir_all(old.path("new")).unwrap();
    fs::rename(old.path("old/snaphook"), old.path("new/snaphook")).unwrap();
    let moved = |words: &[&str]| crate::Said::of(old.command(old.path("new/snaphook")).args(words), "");
    moved(&["status", "claude-code"]).says(1, &["stale", "snaphook install claude-code"]);
    moved(&["install", "claude-code", "--yes"]).says(0, &["renewed"]);
    moved(&["status", "claude-code"]).says(0, &["current"]);
    assert_eq!(commands(&old, "PostToolUse"), ["first", "snaphook", "last"]);
    assert_eq!(commands(&old, "PreToolUse"), ["first", "last", "snaphook"]);
    assert!(old.read(CLAUDE).contains("/new/snaphook hook") && !old.read(CLAUDE).contains("/old/snaphook"));
}

#[test]
fn our_entry_is_put_last_if_the_last_entry_decides() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    for matcher in ["Edit|Write", "mcp__x"] {
        add(&place, CLAUDE, "PreToolUse", matcher, "other");
    }
    assert_eq!(states(&place, &["claude-code"]), ["current"], "no command is changed by these");
    for (count, matcher) in ["Bash", "", "*", "Read, Bash", "^Ba"].into_iter().enumerate() {
        add(&place, CLAUDE, "PreToolUse", matcher, "later");
        assert_eq!(states(&place, &["claude-code"]), ["stale"], "{matcher}");
        let place_of_it = format!("hooks.PreToolUse[{}] runs after snaphook", count + 3);
        place.run(&["status", "claude-code"]).says(1, &[&place_of_it]);
        place.run(&["doctor", "claude-code"]).says(1, &["BAD   claude-code", &place_of_it]);
        install(&place, "claude-code").says(0, &["1 entry renewed"]);
        assert_eq!(states(&place, &["claude-code"]), ["current"], "{matcher}");
        assert_eq!(commands(&place, "PreToolUse").last().unwrap(), "snaphook");
    }
    assert_eq!(commands(&place, "PreToolUse").len(), 8);
    uninstall(&place, "claude-code").says(0, &[]);
    let left = commands(&place, "PreToolUse");
    assert_eq!(left, ["other", "other", "later", "later", "later", "later", "later"]);
}

#[test]
fn entries_in_other_files_that_could_run_after_ours_are_named() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    let plugin = "home/.claude/plugins/cache/market/tool/1.0/hooks/hooks.json";
    for (file, shown) in [
        ("project/.claude/settings.json", "project/.claude/settings.json"),
        ("project/.claude/settings.local.json", "project/.claude/settings.local.json"),
        ("home/.claude/settings.local.json", "~/.claude/settings.local.json"),
        (plugin, "~/.claude/plugins/cache/market/tool/1.0/hooks/hooks.json"),
    ] {
        add(&place, file, "PostToolUse", "*", "x");
        add(&place, file, "PreToolUse", "Write", "x");
        place.run(&["status", "claude-code"]).says(0, &["current"]);
        assert!(!place.run(&["status", "claude-code"]).out.contains("runs after snaphook"), "{file}");
        add(&place, file, "PreToolUse", "Bash", "x");
        let said = place.run(&["status", "claude-code"]);
        assert!(
            said.says(0, &["hooks.PreToolUse[1] in "]).out.contains(&format!("{shown} runs after snaphook")),
            "{said:?}"
        );
        let json: Value = serde_json::from_str(&place.run(&["status", "claude-code", "--json"]).out).unwrap();
        assert_eq!(json["registrations"][0]["conflicts"].as_array().unwrap().len(), 1, "{json:#}");
        place.run(&["doctor", "claude-code"]).says(0, &["note  claude-code: hooks.PreToolUse[1] in "]);
        fs::remove_file(place.path(file)).unwrap();
    }
}

#[test]
fn doctor_reports_the_limits_that_no_hook_can_close() {
    let place = place();
    let version = ["--agent-version", "1.110.0"];
    place.run(&[&["install", "docker-agent", "--yes"], &version[..]].concat()).says(0, &[]);
    let doctor = |version: &str| place.run(&["doctor", "docker-agent", "--agent-version", version]);
    let config = "home/.config/cagent/config.yaml";
    for (text, place_of_it) in [
        ("aliases:\n  fast:\n    path: ./a.yaml\n    yolo: true\n  slow:\n    path: ./a.yaml\n", "`aliases.fast.yolo`"),
        ("settings:\n  YOLO: true\n", "`settings.YOLO`"),
    ] {
        place.file(config, text);
        doctor("1.110.0")
            .says(0, &[&format!("note  docker-agent: {place_of_it} in ~/.config/cagent/config.yaml is true")]);
        assert!(!doctor("1.140.0").out.contains("is true"), "that version calls hooks all the same");
    }
    for text in ["aliases:\n  slow:\n    path: ./a.yaml\n    yolo: false\n", "settings: [\n", ""] {
        place.file(config, text);
        assert!(!doctor("1.110.0").out.contains("is true"), "{text}");
    }
    let policy = "home/.config/snaphook/snaphook.toml";
    fs::remove_file(place.path(policy)).unwrap();
    doctor("1.110.0").says(1, &["an entry names the policy ~/.config/snaphook/snaphook.toml, which does not exist"]);
}

#[test]
fn the_path_of_a_moved_program_is_updated_even_without_a_record() {
    let agents = [
        ("claude-code", CLAUDE, "{}", &[][..]),
        ("codex", CODEX, "{}", &[]),
        ("hygge", HYGGE, "", &[]),
        ("picoclaw", PICOCLAW, "{\"version\": 3, \"hooks\": {\"processes\": {\"x\": {\"priority\": 2000}}}}", &[]),
        ("docker-agent", DOCKER, "", &["--agent-version", "1.140.0"]),
        ("docker-agent", DOCKER, "", &["--agent-version", "1.110.0"]),
    ];
    for (agent, file, before, words) in agents {
        let old = Place::with_program_in("an old place");
        if !before.is_empty() {
            old.file(file, before);
        }
        old.run(&[&["install", agent, "--yes"], words].concat()).says(0, &[]);
        fs::remove_dir_all(old.path("home/.local/state")).unwrap();
        fs::create_dir_all(old.path("new")).unwrap();
        fs::rename(old.path("an old place/snaphook"), old.path("new/snaphook")).unwrap();
        let moved = |command: &str, flags: &[&str]| {
            crate::Said::of(old.command(old.path("new/snaphook")).args([&[command, agent], words, flags].concat()), "")
        };
        moved("status", &[]).says(1, &["stale", &format!("snaphook install {agent}")]);
        let words = [&["install", agent], words].concat();
        old.answered_by(&old.path("new/snaphook"), &words, "y\n").says(0, &["renewed"]);
        assert!(!old.read(file).contains("an old place"), "{agent}: {}", old.read(file));
        if agent == "codex" {
            approve(&old);
        }
        moved("status", &[]).says(0, &["current"]);
    }
}

#[test]
fn entries_of_a_project_are_the_same_for_everyone() {
    for agent in Registry::standard().iter().map(HookProtocol::agent) {
        let Some(block) = agent.registration.blocks.iter().rfind(|block| !block.project.is_empty()) else { continue };
        let place = place();
        place.run(&["install", agent.id, "--project", "--yes"]).says(0, &["Everyone who works on this project needs"]);
        let written = place.read(&format!("project/{}", block.project));
        assert!(written.contains("snaphook"), "{}: {written}", agent.id);
        assert!(!written.contains(place.path("").to_str().unwrap()), "{}: {written}", agent.id);
        // Another user, whose snaphook has no record of the file.
        fs::remove_dir_all(place.path("home/.local")).unwrap();
        let all = states(&place, &[agent.id]);
        assert!(!all.iter().any(|state| ["stale", "edited by you"].contains(&state.as_str())), "{}: {all:?}", agent.id);
        place.run(&["install", agent.id, "--project", "--yes"]).says(0, &["is up to date"]);
    }
}

#[test]
fn codex_is_waiting_until_the_user_approves_the_entry() {
    let place = place();
    place.file(CODEX, "{}");
    install(&place, "codex").says(0, &["still to do", "/hooks"]);
    assert_eq!(states(&place, &["codex"]), ["waiting-for-you"]);
    approve(&place);
    assert_eq!(states(&place, &["codex"]), ["current"]);
}

#[test]
fn a_hook_of_another_agent_that_an_agent_runs_too_is_shadowed() {
    let place = place();
    install(&place, "copilot").says(0, &[]);
    assert_eq!(states(&place, &["copilot"]), ["current"]);
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    assert_eq!(states(&place, &["copilot"]), ["current", "shadowed"]);
}

#[test]
fn a_second_registration_is_shadowed() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    assert_eq!(states(&place, &["claude-code"]), ["current", "shadowed"]);
    place.answered(&["uninstall", "claude-code", "--project"], "y\n").says(0, &[]);
    assert_eq!(states(&place, &["claude-code"]), ["current"]);
}

#[test]
fn picoclaw_is_registered_by_the_version_of_its_file() {
    let place = place();
    place.file(PICOCLAW, "{\"agents\": {}}");
    install(&place, "picoclaw").says(1, &["no `version`", "start it once"]);
    for (text, why) in [
        ("{\"version\": 9}", "unknown `version` 9; expected 1, 2, 3"),
        ("{\"version\": 3, \"hooks\": {\"enabled\": false}}", "`hooks.enabled` is false"),
    ] {
        place.file(PICOCLAW, text);
        install(&place, "picoclaw").says(1, &[why]);
        assert_eq!(place.read(PICOCLAW), text);
    }
    place.file(PICOCLAW, "{\"version\": 3}");
    install(&place, "picoclaw").says(0, &[]);
    assert_eq!(states(&place, &["picoclaw"]), ["current"]);
    // The agent rewrites the file with all defaults and in its own order.
    let mut file: Value = serde_json::from_str(&place.read(PICOCLAW)).unwrap();
    file["hooks"]["processes"]["snaphook"]["dir"] = json!("");
    file["hooks"]["defaults"] = json!({"interceptor_timeout_ms": 5000});
    file["agents"] = json!({"defaults": {}});
    place.file(PICOCLAW, &file.to_string());
    assert_eq!(states(&place, &["picoclaw"]), ["current"]);
    fs::remove_file(place.path("home/.local/state/snaphook/installed.json")).unwrap();
    assert_eq!(states(&place, &["picoclaw"]), ["current"]);
    uninstall(&place, "picoclaw").says(0, &[]);
    let left: Value = serde_json::from_str(&place.read(PICOCLAW)).unwrap();
    assert!(!left.to_string().contains("snaphook"), "{left:#}");
    assert_eq!(left["agents"], json!({"defaults": {}}));
}

#[test]
fn docker_agent_is_registered_in_the_dialect_of_its_version() {
    let place = place();
    let install = |version: &str| place.run(&["install", "docker-agent", "--yes", "--agent-version", version]);
    install("1.140.0").says(0, &[]);
    assert!(place.read(DOCKER).contains("tool_guard:"));
    assert_eq!(states(&place, &["docker-agent", "--agent-version", "1.140.0"]), ["current"]);
    assert_eq!(states(&place, &["docker-agent", "--agent-version", "1.110.0"]), ["stale"]);
    install("1.110.0").says(1, &["Nothing was changed", "on a terminal"]);
    let answered = |version: &str| place.answered(&["install", "docker-agent", "--agent-version", version], "y\n");
    answered("1.110.0").says(0, &["renewed"]);
    assert!(place.read(DOCKER).contains("preempt_yolo: true") && !place.read(DOCKER).contains("tool_guard:"));
    place.answered(&["uninstall", "docker-agent"], "y\n").says(0, &[]);
    assert!(!place.path(DOCKER).exists());
    // The version supports a folder of hooks, which does not exist yet.
    let config = "home/.config/cagent/config.yaml";
    let before = "# mine\naliases:\n  a:\n    path: ./a.yaml\n";
    place.file(config, before);
    install("1.98.0").says(0, &["a required sandbox denies every command"]);
    assert!(place.read(config).starts_with(before) && place.read(config).contains("preempt_yolo: true"));
    assert_eq!(states(&place, &["docker-agent", "--agent-version", "1.98.0"]), ["current"]);
    place.run(&["doctor", "docker-agent", "--agent-version", "1.98.0"]).says(0, &["blocks a call that must be denied"]);
    // After an update, both registrations would run.
    install("1.110.0").says(0, &[]);
    assert_eq!(states(&place, &["docker-agent", "--agent-version", "1.110.0"]), ["current", "shadowed"]);
    place.answered(&["uninstall", "docker-agent"], "y\n").says(0, &[]);
    assert_eq!((place.read(config).as_str(), place.path(DOCKER).exists()), (before, false));
    place.file(config, "settings:\n  theme: dark\n");
    install("1.98.0").says(1, &["config.yaml: `settings` is already defined", "--snippet"]);
    assert_eq!(place.read(config), "settings:\n  theme: dark\n");
    install("1.60.0").says(1, &["snaphook agents docker-agent --snippet"]);
}

#[test]
fn a_setting_that_disables_hooks_is_reported() {
    let place = place();
    place.file(CLAUDE, "{}");
    install(&place, "claude-code").says(0, &[]);
    for (file, text) in [
        ("home/.claude/settings.local.json", "{\"disableAllHooks\": true}"),
        ("project/.claude/settings.json", "{\"disableAllHooks\": true}"),
    ] {
        place.file(file, text);
        assert_eq!(states(&place, &["claude-code"]), ["switched-off"], "{file}");
        let remedy = "set it to false";
        place.run(&["doctor", "claude-code"]).says(1, &["BAD   claude-code", "switched off", &place.at(file), remedy]);
        install(&place, "claude-code").says(0, &["still to do: `disableAllHooks` is true in", remedy]);
        // A file with higher precedence overrides the setting.
        place.file("project/.claude/settings.local.json", "{\"disableAllHooks\": false}");
        assert_eq!(states(&place, &["claude-code"]), ["current"], "{file}");
        fs::remove_file(place.path("project/.claude/settings.local.json")).unwrap();
        fs::remove_file(place.path(file)).unwrap();
    }
    // Only managed settings can set this.
    place.file("home/.claude/settings.local.json", "{\"allowManagedHooksOnly\": true}");
    assert_eq!(states(&place, &["claude-code"]), ["current"]);

    place.file(CODEX, "{}");
    install(&place, "codex").says(0, &[]);
    approve(&place);
    let approved = place.read("home/.codex/config.toml");
    for (name, state) in [("hooks", "switched-off"), ("codex_hooks", "switched-off"), ("other", "current")] {
        place.file("home/.codex/config.toml", &format!("{approved}[features]\n{name} = false\n"));
        assert_eq!(states(&place, &["codex"]), [state], "{name}");
    }
}

#[test]
fn a_file_that_the_agent_rejects_is_neither_current_nor_changed() {
    let place = place();
    let text = "{\"model\": \"x\", \"description\": \"mine\"}";
    place.file(CODEX, text);
    install(&place, "codex").says(1, &["hooks.json: Codex rejects the whole file because of the member `model`"]);
    assert_eq!(place.read(CODEX), text);
    place.file(CODEX, "{\"description\": \"mine\"}");
    install(&place, "codex").says(0, &[]);
    approve(&place);
    assert_eq!(states(&place, &["codex"]), ["current"]);
    place.file(CODEX, &place.read(CODEX).replacen('{', "{\"permissions\": {},", 1));
    assert_eq!(states(&place, &["codex"]), ["switched-off"]);
    place.run(&["doctor", "codex"]).says(1, &["switched off", "remove it"]);
}

#[test]
fn members_added_by_the_agent_are_not_an_edit_and_others_are() {
    for (agent, file, before, from, to, state) in [
        ("hygge", HYGGE, "", "timeout = \"10s\"", "timeout = \"10s\"\nmode = \"async\"", "edited"),
        ("picoclaw", PICOCLAW, "{\"version\": 3}", "\"transport\"", "\"observe\": [], \"transport\"", "current"),
        ("picoclaw", PICOCLAW, "{\"version\": 3}", "\"transport\"", "\"env\": {\"A\": \"1\"}, \"transport\"", "edited"),
        ("picoclaw", PICOCLAW, "{\"version\": 3}", "\"transport\"", "\"dir\": \"/x\", \"transport\"", "edited"),
    ] {
        let place = place();
        place.file(file, before);
        install(&place, agent).says(0, &[]);
        place.file(file, &place.read(file).replacen(from, to, 1));
        assert_eq!(states(&place, &[agent]), [state], "{to}");
        place.run(&["doctor", agent]).says(i32::from(state != "current"), &[]);
    }
}

#[test]
fn an_install_lists_the_open_limits_of_the_registered_version() {
    let place = place();
    let said = |words: &[&str]| place.answered(&[&["install"], words].concat(), "y\n").out;
    let (late_b, c) =
        (said(&["docker-agent", "--agent-version", "1.110.0"]), said(&["docker-agent", "--agent-version", "1.140.0"]));
    for (sentence, in_late_b, in_c) in [
        ("in this lane only a document with deny or ask", true, false),
        ("Before v1.138 a hook", true, false),
        ("a required sandbox denies every command", true, false),
        ("Under --yolo, with an allow rule and in auto-approving modes", true, true),
        ("under --yolo no hook runs before a tool", false, false),
        // The entries name the version.
        ("unless its entry sets on_error", false, false),
    ] {
        assert_eq!((late_b.contains(sentence), c.contains(sentence)), (in_late_b, in_c), "{sentence}\n{late_b}\n{c}");
    }
    let claude = said(&["claude-code"]);
    assert!(!claude.contains("unless its entry sets onFailure"), "{claude}");
    assert!(
        claude.contains("A hook that is killed, times out or is missing does not block. (UserPromptSubmit"),
        "{claude}"
    );
}

#[test]
fn picoclaw_calls_our_entry_last_by_the_highest_priority() {
    let others =
        |high: i64| json!({"first": {"enabled": true, "priority": 5}, "last": {"enabled": true, "priority": high}});
    let file = |high: i64| json!({"version": 3, "hooks": {"enabled": true, "processes": others(high)}}).to_string();
    let place = place();
    let ours = || {
        let now: Value = serde_json::from_str(&place.read(PICOCLAW)).unwrap();
        now["hooks"]["processes"]["snaphook"]["priority"].as_i64().unwrap()
    };
    for (high, priority) in [(7, 1000), (1000, 1001), (5000, 5001)] {
        let before = file(high);
        place.file(PICOCLAW, &before);
        let says = format!("Its `priority` is {priority}, above {high} of the other hooks");
        install(&place, "picoclaw").says(0, &[&says]);
        assert_eq!(ours(), priority);
        assert_eq!(states(&place, &["picoclaw"]), ["current"]);
        uninstall(&place, "picoclaw").says(0, &[]);
        assert_eq!(place.read(PICOCLAW), before);
    }
    // A hook that is added later, with a higher priority.
    place.file(PICOCLAW, &file(7));
    install(&place, "picoclaw").says(0, &[]);
    place.file(PICOCLAW, &place.read(PICOCLAW).replace("\"priority\":7", "\"priority\":3000"));
    assert_eq!(states(&place, &["picoclaw"]), ["stale"]);
    install(&place, "picoclaw").says(0, &["renewed", "above 3000"]);
    assert_eq!((ours(), states(&place, &["picoclaw"])), (3001, vec!["current".to_owned()]));
}

#[test]
fn an_entry_with_our_name_that_does_not_call_us_is_not_registered() {
    let version = ["--agent-version", "1.140.0"];
    let foreign = "[hooks.snaphook]\nevents = [\"pre_tool\"]\ncommand = \"/bin/true\"\n";
    for (agent, file, text, words, named) in [
        ("docker-agent", DOCKER, "stop: []\n", &version[..], "the file"),
        ("hygge", HYGGE, foreign, &[], "hooks.snaphook"),
        (
            "picoclaw",
            PICOCLAW,
            "{\"version\": 3, \"hooks\": {\"processes\": {\"snaphook\": {\"command\": [\"/bin/true\"]}}}}",
            &[],
            "hooks.processes.snaphook",
        ),
    ] {
        let place = place();
        place.file(file, text);
        let said = place.run(&[&["install", agent, "--yes"], words].concat());
        said.says(1, &["not changed, because it does not call snaphook", &format!("rename or remove {named}, which")]);
        // Two of the three entries of hygge have other names.
        let says = if agent == "hygge" { "hygge: registered in part only" } else { ": not registered" };
        assert!(!said.out.contains(": registered in /") && said.out.contains(says), "{said:?}");
        assert!(place.read(file).contains(text.trim_end().trim_end_matches('}')), "{}", place.read(file));
        assert_eq!(states(&place, &[&[agent], words].concat()), ["taken"]);
        place
            .run(&[&["doctor", agent], words].concat())
            .says(1, &["BAD", "taken by something else", "rename or remove"]);
        place.answered(&["uninstall", agent], "y\n").says(0, &[]);
        assert_eq!(place.read(file), text);
    }
}

#[test]
fn a_line_that_only_mentions_snaphook_does_not_block_an_install() {
    for command in
        ["echo snaphook hook claude-code", "# snaphook hook claude-code", "/opt/not-snaphook hook claude-code --x"]
    {
        let place = place();
        let group = json!({"matcher": "*", "hooks": [{"type": "command", "command": command}]});
        let before = json!({"hooks": {"PreToolUse": [group]}}).to_string();
        place.file(CLAUDE, &before);
        assert_eq!(states(&place, &["claude-code"]), ["absent"], "{command}");
        install(&place, "claude-code").says(0, &["claude-code: registered in"]);
        assert_eq!(states(&place, &["claude-code"]), ["current"], "{command}");
        uninstall(&place, "claude-code").says(0, &[]);
        assert_eq!(place.read(CLAUDE), before);
    }
}

#[test]
fn an_uninstall_restores_a_previous_entry_and_a_second_one_removes_it() {
    let old = place();
    old.file(CLAUDE, "{}");
    install(&old, "claude-code").says(0, &[]);
    let before = old.read(CLAUDE);
    fs::remove_dir_all(old.path("home/.local/state")).unwrap();
    install(&old, "claude-code").says(0, &["is up to date"]);
    uninstall(&old, "claude-code").says(0, &["not changed, because it was there before the install", "run this again"]);
    assert_eq!(old.read(CLAUDE), before);
    uninstall(&old, "claude-code").says(0, &["loses the entries of snaphook"]);
    assert_eq!(states(&old, &["claude-code"]), ["absent"]);
}

#[test]
fn remedies_keep_the_options_of_the_command() {
    let place = place();
    place.file(CLAUDE, "{}");
    let policy = place.file("home/a team.toml", "[permissions]\n");
    let version = ["--agent-version", "1.138.0"];
    place
        .run(&[&["status", "docker-agent"], &version[..]].concat())
        .says(1, &["snaphook install docker-agent --agent-version 1.138.0\n"]);
    place
        .run(&["status", "claude-code", "--policy", &policy])
        .says(1, &["snaphook install claude-code --policy ~/'a team.toml'\n"]);
    // An entry of a project whose policy is gone.
    let gone = place.file("home/gone.toml", "[permissions]\n");
    place.run(&["install", "claude-code", "--project", "--yes", "--policy", &gone]).says(0, &[]);
    fs::remove_file(place.path("home/gone.toml")).unwrap();
    let doctor = place.run(&["doctor", "claude-code", "--agent-version", "2.1.300"]);
    doctor.says(1, &["or run snaphook install claude-code --project --agent-version 2.1.300\n"]);
}

//! Tests of `snaphook try`.

use serde_json::Value;
use snaphook_adapters::model::{EventKind, Incoming};
use snaphook_adapters::protocol::{HookProtocol, Native, RegisteredLine};
use snaphook_adapters::registry::Registry;

use crate::paste::blocks as blocks_of;
use crate::place::{Place, fixture, fixtures};

const DENY_RM: &str = "[permissions]\ndeny = [\"Bash(rm *)\", \"Read(.env)\", \"WebFetch\"]\n";

fn ids() -> Vec<&'static str> {
    Registry::standard().ids().collect()
}

fn hosts(shown: &Value) -> &Vec<Value> {
    shown["hosts"].as_array().unwrap()
}

/// Returns true if every version of an agent blocks.
fn blocks(shown: &Value) -> bool {
    hosts(shown).iter().all(|host| ["blocks", "stops"].contains(&host["does"].as_str().unwrap()))
}

/// Event, flag and effect of every gate of one version; `-` for one that is not called.
fn way(shown: &Value, id: &str) -> Vec<String> {
    let host = hosts(shown).iter().find(|host| host["host"] == id).unwrap_or_else(|| panic!("{id}: {shown:#}"));
    let words = |gate: &Value| ["event", "flag", "does"].map(|key| gate[key].as_str().unwrap_or("-").to_owned());
    host["gates"].as_array().unwrap().iter().map(|gate| words(gate).join(" ")).collect()
}

#[test]
fn every_agent_is_shown_with_verdict_answer_exit_effects_and_losses() {
    let place = Place::new();
    let policy = place.file("policy.toml", DENY_RM);
    for call in [&["rm -rf ~/work"][..], &["--tool", "Read", "--path", ".env"]] {
        let shown = place.json(&[&["try", "--json", "--all", "--policy", &policy], call].concat());
        assert_eq!(shown["policy"], Value::from(policy.as_str()));
        assert_eq!((&shown["executed"], &shown["recorded"]), (&Value::Bool(false), &Value::Bool(false)));
        let agents = shown["agents"].as_array().unwrap();
        assert_eq!(agents.iter().map(|agent| agent["agent"].as_str().unwrap()).collect::<Vec<_>>(), ids());
        for agent in agents.iter().filter(|agent| agent["not_shown"].is_null()) {
            assert_eq!(agent["verdict"], "deny", "{agent:#}");
            assert!(blocks(agent), "{agent:#}");
            for host in hosts(agent) {
                assert!(host["versions"].is_string(), "{host:#}");
                let gate = &host["gates"][0];
                // An agent that cannot deny one call ends the turn.
                assert!(["deny", "abort"].contains(&gate["sent"].as_str().unwrap()), "{gate:#}");
                let answer = &gate["answer"];
                assert!(answer["stdout"].is_string() && answer["stderr"].is_string(), "{gate:#}");
                assert!([0, 2].contains(&answer["exit"].as_i64().unwrap()), "{gate:#}");
                assert!(gate["losses"].is_array() && gate["causes"][0]["line"] == 2, "{gate:#}");
            }
        }
        let silent = agents.iter().filter(|agent| agent["not_shown"].is_string()).count();
        assert!(silent <= 1, "{shown:#}");
    }
}

#[test]
fn a_call_is_judged_at_each_registered_gate() {
    let place = Place::new();
    let policy = place.file(
        "policy.toml",
        "[permissions]\nask = [\"Bash(git push *)\"]\nallow = [\"Bash(ls *)\"]\n\
         [[respond]]\nmatch = \"WebFetch\"\ntext = \"no\"\n",
    );
    let shown = |words: &[&str], agent: &str| {
        let all = place.json(&[&["try", "--json", "--policy", &policy, "--agent", agent], words].concat());
        all["agents"][0].clone()
    };
    let asked = shown(&["git push x"], "docker-agent");
    assert_eq!(way(&asked, "b2"), ["pre_tool_use.preempt --preempt asks", "pre_tool_use.new.alone+guarded+asks - -"]);
    let guarded =
        ["tool_input_transform.guarded --guarded flow", "tool_guard - asks", "pre_tool_use.new.alone+guarded+asks - -"];
    assert_eq!(way(&asked, "c"), guarded);
    let allowed = shown(&["ls -l"], "docker-agent");
    assert_eq!(way(&allowed, "b2")[1], "pre_tool_use.new.alone+guarded+asks - approves");
    assert!(hosts(&allowed).iter().all(|host| host["does"] == if host["host"] == "a" { "flow" } else { "approves" }));
    assert_eq!(way(&shown(&["ls -l"], "claude-code"), "2.1.329"), ["PreToolUse - approves", "PermissionRequest - -"]);
    assert_eq!(way(&shown(&["make"], "claude-code"), "2.1.329")[1], "PermissionRequest - asks");
    let passed = shown(&["make"], "picoclaw");
    assert_eq!(way(&passed, "head"), ["hook.before_tool.v0.2.7 - flow", "hook.approve_tool - flow"]);
    let fetch = shown(&["--tool", "WebFetch", "--url", "https://example.org/"], "picoclaw");
    assert_eq!(way(&fetch, "head"), ["hook.before_tool.v0.2.7 - responds", "hook.approve_tool - -"]);
    assert_eq!(hosts(&fetch)[3]["gates"][0]["told"], "no");
}

#[test]
fn a_version_selects_the_same_host_as_in_a_registration() {
    let place = Place::new();
    for (agent, version, id) in [
        ("docker-agent", "v1.137.2", "b2"),
        ("docker-agent", "1.52", "a"),
        ("picoclaw", "0.2.7", "v0.2.8"),
        ("hygge", "0.17.5", "0.17.5"),
    ] {
        let words = ["try", "ls", "--json", "--agent", agent, "--agent-version", version];
        let shown = place.json(&words);
        assert_eq!(hosts(&shown["agents"][0]).iter().map(|host| &host["host"]).collect::<Vec<_>>(), [id], "{agent}");
        place.run(&["agents", agent, "--snippet", "--agent-version", version]).says(0, &["# "]);
    }
    let message = fixture("docker-agent", "tool_guard_edit");
    let words = ["try", "--json", "--payload", "-", "--agent", "docker-agent", "--agent-version", "1.140.0"];
    place.fed(&words, &message).says(0, &["\"host\": \"c\""]);
    let unknown = ["try", "ls", "--agent", "picoclaw", "--agent-version", "0.2.3"];
    place
        .run(&unknown)
        .says(2, &["snaphook does not know the hooks of picoclaw 0.2.3; known versions: v0.2.4 and v0.2.5"]);
    place.run(&["try", "ls", "--agent-version", "1"]).says(2, &["--agent"]);
}

#[test]
fn a_handler_that_is_not_called_has_no_opinion() {
    let place = Place::new();
    let policy =
        place.file("policy.toml", "[[handler]]\nname = \"judge\"\nmatch = [\"PreTool\"]\ncommand = [\"/bin/false\"]\n");
    let said = place.run(&["try", "ls", "-v", "--all", "--policy", &policy]);
    said.says(0, &["hygge: pass, by the rules alone", "handler `judge` was not called"]);
    assert!(!said.out.contains("judge says"), "{}", said.out);
    let shown = place.json(&["try", "ls", "--policy", &policy, "--json", "--all"]);
    assert_eq!(hosts(&shown["agents"][0])[0]["gates"][0]["handlers_not_asked"][0], "judge");
    assert_eq!(hosts(&shown["agents"][0])[0]["gates"][0]["causes"], Value::Array(Vec::new()));
}

#[test]
fn the_output_matches_the_published_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../schemas/try.schema.json")).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let schema = jsonschema::validator_for(&schema).unwrap();
    let place = Place::new();
    let broken = place.file("broken.toml", "alow = []\n");
    let deny = place.file("deny.toml", DENY_RM);
    let message = fixture("picoclaw", "before_tool_exec");
    for (words, stdin) in [
        (&["try", "rm x", "--json", "--policy", &deny][..], ""),
        (&["try", "--json", "--tool", "Read", "--path", ".env", "--policy", &deny], ""),
        (&["try", "ls", "--json", "--policy", &broken], ""),
        (&["try", "--json", "--agent", "picoclaw", "--payload", "-"], &message),
        (&["try", "--json", "--agent", "hygge", "--payload", "-"], "{"),
    ] {
        let shown: Value = serde_json::from_str(&place.fed(words, stdin).out).unwrap();
        let faults: Vec<_> = schema.iter_errors(&shown).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{words:?}: {faults:?}\n{shown:#}");
    }
}

#[test]
fn the_text_output_shows_the_same_results() {
    let place = Place::new();
    let policy = place.file("home/.config/snaphook/snaphook.toml", DENY_RM);
    let said = place.run(&["try", "rm -rf ~/work", "-v", "--all"]);
    said.says(0, &["policy: ~/.config/snaphook/snaphook.toml", "does not run it", "(exit 2)", "Bash(rm *) says deny"]);
    for id in ids() {
        assert!(said.out.contains(&format!("{id}: deny\n")), "{}", said.out);
    }
    assert!(said.err.is_empty());
    let starter = place.run(&["try", "rm -rf /", "-v", "--agent", "hygge"]);
    starter.says(0, &["hygge: deny"]);
    std::fs::remove_file(policy).unwrap();
    place.run(&["try", "rm -rf /", "-v"]).says(0, &["policy: starter", "Delete(<critical>) says deny"]);
    let fetch = place.run(&["try", "-v", "--tool", "WebFetch", "--url", "https://example.org/"]);
    fetch.says(0, &["codex has no tool for this", "claude-code: pass", "decides by its own permission rules"]);
}

#[test]
fn check_exits_with_1_if_any_agent_would_block() {
    let place = Place::new();
    let policy = place.file("policy.toml", DENY_RM);
    for (words, code) in [
        (&["try", "rm x", "--policy", &policy][..], 0),
        (&["try", "rm x", "--policy", &policy, "--check"], 1),
        (&["try", "rm x", "--policy", &policy, "--check", "--json"], 1),
        (&["try", "rm x", "--policy", &policy, "--check", "--agent", "hygge"], 1),
        (&["try", "ls", "--policy", &policy, "--check"], 0),
        (&["try", "--check", "--agent", "hygge", "--payload", "-"], 1),
        (&["try", "--check", "--agent", "claude-code", "--payload", "-"], 1),
    ] {
        place.fed(words, "{}").says(code, &[]);
    }
}

#[test]
fn nothing_is_executed_recorded_or_written() {
    let place = Place::new();
    let trace = place.at("trace");
    let policy = place.file(
        "policy.toml",
        &format!(
            "[[handler]]\nmatch = [\"PreTool\"]\ncommand = [\"/bin/sh\", \"-c\", \"echo x > {trace}\"]\n\
             [[respond]]\nmatch = \"WebFetch\"\ncommand = [\"/bin/sh\", \"-c\", \"echo x > {trace}\"]\n\
             [audit]\nfile = \"{}\"\n",
            place.at("audit.jsonl")
        ),
    );
    let before = place.all();
    let message = fixture("claude-code", "pre_tool_use_bash");
    let payload = ["try", "--agent", "claude-code", "--payload", "-", "--policy", &policy];
    for said in [
        place.run(&["try", &format!("touch {trace}"), "--policy", &policy]),
        place.run(&["try", "--tool", "WebFetch", "--url", "https://example.org", "--policy", &policy]),
        place.fed(&payload, &message),
    ] {
        said.says(0, &["Nothing was executed and nothing was recorded.", "was not"]);
        assert!(!said.out.contains("snaphook why"), "{}", said.out);
    }
    place.run(&["try", "ls", "--policy", &policy, "--json"]).says(0, &["\"executed\": false"]);
    assert_eq!(place.all(), before);
}

#[test]
fn every_agent_accepts_its_own_message_from_a_file_or_standard_input() {
    let place = Place::new();
    for protocol in Registry::standard().iter() {
        let id = protocol.agent().id;
        let gate = protocol.agent().hosts.iter().flat_map(|host| host.gates).next();
        let line = || gate.map_or_else(RegisteredLine::default, |(gate, _)| RegisteredLine::default().event(*gate));
        let is_call = |message: &String| match protocol.parse(&Native::new(message.as_str()).line(line())) {
            Ok(Incoming::Event(event)) => event.kind() == EventKind::PreTool,
            _ => false,
        };
        let message = fixtures(id).into_iter().find(is_call).unwrap();
        let file = place.file("message.json", &message);
        let from_file = place.run(&["try", "-v", "--agent", id, "--payload", &file]);
        from_file.says(0, &[&format!("{id}: "), "answers"]);
        let from_stdin = place.fed(&["try", "-v", "--agent", id, "--payload", "-"], &message);
        assert_eq!(from_file.out, from_stdin.out);
    }
}

#[test]
fn a_message_of_another_agent_is_refused() {
    let place = Place::new();
    let message = fixture("codex", "pre_tool_use_bash");
    let said = place.fed(&["try", "-v", "--agent", "claude-code", "--payload", "-", "--check"], &message);
    said.says(1, &["claude-code: deny", "codex"]);
}

#[test]
fn invalid_arguments_are_reported_with_a_remedy() {
    let place = Place::new();
    let known = ids().join(", ");
    for (words, parts) in [
        (&["try", "ls", "--agent", "clade"][..], &["invalid value 'clade'", known.as_str(), "'claude-code'"][..]),
        (&["try", "--tool", "Frob"], &["unknown --tool Frob; expected one of Read,", "--input"]),
        (&["try", "--tool", "Read"], &["--tool Read needs --path"]),
        (&["try", "--tool", "WebFetch"], &["--tool WebFetch needs --url"]),
        (&["try", "--tool", "Bash"], &["snaphook try 'git push'"]),
        (&["try"], &["snaphook try 'rm -rf ~/work'"]),
        (&["try", "--agent", "codex", "--payload", "/no/such/file"], &["/no/such/file: No such file"]),
    ] {
        let said = place.run(words);
        said.says(2, parts);
        assert!(said.out.is_empty(), "{said:?}");
    }
    place.run(&["try", "--payload", "x"]).says(2, &["--agent"]);
    place.run(&["try", "ls", "--tool", "Read"]).says(2, &["cannot be used with"]);
}

#[test]
fn an_invalid_policy_is_an_error() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\ndeny = [\"Bash(\"]\nalow = []\n");
    let said = place.run(&["try", "ls", "--policy", &policy]);
    said.says(2, &["snaphook: the policy is invalid", ":2:", ":3:", "alow"]);
    assert!(said.out.is_empty(), "{said:?}");
    let said = place.run(&["try", "ls", "--policy", &policy, "--json", "--check", "--all"]);
    said.says(2, &[]);
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    assert!(shown["fault"].as_str().unwrap().contains(":3:"), "{shown:#}");
    assert!(shown["agents"].as_array().unwrap().iter().all(blocks), "{shown:#}");
    let missing = place.run(&["try", "ls", "--policy", "/no/such.toml", "--check"]);
    missing.says(2, &["/no/such.toml"]);
}

#[test]
fn settings_that_cannot_be_enforced_are_warnings() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\nask = [\"Bash(git push *)\"]\n");
    let said = place.run(&["try", "ls", "-v", "--policy", &policy]);
    said.says(0, &[":2:8: warning: ", "codex"]);
    let shown = place.json(&["try", "ls", "--policy", &policy, "--json"]);
    assert!(shown["warnings"][0].as_str().unwrap().contains("warning"), "{shown:#}");
    place.file("project/.snaphook.toml", "[permissions]\nallow = [\"Bash(ls)\"]\n");
    place.run(&["try", "ls", "--policy", &policy]).says(0, &[".snaphook.toml is not trusted: 1 allow rule ignored"]);
    let elsewhere = place.run(&["try", "ls", "--policy", &policy, "--cwd", &place.at("home")]);
    assert!(!elsewhere.out.contains("not trusted"), "{elsewhere:?}");
}

#[test]
fn a_warning_names_the_agents_and_versions_that_cannot_obey_a_setting() {
    let place = Place::new();
    let policy = place.file(
        "policy.toml",
        "[agent.docker-agent.permissions]\nask = ['Bash(git push)']\nallow = ['mcp__hub__read']\ndeny = ['mcp__gh']\n\
         [agent.hygge.permissions]\nask = ['Bash(git pull)']\n\
         [[handler]]\nmatch = ['Compact', 'PostTool']\nagents = ['claude-code', 'docker-agent', 'hygge']\ncommand = ['x']\n\
         [[handler]]\nmatch = ['SessionStart']\nagents = ['hygge', 'codex']\ncommand = ['x']\n",
    );
    let shown = place.json(&["try", "ls", "--json", "--policy", &policy]);
    let expected = [
        "2:8: warning: ask: docker-agent (dialect A, before v1.53) cannot ask the user: calls are denied instead",
        "3:10: warning: agent.docker-agent.permissions.allow[0]: `mcp__hub__read` never allows on docker-agent: their tool \
         names do not identify the server",
        "4:9: warning: agent.docker-agent.permissions.deny[0]: `mcp__gh` cannot be enforced on docker-agent: calls of MCP \
         tools do not name the server",
        "6:8: warning: ask: hygge cannot ask the user: calls are denied instead",
        "7:1: warning: handler[0].match: there is no Compact event on docker-agent (dialect A, before v1.53), hygge: the \
         handler is not called there",
        "7:1: warning: handler[0].match: Compact is not registered by `snaphook install` for docker-agent (pre_compact): \
         register the event to have the handler called",
        "11:1: warning: handler[1].match: there is no SessionStart event on hygge: the handler is not called there",
    ];
    assert_eq!(shown["warnings"], Value::from(expected.map(|says| format!("{policy}:{says}")).to_vec()));
}

#[test]
fn a_warning_about_a_setting_for_all_agents_names_those_that_cannot_obey_it() {
    let place = Place::new();
    let policy = place.file(
        "policy.toml",
        "[[respond]]\nmatch = 'WebFetch'\ntext = 'no'\n[context]\nsession = 'Be kind.'\n\
         [permissions]\nask = ['Bash(git push)']\n",
    );
    let warnings = |words: &[&str]| -> Vec<String> {
        let shown = place.json(&[&["try", "ls", "--json", "--policy", &policy], words].concat());
        shown["warnings"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let all = warnings(&["--all"]);
    let cases = [
        ("2:9: warning: respond: ", &["claude-code", "docker-agent"][..], "picoclaw"),
        ("5:1: warning: context: ", &["docker-agent (dialect A, before v1.53)", "picoclaw"], "hygge"),
    ];
    for (warning, (place, cannot, can)) in all.iter().zip(cases) {
        assert!(warning.contains(place), "{warning}");
        assert!(cannot.iter().all(|agent| warning.contains(agent)) && !warning.contains(can), "{warning}");
    }
    // One for each agent that cannot ask.
    let cannot_ask = |all: &[String], agent: &str| {
        let says = format!("7:8: warning: ask: {agent} cannot ask the user: calls are denied instead");
        all.iter().filter(|warning| warning.ends_with(&says)).count()
    };
    assert_eq!(["codex", "picoclaw", "claude-code"].map(|agent| cannot_ask(&all, agent)), [1, 1, 0], "{all:#?}");
    // Only the agents that are shown.
    let one = warnings(&["--agent", "codex"]);
    assert_eq!(["codex", "picoclaw"].map(|agent| cannot_ask(&one, agent)), [1, 0], "{one:#?}");
}

#[test]
fn try_lists_the_installed_agents_that_do_not_call_snaphook() {
    let place = Place::new();
    place.run(&["try", "ls"]).says(0, &["No agent was found on this machine; shown are examples."]);
    let registry = Registry::standard();
    let mut agents: Vec<_> = registry.iter().map(HookProtocol::agent).collect();
    let policy = place.file("home/p.toml", "[permissions]\n");
    // The folder of an agent may be in that of another, which is then found too, and stays.
    agents.sort_by_key(|agent| agent.registration.folder.len());
    for &agent in &agents {
        let registration = &agent.registration;
        std::fs::create_dir_all(place.path(&Place::name(registration.folder))).unwrap();
        let open = format!("not protected yet: {0}\nRegister: snaphook install {0}\n", agent.id);
        place.run(&["try", "ls"]).says(0, &[&open]);
        let with_policy = format!("Register: snaphook install {} --policy ~/p.toml\n", agent.id);
        place.run(&["try", "ls", "--policy", &policy]).says(0, &[&with_policy]);
        assert_eq!(place.json(&["try", "ls", "--json"])["not_protected"][0], agent.id);

        let block = registration.blocks.iter().find(|block| block.file.starts_with("~/")).unwrap();
        let version = if block.before.is_empty() { "999.0.0" } else { block.from };
        let text = place.run(&["agents", agent.id, "--snippet", "--agent-version", version]).out;
        let printed = blocks_of(&text);
        for (block, printed) in registration.blocks.iter().zip(&printed).skip(1) {
            place.file(&Place::name(block.file), &printed.text);
        }
        let text = printed[0].text.trim_end().to_owned();
        let file = Place::name(block.file);
        // Agents rewrite their files in their own format.
        let pretty = serde_json::from_str::<Value>(&text).map(|json| format!("{json:#}")).unwrap_or_default();
        let short = serde_json::from_str::<Value>(&text).map(|json| json.to_string()).unwrap_or_default();
        for text in [pretty, short, text].iter().filter(|text| !text.is_empty()) {
            place.file(&file, text);
            let said = place.run(&["try", "ls"]);
            match registration.approval {
                None => said.says(0, &["Every agent found on this machine calls snaphook."]),
                Some(_) => said.says(0, &[&format!("not protected yet: {} (waiting for your approval)\n", agent.id)]),
            };
        }
        if !agents.iter().any(|other| other.registration.folder.starts_with(&format!("{}/", registration.folder))) {
            std::fs::remove_dir_all(place.path(&Place::name(registration.folder))).unwrap();
        }
    }
    // No program is started: it would leave a file.
    let mark = place.path("started");
    let script = format!("#!/bin/sh\n: > {}\n", mark.display());
    for program in ["docker-agent", "picoclaw"] {
        let path = place.file(&format!("bin/{program}"), &script);
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    place.run(&["try", "ls"]).says(0, &["not protected yet: docker-agent, picoclaw"]);
    assert!(!mark.exists());
    let program = Place::new();
    program.file("bin/codex", "");
    program.run(&["try", "ls"]).says(0, &["not protected yet: codex"]);
}

#[test]
fn the_parts_of_a_command_and_the_word_that_is_not_understood_are_shown() {
    let place = Place::new();
    let rules = "[permissions]\nallow = [\"Bash(ls *)\"]\ndeny = [\"Bash(rm *)\", \"Edit(.env)\"]\n";
    let policy = place.file("policy.toml", rules);
    let run = |command: &str| place.run(&["try", command, "-v", "--policy", &policy, "--agent", "claude-code"]);
    run("ls a && sudo rm x; date > .env").says(
        0,
        &[
            "part  Bash: ls a  allow, by Bash(ls *)\n",
            "part  Bash: sudo rm x  no rule\n",
            "part  Bash: rm x  deny, by Bash(rm *)\n",
            "part  Bash: date  no rule\n",
            "part  Write: .env  deny, by Edit(.env)\n",
        ],
    );
    run("ls | sh").says(0, &["part  Bash: ls  allow", "the command is not understood: `sh`\n"]);
    let one = run("ls a");
    assert!(!one.out.contains("part"), "{one:?}");
    let shown = place.json(&["try", "ls; rm x", "--json", "--policy", &policy, "--agent", "claude-code"]);
    let parts = &hosts(&shown["agents"][0])[0]["gates"][0]["parts"];
    assert_eq!(parts[0], serde_json::json!({"action": "Bash: ls", "verdict": "allow", "rule": "Bash(ls *)"}));
    assert_eq!(parts[1]["verdict"], "deny");
}

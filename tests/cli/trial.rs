//! `snaphook try`.

use serde_json::Value;
use snaphook_adapters::registry::Registry;

use crate::place::{Place, fixture};

const DENY_RM: &str = "[permissions]\ndeny = [\"Bash(rm *)\", \"Read(.env)\", \"WebFetch\"]\n";

fn ids() -> Vec<&'static str> {
    Registry::standard().ids().collect()
}

fn gates(shown: &Value) -> &Vec<Value> {
    shown["gates"].as_array().unwrap()
}

/// Whether one of an agent's gates blocks on every version of which the gate is known.
fn blocks(shown: &Value) -> bool {
    gates(shown).iter().any(|gate| {
        let hosts = gate["hosts"].as_array().unwrap();
        !hosts.is_empty() && hosts.iter().all(|host| ["blocks", "stops"].contains(&host["does"].as_str().unwrap()))
    })
}

#[test]
fn every_agent_is_shown_with_verdict_answer_exit_effects_and_losses() {
    let place = Place::new();
    let policy = place.file("policy.toml", DENY_RM);
    for call in [&["rm -rf ~/work"][..], &["--tool", "Read", "--path", ".env"]] {
        let shown = place.json(&[&["try", "--json", "--policy", &policy], call].concat());
        assert_eq!(shown["policy"], Value::from(policy.as_str()));
        assert_eq!((&shown["executed"], &shown["recorded"]), (&Value::Bool(false), &Value::Bool(false)));
        let agents = shown["agents"].as_array().unwrap();
        assert_eq!(agents.iter().map(|agent| agent["agent"].as_str().unwrap()).collect::<Vec<_>>(), ids());
        for agent in agents.iter().filter(|agent| agent["not_shown"].is_null()) {
            assert_eq!(agent["verdict"], "deny", "{agent:#}");
            assert!(blocks(agent), "{agent:#}");
            for gate in gates(agent) {
                assert_eq!(gate["sent"], "deny", "{gate:#}");
                let answer = &gate["answer"];
                assert!(answer["stdout"].is_string() && answer["stderr"].is_string(), "{gate:#}");
                assert!([0, 2].contains(&answer["exit"].as_i64().unwrap()), "{gate:#}");
                assert!(gate["losses"].is_array() && gate["causes"][0]["line"] == 2, "{gate:#}");
                assert!(gate["hosts"].as_array().unwrap().iter().all(|host| host["versions"].is_string()));
            }
        }
        let silent = agents.iter().filter(|agent| agent["not_shown"].is_string()).count();
        assert!(silent <= 1, "{shown:#}");
    }
}

#[test]
fn people_read_the_same() {
    let place = Place::new();
    let policy = place.file("home/.config/snaphook/snaphook.toml", DENY_RM);
    let said = place.run(&["try", "rm -rf ~/work"]);
    said.says(0, &["policy: ~/.config/snaphook/snaphook.toml", "does not run it", "(exit 2)", "Bash(rm *) says deny"]);
    for id in ids() {
        assert!(said.out.contains(&format!("{id}: deny\n")), "{}", said.out);
    }
    assert!(said.err.is_empty());
    let starter = place.run(&["try", "rm -rf /", "--agent", "hygge"]);
    starter.says(0, &["hygge: deny"]);
    std::fs::remove_file(policy).unwrap();
    place.run(&["try", "rm -rf /"]).says(0, &["policy: starter", "Delete(<critical>) says deny"]);
    let fetch = place.run(&["try", "--tool", "WebFetch", "--url", "https://example.org/"]);
    fetch.says(0, &["codex has no tool for this", "claude-code: pass", "own permission rules decide"]);
}

#[test]
fn check_ends_with_2_where_any_agent_would_block() {
    let place = Place::new();
    let policy = place.file("policy.toml", DENY_RM);
    for (words, code) in [
        (&["try", "rm x", "--policy", &policy][..], 0),
        (&["try", "rm x", "--policy", &policy, "--check"], 2),
        (&["try", "rm x", "--policy", &policy, "--check", "--json"], 2),
        (&["try", "rm x", "--policy", &policy, "--check", "--agent", "hygge"], 2),
        (&["try", "ls", "--policy", &policy, "--check"], 0),
        (&["try", "--check", "--agent", "hygge", "--payload", "-"], 2),
        (&["try", "--check", "--agent", "claude-code", "--payload", "-"], 2),
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
        said.says(0, &["Nothing was executed and nothing was recorded.", "would be"]);
        assert!(!said.out.contains("snaphook why"), "{}", said.out);
    }
    place.run(&["try", "ls", "--policy", &policy, "--json"]).says(0, &["\"executed\": false"]);
    assert_eq!(place.all(), before);
}

#[test]
fn every_agent_takes_its_own_message_from_a_file_or_from_standard_input() {
    let place = Place::new();
    for (id, stem) in [
        ("claude-code", "pre_tool_use_bash"),
        ("codex", "pre_tool_use_bash"),
        ("docker-agent", "pre_tool_use_shell_c"),
        ("hygge", "pre_tool_bash"),
        ("picoclaw", "before_tool_exec"),
    ] {
        let message = stems(id).into_iter().find(|found| found.starts_with(&stem[..8])).unwrap();
        let message = fixture(id, &message);
        let file = place.file("message.json", &message);
        let from_file = place.run(&["try", "--agent", id, "--payload", &file]);
        from_file.says(0, &[&format!("{id}: "), "answers"]);
        let from_stdin = place.fed(&["try", "--agent", id, "--payload", "-"], &message);
        assert_eq!(from_file.out, from_stdin.out);
    }
}

fn stems(id: &str) -> Vec<String> {
    let folder = format!("{}/adapters/{}/fixtures", env!("CARGO_MANIFEST_DIR"), id.replace('-', "_"));
    let mut stems: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    stems.sort();
    stems
}

#[test]
fn a_message_of_another_agent_is_refused() {
    let place = Place::new();
    let message = fixture("codex", "pre_tool_use_bash");
    let said = place.fed(&["try", "--agent", "claude-code", "--payload", "-", "--check"], &message);
    said.says(2, &["claude-code: deny", "codex"]);
}

#[test]
fn what_cannot_be_tried_is_said_with_what_to_do() {
    let place = Place::new();
    let known = ids().join(", ");
    for (words, parts) in [
        (&["try", "ls", "--agent", "clod"][..], &["no such agent: clod", known.as_str()][..]),
        (&["try", "--tool", "Frob"], &["--tool Frob is unknown; known: Read,", "--payload"]),
        (&["try", "--tool", "Read"], &["--tool Read needs --path"]),
        (&["try", "--tool", "WebFetch"], &["--tool WebFetch needs --url"]),
        (&["try", "--tool", "Bash"], &["snaphook try 'git push'"]),
        (&["try"], &["snaphook try 'rm -rf ~/work'"]),
        (&["try", "--agent", "codex", "--payload", "/no/such/file"], &["/no/such/file: No such file"]),
    ] {
        let said = place.run(words);
        said.says(1, parts);
        assert!(said.out.is_empty() && said.err.starts_with("snaphook: "), "{said:?}");
    }
    place.run(&["try", "--payload", "x"]).says(2, &["--agent"]);
    place.run(&["try", "ls", "--tool", "Read"]).says(2, &["cannot be used with"]);
}

#[test]
fn a_broken_policy_is_shown_with_what_the_agents_then_do() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\ndeny = [\"Bash(\"]\nalow = []\n");
    let said = place.run(&["try", "ls", "--policy", &policy]);
    said.says(0, &["the policy cannot be used:\n", ":2:", ":3:", "alow", "claude-code: deny", "does not run it"]);
    let shown = place.json(&["try", "ls", "--policy", &policy, "--json"]);
    assert!(shown["fault"].as_str().unwrap().contains(":3:"), "{shown:#}");
    assert!(shown["agents"].as_array().unwrap().iter().all(blocks), "{shown:#}");
    let missing = place.run(&["try", "ls", "--policy", "/no/such.toml", "--check"]);
    missing.says(2, &["/no/such.toml"]);
}

#[test]
fn what_a_policy_cannot_mean_or_enforce_is_a_warning() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\nask = [\"Bash(git push *)\"]\n");
    let said = place.run(&["try", "ls", "--policy", &policy]);
    said.says(0, &[":2:8: warning: ", "codex"]);
    let shown = place.json(&["try", "ls", "--policy", &policy, "--json"]);
    assert!(shown["warnings"][0].as_str().unwrap().contains("warning"), "{shown:#}");
    place.file("project/.snaphook.toml", "[permissions]\nallow = [\"Bash(ls)\"]\n");
    place.run(&["try", "ls", "--policy", &policy]).says(0, &[".snaphook.toml is not trusted: 1 allow rule ignored"]);
    let elsewhere = place.run(&["try", "ls", "--policy", &policy, "--cwd", &place.at("home")]);
    assert!(!elsewhere.out.contains("not trusted"), "{elsewhere:?}");
}

#[test]
fn it_ends_with_the_agents_here_that_do_not_call_us_yet() {
    let place = Place::new();
    place.run(&["try", "ls"]).says(0, &["No agent was found on this machine."]);
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let registration = &agent.registration;
        std::fs::create_dir_all(place.path(&Place::name(registration.folder))).unwrap();
        let open = format!("not protected yet: {0}\nWhat to paste: snaphook agents {0} --snippet\n", agent.id);
        place.run(&["try", "ls"]).says(0, &[&open]);
        assert_eq!(place.json(&["try", "ls", "--json"])["not_protected"][0], agent.id);

        let block = registration.blocks.iter().find(|block| block.file.starts_with("~/")).unwrap();
        let version = if block.before.is_empty() { "999.0.0" } else { block.from };
        let text = place.run(&["agents", agent.id, "--snippet", "--agent-version", version]).out;
        let text: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let text = text.join("\n");
        let file = Place::name(block.file);
        // Agents write their files anew in a form of their own.
        let pretty = serde_json::from_str::<Value>(&text).map(|json| format!("{json:#}")).unwrap_or_default();
        let short = serde_json::from_str::<Value>(&text).map(|json| json.to_string()).unwrap_or_default();
        for text in [pretty, short, text].iter().filter(|text| !text.is_empty()) {
            place.file(&file, text);
            let said = place.run(&["try", "ls"]);
            said.says(0, &["Every agent found on this machine calls snaphook."]);
        }
    }
    let program = Place::new();
    program.file("bin/codex", "");
    program.run(&["try", "ls"]).says(0, &["not protected yet: codex"]);
}

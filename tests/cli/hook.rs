//! Tests of `snaphook hook` with an invalid command line, and on a terminal.

use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use snaphook_adapters::registry::Registry;

use crate::place::{Place, Said, fixture};
use crate::skipped::skipped;

#[test]
fn an_invalid_command_line_is_an_error_with_exit_code_2() {
    let place = Place::new();
    let known = Registry::standard().ids().collect::<Vec<_>>().join(", ");
    for (words, part) in [
        (&["hook"][..], "missing agent; expected one of "),
        (&["hook", "clod"], known.as_str()),
        (&["hook", "clod"], "unknown agent clod"),
        (&["hook", "codex", "--polcy", "x"], "invalid option '--polcy'"),
        (&["hook", "codex", "extra"], "unexpected argument \"extra\""),
        (&["hook", "codex", "--policy"], "missing argument for option '--policy'"),
        (&["hook", "docker-agent", "--guarded", "--preempt"], "--guarded, --preempt and --asks exclude each other"),
        (&["hook", "docker-agent", "--preempt", "--guarded"], "--guarded, --preempt and --asks exclude each other"),
        (&["hook", "docker-agent", "--asks", "--preempt"], "--guarded, --preempt and --asks exclude each other"),
        (&["hook", "codex", "--deadline", "soon"], "invalid --deadline soon; expected a value such as 800ms or 3s"),
        (&["hook", "codex", "--deadline", "0s"], "invalid --deadline 0s"),
        (&["hook", "codex", "--deadline", "-1s"], "invalid --deadline -1s"),
        (
            &["hook", "codex", "--event", "BeforeTool"],
            "unknown event BeforeTool of codex; expected one of PreToolUse, ",
        ),
    ] {
        let said = place.fed(words, &fixture("codex", "pre_tool_use_bash"));
        said.says(2, &[part, "usage: snaphook hook AGENT"]);
        assert!(said.out.is_empty() && said.err.starts_with("snaphook hook: "), "{said:?}");
    }
    for words in [&["hook", "--help"][..], &["hook", "-h"], &["hook", "codex", "--help"]] {
        let said = place.run(words);
        said.says(0, &["usage: snaphook hook AGENT"]);
        assert!(said.out.is_empty(), "stdout is for answers: {said:?}");
    }
    assert!(!place.path("home/.local").exists());
}

#[test]
fn every_event_and_flag_of_a_valid_command_line_is_accepted() {
    let place = Place::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        for row in agent.events {
            let said = place.fed(&["hook", agent.id, "--no-audit", "--deadline", "3s", "--event", row.native], "");
            assert!(!said.err.contains("usage: "), "{said:?}");
        }
    }
}

#[test]
fn a_rule_of_a_long_policy_decides_and_its_line_is_named() {
    let place = Place::new();
    let rules: Vec<_> = (0..500).map(|i| format!("  'Bash(tool{i} *)',\n")).collect();
    let policy = format!("[permissions]\ndeny = [\n{}  'Bash(git *)',\n]\n", rules.concat());
    place.file("home/.config/snaphook/snaphook.toml", &policy);
    let say = |command: &str| {
        let message =
            fixture("codex", "pre_tool_use_bash").replace("echo hello > /home/user/lab/side; echo hello", command);
        let said = place.fed(&["hook", "codex"], &message);
        (said.code, said.err)
    };
    let (code, reason) = say("git push");
    assert_eq!(code, Some(2), "{reason}");
    assert!(reason.contains("is denied by Bash(git *) (~/.config/snaphook/snaphook.toml:503)"), "{reason}");
    assert_eq!((say("tool77 x").0, say("tool500 x").0), (Some(2), Some(0)));
}

#[test]
fn a_hook_on_a_terminal_prints_its_usage() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("util-linux")) {
        skipped("script: no util-linux script on this machine to make a terminal with");
        return;
    }
    let place = Place::new();
    for id in Registry::standard().ids() {
        let started = Instant::now();
        let line = format!("'{}' hook {id}", place.binary().display());
        let mut command = place.command("script");
        command.args(["-qec", &line, "/dev/null"]).env("PATH", std::env::var_os("PATH").unwrap());
        // The terminal stays open for as long as this is held.
        let stdin = std::io::pipe().unwrap();
        let said = Said::of(command.stdin(stdin.0), "");
        said.says(2, &["snaphook try 'rm -rf ~/work'", &format!("snaphook agents {id} --snippet")]);
        drop(stdin.1);
        assert!(started.elapsed() < Duration::from_mins(1));
    }
}

/// Agents that use the hooks of another agent, with the answer to a denial in their own form: stdout or stderr.
const BORROWED: &[(&str, &str, &str, &str, i32)] = &[
    ("claude-code", "cursor", "pre_tool_use_shell", "{\"permission\":\"deny\",", 0),
    ("claude-code", "grok", "pre_tool_use_shell", "snaphook: `", 2),
    ("cursor", "grok", "pre_tool_use_shell", "snaphook: `", 2),
    ("claude-code", "devin", "pre_tool_use_exec", "snaphook: `", 2),
];

#[test]
fn a_message_of_an_agent_that_uses_the_hooks_of_another_is_answered_in_its_own_form() {
    for (line, sender, message, form, code) in BORROWED {
        let place = Place::new();
        let policy = place.file("policy.toml", "[permissions]\ndeny = [\"Bash(*)\"]\n");
        let log = place.at("log.jsonl");
        let words = ["hook", line, "--policy", &policy, "--audit", &log];
        let said = place.fed(&words, &fixture(sender, message));
        let answer = format!("{}{}", said.out, said.err);
        assert!(said.code == Some(*code) && answer.starts_with(form), "{sender} at {line}: {said:?}");
        assert!(answer.contains("` is denied by Bash(*) ("), "{sender} at {line}: {said:?}");
        let record: serde_json::Value = serde_json::from_str(place.read("log.jsonl").lines().next().unwrap()).unwrap();
        assert_eq!(record["agent"], *sender, "{record}");
        assert_eq!(record["unverified"], true, "{record}");
        let remark = format!("{sender} sent this to the hook that is registered for {line}");
        assert_eq!(record["remarks"], serde_json::json!([remark]), "{record}");
        // A message that cannot be judged is refused in the same form.
        let invalid = fixture(sender, message).replace("\"command\"", "\"other\"");
        let said = place.fed(&words, &invalid);
        assert!(said.code == Some(*code) && format!("{}{}", said.out, said.err).contains("command"), "{said:?}");
    }
}

#[test]
fn a_notification_reaches_handlers_and_the_log_and_is_not_answered() {
    let place = Place::new();
    let script = format!("/bin/cat >> '{}'", place.at("seen"));
    let policy = place.file(
        "policy.toml",
        &format!("[[handler]]\nmatch = ['Observed']\ncommand = ['/bin/sh', '-c', \"{script}\"]\ndeadline = '50s'\n"),
    );
    let lines: String = ["hello_modes", "runtime_event_turn", "event_numeric"]
        .map(|name| serde_json::from_str::<serde_json::Value>(&fixture("picoclaw", name)).unwrap().to_string() + "\n")
        .concat();
    place.file("seen", "");
    let mut command = place.command(place.binary());
    command.args(["hook", "picoclaw", "--policy", &policy, "--deadline", "50s"]).stdin(std::process::Stdio::piped());
    let mut server = command.spawn().unwrap();
    server.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    let events = ["\"event\":\"hook.runtime_event\"", "agent.turn.start", "\"event\":\"hook.event\""];
    let until = Instant::now() + Duration::from_mins(1);
    while !events.iter().all(|event| place.read("seen").contains(event)) {
        assert!(Instant::now() < until, "{}", place.read("seen"));
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(server.stdin.take());
    let ended = server.wait_with_output().unwrap();
    let answers = String::from_utf8(ended.stdout).unwrap();
    assert_eq!((answers.lines().count(), ended.status.code()), (1, Some(0)), "only the greeting: {answers}");
    place.run(&["log", "--json"]).says(0, &[r#""event":"hook.runtime_event""#, r#""event":"hook.event""#]);
    // Of a call that is not to be answered, no denial is recorded as sent.
    let denies = place.file("denies.toml", "[permissions]\ndeny = ['Bash']\n");
    let call = fixture("picoclaw", "before_tool_notification");
    let said = place.fed(&["hook", "picoclaw", "--policy", &denies], &format!("{}\n", call.replace('\n', " ")));
    assert_eq!(said.out, "", "{said:?}");
    let log = place.read("home/.local/state/snaphook/audit.jsonl");
    let record: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!((&record["event"], &record["sent"]), (&"hook.before_tool".into(), &"pass".into()), "{record}");
    // A handler that fails blocks nothing, because nothing waits for an answer.
    let broken = place.file("broken.toml", "[[handler]]\nmatch = ['Observed']\ncommand = ['/bin/false']\n");
    let said = place.fed(&["hook", "picoclaw", "--policy", &broken], &lines);
    assert_eq!(said.out.lines().count(), 1, "{said:?}");
}

#[test]
fn hygge_gets_the_text_for_a_session_with_each_message() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[context]\nsession = 'Be kind.'\n");
    for _ in 0..2 {
        let said = place.fed(&["hook", "hygge", "--policy", &policy], &fixture("hygge", "pre_message_text"));
        assert_eq!(said.out.trim(), r#"{"system_prompt_append":"Be kind."}"#, "{said:?}");
    }
    let said = place.fed(&["hook", "hygge", "--policy", &policy], &fixture("hygge", "pre_message_mode_switch"));
    assert_eq!(said.out.trim(), "", "{said:?}");
}

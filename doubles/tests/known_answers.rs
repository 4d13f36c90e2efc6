//! Tests of the doubles: hooks that print a known answer, and what the real host did with it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::time::Duration;

use serde_json::{Value, json};
use snaphook_doubles::lines::{HookConnection, TimeLimits};
use snaphook_doubles::one_shot::OneShot;
use snaphook_doubles::start::{HookEnvironment, Registered};
use snaphook_doubles::turn::PlayedCall;
use snaphook_hosts::Effect;
use snaphook_hosts::cases::{Cases, ReplyFault, Report};

const AGENTS: [&str; 5] = ["claude-code", "codex", "docker-agent", "hygge", "picoclaw"];

fn cases(agent: &str) -> Cases {
    Cases::of(agent).unwrap()
}

fn line(line: impl Into<String>) -> Registered {
    Registered::Line(line.into())
}

fn sh(script: impl Into<String>) -> Registered {
    Registered::Exec(vec!["/bin/sh".into(), "-c".into(), script.into()])
}

/// Plays a host with a hook that runs this script.
fn plays(agent: &str, host: &str, event: &str, script: &str) -> Report {
    let cases = cases(agent);
    let registered = if agent == "hygge" { sh(script) } else { line(script) };
    let host = OneShot::new(&cases, host).unwrap().shell("/bin/sh").timeout(Duration::from_secs(30));
    host.send(event, r#"{"a":1}"#, &registered)
}

#[test]
fn known_answers_have_their_known_effects() {
    use Effect::{Approves, Asks, Blocks, Continues, Flow, RunsThenStops, Stops};
    let claude = |decision: &str| {
        format!(
            r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"because"}}}}'"#
        )
    };
    let docker = |decision: &str| {
        format!(
            r#"echo '{{"hook_specific_output":{{"permission_decision":"{decision}","permission_decision_reason":"because"}}}}'"#
        )
    };
    let cases = [
        ("claude-code", "2.1.329", "PreToolUse", String::new(), Flow),
        ("claude-code", "2.1.329", "PreToolUse", claude("deny"), Blocks),
        ("claude-code", "2.1.329", "PreToolUse", claude("ask"), Asks),
        ("claude-code", "2.1.329", "PreToolUse", claude("allow"), Approves),
        ("claude-code", "2.1.329", "PreToolUse", claude("deny") + "; exit 1", Blocks),
        ("claude-code", "2.1.329", "PreToolUse", "echo no >&2; exit 2".into(), Blocks),
        ("claude-code", "2.1.329", "PreToolUse", "exit 1".into(), Flow),
        ("claude-code", "2.1.329-onfailure", "PreToolUse", "exit 1".into(), Blocks),
        ("claude-code", "2.1.329", "PreToolUse", r#"echo '{"continue":false}'"#.into(), RunsThenStops),
        ("claude-code", "2.1.329", "Stop", "echo more >&2; exit 2".into(), Continues),
        ("codex", "0.169.0", "PreToolUse", claude("deny"), Blocks),
        ("codex", "0.169.0", "PreToolUse", claude("deny") + "; exit 1", Flow),
        ("codex", "0.169.0", "PreToolUse", "echo no >&2; exit 2".into(), Blocks),
        ("codex", "0.169.0", "PreToolUse", "exit 2".into(), Flow),
        ("docker-agent", "a", "pre_tool_use", docker("ask"), Flow),
        ("docker-agent", "c", "tool_guard", docker("ask"), Asks),
        ("docker-agent", "c", "tool_guard", docker("deny"), Blocks),
        ("docker-agent", "b2-preempt", "pre_tool_use", docker("deny"), Blocks),
        ("docker-agent", "b2-preempt", "pre_tool_use", "echo no >&2; exit 2".into(), Flow),
        ("docker-agent", "b-yolo", "pre_tool_use", docker("deny"), Flow),
        ("hygge", "0.17.5", "pre_tool", "echo no >&2; exit 2".into(), Blocks),
        ("hygge", "0.17.5", "pre_tool", r#"echo '{"decision":"deny","reason":"no"}'"#.into(), Blocks),
        ("hygge", "0.17.5", "pre_tool", "echo".into(), Flow),
        ("hygge", "0.17.5", "pre_message", "echo no >&2; exit 2".into(), Stops),
    ];
    for (agent, host, event, script, effect) in cases {
        let report = plays(agent, host, event, &script);
        assert_eq!(report.effect, effect, "{agent} {host} {event}: {script}: {report:#?}");
    }
}

#[test]
fn the_parts_of_an_answer_are_reported_with_their_values() {
    let answer = r#"echo '{"decision":"modify","modified_tool_input":{"command":"ls","n":[1]}}'"#;
    let report = plays("hygge", "0.17.5", "pre_tool", answer);
    assert_eq!(report.carried("input"), Some(&json!({"command": "ls", "n": [1]})));
    let report = plays("hygge", "0.17.5", "pre_tool", "echo 'not this' >&2; exit 2");
    assert_eq!(report.carried("reason"), Some(&json!("not this")));
    let report = plays("claude-code", "2.1.329", "SessionStart", "echo remember the milk");
    assert_eq!(report.carried("context"), Some(&json!("remember the milk")));
    for cases in AGENTS.map(cases) {
        for case in &cases.cases {
            for part in &case.takes {
                assert!(cases.places.contains_key(part), "{}: {} {}: {part}", cases.agent, case.event, case.number);
            }
        }
    }
}

#[test]
fn an_unknown_answer_is_reported_as_unmeasured() {
    let report = plays("codex", "0.169.0", "PreToolUse", r#"echo '{"a_key_nobody_tried":{"b":1}}'"#);
    assert_eq!((report.effect, report.case), (Effect::Unmeasured, None));
    assert_eq!(plays("codex", "0.1", "PreToolUse", "").effect, Effect::Unmeasured);
    assert_eq!(plays("codex", "0.169.0", "NoSuchEvent", "").effect, Effect::Unmeasured);
}

#[test]
fn a_hook_that_crashes_hangs_or_is_missing_is_a_fault() {
    use Effect::{Blocks, Flow};
    for (agent, host, event, effect) in [
        ("claude-code", "2.1.329", "PreToolUse", Flow),
        ("claude-code", "2.1.329-onfailure", "PreToolUse", Blocks),
        ("codex", "0.169.0", "PreToolUse", Flow),
        ("docker-agent", "a", "pre_tool_use", Flow),
        ("docker-agent", "c", "tool_guard", Blocks),
        ("hygge", "0.17.5", "pre_tool", Blocks),
    ] {
        let cases = cases(agent);
        let host = OneShot::new(&cases, host).unwrap().shell("/bin/sh");
        let registered = |script: &str| if agent == "hygge" { sh(script) } else { line(script) };
        let killed = host.clone().timeout(Duration::from_secs(30)).send(event, "{}", &registered("kill -9 $$"));
        assert_eq!((killed.effect, killed.heard.fault), (effect, Some(ReplyFault::Signal)), "{killed:#?}");
        let slow = host.clone().timeout(Duration::from_millis(50)).send(event, "{}", &registered("exec sleep 5"));
        assert_eq!((slow.effect, slow.heard.fault), (effect, Some(ReplyFault::Timeout)), "{slow:#?}");
        let missing = host.timeout(Duration::from_secs(30)).send(event, "{}", &line("/no/such/hook"));
        assert_eq!(missing.effect, effect, "{missing:#?}");
    }
}

#[test]
fn each_host_starts_its_hook_in_its_own_way() {
    let cases_of = cases;
    for agent in ["claude-code", "codex", "docker-agent", "hygge"] {
        let cases = cases_of(agent);
        let (host, event) = (cases.cases[0].hosts[0].clone(), cases.cases[0].event.clone());
        let host = OneShot::new(&cases, &host).unwrap().shell("/bin/sh").timeout(Duration::from_secs(30));
        let host = host.cwd("/").env("A_SECRET", "hush").env("LANG", "C.UTF-8");
        let told = host.send(&event, r#"{"a":1}"#, &sh("wc -c; pwd; echo \"$A_SECRET,$LANG\""));
        let heard: Vec<_> = told.heard.stdout.lines().map(str::trim).collect();
        let bytes = if agent == "claude-code" { "8" } else { "7" };
        let environment = if agent == "hygge" { ",C.UTF-8" } else { "hush,C.UTF-8" };
        assert_eq!(heard, [bytes, "/", environment], "{agent}");
    }
    let hygge = cases("hygge");
    let host = OneShot::new(&hygge, "0.17.5").unwrap();
    assert_eq!(host.send("pre_tool", "{}", &line("sh -c true")).heard.fault, Some(ReplyFault::Missing));
}

#[test]
fn a_child_that_keeps_the_pipe_open_is_a_timeout() {
    let cases = cases("docker-agent");
    let host = OneShot::new(&cases, "c").unwrap().shell("/bin/sh").timeout(Duration::from_millis(300));
    let report = host.send("tool_guard", "{}", &line("sleep 2 & exit 0"));
    assert_eq!((report.heard.fault, report.effect), (Some(ReplyFault::Timeout), Effect::Blocks));
}

const SCRIPTED: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case $line in
    *hook.hello*) say '{"ok":true}';;
    *DENY*) say '{"action":"deny_tool","reason":"no"}';;
    *STRING*) printf '{"jsonrpc":"2.0","id":"%s","result":{"action":"deny_tool"}}\n' "$id";;
    *LONG*) printf '{"jsonrpc":"2.0","id":%s,"result":{"x":"' "$id"; head -c 1048576 /dev/zero | tr '\0' x; echo '"}}';;
    *RESPOND*before_tool*|*before_tool*RESPOND*) say '{"action":"respond","result":{"for_llm":"cached"}}';;
    *EXIT*) exit 0;;
    *CHANGE*before_tool*|*before_tool*CHANGE*) say '{"action":"modify","call":{"tool":"exec","arguments":{"action":"run","command":"changed"}}}';;
    *approve_tool*) say '{"approved":true}';;
    *SLOW*) (sleep 1; say '{"action":"continue"}') & ;;
    *) say '{"action":"continue"}';;
  esac
done
"#;

fn scripted<'a>(cases: &'a Cases, host: &'a str) -> HookConnection<'a> {
    let mut limits = TimeLimits::default();
    limits.interceptor = Duration::from_secs(4);
    limits.approval = Duration::from_secs(4);
    let environment = HookEnvironment::new(Duration::ZERO);
    HookConnection::start(cases, host, &sh(SCRIPTED), &environment, &["tool", "approve"], limits).unwrap()
}

fn exec(command: &str) -> PlayedCall {
    PlayedCall::new("cli:default", "exec", json!({"action": "run", "command": command}))
}

fn output(_: &str, _: &Value) -> Value {
    json!({"for_llm": "out", "silent": false, "is_error": false, "async": false})
}

#[test]
fn a_call_goes_through_its_gates_in_order() {
    let cases = cases("picoclaw");
    let host = scripted(&cases, "v0.2.8");
    let turn = host.tool_call(&exec("ls"), output);
    let events: Vec<_> = turn.steps.iter().map(|step| step.event.as_str()).collect();
    assert_eq!(events, ["hook.before_tool", "hook.approve_tool", "hook.after_tool"]);
    assert_eq!(turn.ran, Some(("exec".into(), json!({"action": "run", "command": "ls"}))));
    let turn = host.tool_call(&exec("DENY"), output);
    assert_eq!((turn.steps.len(), turn.steps[0].effect, turn.ran), (1, Effect::Blocks, None));
    let turn = host.tool_call(&exec("CHANGE"), output);
    assert_eq!(turn.ran, Some(("exec".into(), json!({"action": "run", "command": "changed"}))));
    let turn = host.tool_call(&exec("RESPOND"), output);
    assert_eq!((turn.steps[0].effect, turn.ran), (Effect::Responds, None));
    assert_eq!(turn.result, Some(json!({"for_llm": "cached"})));
    let end = host.stop();
    assert_eq!((end.killed, end.exit), (false, Some(0)));
}

#[test]
fn the_oldest_version_runs_the_tool_despite_a_response() {
    let cases = cases("picoclaw");
    let turn = scripted(&cases, "v0.2.4").tool_call(&exec("RESPOND"), output);
    assert!(turn.ran.is_some(), "{turn:#?}");
}

#[test]
fn answers_are_matched_by_id_in_any_order() {
    let cases = cases("picoclaw");
    let host = scripted(&cases, "head");
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| host.call("hook.before_tool", &exec("SLOW").params("head", "")));
        while host.asked() < 2 {
            std::thread::yield_now();
        }
        let quick = host.call("hook.before_tool", &exec("ls").params("head", ""));
        assert_eq!((quick.effect, slow.is_finished()), (Effect::Flow, false));
        assert_eq!(slow.join().unwrap().effect, Effect::Flow);
    });
}

#[test]
fn a_text_id_a_long_line_and_end_of_output_are_not_answers() {
    let cases = cases("picoclaw");
    let mut limits = TimeLimits::default();
    limits.interceptor = Duration::from_millis(500);
    limits.approval = limits.interceptor;
    let environment = HookEnvironment::new(Duration::ZERO);
    let start =
        || HookConnection::start(&cases, "head", &sh(SCRIPTED), &environment, &["tool", "approve"], limits).unwrap();
    let ask = |host: &HookConnection<'_>, method: &str, command: &str| {
        let report = host.call(method, &exec(command).params("head", ""));
        (report.effect, report.heard.fault)
    };
    let host = start();
    assert_eq!(ask(&host, "hook.before_tool", "STRING"), (Effect::Flow, Some(ReplyFault::Timeout)));
    assert_eq!(ask(&host, "hook.approve_tool", "STRING"), (Effect::Blocks, Some(ReplyFault::Timeout)));
    assert_eq!(ask(&host, "hook.before_tool", "LONG"), (Effect::Flow, Some(ReplyFault::Timeout)));
    assert_eq!(ask(&host, "hook.before_tool", "DENY"), (Effect::Flow, Some(ReplyFault::Timeout)), "the reader is dead");
    let host = start();
    assert_eq!(ask(&host, "hook.before_tool", "EXIT"), (Effect::Flow, Some(ReplyFault::Gone)));
    assert_eq!(ask(&host, "hook.approve_tool", "ls"), (Effect::Blocks, Some(ReplyFault::Gone)));
}

#[test]
fn a_hook_that_does_not_end_is_killed() {
    let cases = cases("picoclaw");
    let environment = HookEnvironment::new(Duration::ZERO);
    let stubborn = sh(r#"read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; exec sleep 60"#);
    let host =
        HookConnection::start(&cases, "head", &stubborn, &environment, &["tool"], TimeLimits::default()).unwrap();
    assert!(host.stop().killed);
    let missing =
        HookConnection::start(&cases, "head", &line("/no/such"), &environment, &["tool"], TimeLimits::default());
    assert_eq!(missing.unwrap_err().effect, Effect::RefusesStart);
}

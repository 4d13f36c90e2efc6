//! The agent that keeps the hook process running.

use serde_json::{Value, json};
use snaphook_doubles::lines::{HookConnection, TimeLimits};
use snaphook_doubles::start::HookEnvironment;
use snaphook_doubles::turn::PlayedCall;
use snaphook_hosts::Effect;
use snaphook_hosts::cases::{Cases, ReplyFault};

use crate::{Home, RULES, program, registered};

/// The played versions: the host in the data file, and a version for which the installer registers.
const HOSTS: [PlayedHost; 4] = [
    PlayedHost { id: "v0.2.4", version: "0.2.4" },
    PlayedHost { id: "v0.2.6", version: "0.2.6" },
    PlayedHost { id: "v0.2.8", version: "0.2.8" },
    PlayedHost { id: "head", version: "0.2.9" },
];

#[derive(Debug, Clone, Copy)]
struct PlayedHost {
    id: &'static str,
    version: &'static str,
}

fn start<'a>(
    cases: &'a Cases,
    home: &Home,
    host: PlayedHost,
    program: &std::path::Path,
) -> Result<HookConnection<'a>, Effect> {
    let line = registered::lines("picoclaw", host.version, "hook.before_tool", &home.paths(program)).remove(0);
    let mut environment = HookEnvironment::new(TimeLimits::default().interceptor);
    environment.cwd = Some(home.path().to_owned());
    environment.variables = ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]
        .map(|name| (name.to_owned(), Some(home.path().as_os_str().to_owned())))
        .into();
    HookConnection::start(cases, host.id, &line, &environment, &["tool", "approve"], TimeLimits::default())
        .map_err(|report| report.effect)
}

fn exec(host: &str, session: &str, command: &str) -> PlayedCall {
    let arguments = match host {
        "v0.2.4" => json!({"command": command}),
        _ => json!({"action": "run", "command": command}),
    };
    PlayedCall::new(session, "exec", arguments)
}

fn tool(_: &str, _: &Value) -> Value {
    json!({"for_llm": "out", "silent": false, "is_error": false, "async": false})
}

#[test]
fn every_version_is_at_least_as_strict_as_the_policy() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    for host in HOSTS {
        let connection = start(&cases, &home, host, program()).unwrap();
        let plays = |command: &str| {
            let turn = connection.tool_call(&exec(host.id, "cli:default", command), tool);
            assert!(turn.steps.iter().all(|step| step.effect != Effect::Unmeasured), "{}: {turn:#?}", host.id);
            turn
        };
        for command in ["deny-me now", "ask-me now", "respond-me now", "hang-me now"] {
            let turn = plays(command);
            assert!(turn.ran.is_none(), "{}: {command}: {turn:#?}", host.id);
            assert!(turn.steps.iter().all(|step| step.heard.fault.is_none()), "{}: {command}: {turn:#?}", host.id);
        }
        for command in ["allow-me now", "pass-me now"] {
            let turn = plays(command);
            let asked = exec(host.id, "", command).arguments;
            assert_eq!(turn.ran, Some(("exec".to_owned(), asked)), "{}: {command}: {turn:#?}", host.id);
            assert_eq!(turn.steps.len(), 3, "{}: {turn:#?}", host.id);
        }
        assert!(!connection.stop().killed, "{}: ends when its input does", host.id);
    }
}

#[test]
fn a_response_reaches_the_model_or_the_call_is_refused() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    for host in HOSTS {
        let connection = start(&cases, &home, host, program()).unwrap();
        let turn = connection.tool_call(&exec(host.id, "cli:default", "respond-me now"), tool);
        assert!(turn.ran.is_none(), "{}: {turn:#?}", host.id);
        let last = turn.steps.last().unwrap();
        if host.id == "v0.2.4" {
            assert_eq!((last.event.as_str(), last.effect), ("hook.approve_tool", Effect::Blocks), "{turn:#?}");
            let reason = last.carried("reason").and_then(Value::as_str).unwrap_or_default();
            assert!(reason.contains("an answer in its place"), "{turn:#?}");
        } else {
            assert_eq!(last.effect, Effect::Responds, "{}: {turn:#?}", host.id);
            assert_eq!(turn.result.unwrap()["for_llm"], "an answer in its place");
        }
        // The next call of the same kind is judged separately.
        let again = connection.tool_call(&exec(host.id, "cli:default", "pass-me now"), tool);
        assert!(again.ran.is_some(), "{}: {again:#?}", host.id);
    }
}

#[test]
fn with_an_unreadable_policy_the_handshake_succeeds_and_each_call_is_blocked() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new("[permisions]\n");
    for host in HOSTS {
        let connection = start(&cases, &home, host, program()).expect("the greeting always succeeds");
        let turn = connection.tool_call(&exec(host.id, "cli:default", "pass-me now"), tool);
        assert!(turn.ran.is_none(), "{}: {turn:#?}", host.id);
    }
}

#[test]
fn no_call_runs_if_the_hook_is_killed_or_missing() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    for host in HOSTS {
        let missing = start(&cases, &home, host, &home.path().join("missing"));
        assert_eq!(missing.unwrap_err(), Effect::RefusesStart, "{}", host.id);
        let connection = start(&cases, &home, host, program()).unwrap();
        connection.kill();
        let turn = connection.tool_call(&exec(host.id, "cli:default", "pass-me now"), tool);
        assert_eq!(turn.steps[0].heard.fault, Some(ReplyFault::Gone), "{}: {turn:#?}", host.id);
        assert!(turn.ran.is_none(), "approve_tool fails closed: {}: {turn:#?}", host.id);
    }
}

#[test]
fn a_slow_request_does_not_delay_another_session() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    let connection = start(&cases, &home, HOSTS[3], program()).unwrap();
    std::thread::scope(|scope| {
        let slow =
            scope.spawn(|| connection.call("hook.before_tool", &exec("head", "a", "slow-me now").params("head", "")));
        while connection.asked() < 2 {
            std::thread::yield_now();
        }
        for _ in 0..5 {
            let quick = connection.call("hook.before_tool", &exec("head", "b", "deny-me now").params("head", ""));
            assert_eq!(quick.effect, Effect::Blocks, "{quick:#?}");
        }
        assert!(!slow.is_finished(), "the others were answered first");
        let slow = slow.join().unwrap();
        assert_eq!((slow.effect, slow.heard.fault), (Effect::Flow, None), "{slow:#?}");
    });
}

#[test]
fn ids_stay_numbers_and_messages_without_an_id_get_no_answer() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    let connection = start(&cases, &home, HOSTS[2], program()).unwrap();
    let params = exec("v0.2.8", "a", "deny-me now").params("v0.2.8", "");
    let request = |id: Option<Value>| {
        let mut request = json!({"jsonrpc": "2.0", "method": "hook.before_tool", "params": params});
        if let Some(id) = id {
            request["id"] = id;
        }
        request.to_string()
    };
    for line in [request(Some(json!(0))), request(None), "no JSON".to_owned(), "[1]".to_owned(), String::new()] {
        assert!(connection.write_line(&line), "{line}");
    }
    connection.notify("hook.event", &json!({"Kind": 8, "Time": "2026-04-08T00:00:00Z", "Meta": {}, "Payload": {}}));
    for _ in 0..3 {
        assert_eq!(connection.call("hook.before_tool", &params).effect, Effect::Blocks);
    }
    let strange = connection.call("hook.no_such_method", &json!({}));
    assert_eq!(strange.heard.at("/error/code"), Some(json!(-32601)), "{strange:#?}");
    let ids: Vec<_> =
        connection.lines().iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64()).collect();
    assert_eq!(ids, [Some(1), Some(2), Some(3), Some(4), Some(5)], "{:#?}", connection.lines());
}

#[test]
fn requests_before_the_end_of_input_are_answered() {
    let cases = Cases::of("picoclaw").unwrap();
    let home = Home::new(RULES);
    let connection = start(&cases, &home, HOSTS[3], program()).unwrap();
    std::thread::scope(|scope| {
        let slow =
            scope.spawn(|| connection.call("hook.before_tool", &exec("head", "a", "slow-me now").params("head", "")));
        while connection.asked() < 2 {
            std::thread::yield_now();
        }
        connection.close_input();
        let slow = slow.join().unwrap();
        assert_eq!((slow.effect, slow.heard.fault), (Effect::Flow, None), "{slow:#?}");
    });
    let end = connection.stop();
    assert_eq!((end.killed, end.exit), (false, Some(0)));
}

//! Tests of docker-agent alone, over its fixtures, rows and hosts.

use std::collections::BTreeSet;

use super::{AGENT, DockerAgent};
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, Reply, Target, Verdict, VerdictKind};
use crate::protocol::{EventRow, HookProtocol, Native, RegisteredLine, Role};
use crate::raw::Raw;

fn fixtures() -> Vec<(String, Native)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docker_agent/fixtures");
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.into_iter().map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), load(&path))).collect()
}

#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
fn load(path: &std::path::Path) -> Native {
    let fixture = Raw::document(std::fs::read_to_string(path).unwrap());
    let said = |at: &str| fixture.at(at).and_then(|raw| raw.text()).map(|text| text.value);
    let role = said("/line/role").map_or(Role::Alone, |name| Role::named(&name).unwrap());
    let mut line = RegisteredLine::default().role(role);
    line.event = said("/line/event");
    Native::new(fixture.at("/stdin").unwrap().as_str()).line(line)
}

fn parsed(native: &Native) -> HookEvent {
    match DockerAgent.parse(native) {
        Ok(Incoming::Event(event)) => *event,
        other => panic!("{}: {other:?}", native.body.as_str()),
    }
}

fn event(json: &str, role: Role) -> HookEvent {
    parsed(&Native::new(json).line(RegisteredLine::default().role(role)))
}

fn verdicts() -> [Verdict; 8] {
    let reason = || "because".to_owned();
    [
        Verdict::Pass,
        Verdict::Allow { reason: reason() },
        Verdict::Ask { reason: reason() },
        Verdict::Deny { reason: reason() },
        Verdict::Respond(crate::model::Response::new("answer")),
        Verdict::Abort { reason: reason() },
        Verdict::HardAbort { reason: reason() },
        Verdict::KeepGoing { reason: reason() },
    ]
}

fn changes(event: &HookEvent) -> Vec<Option<Change>> {
    let input = event.call().map_or_else(|| Raw::document("{}"), |call| call.input.clone());
    let more = input.object().unwrap().with("cwd", "\"/x\"");
    let mut all = vec![None];
    for target in Target::ALL {
        let values: &[Raw] = match target {
            Target::Input => &[more.clone(), Raw::document("{}"), Raw::document("7"), input.clone()],
            Target::Messages => &[Raw::document("[{\"role\":\"user\"}]"), Raw::document("[]"), Raw::document("{}")],
            _ => &[Raw::string("other"), Raw::document("{\"x\":1}")],
        };
        for value in values {
            all.push(Some(Change::required(target, value.clone())));
            all.push(Some(Change::optional(target, value.clone())));
        }
    }
    all
}

#[test]
fn decisions_with_the_same_reply_have_the_same_meaning() {
    for (name, native) in fixtures() {
        let event = parsed(&native);
        let mut seen: Vec<(Reply, crate::fit::Fitted)> = Vec::new();
        for verdict in verdicts() {
            for change in changes(&event) {
                let mut wanted = Decision::from(verdict.clone());
                wanted.changes.extend(change);
                let (fitted, _) = fit(wanted, &event, &Limits::default());
                let reply = DockerAgent.format(&event, &fitted);
                match seen.iter().find(|(before, _)| *before == reply) {
                    Some((_, before)) => assert_eq!(*before, fitted, "{name}: {reply:?}"),
                    None => seen.push((reply, fitted)),
                }
            }
        }
    }
}

#[test]
fn every_row_has_a_fixture_and_every_fixture_reaches_its_row() {
    let rows: BTreeSet<String> = AGENT.events.iter().map(EventRow::key).collect();
    assert_eq!(rows.len(), AGENT.events.len());
    let events: Vec<_> = fixtures().iter().map(|(_, native)| parsed(native)).collect();
    let seen = events.iter().filter(|event| !event.is_unknown()).map(|event| event.row.key()).collect();
    assert_eq!(rows, seen);
}

#[test]
fn a_refusal_is_silent_on_events_that_are_not_gates() {
    for (name, native) in fixtures() {
        let event = parsed(&native);
        if !event.row.gates() && !event.is_unknown() {
            assert_eq!(DockerAgent.refuse(&native, "unreadable"), Reply::silent(), "{name}");
        }
    }
}

const DENIAL: &str = r#"{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"deny","permission_decision_reason":"unreadable"}}"#;

#[test]
fn the_preempt_lane_always_gets_a_document() {
    let unreadable =
        ["", "x", "null", "[]", "{", "{\"hook_event_name\":7}", "{\"hook_event_name\":\"odd\",\"tool_name\":1}"];
    for body in unreadable {
        for line in [RegisteredLine::default(), RegisteredLine::default().event("pre_tool_use")] {
            let native = Native::new(body).line(line.clone().role(Role::Preempt));
            assert!(DockerAgent.parse(&native).is_err(), "{body}");
            assert_eq!(DockerAgent.refuse(&native, "unreadable"), Reply::document(DENIAL), "{body}");
        }
        let native = Native::new(body);
        assert_eq!(DockerAgent.refuse(&native, "unreadable"), Reply::blocked("unreadable"), "{body}");
    }
    let unknown = r#"{"hook_event_name":"odd","agent_name":"root","tool_name":"shell","tool_input":{"cmd":"ls"}}"#;
    let (fitted, _) = fit(Decision::deny("no"), &event(unknown, Role::Preempt), &Limits::default());
    assert_eq!(DockerAgent.format(&event(unknown, Role::Preempt), &fitted).exit, 0);
    assert_eq!(DockerAgent.format(&event(unknown, Role::Alone), &fitted).exit, 2);
}

#[test]
fn ask_becomes_deny_only_for_old_messages() {
    let call = |extra: &str| {
        format!(r#"{{"hook_event_name":"pre_tool_use",{extra}"tool_name":"shell","tool_input":{{"cmd":"git push"}}}}"#)
    };
    for (extra, want) in [
        ("", VerdictKind::Deny),
        (r#""agent_name":"root","#, VerdictKind::Ask),
        (r#""safety_policy":"a-word-of-next-year","#, VerdictKind::Ask),
    ] {
        let event = event(&call(extra), Role::Alone);
        let (fitted, _) = fit(Decision::ask("sure?"), &event, &Limits::default());
        assert_eq!(fitted.verdict().kind(), want, "{extra}");
    }
}

#[test]
fn an_old_message_is_asked_about_only_if_the_line_says_so_and_it_names_a_folder() {
    let call = |cwd: &str| {
        format!(
            r#"{{"hook_event_name":"pre_tool_use",{cwd}"tool_name":"shell","tool_input":{{"cmd":"git push","cwd":"/x"}}}}"#
        )
    };
    let asks = |cwd: &str, role| {
        let (fitted, _) = fit(Decision::ask("sure?"), &event(&call(cwd), role), &Limits::default());
        fitted.verdict().kind()
    };
    let named = r#""cwd":"/work","#;
    assert_eq!(asks(named, Role::Asks), VerdictKind::Ask);
    for cwd in ["", r#""cwd":"","#, r#""cwd":null,"#] {
        assert_eq!(asks(cwd, Role::Asks), VerdictKind::Deny, "{cwd}");
    }
    for role in [Role::Alone, Role::Guarded] {
        assert_eq!(asks(named, role), VerdictKind::Deny, "{role:?}");
    }
}

#[test]
fn every_spelling_of_a_command_is_judged() {
    let call = |input: &str| {
        Native::new(format!(
            r#"{{"hook_event_name":"tool_guard","agent_name":"r","tool_name":"shell","tool_input":{input}}}"#
        ))
    };
    for input in
        [r#"{"cmd":"ls","CMD":"rm x"}"#, r#"{"cmd":"ls","cmd":"rm x"}"#, r#"{"cmd":7}"#, "{}", r#"{"cmd":" "}"#]
    {
        let error = DockerAgent.parse(&call(input)).unwrap_err().to_string();
        assert!(error.contains("tool_input.cmd"), "{error}");
    }
    let commands = |input: &str| -> Vec<String> {
        let event = parsed(&call(input));
        let shell = |action: &Action| match action {
            Action::Shell { command: crate::model::Command::Text(text), .. } => Some(text.to_string()),
            _ => None,
        };
        event.call().unwrap().actions.iter().filter_map(shell).collect()
    };
    assert_eq!(commands(r#"{"CMD":"rm x"}"#), ["rm x"]);
    assert_eq!(commands(r#"{"cmd":"","command":"rm x"}"#), ["rm x"]);
    assert_eq!(commands(r#"{"cmd":"ls","command":"rm x"}"#), ["ls", "rm x"]);
}

#[test]
fn a_rewrite_changes_only_the_command() {
    let native = Native::new(
        r#"{"hook_event_name":"tool_input_transform","tool_name":"shell","tool_input":{"timeout":1.10,"CMD":"ls","x":[1E400]}}"#,
    );
    let event = parsed(&native);
    let change =
        DockerAgent.rewrite(event.call().unwrap(), &|command| Some(format!("sb {}", command.text()?).into())).unwrap();
    assert_eq!(change.value.as_str(), r#"{"timeout":1.10,"CMD":"sb ls","x":[1E400]}"#);
    let decision = Decision::pass().change(change);
    let (fitted, losses) = fit(decision, &event, &Limits::default());
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(
        DockerAgent.format(&event, &fitted).stdout,
        r#"{"hook_specific_output":{"hook_event_name":"tool_input_transform","updated_input":{"timeout":1.10,"CMD":"sb ls","x":[1E400]}}}"#
    );
}

#[test]
fn a_required_change_becomes_a_denial_in_the_preempt_lane() {
    let shell = r#"{"hook_event_name":"pre_tool_use","agent_name":"r","tool_name":"shell","tool_input":{"cmd":"ls"}}"#;
    let event = event(shell, Role::Preempt);
    let change =
        DockerAgent.rewrite(event.call().unwrap(), &|command| Some(format!("sb {}", command.text()?).into())).unwrap();
    let (fitted, losses) = fit(Decision::allow().change(change), &event, &Limits::default());
    assert_eq!(fitted.verdict().kind(), VerdictKind::Deny, "{losses:?}");
}

#[test]
fn messages_of_other_agents_are_refused() {
    let claude = r#"{"session_id":"s","transcript_path":"/t","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let error = DockerAgent.parse(&Native::new(claude)).unwrap_err().to_string();
    assert!(error.contains("claude-code"), "{error}");
    assert_eq!(DockerAgent.refuse(&Native::new(claude), "x"), Reply::blocked("x"));
}

#[test]
fn a_known_gate_without_a_tool_name_is_an_error() {
    for name in ["tool_input_transform", "tool_guard", "pre_tool_use", "permission_request"] {
        let native = Native::new(format!(r#"{{"hook_event_name":"{name}","tool_input":{{}}}}"#));
        assert!(DockerAgent.parse(&native).is_err(), "{name}");
    }
}

#[test]
fn the_category_decides_whether_an_unknown_tool_is_an_mcp_tool() {
    let actions = |category: &str, tool: &str| {
        let json = format!(r#"{{"hook_event_name":"tool_guard",{category}"tool_name":"{tool}","tool_input":{{}}}}"#);
        event(&json, Role::Alone).call().unwrap().actions.len()
    };
    assert_eq!(actions("", "frob"), 2);
    assert_eq!(actions("", "git_status"), 2);
    assert_eq!(actions(r#""tool_category":"mcp","#, "git_status"), 2);
    assert_eq!(actions(r#""tool_category":"mcp","#, "read_file"), 2);
    assert_eq!(actions(r#""tool_category":"shell","#, "frob"), 1);
}

#[test]
fn an_mcp_call_with_unreadable_arguments_keeps_its_id() {
    for (input, name) in [(r#""tool_input":{"command":"ls"},"#, "shell"), ("", "shell"), ("", "git_status")] {
        let json = format!(
            r#"{{"hook_event_name":"tool_guard","tool_category":"mcp","tool_use_id":"t1",{input}"tool_name":"{name}"}}"#
        );
        let event = event(&json, Role::Alone);
        let call = event.call().unwrap();
        assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("t1"), name), "{json}");
    }
}

#[test]
fn a_null_that_may_hide_another_value_is_refused_before_the_call_runs() {
    let message = |event: &str, input: &str| {
        Native::new(format!(
            r#"{{"session_id":"s","cwd":"/w","hook_event_name":"{event}","tool_name":"shell","tool_input":{input},"tool_response":"x"}}"#
        ))
    };
    for input in [r#"{"cmd":"cat k","cwd":null}"#, r#"{"cmd":"ls","command":null}"#, r#"{"cmd":null,"command":"ls"}"#] {
        for event in ["pre_tool_use", "permission_request"] {
            let fault = DockerAgent.parse(&message(event, input)).unwrap_err().to_string();
            assert!(
                fault.contains(
                    "is null, which may hide another value; expected a string (\".\" for the current folder)"
                ),
                "{event} {input}: {fault}"
            );
        }
    }
    assert!(DockerAgent.parse(&message("post_tool_use", r#"{"cmd":"ls","cwd":null}"#)).is_ok());
    assert!(DockerAgent.parse(&message("pre_tool_use", r#"{"cmd":"ls","timeout":null}"#)).is_ok());
}

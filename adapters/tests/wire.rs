//! Facts about single agents that no law can know: the new values that an agent ignores, and fields with a second
//! meaning.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Limits, Loss, fit};
use snaphook_adapters::model::{Action, Change, Decision, EventKind, HookEvent, Incoming, McpName, Target};
use snaphook_adapters::protocol::Native;
use snaphook_adapters::registry::Registry;

/// A new value, and true if the agent uses it.
type Case = (&'static str, bool);

const CHANGES: &[(&str, &str, Target, &[Case])] = &[
    (
        "docker-agent",
        "before_llm_call_first",
        Target::Messages,
        &[(r#"[{"role":"user"}]"#, true), ("[]", false), ("[1]", false), ("{}", false)],
    ),
    ("docker-agent", "tool_response_transform_shell", Target::Result, &[(r#""text""#, true), ("{}", false)]),
    (
        "hygge",
        "post_tool_bash",
        Target::Result,
        &[
            (r#"{"content":"x"}"#, true),
            (r#"{"content":"x","is_error":true}"#, true),
            (r#"{"content":"x","is_error":1}"#, false),
            (r#"{"content":1}"#, false),
            (r#"{"is_error":true}"#, false),
        ],
    ),
    ("hygge", "pre_tool_bash", Target::Input, &[(r#"{"command":"x"}"#, true), ("null", false), ("[1]", false)]),
    ("hygge", "pre_message_text", Target::Prompt, &[(r#""x""#, true), (r#""""#, false), ("7", false)]),
    (
        "picoclaw",
        "after_tool_exec",
        Target::Result,
        &[
            (r#"{"for_llm":"x"}"#, true),
            (r#"{"for_llm":"x","for_user":null,"silent":true}"#, true),
            (r#"{"for_llm":"x","media":["a"]}"#, true),
            (r#"{"for_llm":"x","media":[1]}"#, false),
            (r#"{"for_llm":"x","silent":1}"#, false),
            (r#"{"for_llm":1}"#, false),
            (r#"{"for_user":"x"}"#, false),
        ],
    ),
    (
        "picoclaw",
        "after_llm_text",
        Target::Result,
        &[
            (r#"{"content":"x"}"#, true),
            (r#"{"content":"x","tool_calls":[]}"#, true),
            (r#"{"content":"x","tool_calls":null}"#, true),
            (r#"{"content":"x","tool_calls":[{}]}"#, false),
            (r#"{"content":"x","tool_calls":1}"#, false),
            (r#"{"content":1}"#, false),
            (r#""x""#, false),
        ],
    ),
    ("picoclaw", "after_llm_calls", Target::Result, &[(r#"{"content":"x"}"#, false)]),
    (
        "picoclaw",
        "before_llm_old",
        Target::Request,
        &[
            (r#"{"model":"m"}"#, true),
            (r#"{"tools":[{"a":1}]}"#, true),
            (r#"{"tools":[1]}"#, false),
            (r#"{"tools":1}"#, false),
            (r#"{"options":{"a":1}}"#, true),
            (r#"{"options":1}"#, false),
            (r#"{"messages":[]}"#, false),
            (r#"{"other":1}"#, false),
        ],
    ),
    (
        "picoclaw",
        "before_llm_first",
        Target::Request,
        &[(r#"{"model":"m"}"#, true), (r#"{"tools":[{"a":1}]}"#, false), (r#"{"model":1}"#, false)],
    ),
    (
        "claude-code",
        "post_tool_use_bash",
        Target::Result,
        &[
            (r#"{"stdout":"x","stderr":"","interrupted":true,"isImage":false,"noOutputExpected":false}"#, true),
            (r#"{"stdout":"x","stderr":"","interrupted":0,"isImage":false,"noOutputExpected":false}"#, false),
            (r#"{"stdout":"x","stderr":"","interrupted":true,"isImage":false}"#, false),
            (r#""x""#, false),
        ],
    ),
    (
        "claude-code",
        "post_tool_use_mcp_my_srv_say_it",
        Target::Result,
        &[(r#"[{"type":"text","text":"x"}]"#, true), (r#""x""#, false)],
    ),
    ("codex", "post_tool_use_bash", Target::Result, &[(r#""x""#, true), (r#"" ""#, false), ("{}", false)]),
];

fn event(agent: &str, fixture: &str) -> HookEvent {
    let suites = common::suites();
    let suite = suites.iter().find(|suite| suite.protocol().agent().id == agent).unwrap();
    suite.judged().find(|(found, _)| found.stem == fixture).unwrap().1
}

fn parsed(agent: &str, message: &str) -> HookEvent {
    match Registry::standard().get(agent).unwrap().parse(&Native::new(message)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_that_the_agent_would_ignore_is_not_sent() {
    for (agent, fixture, target, cases) in CHANGES {
        let event = event(agent, fixture);
        for (value, is_used) in *cases {
            let decision = Decision::pass().change(Change::optional(*target, Raw::document(*value)));
            let (fitted, losses) = fit(decision, &event, &Limits::default());
            let sent = fitted.change(*target).map(Raw::as_str);
            assert_eq!(sent, is_used.then_some(*value), "{agent} {fixture}: {losses:?}");
            assert_eq!(losses.is_empty(), *is_used, "{agent} {fixture}: {value}");
        }
    }
}

#[test]
fn an_unchanged_value_is_not_a_change() {
    let mut seen = [0; 3];
    for suite in common::suites() {
        for (fixture, event) in suite.judged() {
            let messages = event.raw.at("/params").unwrap_or_else(|| event.raw.clone()).at("/messages");
            let (target, value, kind) = match event.kind() {
                EventKind::PreModel => (Target::Messages, messages, 0),
                EventKind::PreTool => (Target::Input, event.call().map(|call| call.input.clone()), 1),
                _ => continue,
            };
            let Some(value) = value else { continue };
            let decision = Decision::pass().change(Change::required(target, value.clone()));
            let (fitted, losses) = fit(decision.clone(), &event, &Limits::default());
            let place = format!("{} {}: {losses:?}", event.agent.id, fixture.stem);
            assert!(fitted.change(target).is_none_or(|sent| sent.means(&value)), "{place}");
            assert!(!fitted.verdict().kind().blocks() && losses.is_empty(), "{place}");
            assert!(kind == 1 || fitted.is_silent(), "{place}");
            seen[kind] += 1;
            // A change of something else is one, or a block.
            let other = Decision::pass().change(Change::required(target, Raw::document(r#"{"other":1}"#)));
            let (fitted, losses) = fit(other, &event, &Limits::default());
            let blocked = fitted.verdict().kind().blocks() && matches!(losses.first(), Some(Loss::Change { .. }));
            assert!(fitted.change(target).is_some() || blocked, "{place}");
            seen[2] += usize::from(blocked);
        }
    }
    assert!(seen.iter().all(|&seen| seen > 0), "{seen:?}");
}

#[test]
fn unchanged_members_of_a_request_are_not_a_change() {
    let event = event("picoclaw", "before_llm_old");
    for (value, is_change) in [(r#"{"model":"scripted"}"#, false), (r#"{"model":"other"}"#, true)] {
        let decision = Decision::pass().change(Change::required(Target::Request, Raw::document(value)));
        let (fitted, losses) = fit(decision, &event, &Limits::default());
        assert_eq!((fitted.change(Target::Request).is_some(), losses.len()), (is_change, 0), "{value}");
    }
}

#[test]
fn session_context_is_sent_on_the_event_that_starts_a_session() {
    let named = |id: &str| Registry::standard().get(id).unwrap().session_context().map(|row| row.native);
    let found = ["claude-code", "codex", "docker-agent", "hygge", "picoclaw"].map(named);
    assert_eq!(found, [Some("SessionStart"), Some("SessionStart"), Some("session_start"), Some("pre_message"), None]);
}

/// docker-agent names an MCP tool as any other and sends the category beside it.
#[test]
fn an_mcp_tool_with_the_name_of_a_known_tool_is_both() {
    let message = |category: &str| {
        format!(
            r#"{{"hook_event_name":"tool_guard","session_id":"s","cwd":"/p","agent_name":"root","tool_category":"{category}","tool_name":"shell","tool_input":{{"cmd":"ls"}}}}"#
        )
    };
    let actions = |category: &str| parsed("docker-agent", &message(category)).call().unwrap().actions.clone();
    let shell = |action: &Action| matches!(action, Action::Shell { .. });
    let mcp = |action: &Action| matches!(action, Action::Mcp(McpName::Bare(name)) if name == "shell");
    assert!(actions("mcp").iter().any(shell) && actions("mcp").iter().any(mcp), "{:?}", actions("mcp"));
    assert!(actions("shell").iter().any(shell) && !actions("shell").iter().any(mcp), "{:?}", actions("shell"));
}

#[test]
fn an_approval_without_a_reason_is_sent_without_one() {
    let event = event("docker-agent", "permission_request_write");
    let (fitted, _) = fit(Decision::allow(), &event, &Limits::default());
    let reply = (event.row.reply)(&event, &fitted);
    let sent = Raw::document(reply.stdout);
    assert_eq!(sent.at("/hook_specific_output/permission_decision"), Some(Raw::string("allow")));
    assert_eq!(sent.at("/hook_specific_output/permission_decision_reason"), None);
}

#[test]
fn a_lone_surrogate_anywhere_marks_the_event() {
    let message = |cwd: &str, session: &str| {
        format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"{session}","cwd":"{cwd}","tool_name":"Bash","tool_input":{{"command":"ls"}}}}"#
        )
    };
    assert!(parsed("claude-code", &message(r"/p\ud800", "s")).lossy);
    assert!(parsed("claude-code", &message("/p", r"s\udfff")).lossy);
    assert!(!parsed("claude-code", &message("/p", "s")).lossy);
}

#[test]
fn an_installation_registers_only_for_the_events_of_its_entries() {
    let registered = |id: &str, name: &str| {
        let agent = Registry::standard().get(id).unwrap().agent();
        let row = agent.events.iter().find(|row| row.native == name).unwrap();
        agent.is_registered_for(row)
    };
    assert!(registered("claude-code", "PreToolUse") && registered("picoclaw", "hook.before_tool"));
    assert!(!registered("claude-code", "DirectoryAdded") && !registered("codex", "Interrupt"));
}

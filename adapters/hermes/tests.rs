use super::Hermes;
use crate::fit::{Limits, fit};
use crate::model::{Action, Decision, HookEvent, Incoming, McpName, Verdict};
use crate::protocol::{HookProtocol, Native};

fn read(body: &str) -> HookEvent {
    match Hermes.parse(&Native::new(body)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn says(event: &HookEvent, decision: Decision) -> String {
    let (fitted, _) = fit(decision, event, &Limits::default());
    let reply = Hermes.format(event, &fitted);
    assert_eq!((reply.exit, reply.stderr.as_str()), (0, ""));
    reply.stdout
}

#[test]
fn a_refusal_is_a_document_whatever_the_message_is() {
    for body in ["", "null", r#"{"hook_event_name":"pre_tool_call"}"#, r#"{"hook_event_name":"new","tool_name":"x"}"#] {
        assert!(Hermes.parse(&Native::new(body)).is_err(), "{body}");
        let reply = Hermes.refuse(&Native::new(body), "why");
        assert_eq!((reply.exit, reply.stdout.as_str()), (0, r#"{"decision":"block","reason":"why"}"#), "{body}");
    }
}

#[test]
fn a_turn_is_continued_and_a_prompt_gets_context() {
    let verify = read(r#"{"hook_event_name":"pre_verify","tool_name":null,"tool_input":null,"extra":{}}"#);
    let more = Decision::from(Verdict::KeepGoing { reason: "more".into() });
    assert_eq!(says(&verify, more), r#"{"action":"continue","message":"more"}"#);
    let prompt = read(r#"{"hook_event_name":"pre_llm_call","tool_name":null,"extra":{"user_message":"hi"}}"#);
    assert_eq!(says(&prompt, Decision::deny("no").context("c")), r#"{"context":"c"}"#);
}

#[test]
fn a_patch_is_judged_by_its_mode() {
    let parsed = |input: &str| {
        let body = format!(r#"{{"hook_event_name":"pre_tool_call","tool_name":"patch","tool_input":{input}}}"#);
        Hermes.parse(&Native::new(body))
    };
    let actions = |input: &str| match parsed(input).unwrap() {
        Incoming::Event(event) => event.call().unwrap().actions.clone(),
        other => panic!("{other:?}"),
    };
    let edit = [Action::Edit { path: "a".into() }];
    assert_eq!(actions(r#"{"path":"a","old_string":"x","new_string":"y"}"#), edit);
    assert_eq!(
        actions(r#"{"mode":"patch","patch":"*** Begin Patch\r\n*** Update File: a\r\n+*** Add File: b\n"}"#),
        edit
    );
    // Hermes would change another file than the one that was judged.
    for odd in [
        "***Update File: b",
        "*** Move File: a -> b",
        "***  Delete File: b",
        "*** Add  File: b",
        "*** Add File:  b",
        r"*** Add File: b\u001f",
    ] {
        assert!(parsed(&format!(r#"{{"mode":"patch","patch":"*** Update File: a\n{odd}\n"}}"#)).is_err(), "{odd}");
    }
}

#[test]
fn tools_of_mcp_servers_are_recognised_under_their_names_in_older_versions_too() {
    let action = |name: &str| {
        let body = format!(r#"{{"hook_event_name":"pre_tool_call","tool_name":"{name}","tool_input":{{}}}}"#);
        read(&body).call().unwrap().actions.clone()
    };
    let split = McpName::Split { server: "my_srv".into(), tool: "say_it".into() };
    assert_eq!(action("mcp__my_srv__say_it"), [Action::Mcp(split)]);
    assert_eq!(action("mcp_my_srv_say_it"), [Action::Mcp(McpName::Joined("my_srv_say_it".into()))]);
    assert_eq!(action("another"), [Action::Other]);
}

use super::CRUSH;
use crate::Raw;
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, Reply, Target, Verdict};
use crate::protocol::{HookProtocol, Native};

fn event(tool: &str, input: &str) -> HookEvent {
    let body = format!(r#"{{"event":"PreToolUse","cwd":"/p","tool_name":"{tool}","tool_input":{input}}}"#);
    match CRUSH.parse(&Native::new(body)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn answer(event: &HookEvent, decision: Decision) -> Reply {
    let (fitted, _) = fit(decision, event, &Limits::default());
    CRUSH.format(event, &fitted)
}

const LS: &str = r#"{"command":"ls","description":"d"}"#;

#[test]
fn an_approval_a_change_and_context_are_one_document() {
    let event = event("bash", LS);
    let change = Change::required(Target::Input, Raw::document(r#"{"command":"id","description":"d"}"#));
    let pass = Decision::pass().change(change.clone());
    assert_eq!(answer(&event, pass).stdout, r#"{"updated_input":{"command":"id","description":"d"}}"#);
    let allow = Decision::allow().change(change).context("c");
    assert_eq!(
        answer(&event, allow).stdout,
        r#"{"decision":"allow","updated_input":{"command":"id","description":"d"},"context":"c"}"#
    );
    let abort = Decision::from(Verdict::Abort { reason: "over".into() });
    assert_eq!(answer(&event, abort).stdout, r#"{"halt":true,"reason":"over"}"#);
}

/// Crush would run the old command, or another one than was asked for.
#[test]
fn a_change_that_would_be_merged_wrongly_is_a_denial() {
    for (old, new) in [
        (LS, r#"{"command":"id"}"#),
        (LS, r#"{"command":"id","description":"d","a.b":1}"#),
        (r#"{"command":"ls","command":"ls"}"#, r#"{"command":"id"}"#),
        (r#"{"command":"ls","Command":"ls"}"#, r#"{"command":"id","Command":"ls"}"#),
        (r#"{"command":"ls","note":1,"NOTE":2}"#, r#"{"command":"id","note":1,"NOTE":2}"#),
    ] {
        let body = format!(r#"{{"event":"PreToolUse","tool_name":"bash","tool_input":{old}}}"#);
        let Ok(Incoming::Event(event)) = CRUSH.parse(&Native::new(body)) else { continue };
        let change = Change::required(Target::Input, Raw::document(new));
        assert_eq!(answer(&event, Decision::allow().change(change)).exit, 2, "{old} -> {new}");
    }
}

#[test]
fn a_sub_agent_that_fetches_is_judged_by_its_address_and_its_prompt() {
    let fetch = |url: &str| Action::Fetch { url: url.into() };
    let calls = event("agentic_fetch", r#"{"prompt":"find it"}"#).call().unwrap().actions.clone();
    assert_eq!(calls, [fetch("find it"), Action::Subagent { name: None }]);
    let calls = event("agentic_fetch", r#"{"url":"https://a.b","prompt":"p"}"#).call().unwrap().actions.clone();
    assert_eq!(calls, [fetch("https://a.b"), fetch("p"), Action::Subagent { name: None }]);
}

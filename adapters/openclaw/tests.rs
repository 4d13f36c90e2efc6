use super::OPENCLAW;
use crate::Raw;
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, Target};
use crate::protocol::{HookProtocol, Native};

fn call(tool: &str, input: &str) -> HookEvent {
    let params = format!(r#"{{"directory":"/w","session":"s","call":"c","tool":"{tool}","input":{input}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"before_tool_call","params":{params}}}"#);
    match OPENCLAW.parse(&Native::new(body)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

/// OpenClaw would keep the argument.
#[test]
fn a_change_that_leaves_out_an_argument_is_a_denial() {
    let event = call("exec", r#"{"command":"ls","workdir":"/w"}"#);
    let verdict = |new: &str| {
        let change = Change::required(Target::Input, Raw::document(new));
        fit(Decision::pass().change(change), &event, &Limits::default()).0.verdict().kind().blocks()
    };
    assert!(!verdict(r#"{"command":"id","workdir":"/w","yieldMs":1}"#));
    assert!(verdict(r#"{"command":"id"}"#));
}

#[test]
fn what_is_typed_into_a_process_is_judged() {
    let typed = |input: &str| call("process", input).call().unwrap().actions.clone();
    let text = |text: &str| Action::ShellInput { text: text.into() };
    assert_eq!(typed(r#"{"action":"write","data":"ls\n"}"#), [text("ls\n")]);
    assert_eq!(typed(r#"{"action":"paste","text":"ls"}"#), [text("ls")]);
    assert_eq!(typed(r#"{"action":"send-keys","literal":"ls","keys":["Enter"]}"#), [text("ls"), text("Enter")]);
    assert_eq!(typed(r#"{"action":"list"}"#), [Action::Other]);
}

/// The arguments of a script repeat it under the name of a command, which no shell runs.
#[test]
fn a_script_is_no_command() {
    assert_eq!(call("code_mode_exec", r#"{"code":"1","command":"1"}"#).call().unwrap().actions, [Action::Other]);
}

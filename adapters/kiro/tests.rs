use super::KIRO;
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, Reply, Target};
use crate::protocol::{HookProtocol, Native};
use crate::raw::Raw;

fn event(stdin: &str) -> HookEvent {
    match KIRO.parse(&Native::new(stdin)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn answer(stdin: &str, decision: Decision) -> Reply {
    let event = event(stdin);
    let (fitted, _) = fit(decision, &event, &Limits::default());
    KIRO.format(&event, &fitted)
}

const CALL: &str =
    r#"{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"execute_bash","tool_input":{"command":"ls"}}"#;

#[test]
fn everything_that_is_not_allowed_as_it_is_leaves_as_exit_2() {
    let change = Change::required(Target::Input, Raw::document(r#"{"command":"sb -- ls"}"#));
    for call in [CALL.to_owned(), CALL.replace("PreToolUse", "preToolUse")] {
        for decision in [Decision::deny("no"), Decision::ask("sure?"), Decision::allow().change(change.clone())] {
            let reply = answer(&call, decision);
            assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""));
            assert!(!reply.stderr.is_empty());
        }
        assert_eq!(answer(&call, Decision::allow()), Reply::silent());
    }
}

#[test]
fn context_is_the_text_of_stdout() {
    let prompt = r#"{"hook_event_name":"userPromptSubmit","cwd":"/w","prompt":"fix it"}"#;
    assert_eq!(answer(prompt, Decision::pass().context("one\ntwo")).stdout, "one\ntwo");
    assert_eq!(answer(prompt, Decision::deny("no")), Reply::silent());
}

#[test]
fn every_path_of_an_operation_is_read() {
    let read = |operations: &str| {
        format!(
            r#"{{"hook_event_name":"preToolUse","cwd":"/w","tool_name":"fs_read","tool_input":{{"operations":{operations}}}}}"#
        )
    };
    let call = event(&read(r#"[{"mode":"Line","path":"a"},{"mode":"Image","image_paths":["b","c"]}]"#));
    let path = |action: &Action| match action {
        Action::Read { path } => path.clone(),
        other => panic!("{other:?}"),
    };
    let paths: Vec<_> = call.call().unwrap().actions.iter().map(path).collect();
    assert_eq!(paths, ["a", "b", "c"]);
    for unreadable in [r#"[{"mode":"Line"}]"#, r#"[{"path":1}]"#, r#"["a"]"#, r#"{"path":"a"}"#] {
        assert!(KIRO.parse(&Native::new(read(unreadable))).is_err(), "{unreadable}");
    }
}

#[test]
fn every_spelling_of_an_edit_is_judged() {
    for (command, wanted) in [
        ("create", vec![Action::Write { path: "a".to_owned() }]),
        ("str_replace", vec![Action::Edit { path: "a".to_owned() }]),
        ("strReplace", vec![Action::Edit { path: "a".to_owned() }]),
        ("rewrite", vec![Action::Write { path: "a".to_owned() }, Action::Edit { path: "a".to_owned() }]),
    ] {
        for tool in ["fs_write", "write"] {
            let call = event(&format!(
                r#"{{"hook_event_name":"preToolUse","cwd":"/w","tool_name":"{tool}","tool_input":{{"command":"{command}","path":"a"}}}}"#
            ));
            assert_eq!(call.call().unwrap().actions, wanted, "{tool} {command}");
        }
    }
}

use super::COPILOT;
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, Reply, Target};
use crate::protocol::{HookProtocol, Native, RegisteredLine};
use crate::raw::Raw;

const BASH: &str = r#"{"sessionId":"s","cwd":"/p","toolName":"bash","toolArgs":{"description":"d","command":"ls"}}"#;

fn native(event: Option<&str>, stdin: &str) -> Native {
    let line = event.map_or_else(RegisteredLine::default, |event| RegisteredLine::default().event(event));
    Native::new(stdin).line(line)
}

fn event(name: &str, stdin: &str) -> HookEvent {
    match COPILOT.parse(&native(Some(name), stdin)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn answer(event: &HookEvent, decision: Decision) -> Reply {
    let (fitted, _) = fit(decision, event, &Limits::default());
    COPILOT.format(event, &fitted)
}

#[test]
fn a_message_without_its_event_needs_the_registered_line() {
    let error = COPILOT.parse(&native(None, BASH)).unwrap_err();
    assert_eq!(error.to_string(), "copilot: `--event` is missing");
    assert_eq!(COPILOT.refuse(&native(None, BASH), "why").exit, 2);
    assert_eq!(event("preToolUse", BASH).native, "preToolUse");
}

#[test]
fn the_name_in_a_message_counts_more_than_the_registered_one() {
    let sent =
        r#"{"hookEventName":"PreToolUse","sessionId":"s","tool_name":"run_in_terminal","tool_input":{"command":"ls"}}"#;
    let event = event("preToolUse", sent);
    assert_eq!((event.native.as_str(), event.dialect), ("PreToolUse", Some("vscode")));
    let reply = answer(&event, Decision::deny("no"));
    assert!(
        reply.stdout.starts_with(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny""#)
    );
}

#[test]
fn arguments_in_a_text_are_read_and_sent_back_as_an_object() {
    let text =
        BASH.replace(r#"{"description":"d","command":"ls"}}"#, r#""{\"description\":\"d\",\"command\":\"ls\"}"}"#);
    let event = event("preToolUse", &text);
    let wrap = |command: &crate::model::Command| Some(format!("sb -- {}", command.text()?).into());
    let change = COPILOT.rewrite(event.call().unwrap(), &wrap).unwrap();
    let reply = answer(&event, Decision::pass().change(change));
    assert_eq!(reply.stdout, r#"{"modifiedArgs":{"description":"d","command":"sb -- ls"}}"#);
}

#[test]
fn a_patch_as_the_whole_input_is_judged_and_never_changed() {
    let patch = r#"{"sessionId":"s","cwd":"/p","toolName":"apply_patch","toolArgs":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}"#;
    let event = event("preToolUse", patch);
    assert_eq!(event.call().unwrap().actions, [Action::Delete { path: "a".into() }]);
    let change = Change::required(Target::Input, Raw::document(r#"{"input":"*** Begin Patch"}"#));
    assert!(answer(&event, Decision::allow().change(change)).stdout.contains(r#""permissionDecision":"deny""#));
    let prose = patch.replace(r"*** Delete File: a\n", "");
    assert!(COPILOT.parse(&native(Some("preToolUse"), &prose)).is_err());
}

#[test]
fn a_required_change_with_a_question_is_a_denial() {
    let event = event("preToolUse", BASH);
    let change = |need: fn(Target, Raw) -> Change| need(Target::Input, Raw::document(r#"{"command":"sb -- ls"}"#));
    let required = answer(&event, Decision::ask("sure?").change(change(Change::required)));
    assert!(required.stdout.contains(r#""permissionDecision":"deny""#), "{required:?}");
    let optional = answer(&event, Decision::ask("sure?").change(change(Change::optional)));
    assert_eq!(optional.stdout, r#"{"permissionDecision":"ask","permissionDecisionReason":"sure?"}"#);
}

#[test]
fn an_unreadable_message_is_refused_in_the_form_of_both_hosts() {
    let refused = |event: &str| COPILOT.refuse(&native(Some(event), "{"), "why");
    let call = refused("preToolUse");
    assert_eq!((call.exit, call.stderr.trim()), (2, "why"));
    assert_eq!(call.stdout, r#"{"permissionDecision":"deny","permissionDecisionReason":"why"}"#);
    let prompt = r#"{"decision":"block","reason":"why","continue":false,"stopReason":"why"}"#;
    assert_eq!(refused("userPromptSubmitted").stdout, prompt);
    assert_eq!(refused("agentStop"), Reply::silent());
}

#[test]
fn claude_code_refuses_a_message_of_copilot() {
    let claude = crate::claude_code::ClaudeCode;
    let sent = r#"{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2026-11-20T16:59:36.767Z","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let error = claude.parse(&Native::new(sent)).unwrap_err().to_string();
    assert!(error.contains("the message comes from copilot"), "{error}");
    let own = sent.replace(r#""cwd""#, r#""transcript_path":"/t","cwd""#);
    assert!(claude.parse(&Native::new(own)).is_ok());
}

use super::HYGGE;
use crate::Raw;
use crate::fit::{Limits, fit};
use crate::model::{Action, Change, Decision, HookEvent, Incoming, McpName, Reply, Response, Target, VerdictKind};
use crate::protocol::{HookProtocol, Native, RegisteredLine};

fn event(stdin: &str) -> HookEvent {
    match HYGGE.parse(&Native::new(stdin)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn answer(stdin: &str, decision: Decision) -> Reply {
    let event = event(stdin);
    let (fitted, _) = fit(decision, &event, &Limits::default());
    HYGGE.format(&event, &fitted)
}

const BASH: &str = r#"{"event":"pre_tool","session_id":"s","pwd":"/p","tool_name":"bash","tool_input":{"timeout_ms":1.0,"command":"ls"}}"#;
const DONE: &str = r#"{"event":"post_tool","tool_name":"bash","tool_input":{"command":"ls"},"tool_result":{"is_error":false,"content":"secret"}}"#;

#[test]
fn a_deny_is_exit_2_with_nothing_on_stdout() {
    for decision in [
        Decision::deny("no"),
        Decision::ask("sure?"),
        Decision::from(crate::model::Verdict::HardAbort { reason: "no".into() }),
    ] {
        let reply = answer(BASH, decision);
        assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""));
        assert!(!reply.stderr.is_empty());
    }
}

#[test]
fn allow_and_pass_print_nothing() {
    assert_eq!(answer(BASH, Decision::allow()), Reply::silent());
    assert_eq!(answer(BASH, Decision::pass().context("c").notice("n")), Reply::silent());
}

#[test]
fn a_rewrite_keeps_every_other_argument() {
    let event = event(BASH);
    let change =
        HYGGE.rewrite(event.call().unwrap(), &|command| Some(format!("sb -- {}", command.text()?).into())).unwrap();
    let reply = answer(BASH, Decision::pass().change(change));
    assert_eq!(reply.stdout, r#"{"decision":"modify","modified_tool_input":{"timeout_ms":1.0,"command":"sb -- ls"}}"#);
}

#[test]
fn arguments_on_several_lines_are_sent_as_one_line() {
    let value = Raw::document("{\n \"command\": \"ls\"\r\n}");
    let reply = answer(BASH, Decision::pass().change(Change::required(Target::Input, value)));
    assert_eq!(reply.stdout.lines().count(), 1);
}

#[test]
fn argument_names_match_regardless_of_case() {
    let upper = event(&BASH.replace("\"command\"", "\"COMMAND\""));
    assert!(matches!(upper.call().unwrap().actions.as_slice(), [Action::Shell { .. }]));
    let twins = BASH.replace("\"command\":\"ls\"", "\"command\":\"ls\",\"Command\":\"rm\"");
    assert!(HYGGE.parse(&Native::new(twins)).is_err());
}

#[test]
fn an_unknown_tool_may_be_an_mcp_tool() {
    let call = event(r#"{"event":"pre_tool","tool_name":"gh_issue","tool_input":[1,"x"]}"#);
    assert_eq!(call.call().unwrap().actions, [Action::Mcp(McpName::Bare("gh_issue".into())), Action::Other]);
    let absent = event(r#"{"event":"pre_tool","tool_name":"compact"}"#);
    assert_eq!(absent.call().unwrap().input.as_str(), "{}");
}

#[test]
fn a_changed_result_replaces_the_whole_result_and_a_deny_its_text() {
    let reply = answer(DONE, Decision::deny("no"));
    assert_eq!(reply.stdout, r#"{"decision":"modify","modified_tool_result":{"is_error":false,"content":"no"}}"#);
    let odd = Change::required(Target::Result, Raw::document("\"text\""));
    let reply = answer(DONE, Decision::pass().change(odd));
    assert!(!reply.stdout.contains("\"text\"") && reply.stdout.contains("must be changed"));
}

#[test]
fn a_reason_is_cut_to_the_length_that_the_agent_reads() {
    let limits = Limits::new(9999, 9999).signed("snaphook: ", "; snaphook why k3f9");
    for decision in [Decision::deny("é".repeat(999)), Decision::respond(Response::new("é".repeat(999)))] {
        let (fitted, _) = fit(decision.clone(), &event(BASH), &limits);
        let reason = HYGGE.format(&event(BASH), &fitted).stderr;
        assert!(reason.len() <= 1024 && reason.len() > 1000, "{} bytes", reason.len());
        let signed = decision.verdict.kind() == VerdictKind::Deny;
        assert_eq!(reason.ends_with(" …; snaphook why k3f9"), signed, "{reason}");
    }
}

#[test]
fn a_mode_switch_accepts_only_context() {
    let switch = r#"{"event":"pre_message","session_id":"s","mode_name":"rush"}"#;
    assert_eq!(answer(switch, Decision::deny("no")), Reply::silent());
    assert_eq!(answer(switch, Decision::pass().context("c")).stdout, r#"{"system_prompt_append":"c"}"#);
    let message = r#"{"event":"pre_message","session_id":"s","message":"hi","mode_name":"rush"}"#;
    assert_eq!(answer(message, Decision::deny("no").context("c")), Reply::blocked("no"));
    let changed = Change::required(Target::Prompt, Raw::string("bye"));
    let reply = answer(message, Decision::pass().change(changed).context("c"));
    assert_eq!(reply.stdout, r#"{"decision":"modify","modified_message":"bye","system_prompt_append":"c"}"#);
    let empty = Change::required(Target::Prompt, Raw::string(""));
    assert_eq!(answer(message, Decision::pass().change(empty)).exit, 2);
}

#[test]
fn an_unreadable_message_is_refused_on_gates_only() {
    let refused = |body: &str, line: RegisteredLine| HYGGE.refuse(&Native::new(body).line(line), "why").exit;
    for body in ["", "null", r#"{"event":"pre_tool"}"#, r#"{"event":"pre_message","message":1}"#, "{\"event\":\"pre_to"]
    {
        assert!(HYGGE.parse(&Native::new(body)).is_err(), "{body}");
        assert_eq!(refused(body, RegisteredLine::default()), 2, "{body}");
    }
    assert_eq!(refused("{", RegisteredLine::default().event("post_tool")), 0);
}

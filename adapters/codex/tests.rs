//! Tests of Codex alone.

use super::*;
use crate::Raw;
use crate::fit::{Limits, Loss, fit};
use crate::model::{Action, Change, Command, Decision, HookEvent, Reply, Response, Target, Verdict};
use crate::shared::claude_style::fixtures::{event, fixtures};

fn recorded(name: &str) -> HookEvent {
    let (_, native) = fixtures("codex").into_iter().find(|(found, _)| found == name).unwrap();
    event(&Codex, &native)
}

fn answer(name: &str, decision: Decision) -> (Reply, Vec<Loss>) {
    let event = recorded(name);
    let (fitted, losses) = fit(decision, &event, &Limits::default());
    (Codex.format(&event, &fitted), losses)
}

fn says(name: &str, decision: Decision) -> String {
    let (reply, _) = answer(name, decision);
    if reply.exit == 0 { reply.stdout } else { format!("{}: {}", reply.exit, reply.stderr) }
}

#[test]
fn each_verdict_has_its_own_words() {
    let input = || Raw::document(r#"{"command":"id"}"#);
    let required = || Change::required(Target::Input, input());
    let optional = || Change::optional(Target::Input, input());
    let result = |json: &str| Change::required(Target::Result, Raw::document(json));
    let abort = || Decision::from(Verdict::Abort { reason: "enough".into() });
    let more = || Decision::from(Verdict::KeepGoing { reason: "more".into() });
    let bash = "pre_tool_use_bash";
    let rewritten = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"id"}}}"#;
    let approved = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
    let ask = "2: why. This agent cannot ask for approval, so the user has to run it";
    let cases = [
        (bash, Decision::pass(), ""),
        (bash, Decision::allow(), ""),
        (bash, Decision::ask("why"), ask),
        (bash, Decision::deny("no").context("c").notice("n"), "2: no"),
        (bash, Decision::respond(Response::new("forged")), "2: forged"),
        (bash, abort(), "2: enough"),
        (bash, Decision::allow().change(required()), rewritten),
        (bash, Decision::allow().change(optional()), rewritten),
        (bash, Decision::pass().change(optional()), ""),
        ("pre_tool_use_view_image", Decision::allow().change(optional()), ""),
        ("permission_request_bash", Decision::allow(), approved),
        ("permission_request_bash", Decision::ask("why"), ask),
        ("permission_request_bash", Decision::deny("no"), "2: no"),
        ("post_tool_use_bash", Decision::pass().change(result("\"x\"")), r#"{"decision":"block","reason":"x"}"#),
        ("post_tool_use_bash", Decision::deny("no"), r#"{"decision":"block","reason":"no"}"#),
        (
            "post_tool_use_mcp_my_srv_say_it",
            Decision::pass().change(result(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#)),
            r#"{"decision":"block","reason":"a\nb"}"#,
        ),
        ("user_prompt_submit", Decision::deny("no"), "2: no"),
        ("user_prompt_submit", abort(), r#"{"continue":false,"stopReason":"enough"}"#),
        ("session_start", Decision::deny("no"), r#"{"continue":false,"stopReason":"no"}"#),
        ("stop", more(), r#"{"decision":"block","reason":"more"}"#),
        ("stop_again", more(), ""),
        ("subagent_stop_again", more(), ""),
        ("pre_compact", Decision::deny("no"), r#"{"continue":false,"stopReason":"no"}"#),
        ("interrupt", Decision::pass().notice("n"), r#"{"systemMessage":"n"}"#),
        ("pre_model_request", Decision::deny("no").notice("n"), ""),
        ("unknown_event_tool_call", Decision::deny("no"), "2: no"),
    ];
    for (name, decision, want) in cases {
        assert_eq!(says(name, decision.clone()), want, "{name}: {decision:?}");
    }
}

#[test]
fn a_required_change_that_cannot_be_made_blocks() {
    let change = |json: &str| Change::required(Target::Input, Raw::document(json));
    for (name, decision) in [
        ("pre_tool_use_bash", Decision::pass().change(change(r#"{"command":"id"}"#))),
        ("pre_tool_use_bash", Decision::allow().change(change(r#"{"command":["id"]}"#))),
        ("pre_tool_use_bash", Decision::allow().change(change(r#"{"cmd":"id"}"#))),
        ("pre_tool_use_apply_patch", Decision::allow().change(change(r#"{"command":"no patch"}"#))),
        ("pre_tool_use_view_image", Decision::allow().change(change(r#"{"path":"b.png"}"#))),
        ("permission_request_bash", Decision::allow().change(change(r#"{"command":"id"}"#))),
    ] {
        let (reply, losses) = answer(name, decision);
        assert!(
            reply.exit == 2 && losses.iter().any(|loss| matches!(loss, Loss::Change { blocked: true, .. })),
            "{name}"
        );
    }
}

#[test]
fn a_change_that_changes_nothing_needs_no_approval() {
    for name in ["pre_tool_use_bash", "pre_tool_use_bash_argv", "permission_request_bash"] {
        let input = recorded(name).call().unwrap().input.clone();
        let (reply, losses) = answer(name, Decision::pass().change(Change::required(Target::Input, input)));
        assert!(reply == Reply::silent() && losses.is_empty(), "{name}: {reply:?} {losses:?}");
    }
}

#[test]
fn a_blank_result_is_never_sent() {
    let (reply, _) =
        answer("post_tool_use_bash", Decision::pass().change(Change::required(Target::Result, Raw::string(" "))));
    let reason = Raw::document(reply.stdout).at("/reason").unwrap().text().unwrap().value;
    assert!(reason.contains("must be changed"), "{reason}");
}

#[test]
fn patches_and_word_lists_are_read_as_actions() {
    let actions = |name| recorded(name).call().unwrap().actions.clone();
    assert_eq!(actions("pre_tool_use_apply_patch"), [Action::Write { path: "newx.txt".into() }]);
    let words = ["bash", "-lc", "ls"].map(String::from).to_vec();
    assert!(
        matches!(&actions("pre_tool_use_bash_argv")[..], [Action::Shell { command: Command::Argv(list), .. }] if *list == words)
    );
    assert!(Codex.rewrite(recorded("pre_tool_use_bash_argv").call().unwrap(), &|_| Some("x".into())).is_none());
}

#[test]
fn a_message_of_claude_code_is_refused() {
    let message =
        r#"{"prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let fault = Codex.parse(&Native::new(message)).unwrap_err().to_string();
    assert!(fault.contains("comes from claude-code"), "{fault}");
    assert_eq!(Codex.refuse(&Native::new(message), &fault), Reply::blocked(&fault));
}

//! Tests of Claude Code alone.

use super::*;
use crate::Raw;
use crate::fit::{Limits, Loss, fit};
use crate::model::{Action, Change, Command, Decision, HookEvent, Reply, Response, ShellKind, Target, Verdict};
use crate::protocol::RegisteredLine;
use crate::shared::claude_style::fixtures::{event, fixtures};

/// The content of the recorded form, which has two fields.
const FILLED: &str = r#"{"name":"prod","port":5}"#;

fn recorded(name: &str) -> HookEvent {
    let (_, native) = fixtures("claude_code").into_iter().find(|(found, _)| found == name).unwrap();
    event(&ClaudeCode, &native)
}

fn answer(event: &HookEvent, decision: Decision) -> (Reply, Vec<Loss>) {
    let (fitted, losses) = fit(decision, event, &Limits::default());
    (ClaudeCode.format(event, &fitted), losses)
}

fn says(name: &str, decision: Decision) -> String {
    let (reply, _) = answer(&recorded(name), decision);
    if reply.exit == 0 { reply.stdout } else { format!("{}: {}", reply.exit, reply.stderr) }
}

fn abort() -> Decision {
    Verdict::Abort { reason: "enough".into() }.into()
}

#[test]
fn each_verdict_has_its_own_words() {
    let hso = |event: &str, rest: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{rest}}}}}"#);
    let input = || Change::required(Target::Input, Raw::document(r#"{"command":"id"}"#));
    let bash = "pre_tool_use_bash";
    let ask = "permission_request_bash";
    let cases = [
        (bash, Decision::pass(), String::new()),
        (bash, Decision::allow(), hso("PreToolUse", r#""permissionDecision":"allow""#)),
        (bash, Decision::ask("why"), hso("PreToolUse", r#""permissionDecision":"ask","permissionDecisionReason":"why""#)),
        (bash, Decision::deny("no").context("c"), hso("PreToolUse", r#""additionalContext":"c","permissionDecision":"deny","permissionDecisionReason":"no""#)),
        (bash, Decision::pass().change(input()), hso("PreToolUse", r#""updatedInput":{"command":"id"}"#)),
        (bash, abort(), r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"enough"}}"#.into()),
        (ask, Decision::ask("why"), String::new()),
        (ask, Decision::deny("no"), hso("PermissionRequest", r#""decision":{"behavior":"deny","message":"no"}"#)),
        (ask, abort(), hso("PermissionRequest", r#""decision":{"behavior":"deny","message":"enough","interrupt":true}"#)),
        (ask, Decision::allow().change(input()), hso("PermissionRequest", r#""decision":{"behavior":"allow","updatedInput":{"command":"id"}}"#)),
        ("user_prompt_submit", Decision::deny("no"), r#"{"decision":"block","reason":"no"}"#.into()),
        ("user_prompt_submit", abort(), r#"{"continue":false,"stopReason":"enough"}"#.into()),
        ("stop", Verdict::KeepGoing { reason: "more".into() }.into(), r#"{"decision":"block","reason":"more"}"#.into()),
        ("stop", Decision::deny("no"), String::new()),
        ("task_created", Decision::deny("no"), r#"{"decision":"block","reason":"no"}"#.into()),
        ("worktree_remove", Decision::deny("no"), "2: no".into()),
        ("teammate_idle", Verdict::KeepGoing { reason: "more".into() }.into(), "2: more".into()),
        ("elicitation_one_field", Decision::respond(Response::new("prod")), hso("Elicitation", r#""action":"accept","content":{"name":"prod"}"#)),
        ("elicitation_form", Decision::respond(Response::new(FILLED)), hso("Elicitation", &format!(r#""action":"accept","content":{FILLED}"#))),
        ("elicitation_result", Decision::respond(Response::new(FILLED)), hso("ElicitationResult", &format!(r#""action":"accept","content":{FILLED}"#))),
        ("elicitation_form", Decision::respond(Response::new("prod")), r#"{"systemMessage":"prod","hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#.into()),
        ("worktree_create", Decision::respond(Response::new("/home/user/wt\n")), "/home/user/wt".into()),
        ("config_change_policy_settings", Decision::deny("no"), String::new()),
        ("session_start", Decision::pass().context("c").extra("sessionTitle", Raw::string("t")), hso("SessionStart", r#""additionalContext":"c","sessionTitle":"t""#)),
        ("permission_denied_bash", Decision::pass().extra("retry", Raw::document("true")), hso("PermissionDenied", r#""retry":true"#)),
        ("unknown_event_tool_call", Decision::deny("no"), "2: no".into()),
        ("unknown_event", Decision::deny("no"), String::new()),
    ];
    for (name, decision, want) in cases {
        assert_eq!(says(name, decision.clone()), want, "{name}: {decision:?}");
    }
}

#[test]
fn native_members_are_sent_where_the_agent_accepts_them() {
    let hso = |event: &str, rest: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{rest}}}}}"#);
    let json = Raw::document;
    let deny = || Decision::deny("no");
    let said = [
        ("pre_tool_use_bash", Decision::pass().extra("permissionDecision", Raw::string("defer")), hso("PreToolUse", r#""permissionDecision":"defer""#)),
        ("pre_tool_use_bash", deny().extra("terminalSequence", json(r#""\u0007""#)), r#"{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#.into()),
        ("permission_request_bash", Decision::allow().extra("updatedPermissions", json(r#"[{"type":"setMode"}]"#)), hso("PermissionRequest", r#""decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode"}]}"#)),
        ("post_tool_use_bash", Decision::pass().extra("decision", Raw::string("block")).extra("reason", Raw::string("no")), r#"{"decision":"block","reason":"no"}"#.into()),
        ("user_prompt_submit", deny().extra("suppressOriginalPrompt", json("true")), r#"{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}"#.into()),
        ("user_prompt_submit", Decision::pass().extra("sessionTitle", Raw::string("t")), hso("UserPromptSubmit", r#""sessionTitle":"t""#)),
        ("session_start", Decision::pass().extra("watchPaths", json(r#"["/w/a"]"#)), hso("SessionStart", r#""watchPaths":["/w/a"]"#)),
        ("session_start", Decision::pass().extra("initialUserMessage", Raw::string("hi")), hso("SessionStart", r#""initialUserMessage":"hi""#)),
        ("session_start", Decision::pass().extra("reloadSkills", json("true")), hso("SessionStart", r#""reloadSkills":true"#)),
        ("message_display", Decision::pass().extra("displayContent", Raw::string("hi")), hso("MessageDisplay", r#""displayContent":"hi""#)),
        ("elicitation_form", Decision::pass().extra("action", Raw::string("cancel")), hso("Elicitation", r#""action":"cancel""#)),
        ("file_changed", Decision::pass().extra("watchPaths", json("[]")), hso("FileChanged", r#""watchPaths":[]"#)),
        ("stop", Decision::from(Verdict::KeepGoing { reason: "more".into() }).context("c"), r#"{"decision":"block","reason":"more","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}"#.into()),
        ("stop", Decision::pass().context("c"), String::new()),
    ];
    for (name, decision, want) in said {
        assert_eq!(says(name, decision.clone()), want, "{name}: {decision:?}");
    }
    let unsaid = [
        ("pre_tool_use_bash", Decision::pass().extra("permissionDecision", Raw::string("allow"))),
        ("pre_tool_use_bash", Decision::ask("why").extra("permissionDecision", Raw::string("defer"))),
        ("pre_tool_use_bash", Decision::pass().context("c").extra("permissionDecision", Raw::string("defer"))),
        ("pre_tool_use_bash", deny().extra("terminalSequence", json("7"))),
        ("pre_tool_use_bash", deny().extra("suppressOutput", json("\"x\""))),
        ("permission_request_bash", deny().extra("updatedPermissions", json("[]"))),
        ("user_prompt_submit", Decision::pass().extra("suppressOriginalPrompt", json("true"))),
        ("session_start", Decision::pass().extra("watchPaths", json("[7]"))),
        ("elicitation_form", Decision::ask("a person must look").extra("action", Raw::string("accept"))),
        ("task_created", deny().extra("additionalContext", Raw::string("c"))),
    ];
    // One that stands alone does so whichever comes first.
    let both = Decision::pass()
        .extra("permissionDecision", Raw::string("defer"))
        .extra("terminalSequence", json(r#""\u0007""#));
    let (reply, losses) = answer(&recorded("pre_tool_use_bash"), both);
    assert!(!reply.stdout.contains("terminalSequence"), "{reply:?}");
    assert!(losses.contains(&Loss::Extra { key: "terminalSequence".into() }), "{losses:?}");
    for (name, decision) in unsaid {
        let (key, _) = decision.extra[0].clone();
        let (reply, losses) = answer(&recorded(name), decision);
        assert!(losses.contains(&Loss::Extra { key: key.clone() }), "{name}: {key}: {reply:?} {losses:?}");
    }
}

#[test]
fn a_denied_result_is_replaced_completely() {
    let mut bash = recorded("post_tool_use_bash");
    let Detail::ToolDone { result, .. } = &mut bash.detail else { panic!() };
    let raw = Raw::document(r#"{"stdout":"key","stderr":"key","interrupted":false}"#);
    *result = crate::model::ToolResult::new(raw.clone()).text(raw.at("/stdout"));
    let partial = Change::required(Target::Result, Raw::document(r#"{"stdout":"hidden"}"#));
    let (reply, losses) = answer(&bash, Decision::pass().change(partial));
    assert!(!losses.is_empty() && reply.stdout.contains(r#""stderr":"""#), "{reply:?}");
    let (reply, losses) = answer(&bash, Decision::deny("hidden"));
    assert!(
        reply.stdout.contains(r#""updatedToolOutput":{"stdout":"hidden","stderr":"","interrupted":false}"#),
        "{reply:?}"
    );
    assert!(matches!(losses[..], [Loss::Replaced { .. }]), "{losses:?}");
    assert!(
        says("post_tool_use_mcp_my_srv_say_it", Decision::deny("hidden"))
            .contains(r#""updatedMCPToolOutput":[{"type":"text","text":"hidden"}]"#)
    );
    let mut agent = recorded("post_tool_use_bash");
    let raw = Raw::document(
        r#"{"status":"completed","content":[{"type":"text","text":"key"},{"type":"text","text":"key"}]}"#,
    );
    let call = crate::model::ToolCall::new("Agent", Raw::document("{}"), vec![Action::Other]);
    let result = crate::model::ToolResult::new(raw.clone()).text(raw.at("/content/0/text"));
    agent.detail = Detail::ToolDone { call, result };
    let (reply, _) = answer(&agent, Decision::deny("hidden"));
    assert!(reply.stdout.contains(r#""content":[{"type":"text","text":"hidden"}]"#), "{reply:?}");
    assert!(says("post_tool_use_write", Decision::deny("hidden")).starts_with(r#"{"continue":false"#));
}

#[test]
fn arguments_that_the_tool_would_reject_are_not_sent() {
    let bash = recorded("pre_tool_use_bash");
    for odd in [r#"{"description":"x"}"#, r#"{"command":7}"#, "\"ls\"", "[]"] {
        let (reply, _) = answer(&bash, Decision::allow().change(Change::required(Target::Input, Raw::document(odd))));
        assert!(reply.stdout.contains(r#""permissionDecision":"deny""#), "{odd}: {reply:?}");
        let (reply, losses) =
            answer(&bash, Decision::allow().change(Change::optional(Target::Input, Raw::document(odd))));
        assert!(!reply.stdout.contains("updatedInput") && losses.len() == 1, "{odd}: {reply:?}");
    }
}

#[test]
fn an_invalid_message_is_an_error() {
    let tool = |rest: &str| format!(r#"{{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse",{rest}}}"#);
    let cases = [
        ("[]".into(), "not a JSON object"),
        (r#"{"session_id":"s"}"#.into(), "`hook_event_name` is missing"),
        (tool(r#""tool_input":{}"#), "PreToolUse: `tool_name` is missing"),
        (tool(r#""tool_name":"","tool_input":{}"#), "`tool_name` is missing"),
        (tool(r#""tool_name":"Bash""#), "`tool_input` is missing"),
        (tool(r#""tool_name":"Bash","tool_input":"ls""#), "`tool_input` is not an object"),
        (tool(r#""tool_name":"Bash","tool_input":{}"#), "`tool_input.command` is missing"),
        (tool(r#""tool_name":"Bash","tool_input":{"command":" \n"}"#), "`tool_input.command` is blank"),
        (tool(r#""tool_name":"Bash","tool_input":{"command":7}"#), "`tool_input.command` is not a string"),
        (tool(r#""tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}"#), "ambiguous"),
        (tool(r#""tool_name":"Bash","tool_input":{"command":"ls","Command":"rm"}"#), "ambiguous"),
        (tool(r#""tool_name":"Bash","tool_input":{"command":"a\u0000b"}"#), "NUL"),
        (tool(r#""tool_name":"Bash","Tool_Name":"Read","tool_input":{"command":"ls"}"#), "ambiguous"),
        (tool(r#""turn_id":"t","tool_name":"Bash","tool_input":{"command":"ls"}"#), "comes from codex"),
        (tool(r#""agent_name":"root","tool_name":"shell","tool_input":{"cmd":"ls"}"#), "comes from docker-agent"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"hook.before_tool","params":{}}"#.into(), "comes from picoclaw"),
        (r#"{"hook_event_name":"UserPromptSubmit","prompt":[]}"#.into(), "`prompt` is not a string"),
        (r#"{"hook_event_name":"Stop"}"#.into(), "`stop_hook_active` is missing"),
    ];
    for (message, want) in cases {
        let native = Native::new(message.clone());
        let fault = ClaudeCode.parse(&native).unwrap_err().to_string();
        assert!(fault.contains(want), "{message}: {fault}");
        let reply = ClaudeCode.refuse(&native, &fault);
        assert_eq!(reply == Reply::silent(), message.contains("\"Stop\""), "{message}: {reply:?}");
    }
    let line = Native::new("junk").line(RegisteredLine::default().event("PermissionRequest"));
    assert!(ClaudeCode.refuse(&line, "broken").stdout.contains(r#""behavior":"deny""#));
}

#[test]
fn a_lone_surrogate_is_judged_and_never_rewritten() {
    let message = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo \ud800"}}"#;
    let bash = event(&ClaudeCode, &Native::new(message));
    let change =
        ClaudeCode.rewrite(bash.call().unwrap(), &|command| Some(format!("wrap {}", command.text()?).into())).unwrap();
    let (reply, _) = answer(&bash, Decision::allow().change(change));
    assert!(reply.stdout.contains(r#""permissionDecision":"deny""#), "{reply:?}");
}

#[test]
fn a_rewrite_changes_only_the_command() {
    let bash = recorded("pre_tool_use_bash");
    let call = bash.call().unwrap();
    let change = ClaudeCode.rewrite(call, &|_| Some("new".into())).unwrap();
    assert_eq!(change.value.as_str(), call.input.as_str().replace("echo ORIG >> log; echo hello", "new"));
}

#[test]
fn a_tool_can_have_its_own_shell() {
    let actions = &recorded("pre_tool_use_power_shell").call().unwrap().actions.clone();
    let command = Command::Text("Get-ChildItem".into());
    assert_eq!(*actions, [Action::Shell { command, cwd: None, shell: ShellKind::PowerShell }]);
}

//! Hooks that were written for an agent, under every agent.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook::decide::Deciders;
use snaphook::handlers::{Children, Handlers};
use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{
    Action, Change, Command, Decision, Detail, EventKind, HookEvent, Incoming, ShellKind, Target, ToolCall, Verdict,
    VerdictKind,
};
use snaphook_adapters::protocol::{HookProtocol, Power, Transport};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::{Effect, account};
use snaphook_policy::{Handler, Speaks};

use crate::agents::messages;

fn hook(agent: &str, script: &str) -> Handler {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let mut handler = Handler::new("hook", command, Handler::REST_OF_CALL);
    handler.speaks = Some(Speaks::new(agent));
    handler
}

fn ask(handler: &Handler, event: &HookEvent) -> Result<Decision, String> {
    handlers().handler(handler, event)
}

fn handlers() -> Handlers {
    Handlers::new(Instant::now() + Duration::from_mins(1), &Children::new()).for_agents(Arc::new(Registry::standard()))
}

/// Every recorded call of every agent that runs a command, before it runs.
fn shell_calls() -> Vec<(String, &'static dyn HookProtocol, HookEvent)> {
    let mut found = Vec::new();
    for agent in Registry::standard().iter() {
        for (name, native, event) in messages(agent) {
            if !matches!(agent.parse(&native), Ok(Incoming::Event(_))) {
                continue;
            }
            let Detail::Tool(call) = &event.detail else { continue };
            let is_text = |action: &Action| {
                matches!(action, Action::Shell { command: Command::Text(_), shell: ShellKind::Posix, .. })
            };
            // Under its own agent, a hook gets the event itself.
            let is_own_other = event.agent.id == "claude-code" && event.row.native != "PreToolUse";
            if event.row.gates() && !is_own_other && call.actions.iter().any(is_text) {
                found.push((name, agent, event));
            }
        }
    }
    found
}

/// Returns the effect of a decision on the newest version of the agent.
fn effect(agent: &dyn HookProtocol, event: &HookEvent, decision: Decision) -> Effect {
    let (fitted, _) = fit(decision, event, &Limits::default());
    let reply = agent.format(event, &fitted);
    let host = event.row.hosts.last().copied().unwrap_or_default();
    account(event.agent.id).unwrap().interpret(event, host, &reply).effect
}

const JSON: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","#;

#[test]
fn a_hook_of_claude_code_blocks_the_commands_of_every_agent() {
    let by_exit = r#"cat | grep -q '"tool_name": *"Bash"' && { echo 'not here' >&2; exit 2; }; exit 0"#;
    let by_json = format!(
        r#"cat >/dev/null; echo '{JSON}"permissionDecision":"deny","permissionDecisionReason":"not here"}}}}'"#
    );
    let mut agents = BTreeSet::new();
    for (name, agent, event) in shell_calls() {
        for script in [by_exit, &by_json] {
            let mut hook = hook("claude-code", script);
            hook.speaks.as_mut().unwrap().matcher = Some("Bash".to_owned());
            let decision = ask(&hook, &event).unwrap();
            assert_eq!(decision.verdict, Verdict::Deny { reason: "not here".to_owned() }, "{name}");
            if event.is_unknown() {
                continue;
            }
            let effect = effect(agent, &event, decision);
            assert!(effect.blocks(), "{name}: {effect:?}");
        }
        agents.insert(event.agent.id);
    }
    let runs = Action::Shell { command: "ls".into(), cwd: None, shell: ShellKind::Posix };
    let has_shell = |agent: &dyn HookProtocol| ToolCall::sketch(agent.agent(), &runs).is_some();
    let all = Registry::standard();
    assert_eq!(agents, all.iter().filter(|agent| has_shell(*agent)).map(|agent| agent.agent().id).collect());
}

#[test]
fn a_question_of_a_hook_asks_or_blocks() {
    let script = format!(r#"echo '{JSON}"permissionDecision":"ask","permissionDecisionReason":"sure?"}}}}'"#);
    for (name, agent, event) in shell_calls().into_iter().filter(|(_, _, event)| !event.is_unknown()) {
        let decision = ask(&hook("claude-code", &script), &event).unwrap();
        assert_eq!(decision.verdict, Verdict::Ask { reason: "sure?".to_owned() }, "{name}");
        let asks_itself = [Power::AskLater, Power::SilenceAsks].iter().any(|power| event.row.can(*power));
        let effect = effect(agent, &event, decision);
        assert!(effect == Effect::Asks || effect.blocks() || asks_itself, "{name}: {effect:?}");
    }
}

#[test]
fn a_rewriting_hook_changes_the_native_argument_or_the_call_is_denied() {
    let script =
        format!(r#"echo '{JSON}"permissionDecision":"allow","updatedInput":{{"command":"echo \"new\" | cat"}}}}}}'"#);
    let mut agents = BTreeSet::new();
    for (name, agent, event) in shell_calls() {
        let decision = ask(&hook("claude-code", &script), &event).unwrap();
        let call = event.call().unwrap();
        if event.agent.id != "claude-code" {
            let [change] = decision.changes.as_slice() else { panic!("{name}: {decision:?}") };
            let Change { target: Target::Input, value, .. } = change else { panic!("{name}: {change:?}") };
            let changed = call.with_input(event.agent, value.clone()).unwrap();
            let runs = |action: &Action| match action {
                Action::Shell { command: Command::Text(text), .. } => text == "echo \"new\" | cat",
                _ => false,
            };
            assert!(changed.actions.iter().any(runs), "{name}: {value:?}");
            for (key, before) in call.input.object().unwrap().members() {
                let after = value.object().unwrap().last(key);
                // A list of commands is shown one by one.
                let is_command = before.array().is_ok()
                    || before.text().is_some_and(|text| {
                        call.actions.iter().any(|action| format!("{action:?}").contains(&format!("{:?}", text.value)))
                    });
                let is_removed = after.is_none() && key == "description";
                assert!(is_command || is_removed || after == Some(before), "{name}: {key}: {value:?}");
            }
            agents.insert(event.agent.id);
        }
        if event.is_unknown() || event.lossy {
            continue;
        }
        let (fitted, losses) = fit(decision, &event, &Limits::default());
        let is_changed = fitted.change(Target::Input).is_some();
        assert!(is_changed || fitted.verdict().kind().blocks(), "{name}: {losses:?}");
        drop(agent.format(&event, &fitted));
    }
    assert!(agents.len() > 3, "{agents:?}");
}

#[test]
fn an_exit_code_that_the_agent_ignores_decides_nothing_and_is_in_the_log() {
    for (name, _, event) in shell_calls().into_iter().filter(|(_, _, event)| !event.is_unknown()) {
        let mut handlers = handlers();
        let decision = handlers.handler(&hook("claude-code", "echo traceback >&2; exit 1"), &event).unwrap();
        assert_eq!(decision.verdict.kind(), VerdictKind::Pass, "{name}");
        // One for each command of the call.
        let mut remarks = handlers.remarks();
        remarks.dedup();
        assert_eq!(remarks.join("\n"), "handler `hook` exited with 1, which claude-code ignores: traceback", "{name}");
        assert!(handlers.remarks().is_empty());
    }
}

#[test]
fn a_hook_that_does_not_answer_has_failed() {
    let (_, _, event) = shell_calls().into_iter().find(|(_, _, event)| event.agent.id == "hygge").unwrap();
    for (script, says) in [
        ("exec /nowhere/hook", "exited with 127"),
        ("kill -9 $$", "ended by signal: 9"),
        ("printf '\\377'", "not UTF-8"),
    ] {
        let failure = ask(&hook("claude-code", script), &event).unwrap_err();
        assert!(failure.contains(says), "{script}: {failure}");
    }
    let mut slow = hook("claude-code", "sleep 60");
    slow.deadline_ms = 50;
    assert!(ask(&slow, &event).unwrap_err().contains("gave no answer within 50 ms"));
    let mut nowhere = hook("claude-code", "");
    nowhere.command = vec!["/nowhere/hook".to_owned()];
    assert!(ask(&nowhere, &event).unwrap_err().contains("cannot be started"));
}

#[test]
fn a_hook_is_asked_for_the_events_and_tools_of_its_registration() {
    let (_, _, event) = shell_calls().into_iter().find(|(_, _, event)| event.agent.id == "codex").unwrap();
    let mut denies = hook("claude-code", "exit 2");
    for (events, matcher, is_asked) in [
        (&[][..], None, true),
        (&["PreToolUse"], Some("Bash"), true),
        (&["PreToolUse"], Some("Edit|Bash"), true),
        (&["PreToolUse"], Some("Edit|Write"), false),
        (&["PreToolUse"], Some("bash"), false),
        (&["PreToolUse"], Some("^B.sh$"), true),
        (&["PostToolUse"], None, false),
        (&["PostToolUse", "PreToolUse"], None, true),
    ] {
        let speaks = denies.speaks.as_mut().unwrap();
        speaks.events = events.iter().map(|&event| event.to_owned()).collect();
        speaks.matcher = matcher.map(str::to_owned);
        let kind = ask(&denies, &event).unwrap().verdict.kind();
        assert_eq!(kind == VerdictKind::Deny, is_asked, "{events:?} {matcher:?}");
    }
}

#[test]
fn a_failed_call_is_the_event_of_failed_calls() {
    let mut seen = BTreeSet::new();
    for agent in Registry::standard().iter() {
        for (name, _, event) in messages(agent) {
            let Some(is_error) = event.result().and_then(|result| result.is_error) else { continue };
            if event.kind() != EventKind::PostTool || event.agent.id == "claude-code" {
                continue;
            }
            let mut after = hook("claude-code", "exit 2");
            for (registered, is_asked) in [("PostToolUse", !is_error), ("PostToolUseFailure", is_error)] {
                after.speaks.as_mut().unwrap().events = vec![registered.to_owned()];
                let was_asked = ask(&after, &event).is_ok_and(|decision| decision != Decision::pass());
                after.command[2] = "echo '{\"systemMessage\":\"asked\"}'".to_owned();
                let was_told = ask(&after, &event).is_ok_and(|decision| decision.notice.is_some());
                assert_eq!(was_asked || was_told, is_asked, "{name}: {registered}");
            }
            seen.insert(event.agent.id);
        }
    }
    assert!(seen.len() > 2, "{seen:?}");
}

#[test]
fn an_event_that_the_agent_does_not_have_is_skipped_with_a_remark() {
    let mut skipped = BTreeSet::new();
    for agent in Registry::standard().iter() {
        for (name, _, event) in messages(agent) {
            if !matches!(event.kind(), EventKind::PreModel | EventKind::PostModel) || agent.agent().id == "claude-code"
            {
                continue;
            }
            let mut handlers = handlers();
            assert_eq!(handlers.handler(&hook("claude-code", "exit 2"), &event), Ok(Decision::pass()), "{name}");
            let says = format!("handler `hook` was not asked: claude-code has no event like `{}`", event.native);
            assert_eq!(handlers.remarks(), [says]);
            skipped.insert(agent.agent().id);
        }
    }
    assert!(skipped.contains("picoclaw"), "{skipped:?}");
}

#[test]
fn a_hook_of_claude_code_finds_the_project_in_its_environment() {
    let (_, _, mut event) = shell_calls().into_iter().find(|(_, _, event)| event.agent.id == "gemini-cli").unwrap();
    event.project = Some("/home/user/project".to_owned());
    let decision = ask(&hook("claude-code", "echo \"$CLAUDE_PROJECT_DIR\" >&2; exit 2"), &event).unwrap();
    assert_eq!(decision.verdict.reason().trim(), "/home/user/project");
}

/// A blocking answer of each agent's own adapter, as the hook of that agent, under every agent.
#[test]
fn hooks_of_every_agent_block_the_commands_of_every_agent() {
    let mut pairs = BTreeSet::new();
    let calls = shell_calls();
    for (spoken, answer) in blocking_answers() {
        for (name, _, event) in &calls {
            if event.is_unknown() || event.agent.id == spoken {
                continue;
            }
            let decision = ask(&hook(spoken, &answer), event).unwrap_or_else(|why| panic!("{spoken} {name}: {why}"));
            assert!(decision.verdict.kind().blocks(), "{spoken} {name}: {decision:?}: {answer}");
            pairs.insert((spoken, event.agent.id));
        }
    }
    assert!(pairs.len() >= 25, "{pairs:?}");
}

/// The id of a message with one, as it is written in the reply.
fn id_of(event: &HookEvent) -> String {
    event.raw.at("/id").map_or_else(|| "no id".to_owned(), |id| format!("\"id\":{},", id.as_str()))
}

/// A script for each agent that prints its reply to a denial, for a call that the agent's newest version would send.
fn blocking_answers() -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for (_, agent, event) in shell_calls().into_iter().rev() {
        let id = event.agent.id;
        let is_newest = event.row.hosts.last() == event.agent.hosts.last().map(|host| &host.id);
        if event.kind() != EventKind::PreTool || event.is_unknown() || found.iter().any(|(of, _)| *of == id) {
            continue;
        }
        if agent.agent().transport == Transport::Lines && !is_newest {
            continue;
        }
        let (fitted, _) = fit(Decision::deny("not here"), &event, &Limits::default());
        let reply = agent.format(&event, &fitted);
        let quoted = |text: &str| text.replace('\'', r"'\''");
        let script = format!(
            "printf '%s\\n' '{}'; printf '%s' '{}' >&2; exit {}",
            quoted(&reply.stdout).replace(&id_of(&event), "\"id\":1,"),
            quoted(&reply.stderr),
            reply.exit
        );
        found.push((id, script));
    }
    found
}

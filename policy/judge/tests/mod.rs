mod actions;
mod commands;
mod costs;
mod handlers;
mod limits;
mod protect;
mod protected_places;
mod record;
mod skills;
mod unknown_tools;

use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Change, Command, Decision, Detail, EventKind, HookEvent, Response, ShellKind, Target, ToolCall, Verdict,
    VerdictKind,
};
use snaphook_adapters::registry::Registry;

use crate::policy::testing::{call, done, event, registry, shell};
use crate::policy::{Deciders, Folders, Handler, Judgement, Places, Policy, UserPolicy};
use snaphook_shell::Budget;

/// Answers each handler by its name and records the events it was shown.
#[derive(Default)]
struct ScriptedHandlers {
    decisions: Vec<(&'static str, Result<Decision, String>)>,
    shown: Vec<(String, String)>,
}

impl Deciders for ScriptedHandlers {
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String> {
        self.shown.push((handler.name.clone(), subject(event)));
        let said = self.decisions.iter().find(|(name, _)| *name == handler.name);
        said.map_or_else(|| Ok(Decision::pass()), |(_, decision)| decision.clone())
    }

    fn respond(&mut self, command: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        match command.first().map(String::as_str) {
            Some("works") => Ok("from a command".to_owned()),
            _ => Err("exit 1".to_owned()),
        }
    }
}

/// The payload of an event, as a handler gets it.
fn subject(event: &HookEvent) -> String {
    match &event.detail {
        Detail::Tool(call) => call.input.as_str().to_owned(),
        Detail::ToolDone { result, .. } => result.raw.as_str().to_owned(),
        Detail::Prompt { text } => text.clone(),
        Detail::Request { request } => request.as_str().to_owned(),
        Detail::Response { response, .. } => response.as_str().to_owned(),
        _ => String::new(),
    }
}

pub(super) fn policy(text: &str) -> Policy {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.toml");
    std::fs::write(&file, text).unwrap();
    let places = Places {
        policy: Some(file),
        home: Some("/h/u".into()),
        state: Some("/h/u/.local/state".into()),
        binary: Some("/opt/bin/snaphook".into()).into(),
        ..Places::default()
    };
    let loaded =
        UserPolicy::load(&places, &registry()).and_then(|user| Policy::compose(&user, Folders::default(), &registry()));
    loaded.unwrap_or_else(|fault| panic!("{fault}"))
}

fn judged(text: &str, event: &HookEvent) -> Judgement {
    judged_by(&policy(text), event)
}

pub(super) fn judged_by(policy: &Policy, event: &HookEvent) -> Judgement {
    policy.judge(event, &mut ScriptedHandlers::default())
}

pub(super) fn kind(text: &str, event: &HookEvent) -> VerdictKind {
    judged(text, event).decision.verdict.kind()
}

pub(super) fn rules(deny: &str, ask: &str, allow: &str) -> String {
    format!("[permissions]\ndeny = [{deny}]\nask = [{ask}]\nallow = [{allow}]\n")
}

/// Counts the steps that are left by spending them.
pub(super) fn left(steps: &Budget) -> usize {
    let mut left = 0;
    while !steps.is_spent() {
        steps.spend(1);
        left += 1;
    }
    left
}

fn handlers(names: &[&str]) -> String {
    let one = |name: &&str| format!("[[handler]]\nmatch = [\"PreTool\"]\ncommand = [\"{name}\"]\n");
    names.iter().map(one).collect::<Vec<_>>().concat()
}

const CHANGED: &str = r#"{"command":"rm x"}"#;

fn change(json: &str) -> Change {
    Change::optional(Target::Input, Raw::document(json))
}

#[test]
fn c1_only_calls_and_permission_questions_are_judged_by_rules() {
    let text = rules("'*'", "", "");
    assert_eq!(kind(&text, &shell("ls")), VerdictKind::Deny);
    for native in ["stop", "start", "prompt"] {
        assert_eq!(kind(&text, &event(native)), VerdictKind::Pass, "{native}");
    }
    assert_eq!(kind(&text, &done(&shell("ls"), "out")), VerdictKind::Pass);
}

#[test]
fn c2_every_action_of_a_call_is_judged_and_operands_are_watched() {
    let two = call("x", "{}", vec![Action::Write { path: "src/a".into() }, Action::Edit { path: ".env".into() }]);
    assert_eq!(kind(&rules("'Edit(.env)'", "", "'Edit(/src/**)'"), &two), VerdictKind::Deny);
    assert_eq!(kind(&rules("", "", "'Edit(/src/**)'"), &two), VerdictKind::Pass);
    assert_eq!(kind(&rules("'Read(.env)'", "", "'Bash(cat *)'"), &shell("cat .env")), VerdictKind::Deny);
    assert_eq!(kind(&rules("", "", "'Bash(cat *)'"), &shell("cat .env")), VerdictKind::Allow);
}

#[test]
fn c3_deny_then_ask_then_allow_and_the_first_in_the_file_is_named() {
    let judgement = judged(&rules("'Bash(git *)', 'Bash(git push *)'", "'Bash'", "'Bash'"), &shell("git push"));
    let cause = &judgement.causes[0];
    assert_eq!((cause.rule.as_str(), cause.line), ("Bash(git *)", Some(2)));
    assert_eq!(cause.action.as_deref(), Some("Bash: git push"));
    let reason = judgement.decision.verdict.reason();
    assert!(reason.starts_with("Bash(git *) denies (") && reason.ends_with("p.toml:2)"), "{reason}");
    assert_eq!(kind(&rules("", "'Bash'", "'Bash'"), &shell("ls")), VerdictKind::Ask);
    assert_eq!(kind(&rules("", "", ""), &shell("ls")), VerdictKind::Pass);
}

#[test]
fn g2_a_parameter_rule_looks_at_the_native_argument() {
    let text = rules("'Bash(run_in_background:true)'", "", "");
    assert_eq!(kind(&text, &shell("ls")), VerdictKind::Deny);
    let input = r#"{"command":"ls","run_in_background":false}"#;
    let shell = vec![Action::Shell { command: Command::Text("ls".into()), cwd: None, shell: ShellKind::Posix }];
    assert_eq!(kind(&text, &call("sh", input, shell.clone())), VerdictKind::Pass);
    assert_eq!(kind(&text, &call("sh", r#"{"command":"ls"}"#, shell.clone())), VerdictKind::Pass);
    let twice = call("sh", r#"{"run_in_background":false,"Run_In_Background":true}"#, shell);
    let judgement = judged(&text, &twice);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    assert!(judgement.decision.verdict.reason().starts_with("ambiguous input"));
}

#[test]
fn g2_a_null_may_be_any_value_if_the_tool_keeps_another_one() {
    let text = rules("'Bash(run_in_background:true)'", "", "");
    let shell = vec![Action::Shell { command: Command::Text("ls".into()), cwd: None, shell: ShellKind::Posix }];
    let mut event = call("sh", r#"{"command":"ls","run_in_background":null}"#, shell.clone());
    assert_eq!(kind(&text, &event), VerdictKind::Pass);
    let mut agent = event.agent.clone();
    agent.null_keeps_earlier_value = true;
    event.agent = Box::leak(Box::new(agent));
    assert_eq!(kind(&text, &event), VerdictKind::Deny);
    let mut other = call("sh", r#"{"command":"ls","run_in_background":false}"#, shell);
    other.agent = event.agent;
    assert_eq!(kind(&text, &other), VerdictKind::Pass);
}

#[test]
fn c6_a_part_without_an_allow_is_not_allowed_and_the_setting_applies_last() {
    let text = |word: &str| format!("{}[shell]\nnot_understood = \"{word}\"\n", rules("", "", "'Bash'"));
    assert_eq!(kind(&text("ask"), &shell("eval x")), VerdictKind::Ask);
    assert_eq!(kind(&text("deny"), &shell("eval x")), VerdictKind::Deny);
    assert_eq!(kind(&text("deny"), &shell("ls")), VerdictKind::Allow);
    let judgement = judged(&text("ask"), &shell("eval x"));
    assert_eq!(judgement.not_understood.as_deref(), Some("`eval`"));
    assert_eq!(judgement.causes[0].rule, "shell.not_understood");
}

mod actions;
mod commands;
mod costs;
mod limits;
mod protect;
mod protected_places;
mod record;
mod shared;
mod skills;
mod unknown_tools;
mod walked;

use std::path::Path;
use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Command, Detail, EventKind, HookEvent, ShellKind, ToolCall, Verdict, VerdictKind,
};
use snaphook_adapters::registry::Registry;
use snaphook_shell::Budget;

use crate::testing::{InventedTools, TestMachine, call, folders, seen, shell};
use crate::{Cause, CommandDetails, PartVerdict, Policy, PolicyFile, PolicySource};

/// What the rules say about an event.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) causes: Vec<Cause>,
    pub(super) not_understood: Option<String>,
    pub(super) parts: Vec<PartVerdict>,
}

pub(super) fn policy(text: &str) -> Policy {
    policy_on(text, TestMachine::default())
}

fn policy_on(text: &str, machine: TestMachine) -> Policy {
    let source = PolicySource::new(Path::new("/p/p.toml"), "/p".into(), "/p/p.toml".to_owned(), text.to_owned());
    policy_of(source, machine)
}

fn policy_of(source: PolicySource, machine: TestMachine) -> Policy {
    let file = PolicyFile::read(source, &machine, &InventedTools).unwrap_or_else(|fault| panic!("{fault}"));
    Policy::new(Arc::new(file), Vec::new(), Arc::new(machine))
}

fn judged(text: &str, event: &HookEvent) -> Judged {
    judged_by(&policy(text), event)
}

pub(super) fn judged_by(policy: &Policy, event: &HookEvent) -> Judged {
    let facts = policy.facts(folders(event));
    let (judging, call) = (facts.judging(event.row.gates()), seen(event));
    let (outcome, details) = match judging.rules(&call) {
        Ok(ruled) => (judging.combine(&call, &ruled, Vec::new()), ruled.details(&call)),
        Err(outcome) => (*outcome, CommandDetails::default()),
    };
    let CommandDetails { not_understood, parts, .. } = details;
    Judged { verdict: outcome.verdict, causes: outcome.causes, not_understood, parts }
}

pub(super) fn kind(text: &str, event: &HookEvent) -> VerdictKind {
    judged(text, event).verdict.kind()
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
    let reason = judgement.verdict.reason();
    assert_eq!(reason, "`git push` is denied by Bash(git *) (/p/p.toml:2)");
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
    let many = rules(&format!("{}'Bash(run_in_background:true)'", "'WebSearch', ".repeat(2000)), "", "");
    for text in [text, many] {
        let judgement = judged(&text, &twice);
        assert_eq!(judgement.verdict.kind(), VerdictKind::Deny);
        assert!(judgement.verdict.reason().starts_with("ambiguous input"));
    }
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

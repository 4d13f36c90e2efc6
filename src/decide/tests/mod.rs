mod handlers;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Change, Decision, Detail, HookEvent, Response, Target, ToolResult, Verdict, VerdictKind,
};
use snaphook_policy::{Folders, Handler};

use super::{Deciders, Judgement};
use crate::policy::{LoadedPolicy, Places, UserPolicy};
use crate::testing::{call, event, registry, shell};

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

fn policy(text: &str) -> LoadedPolicy {
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
    let loaded = UserPolicy::load(&places, &registry());
    let loaded = loaded.and_then(|user| LoadedPolicy::compose(&user, Folders::default(), &registry()));
    loaded.unwrap_or_else(|fault| panic!("{fault}"))
}

fn judged(text: &str, event: &HookEvent) -> Judgement {
    policy(text).judge(event, &mut ScriptedHandlers::default())
}

fn kind(text: &str, event: &HookEvent) -> VerdictKind {
    judged(text, event).decision.verdict.kind()
}

fn rules(deny: &str, ask: &str, allow: &str) -> String {
    format!("[permissions]\ndeny = [{deny}]\nask = [{ask}]\nallow = [{allow}]\n")
}

/// A tool that ran.
fn done(before: &HookEvent, result: &str) -> HookEvent {
    let mut after = event("post");
    let raw = Raw::string(result);
    after.detail =
        Detail::ToolDone { call: before.call().unwrap().clone(), result: ToolResult::new(raw.clone()).text(Some(raw)) };
    after
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
fn an_answered_call_is_denied_and_a_reported_call_is_not_judged() {
    let answered = |native: &str| {
        let mut event = event(native);
        event.detail = Detail::Answered { call: shell("ls").call().unwrap().clone(), text: "42".into() };
        judged(&rules("", "", "'Bash'"), &event)
    };
    let judgement = answered("may");
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    assert!(judgement.decision.verdict.reason().ends_with("in the tool's place: 42"));
    let mut after = event("stop");
    after.detail = shell("ls").detail;
    assert_eq!(kind(&rules("'Bash'", "", ""), &after), VerdictKind::Pass);
    let mut may = event("may");
    may.detail = shell("ls").detail;
    assert_eq!(kind(&rules("'Bash'", "", ""), &may), VerdictKind::Deny);
}

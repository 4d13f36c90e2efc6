//! A line that runs a denied program is denied whatever text follows it, because the shell runs the line before it
//! reads the text.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use snaphook::decide::Deciders;
use snaphook::policy::{LoadedPolicy, Places};
use snaphook_policy::Handler;
use snaphook_adapters::model::{Decision, HookEvent, Incoming, VerdictKind};
use snaphook_adapters::protocol::{HookProtocol, Native};
use snaphook_adapters::registry::Registry;

const POLICY: &str = "[permissions]\ndeny = ['Bash(evilprog *)', 'Read(.env)', 'Edit(//etc/**)']\nallow = ['Bash']\n";

static AGENT: LazyLock<&'static dyn HookProtocol> =
    LazyLock::new(|| Registry::standard().get("claude-code").expect("the agent is registered"));
static JUDGE: LazyLock<LoadedPolicy> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("policy.toml");
    std::fs::write(&file, POLICY).expect("the policy is written");
    let mut places = Places::default();
    places.home = Some("/home/user".into());
    places.policy = Some(file);
    LoadedPolicy::load(&places, None, &Registry::standard()).expect("the policy is valid")
});

fuzz_target!(|text: &str| {
    // The adapter refuses both.
    if text.contains('\0') || text.trim().is_empty() {
        return;
    }
    // The text alone must not panic, and must give the same verdict twice.
    assert_eq!(verdict(text), verdict(text));
    let after = format!("evilprog x\n{text}");
    assert_eq!(verdict(&after), VerdictKind::Deny, "{after:?}");
});

fn verdict(command: &str) -> VerdictKind {
    let message = serde_json::json!({
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": "/home/user/project",
        "tool_name": "Bash",
        "tool_input": { "command": command },
    });
    match AGENT.parse(&Native::new(message.to_string())) {
        Ok(Incoming::Event(event)) => JUDGE.judge(&event, &mut NoHandlers).decision.verdict.kind(),
        other => panic!("{other:?}"),
    }
}

struct NoHandlers;

impl Deciders for NoHandlers {
    fn handler(&mut self, _: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Err("the policy has no handler".to_owned())
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("the policy has no response".to_owned())
    }
}

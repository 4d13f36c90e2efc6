//! Tools that no row describes (V6).

use super::*;

#[test]
fn v6_deny_and_ask_match_the_likely_actions_of_an_unknown_tool() {
    let registry = Registry::standard();
    let agents = |id: &str| registry.get(id).unwrap().agent();
    let unknown = |id: &str, name: &str, input: &str| {
        let agent = agents(id);
        let call = ToolCall::new(name, Raw::document("{}"), Vec::new());
        let call = call.with_input(agent, Raw::document(input)).unwrap();
        let row = agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.cwd = Some("/w/app".to_owned());
        event.detail = Detail::Tool(call);
        event
    };
    let text = rules(
        "'Bash(rm *)', 'Read(~/.ssh/**)', 'Edit(.env)', 'WebFetch(domain:x.org)'",
        "'Bash(git push *)'",
        "'Bash', 'Read', 'Edit', 'WebFetch', 'mcp__s__ok'",
    );
    for (name, input, verdict) in [
        ("frob", r#"{"command":"rm -rf /"}"#, VerdictKind::Deny),
        ("frob", r#"{"cmd":"ls; rm x"}"#, VerdictKind::Deny),
        ("frob", r#"{"script":"git push"}"#, VerdictKind::Ask),
        ("frob", r#"{"command":["sudo","rm","x"]}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"rm","args":["x"]}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"eval rm"}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"ls > .env"}"#, VerdictKind::Deny),
        ("frob", r#"{"path":"~/.ssh/id"}"#, VerdictKind::Deny),
        ("frob", r#"{"file_path":"sub/.env"}"#, VerdictKind::Deny),
        ("frob", r#"{"path":"/h/u/.config/snaphook/snaphook.toml"}"#, VerdictKind::Deny),
        ("frob", r#"{"url":"https://x.org/"}"#, VerdictKind::Deny),
        ("mcp__s__ok", r#"{"command":"rm x"}"#, VerdictKind::Deny),
        // Such a match never allows the call.
        ("frob", r#"{"command":"ls"}"#, VerdictKind::Pass),
        ("frob", r#"{"path":"a"}"#, VerdictKind::Pass),
        ("mcp__s__ok", r#"{"command":"ls"}"#, VerdictKind::Allow),
        ("mcp__s__ok", r#"{"script":"Once (upon a time"}"#, VerdictKind::Allow),
        // Other cases.
        ("frob", r#"{"command":7,"path":{"a":"~/.ssh/id"},"url":null,"cmd":[["rm"]],"script":""}"#, VerdictKind::Pass),
        ("frob", r#"{"inner":{"command":"rm x"}}"#, VerdictKind::Deny),
        ("frob", r#"{"outer":{"inner":{"command":"rm x"}}}"#, VerdictKind::Pass),
    ] {
        assert_eq!(kind(&text, &unknown("claude-code", name, input)), verdict, "{name} {input}");
    }
    for id in ["picoclaw", "codex", "docker-agent", "hygge"] {
        let name = if id == "hygge" { "shell" } else { "bash" };
        let event = unknown(id, name, r#"{"command":"rm -rf /"}"#);
        assert_eq!(kind(crate::STARTER, &event), VerdictKind::Deny, "{id}");
    }
}

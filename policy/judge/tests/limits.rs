//! How much may be in one call: rules times the length of what they are matched against.

use snaphook_adapters::model::McpName;

use super::*;

fn numbered(count: usize, rule: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| format!("'{}'", rule(at))).collect::<Vec<_>>().join(", ")
}

#[test]
fn many_rules_and_a_long_argument_are_too_large_to_analyse_together() {
    let long = |length: usize| "a".repeat(length);
    let agents = rules(&numbered(1000, |at| format!("Agent(x{at}*)")), "", "");
    let servers = rules(&numbered(1000, |at| format!("mcp__x{at}__*")), "", "");
    let params = rules(&numbered(1000, |at| format!("Bash(more:x{at})")), "", "");
    let agent = |length| call("x", "{}", vec![Action::Subagent { name: Some(long(length)) }]);
    let many = |count| call("x", "{}", vec![Action::Subagent { name: Some("a".into()) }; count]);
    let split =
        |length| call("x", "{}", vec![Action::Mcp(McpName::Split { server: long(length), tool: long(length) })]);
    let joined = |length| call("x", "{}", vec![Action::Mcp(McpName::Joined(long(length)))]);
    let arguments = |length| {
        let shell = Action::Shell { command: Command::Text("ls".into()), cwd: None, shell: ShellKind::Posix };
        call("sh", &format!("{{\"command\":\"ls\",\"more\":\"{}\"}}", long(length)), vec![shell])
    };
    for (name, text, small, large) in [
        ("a long name", &agents, agent(64 * 1000), agent(64 * 3000)),
        ("many names", &agents, many(500), many(2500)),
        ("the name of a server and its tool", &servers, split(64 * 500), split(64 * 1500)),
        ("a name that may be one of several servers", &servers, joined(16 * 1000), joined(32 * 1500)),
        ("arguments", &params, arguments(64 * 500), arguments(64 * 1400)),
    ] {
        let policy = policy(text);
        assert_eq!(judged_by(&policy, &small).verdict.kind(), VerdictKind::Pass, "{name}");
        let judgement = judged_by(&policy, &large);
        let reason = judgement.verdict.reason();
        assert!(reason.contains("too large to analyse"), "{name}: {reason}");
        assert_eq!(judgement.verdict.kind(), VerdictKind::Deny, "{name}");
    }
}

#[test]
fn a_call_that_is_too_large_passes_on_events_that_decide_nothing() {
    let actions = vec![Action::Subagent { name: Some("a".repeat(64 * 3000)) }];
    let policy = policy(&rules(&numbered(1000, |at| format!("Agent(x{at}*)")), "", ""));
    let gated = call("x", "{}", actions);
    assert_eq!(judged_by(&policy, &gated).verdict.kind(), VerdictKind::Deny);
    let facts = policy.facts(folders(&gated));
    assert_eq!(facts.judging(false).verdict(&seen(&gated)).verdict, Verdict::Pass);
}

#[test]
fn a_likely_action_that_is_too_large_is_not_allowed() {
    let mut event = call("frob", "{}", vec![Action::Other]);
    let text = rules("", "", "'Tool(frob)'");
    assert_eq!(kind(&text, &event), VerdictKind::Allow);
    let Detail::Tool(call) = &mut event.detail else { unreachable!() };
    let command = format!("{}b", "a;".repeat(1 << 20)).into();
    call.suggested_actions = vec![Action::Shell { command, cwd: None, shell: ShellKind::Posix }];
    assert_eq!(kind(&text, &event), VerdictKind::Deny);
}

#[test]
fn a_rule_among_thousands_is_found() {
    let denies = [
        "WebFetch(domain:*.x.org)",
        "WebFetch(domain:y.org)",
        "WebFetch(domain:*.z.*.org)",
        "Bash(git * force *)",
        "Bash(*evil*)",
        "Read(sub/**/key)",
        "Edit(*.pem)",
        "Delete(/keep/**)",
        "Read(~/.ssh/**)",
    ];
    let others = numbered(3000, |at| format!("Bash(a{at} b)', 'Read(z/y{at})', 'WebFetch(domain:a{at}.org)"));
    let policy = policy(&rules(&format!("{others}, {}", denies.map(|rule| format!("'{rule}'")).join(", ")), "", ""));
    let one = |action: Action| call("x", "{}", vec![action]);
    let fetch = |url: &str| one(Action::Fetch { url: url.into() });
    let read = |path: &str| one(Action::Read { path: path.into() });
    for (event, rule) in [
        (fetch("https://a.b.x.org/"), Some(denies[0])),
        (fetch("https://a.x.org/"), Some(denies[0])),
        (fetch("https://y.org/"), Some(denies[1])),
        (fetch("https://a.z.b.org/"), Some(denies[2])),
        (fetch("https://w.org/"), None),
        (shell("git push force x"), Some(denies[3])),
        (shell("git push"), None),
        (shell("frob 'xevilx'"), Some(denies[4])),
        (shell("eval \"$X\" evil"), Some(denies[4])),
        (read("sub/a/key"), Some(denies[5])),
        (read("sub/a/keys"), None),
        (one(Action::Edit { path: "a.pem".into() }), Some(denies[6])),
        (one(Action::Delete { path: "keep/a".into() }), Some(denies[7])),
        (shell("cat ~/.ssh/id"), Some(denies[8])),
        (shell("rm keep/a"), Some(denies[7])),
    ] {
        let judgement = judged_by(&policy, &event);
        let found = judgement.causes.first().map(|cause| cause.rule.as_str());
        assert_eq!(found, rule, "{:?}", event.call().unwrap().actions);
    }
}

#[test]
fn typed_text_is_searched_up_to_a_mebibyte() {
    for (length, verdict) in [(1 << 20, VerdictKind::Pass), ((1 << 20) + 1, VerdictKind::Deny)] {
        let text = "a".repeat(length);
        let typed = call("x", "{}", vec![Action::ShellInput { text: text.into() }]);
        assert_eq!(kind("[permissions]\n", &typed), verdict, "{length}");
    }
}

#[test]
fn a_patch_at_the_end_of_a_huge_command_is_found() {
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nEOF\n";
    let policy = policy(&rules("'Edit(.env)'", "", ""));
    for (end, first) in [("", "the call is too large"), (patch, "Edit(.env)")] {
        let mut event = shell("ls");
        let text = format!("{}{end}", "echo 'a line'\n".repeat(1 << 18));
        let input = Raw::document(format!("{{\"command\":{}}}", Raw::string(&text).as_str()));
        event.detail = Detail::Tool(ToolCall::named(event.agent, "sh", input).unwrap());
        let reason = judged_by(&policy, &event).verdict.reason().to_owned();
        assert!(reason.contains(first), "{reason}");
    }
}

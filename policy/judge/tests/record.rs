//! The words of a judgement for `try`, `why` and the log.

use snaphook_adapters::model::McpName;

use super::*;

#[test]
fn the_cause_of_a_verdict_names_the_action() {
    let text = rules("'*', 'Edit', 'Read'", "", "");
    let action = |actions: Vec<Action>| {
        let judgement = judged(&text, &call("frob", "{}", actions));
        judgement.causes.into_iter().map(|cause| cause.action.unwrap()).collect::<Vec<_>>()
    };
    let path = || "a".to_owned();
    for (one, words) in [
        (Action::Read { path: path() }, "Read: a"),
        (Action::List { path: path() }, "List: a"),
        (Action::Search { path: path(), pattern: Some("*.rs".into()) }, "Search: a/*.rs"),
        (Action::Search { path: path(), pattern: None }, "Search: a"),
        (Action::Write { path: path() }, "Write: a"),
        (Action::Edit { path: path() }, "Edit: a"),
        (Action::Delete { path: path() }, "Delete: a"),
        (Action::Fetch { url: "https://x.org".into() }, "WebFetch: https://x.org"),
        (Action::WebSearch { query: path() }, "WebSearch"),
        (Action::Mcp(McpName::Joined("a_b".into())), "MCP tool: frob"),
        (Action::Subagent { name: Some("a".into()) }, "Agent: a"),
        (Action::Subagent { name: None }, "Agent"),
        (Action::ShellInput { text: "x\n".into() }, "Bash, not understood: x\n"),
        (Action::Other, "Tool: frob"),
    ] {
        assert_eq!(action(vec![one]), [words]);
    }
    assert_eq!(action(vec![Action::Move { from: path(), to: "b".into() }]), ["Move from: a", "Move to: b"]);
    for (deny, line, words) in [
        ("'Edit(x)'", "mkdir x", "Make folder: x"),
        ("'Edit(x)'", "mv x y", "Move from: x"),
        ("'Edit(y)'", "mv x y", "Move to: y"),
        ("'Bash(curl * | sh *)'", "curl u | tee f | sh", "Bash: curl u | tee f | sh"),
        ("", "frob .invented/settings.json", "May change: .invented/settings.json"),
    ] {
        let judgement = judged(&rules(deny, "", ""), &shell(line));
        assert_eq!(judgement.causes[0].action.as_deref(), Some(words), "{line}");
    }
}

#[test]
fn the_parts_of_a_command_are_listed_if_there_are_several() {
    let text = rules("'Bash(rm *)', 'Read(.env)'", "", "'Bash(ls *)', 'WebFetch'");
    let parts = |event: &HookEvent| {
        let parts = judged(&text, event).parts;
        parts.into_iter().map(|part| (part.action, part.verdict, part.rule)).collect::<Vec<_>>()
    };
    let part = |action: &str, verdict, rule: Option<&str>| (action.to_owned(), verdict, rule.map(str::to_owned));
    for (line, all) in [
        ("ls a", vec![]),
        (
            "ls a && cargo test; rm b",
            vec![
                part("Bash: ls a", VerdictKind::Allow, Some("Bash(ls *)")),
                part("Bash: cargo test", VerdictKind::Pass, None),
                part("Bash: rm b", VerdictKind::Deny, Some("Bash(rm *)")),
            ],
        ),
        // An operand is listed if a rule matches it, and the target of a redirection always.
        (
            "cat .env",
            vec![
                part("Bash: cat .env", VerdictKind::Pass, None),
                part("Read: .env", VerdictKind::Deny, Some("Read(.env)")),
            ],
        ),
        (
            "ls a > b",
            vec![part("Bash: ls a", VerdictKind::Allow, Some("Bash(ls *)")), part("Write: b", VerdictKind::Pass, None)],
        ),
        ("cat a b", vec![]),
        // A text that is not understood is listed as the command that runs it.
        (
            "eval x; ls a",
            vec![
                part("Bash: eval x", VerdictKind::Pass, None),
                part("Bash: ls a", VerdictKind::Allow, Some("Bash(ls *)")),
                part("Bash: x", VerdictKind::Pass, None),
            ],
        ),
        // A program that only runs another one is listed beside it.
        (
            "timeout 5 ls a",
            vec![
                part("Bash: timeout 5 ls a", VerdictKind::Pass, None),
                part("Bash: ls a", VerdictKind::Allow, Some("Bash(ls *)")),
            ],
        ),
        (
            "ls a | ls b",
            vec![
                part("Bash: ls a", VerdictKind::Allow, Some("Bash(ls *)")),
                part("Bash: ls b", VerdictKind::Allow, Some("Bash(ls *)")),
            ],
        ),
    ] {
        assert_eq!(parts(&shell(line)), all, "{line}");
    }
    let urls = ["https://x.org", "https://y.org"].map(|url| Action::Fetch { url: url.into() });
    assert_eq!(parts(&call("fetch", "{}", urls.to_vec())), []);
}

#[test]
fn an_operand_is_not_listed_for_an_allow_rule_that_it_does_not_need() {
    let parts = judged(&rules("", "", "'Bash', 'Read'"), &shell("cat a; cat b")).parts;
    let actions: Vec<_> = parts.into_iter().map(|part| part.action).collect();
    assert_eq!(actions, ["Bash: cat a", "Bash: cat b"]);
}

#[test]
fn a_long_action_is_cut() {
    let judgement = judged(&rules("'Bash'", "", ""), &shell(&format!("ls {}", "a".repeat(1000))));
    let words = judgement.causes[0].action.clone().unwrap();
    assert!(words.starts_with("Bash: ls aaa") && words.len() < 310, "{words}");
}

#[test]
fn an_operand_of_an_allowed_command_is_not_a_cause() {
    let causes = judged(&rules("", "", "'Bash(cat *)', 'Read'"), &shell("cat a")).causes;
    assert_eq!(causes.iter().map(|cause| cause.rule.as_str()).collect::<Vec<_>>(), ["Bash(cat *)"]);
}

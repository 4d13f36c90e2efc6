//! Handlers, responses and the session context (C4, C5, C7, C9, V5).

use super::*;

#[test]
fn c4_a_response_to_any_action_answers_the_call_unless_a_rule_denies() {
    let fetch =
        |urls: &[&str]| call("fetch", "{}", urls.iter().map(|url| Action::Fetch { url: (*url).into() }).collect());
    let respond = "[[respond]]\nmatch = 'WebFetch(domain:x.org)'\ntext = 'no network'\nis_error = true\n";
    let judgement = judged(respond, &fetch(&["https://x.org/a"]));
    assert_eq!(judgement.decision.verdict, Verdict::Respond(Response::new("no network").error()));
    assert_eq!(kind(respond, &fetch(&["https://y.org", "https://x.org/a"])), VerdictKind::Respond);
    assert_eq!(kind(respond, &fetch(&["https://y.org"])), VerdictKind::Pass);
    let guarded = |deny, ask| format!("{}{respond}", rules(deny, ask, "'WebFetch'"));
    assert_eq!(kind(&guarded("", "'WebFetch'"), &fetch(&["https://x.org", "https://y.org"])), VerdictKind::Respond);
    assert_eq!(
        kind(&guarded("'WebFetch(domain:y.org)'", ""), &fetch(&["https://x.org", "https://y.org"])),
        VerdictKind::Deny
    );
    let part = "[[respond]]\nmatch = 'Bash(git push *)'\ntext = 'no'\n[[respond]]\nmatch = 'Read(.env)'\ntext = 'no'\n";
    let part = format!("{}{part}", rules("'Bash(rm *)'", "", "'Bash'"));
    for (command, verdict) in [
        ("git push", VerdictKind::Respond),
        ("true && git push && touch x", VerdictKind::Respond),
        ("sudo git push", VerdictKind::Respond),
        ("eval git push", VerdictKind::Respond),
        ("cat .env; echo x", VerdictKind::Respond),
        ("git push; rm x", VerdictKind::Deny),
        ("git log", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&part, &shell(command)), verdict, "{command}");
    }
    let denied = format!("{}{respond}", rules("'WebFetch(domain:*)'", "", ""));
    assert_eq!(kind(&denied, &fetch(&["https://x.org/a"])), VerdictKind::Deny);
    let works = "[[respond]]\nmatch = 'WebFetch'\ncommand = ['works']\n";
    assert_eq!(judged(works, &fetch(&["https://x.org"])).decision.verdict.reason(), "from a command");
    let fails = "[[respond]]\nmatch = 'WebFetch'\ncommand = ['fails']\n";
    assert_eq!(kind(fails, &fetch(&["https://x.org"])), VerdictKind::Deny);
    let missing = "[[respond]]\nmatch = 'WebFetch'\nfile = '/nowhere/at/all'\n";
    assert_eq!(kind(missing, &fetch(&["https://x.org"])), VerdictKind::Deny);
}

#[test]
fn c5_the_strictest_verdict_other_than_pass_counts() {
    use VerdictKind::{Abort, Allow, Ask, Deny, HardAbort, Pass, Respond};
    let reason = || "r".to_owned();
    let word = |kind: VerdictKind| -> Decision {
        match kind {
            Pass => Decision::pass(),
            Allow => Decision::allow(),
            Ask => Decision::ask(reason()),
            Deny => Decision::deny(reason()),
            Respond => Decision::respond(Response::new("t")),
            Abort => Verdict::Abort { reason: reason() }.into(),
            _ => Verdict::HardAbort { reason: reason() }.into(),
        }
    };
    let order = [Pass, Allow, Ask, Respond, Deny, Abort, HardAbort];
    let policy = policy(&handlers(&["one", "two"]));
    for (a, one) in order.iter().enumerate() {
        for (b, two) in order.iter().enumerate() {
            let mut say = ScriptedHandlers {
                decisions: vec![("one", Ok(word(*one))), ("two", Ok(word(*two)))],
                ..ScriptedHandlers::default()
            };
            let judgement = policy.judge(&shell("ls"), &mut say);
            assert_eq!(judgement.decision.verdict.kind(), order[a.max(b)], "{one:?} {two:?}");
        }
    }
}

#[test]
fn c5_a_handler_but_no_rule_may_allow_a_command_that_is_not_understood() {
    let text = format!("{}{}", rules("", "", "'Bash'"), handlers(&["one"]));
    assert_eq!(kind(&text, &shell("eval x")), VerdictKind::Pass);
    let mut say = ScriptedHandlers { decisions: vec![("one", Ok(Decision::allow()))], ..ScriptedHandlers::default() };
    assert_eq!(policy(&text).judge(&shell("eval x"), &mut say).decision.verdict.kind(), VerdictKind::Allow);
    let text = format!("{}{}", rules("'Bash(evil *)'", "", ""), handlers(&["one"]));
    assert_eq!(policy(&text).judge(&shell("eval evil"), &mut say).decision.verdict.kind(), VerdictKind::Deny);
}

#[test]
fn c7_rules_judge_the_change_of_a_handler_again() {
    let text = format!("{}{}", rules("'Bash(rm *)'", "", "'Bash(ls *)'"), handlers(&["one"]));
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::allow().change(change(CHANGED))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&text).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    assert!(judgement.decision.changes.is_empty());
    let other = r#"{"command":"cp a b"}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(other))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&text).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Pass, "nobody allowed the new command");
    assert_eq!(judgement.decision.changes, [change(other)]);
    let same = r#"{"command":"ls -la"}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(same))))],
        ..ScriptedHandlers::default()
    };
    assert_eq!(policy(&text).judge(&shell("ls"), &mut say).decision.verdict.kind(), VerdictKind::Allow);
    let answered = "[[respond]]\nmatch = 'Bash(cp *)'\ntext = 'no'\n";
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(other))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&format!("{text}{answered}")).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Respond);
    let broken = r#"{"command":7}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(broken))))],
        ..ScriptedHandlers::default()
    };
    assert_eq!(policy(&text).judge(&shell("ls"), &mut say).decision.verdict.kind(), VerdictKind::Deny);
}

#[test]
fn v5_a_change_without_a_name_is_for_the_tool_that_the_handler_has_seen() {
    let text = handlers(&["one", "two"]);
    let said = |one: Change, two: Change| {
        let decisions = vec![("one", Ok(Decision::pass().change(one))), ("two", Ok(Decision::pass().change(two)))];
        let mut say = ScriptedHandlers { decisions, ..ScriptedHandlers::default() };
        policy(&text).judge(&shell("ls"), &mut say).decision
    };
    let (a, b) = (r#"{"x":"a"}"#, r#"{"x":"b"}"#);
    let required = |json: &str| Change::required(Target::Input, Raw::document(json));
    assert_eq!(said(required(a).tool("other"), change(b)).changes, [required(b).tool("other")]);
    let third = required(b).tool("third");
    assert_eq!(said(required(a).tool("other"), change(b).tool("third")).changes, [required(a).tool("other")]);
    assert_eq!(said(change(a).tool("other"), third.clone()).changes, [third], "this agent runs only the called tool");
    assert_eq!(said(required(a).tool("other"), required(a)).changes, [required(a).tool("other")]);
    let differs = said(required(a).tool("other"), required(a).tool("third"));
    assert_eq!(differs.verdict.kind(), VerdictKind::Deny);
}

#[test]
fn v5_changes_are_applied_in_order_and_two_required_ones_are_a_failure() {
    let text = handlers(&["one", "two"]);
    let required = |json: &str| Change::required(Target::Input, Raw::document(json));
    let said = |one: Decision, two: Decision| {
        let mut say =
            ScriptedHandlers { decisions: vec![("one", Ok(one)), ("two", Ok(two))], ..ScriptedHandlers::default() };
        (policy(&text).judge(&shell("ls"), &mut say), say)
    };
    let (a, b) = (r#"{"command":"a"}"#, r#"{"command":"b"}"#);
    let (judgement, say) = said(
        Decision::pass().change(required(a)).context("one").notice("n1"),
        Decision::pass().change(change(b)).context("two").notice("n2"),
    );
    assert_eq!(say.shown[1], ("two".to_owned(), a.to_owned()), "the second sees what the first changed");
    assert_eq!(judgement.decision.changes, [required(b)]);
    assert_eq!(judgement.decision.context.as_deref(), Some("one\ntwo"));
    assert_eq!(judgement.decision.notice.as_deref(), Some("n1\nn2"));
    let (judgement, _) = said(Decision::pass().change(required(a)), Decision::pass().change(required(b)));
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    let (judgement, _) = said(Decision::pass().change(required(a)), Decision::pass().change(required(a)));
    assert_eq!(judgement.decision.changes, [required(a)]);
    let (plain, escaped) = (r#"{"command":"a>b"}"#, r#"{ "command" : "a\u003eb" }"#);
    let (judgement, _) = said(Decision::pass().change(required(plain)), Decision::pass().change(required(escaped)));
    assert_eq!(judgement.decision.changes, [required(plain)], "what says the same does not differ");
}

#[test]
fn c9_a_failure_has_its_class_and_is_never_weaker_than_a_verdict() {
    let failing = || ScriptedHandlers {
        decisions: vec![("one", Err("handler `one`: exit 1".to_owned()))],
        ..ScriptedHandlers::default()
    };
    for (class, verdict) in [("deny", VerdictKind::Deny), ("ask", VerdictKind::Ask), ("pass", VerdictKind::Pass)] {
        let text = format!("{}[failure]\nhandler = \"{class}\"\n", handlers(&["one"]));
        let judgement = policy(&text).judge(&shell("ls"), &mut failing());
        assert_eq!(judgement.decision.verdict.kind(), verdict);
        assert_eq!(judgement.remarks, ["handler `one`: exit 1"]);
        let text = format!("{}{text}", rules("'Bash(ls)'", "", ""));
        assert_eq!(policy(&text).judge(&shell("ls"), &mut failing()).decision.verdict.kind(), VerdictKind::Deny);
    }
    let text = "[[handler]]\nmatch = ['TurnEnd', 'PostTool']\ncommand = ['one']\n";
    assert_eq!(policy(text).judge(&event("stop"), &mut failing()).decision.verdict.kind(), VerdictKind::Pass);
}

#[test]
fn handlers_are_selected_by_event_kind_rule_and_agent() {
    let asked = |matches: &str, more: &str, event: &HookEvent| {
        let text = format!("[[handler]]\nmatch = {matches}\ncommand = [\"one\"]\n{more}");
        let mut say = ScriptedHandlers::default();
        policy(&text).judge(event, &mut say);
        !say.shown.is_empty()
    };
    assert!(asked("['*']", "", &shell("ls")));
    assert!(!asked("['*']", "", &event("prompt")));
    assert!(asked("['Bash(git *)']", "", &shell("git log")));
    assert!(!asked("['Bash(git *)']", "", &shell("ls")));
    assert!(!asked("['Bash(git *)']", "", &done(&shell("git log"), "x")));
    assert!(asked("['PostTool', 'Bash(git *)']", "", &done(&shell("git log"), "x")));
    assert!(asked("['Prompt']", "", &event("prompt")));
    assert!(!asked("['PermissionRequest']", "", &shell("ls")));
    assert!(asked("['*']", "agents = ['invented']\n", &shell("ls")));
    assert!(!asked("['*']", "except = ['invented']\n", &shell("ls")));
    // A word that may be a path, and a folder that something is unpacked into.
    assert!(asked("['Edit(//w/app)']", "", &shell("frob /w/app")));
    assert!(!asked("['Edit(//w/app)']", "", &shell("pax -r")));
}

#[test]
fn a_handler_for_an_agent_is_selected_by_the_events_of_that_agent() {
    let asked = |more: &str, event: &HookEvent| {
        let text = format!("[[handler]]\ncommand = [\"one\"]\nspeaks = 'invented'\n{more}");
        let mut say = ScriptedHandlers::default();
        policy(&text).judge(event, &mut say);
        !say.shown.is_empty()
    };
    assert!(asked("", &shell("ls")));
    assert!(!asked("", &event("prompt")));
    assert!(asked("events = ['prompt']\n", &event("prompt")));
    assert!(!asked("events = ['prompt']\n", &shell("ls")));
    assert!(asked("events = ['prompt', 'pre']\n", &shell("ls")));
    assert!(!asked("match = ['Bash(git *)']\n", &shell("ls")));
    assert!(!asked("except = ['invented']\n", &shell("ls")));
}

#[test]
fn a_handler_is_asked_about_a_call_that_is_too_large_to_match_its_rules() {
    let asked = |deny: &str, rule: &str, event: &HookEvent| {
        let text = format!("{}[[handler]]\nmatch = ['{rule}']\ncommand = ['one']\n", rules(deny, "", ""));
        let mut say = ScriptedHandlers::default();
        policy(&text).judge(event, &mut say);
        !say.shown.is_empty()
    };
    let long = shell(&format!("ls {}", "a;".repeat(1 << 20)));
    assert!(asked("", "Bash(git *)", &long));
    // The rules of the policy leave no steps for that of the handler.
    let agent = call("x", "{}", vec![Action::Subagent { name: Some("a".repeat(64 * 3000)) }]);
    let many: Vec<_> = (0..1000).map(|at| format!("'Agent(x{at}*)'")).collect();
    assert!(asked(&many.join(", "), "Agent(x)", &agent));
    assert!(!asked("", "Agent(x)", &agent));
}

/// An event that is about something other than a call.
fn about(native: &str, detail: Detail) -> HookEvent {
    let mut event = event(native);
    event.detail = detail;
    event
}

/// The judgement of two handlers, where the first makes a change, and what the second is shown.
fn second_sees(event: &HookEvent, target: Target, new: &str) -> (Judgement, Option<String>) {
    let kinds = "['PreTool', 'PostTool', 'Prompt', 'PreModel', 'PostModel']";
    let one = |name| format!("[[handler]]\nmatch = {kinds}\ncommand = ['{name}']\n");
    let change = Change::optional(target, Raw::document(new));
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change)))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&(one("one") + &one("two"))).judge(event, &mut say);
    let seen = say.shown.into_iter().find_map(|(name, seen)| (name == "two").then_some(seen));
    (judgement, seen)
}

#[test]
fn v5_the_next_handler_sees_every_kind_of_change() {
    let request = || Raw::document(r#"{"model":"a","messages":[1],"n":1}"#);
    let bare = || Raw::document(r#"{"model":"a"}"#);
    let response = Raw::document(r#"{"text":"a"}"#);
    for (event, target, new, seen) in [
        (shell("ls"), Target::Input, r#"{"command":"a"}"#, r#"{"command":"a"}"#),
        (done(&shell("ls"), "secret"), Target::Result, r#""redacted""#, r#""redacted""#),
        (about("prompt", Detail::Prompt { text: "a".into() }), Target::Prompt, r#""b""#, "b"),
        (
            about("request", Detail::Request { request: request() }),
            Target::Messages,
            "[2]",
            r#"{"model":"a","messages":[2],"n":1}"#,
        ),
        (
            about("request", Detail::Request { request: request() }),
            Target::Request,
            r#"{"model":"b","n":2}"#,
            r#"{"model":"b","messages":[1],"n":2}"#,
        ),
        // A request without messages gets none.
        (about("request", Detail::Request { request: bare() }), Target::Messages, "[2]", r#"{"model":"a"}"#),
        (
            about("response", Detail::Response { response, calls_tools: false }),
            Target::Result,
            r#"{"text":"b"}"#,
            r#"{"text":"b"}"#,
        ),
        // A change of something that the event is not about changes nothing.
        (about("prompt", Detail::Prompt { text: "a".into() }), Target::Input, "{}", "a"),
    ] {
        let (judgement, second) = second_sees(&event, target, new);
        assert_eq!(second.as_deref(), Some(seen), "{} {new}", target.word());
        assert_eq!(judgement.decision.changes.len(), 1, "{}", target.word());
    }
    let after = super::super::additions::changed(
        &done(&shell("ls"), "secret"),
        &Change::optional(Target::Result, Raw::string("redacted")),
        &policy("[permissions]\n"),
    );
    assert_eq!(after.unwrap().result().unwrap().read().unwrap().value, "redacted");
}

#[test]
fn v5_a_change_that_cannot_be_parsed_is_a_failure_of_its_handler() {
    let request = || Raw::document(r#"{"model":"a","messages":[1]}"#);
    for (event, target, new) in [
        (shell("ls"), Target::Input, r#"{"command":7}"#),
        (about("prompt", Detail::Prompt { text: "a".into() }), Target::Prompt, "7"),
        (about("request", Detail::Request { request: request() }), Target::Request, "[]"),
    ] {
        let (judgement, _) = second_sees(&event, target, new);
        assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny, "{}", target.word());
        assert!(judgement.remarks[0].starts_with("handler `one`: "), "{:?}", judgement.remarks);
    }
}

#[test]
fn v5_the_last_summary_and_the_last_value_of_each_extra_member_count() {
    let said = |summary: Option<&str>, extra: &[(&str, &str)]| {
        let mut decision = Decision::pass();
        decision.summary = summary.map(str::to_owned);
        decision.extra = extra.iter().map(|(key, value)| ((*key).to_owned(), Raw::document(*value))).collect();
        decision
    };
    let mut say = ScriptedHandlers {
        decisions: vec![
            ("one", Ok(said(Some("first"), &[("a", "1"), ("b", "1")]))),
            ("two", Ok(said(Some("second"), &[("a", "2"), ("c", "2")]))),
            ("three", Ok(said(None, &[]))),
        ],
        ..ScriptedHandlers::default()
    };
    let decision = policy(&handlers(&["one", "two", "three"])).judge(&shell("ls"), &mut say).decision;
    assert_eq!(decision.summary.as_deref(), Some("second"));
    let extra: Vec<_> = decision.extra.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(extra, [("b", "1"), ("a", "2"), ("c", "2")]);
}

#[test]
fn v5_a_required_change_stays_required_and_a_blocking_handler_changes_nothing() {
    let required = |json: &str| Change::required(Target::Input, Raw::document(json));
    let (a, b) = (r#"{"command":"a"}"#, r#"{"command":"b"}"#);
    for (one, two, changes) in [
        (Decision::pass().change(change(a)), Decision::pass().change(required(b)), vec![required(b)]),
        (Decision::pass().change(required(a)), Decision::pass().change(change(b)), vec![required(b)]),
        (Decision::pass().change(change(a)), Decision::pass().change(change(b)), vec![change(b)]),
        (Decision::pass().change(change(a)), Decision::deny("no".to_owned()).change(change(b)), vec![]),
    ] {
        let mut say =
            ScriptedHandlers { decisions: vec![("one", Ok(one)), ("two", Ok(two))], ..ScriptedHandlers::default() };
        let judgement = policy(&handlers(&["one", "two"])).judge(&shell("ls"), &mut say);
        assert_eq!(judgement.decision.changes, changes);
    }
}

#[test]
fn context_is_given_when_a_session_starts() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("more.md"), "more").unwrap();
    let base = dir.path().display();
    let text = format!("[context]\nsession = 'be kind'\nfiles = ['{base}/more.md', '{base}/gone.md']\n");
    let judgement = judged(&text, &event("start"));
    assert_eq!(judgement.decision.context.as_deref(), Some("be kind\nmore"));
    assert!(judgement.decision.notice.unwrap().contains("gone.md"));
    assert_eq!(judged(&text, &event("prompt")).decision.context, None);
}

#[test]
fn c5_of_equally_strict_opinions_the_first_is_the_reason() {
    let text = handlers(&["one", "two"]);
    let mut say = ScriptedHandlers {
        decisions: vec![
            ("one", Ok(Decision::deny("first".to_owned()))),
            ("two", Ok(Decision::deny("second".to_owned()))),
        ],
        ..ScriptedHandlers::default()
    };
    assert_eq!(policy(&text).judge(&shell("ls"), &mut say).decision.verdict.reason(), "first");
    // The call as it was sent comes before the call as it was changed.
    let text = format!("{}{}", rules("'Bash(rm *)', 'Bash(ls *)'", "", ""), handlers(&["one"]));
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(CHANGED))))],
        ..ScriptedHandlers::default()
    };
    let causes = policy(&text).judge(&shell("ls"), &mut say).causes;
    let rules: Vec<_> = causes.iter().map(|cause| cause.rule.as_str()).collect();
    assert_eq!(rules, ["Bash(ls *)", "one", "Bash(rm *)"]);
}

//! Which rules apply to which action.

use super::*;

/// Checks if one rule denies a call: alone, and among so many rules that only some of them are looked at.
fn check(deny: &str, event: &HookEvent, denied: bool) {
    let verdict = if denied { VerdictKind::Deny } else { VerdictKind::Pass };
    let alone = rules(&format!("'{deny}'"), "", "");
    let others = (0..400).map(|at| format!("'Bash(a{at} b)', 'Read(z/y{at})', 'WebFetch(domain:a{at}.org)'"));
    let many = rules(&format!("{}, '{deny}'", others.collect::<Vec<_>>().join(", ")), "", "");
    for policy in [policy(&alone), policy(&many)] {
        let found = judged_by(&policy, event).verdict.kind();
        assert_eq!(found, verdict, "{deny} {:?}", event.call().unwrap().actions);
    }
}

fn one(action: Action) -> HookEvent {
    call("frob", "{}", vec![action])
}

#[test]
fn each_action_is_covered_by_the_rules_of_its_kind() {
    let path = || "a".to_owned();
    for (deny, event, denied) in [
        ("Read(a)", one(Action::Read { path: path() }), true),
        ("Read(a)", one(Action::List { path: path() }), true),
        ("Read(a)", one(Action::Write { path: path() }), true),
        ("Read(a)", one(Action::Edit { path: path() }), true),
        ("Edit(a)", one(Action::Read { path: path() }), false),
        ("Edit(a)", one(Action::List { path: path() }), false),
        ("Edit(a)", one(Action::Write { path: path() }), true),
        ("Edit(a)", one(Action::Delete { path: path() }), true),
        ("Edit(a)", one(Action::Move { from: path(), to: "b".into() }), true),
        ("Edit(b)", one(Action::Move { from: path(), to: "b".into() }), true),
        ("Delete(a)", one(Action::Delete { path: path() }), true),
        ("Delete(a)", one(Action::Move { from: path(), to: "b".into() }), true),
        ("Delete(b)", one(Action::Move { from: path(), to: "b".into() }), false),
        ("Delete(a)", one(Action::Edit { path: path() }), false),
        ("WebSearch", one(Action::WebSearch { query: path() }), true),
        ("WebSearch", one(Action::Other), false),
        ("WebFetch", one(Action::WebSearch { query: path() }), false),
    ] {
        check(deny, &event, denied);
    }
}

#[test]
fn searches_urls_and_folders_are_judged_by_the_files_that_they_name() {
    let search = |path: &str, pattern: &str| one(Action::Search { path: path.into(), pattern: Some(pattern.into()) });
    let fetch = |url: &str| one(Action::Fetch { url: url.into() });
    let there = |cwd: &str| {
        let (command, cwd) = (Command::Text("rm x; cat y".into()), Some(cwd.into()));
        one(Action::Shell { command, cwd, shell: ShellKind::Posix })
    };
    for (deny, event, denied) in [
        // A search reads what its pattern names, below its folder or anywhere.
        ("Read(sub/.env)", search("sub", ".env"), true),
        ("Read(sub/.env)", search("sub/", ".env"), true),
        ("Read(//etc/passwd)", search("sub", "/etc/passwd"), true),
        ("Read(~/.ssh/id)", search("sub", "~/.ssh/id"), true),
        ("Read(/sub/**)", search("sub", "/etc/passwd"), false),
        // An address of a file reads that file.
        ("Read(//etc/passwd)", fetch("file:///etc/passwd"), true),
        ("Read(//etc/passwd)", fetch(" FILE:///etc/passwd"), true),
        ("Read(//etc/passwd)", fetch("https://x.org/etc/passwd"), false),
        // Paths of a command start in the folder in its arguments.
        ("Edit(//etc/x)", there("/etc"), true),
        ("Read(//etc/y)", there("/etc"), true),
        ("Edit(/x)", there("/etc"), false),
        ("Edit(/x)", there("/w/app"), true),
    ] {
        check(deny, &event, denied);
    }
}

#[test]
fn an_allow_rule_for_edits_covers_reading_but_not_searching() {
    let path = || "src/a".to_owned();
    for (allow, event, verdict) in [
        ("Edit(/src/**)", one(Action::Edit { path: path() }), VerdictKind::Allow),
        ("Edit(/src/**)", one(Action::Read { path: path() }), VerdictKind::Allow),
        ("Edit(/src/**)", one(Action::List { path: path() }), VerdictKind::Pass),
        ("Read(/src/**)", one(Action::List { path: path() }), VerdictKind::Allow),
        ("Read(/src/**)", one(Action::Edit { path: path() }), VerdictKind::Pass),
    ] {
        assert_eq!(kind(&rules("", "", &format!("'{allow}'")), &event), verdict, "{allow}");
    }
}

#[test]
fn the_setting_for_unparsed_commands_applies_only_to_them() {
    let text =
        |deny: &str| format!("{}[shell]\nnot_understood = 'deny'\n", rules(deny, "", "'Bash(ls *)', 'Tool(frob)'"));
    for (event, verdict) in [
        (shell("eval $X"), VerdictKind::Deny),
        (shell("cargo test"), VerdictKind::Pass),
        (shell("ls a > b"), VerdictKind::Pass),
        (call("read", "{}", vec![Action::Read { path: "a".into() }]), VerdictKind::Pass),
        (call("x", "{}", vec![Action::ShellInput { text: "y".into() }]), VerdictKind::Deny),
    ] {
        assert_eq!(kind(&text(""), &event), verdict, "{:?}", event.call().unwrap().actions);
    }
    // What an unknown tool only may run is not a command.
    let mut event = call("frob", "{}", vec![Action::Other]);
    let Detail::Tool(call) = &mut event.detail else { unreachable!() };
    let command = Command::Text("Once (upon a time".into());
    call.suggested_actions = vec![Action::Shell { command, cwd: None, shell: ShellKind::Posix }];
    assert_eq!(kind(&text(""), &event), VerdictKind::Allow);
}

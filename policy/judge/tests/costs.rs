//! The number of steps that matching takes, which bounds the work for one call.

use snaphook_adapters::model::McpName;
use snaphook_adapters::protocol::ListedName;

use super::*;
use crate::judge::atoms::{Atom, AtomKind, atoms};
use crate::judge::{CallFacts, Judging};
use crate::path::PathContext;
use crate::protected::Wanted;
use crate::testing::{folders, seen};

/// The steps that are spent on an event.
fn spent(policy: &Policy, event: &HookEvent, judge: impl FnOnce(&Judging)) -> usize {
    let context = PathContext::new(folders(event), TestMachine::with(Some(Path::new("/h/u")), &[]));
    let facts = CallFacts::new(policy, context);
    judge(&Judging::new(&facts, true));
    left(&Budget::default()) - left(facts.context.budget())
}

/// The steps that rules spend on an event.
fn spent_by_rules(policy: &Policy, event: &HookEvent) -> usize {
    spent(policy, event, |judging| {
        assert!(judging.rules(&seen(event)).is_ok());
    })
}

/// The steps that one rule takes for all atoms of an event.
fn sizes(event: &HookEvent) -> usize {
    let context = PathContext::new(folders(event), TestMachine::with(None, &[]));
    atoms(&seen(event), &policy("[permissions]\n"), &context).list.iter().map(Atom::size).sum()
}

fn one(action: Action) -> HookEvent {
    call("x", "{}", vec![action])
}

#[test]
fn the_cost_of_an_action_grows_with_its_text() {
    let long = "a".repeat(64_000);
    for (name, action, size) in [
        ("a path", Action::Read { path: long.clone() }, 1000),
        ("an address", Action::Fetch { url: long.clone() }, 1000),
        ("an agent", Action::Subagent { name: Some(long.clone()) }, 1000),
        // Searched for each word of a rule, and for all of them.
        ("typed text", Action::ShellInput { text: long.as_str().into() }, 2000),
        ("a tool of a server", Action::Mcp(McpName::Split { server: long.clone(), tool: long.clone() }), 2000),
        // Each part of the name may be the server.
        ("a tool of an unknown server", Action::Mcp(McpName::Joined(long.clone())), 4000),
        ("a web search", Action::WebSearch { query: long.clone() }, 0),
        ("an unnamed agent", Action::Subagent { name: None }, 0),
    ] {
        assert_eq!(sizes(&one(action)), 1 + size, "{name}");
    }
}

#[test]
fn the_cost_of_a_path_grows_with_the_folders_that_it_may_be_in() {
    let long = "a".repeat(6400);
    let cost = |before: &str| {
        let event = shell(&format!("{before}cat {long}"));
        let context = PathContext::new(folders(&event), TestMachine::with(None, &[]));
        let atoms = atoms(&seen(&event), &policy("[permissions]\n"), &context).list;
        let path = atoms.iter().find(|atom| matches!(&atom.what, AtomKind::Path(path) if path.path == long));
        path.unwrap().size()
    };
    assert_eq!(cost(""), 101);
    // Each of the three may fail.
    let many = cost("cd b || cd c || cd d; ");
    assert!(many >= 401, "{many}");
}

#[test]
fn a_rule_of_another_kind_costs_a_step() {
    let many = |count: usize| policy(&rules(&vec!["'WebSearch'"; count].join(", "), "", ""));
    let (none, all) = (many(0), many(4000));
    let paths = |count| call("x", "{}", vec![Action::Read { path: "a".into() }; count]);
    for count in [1, 2] {
        let event = paths(count);
        // The words of the call are collected once.
        let cost = spent_by_rules(&all, &event) - spent_by_rules(&none, &event);
        assert!((4000..4100).contains(&cost), "{count}: {cost}");
    }
}

#[test]
fn a_rule_about_another_program_costs_no_more_than_one_of_another_kind() {
    let many = |rule: &str| policy(&rules(&vec![rule; 2000].join(", "), "", ""));
    let event = shell("git push");
    let cost = |rule| spent_by_rules(&many(rule), &event);
    let least = cost("'WebSearch'");
    for rule in ["'Bash(npm *)'", "'Bash(git pull)'", "'Read(.env)'", "'mcp__a__b'", "'Bash(npm_name:x)'", "'Tool(y)'"]
    {
        assert_eq!(cost(rule), least, "{rule}");
    }
    // To look for part of a word costs more.
    assert_eq!(cost("'Bash(* pull)'"), least);
    assert_eq!(cost("'Bash(*pull)'"), least + 2000);
}

#[test]
fn an_allowed_command_is_compared_with_other_rules_only_if_part_of_it_is_unknown() {
    let deny = |count: usize| vec!["'WebSearch'"; count].join(", ");
    let text = |count| format!("{}[protect]\nsnaphook = 'off'\nagents = 'off'\n", rules(&deny(count), "", "'Bash'"));
    let (none, all) = (policy(&text(0)), policy(&text(2000)));
    let extra = |line: &str| {
        let event = shell(line);
        assert_eq!(judged_by(&all, &event).verdict.kind(), VerdictKind::Allow, "{line}");
        spent_by_rules(&all, &event) - spent_by_rules(&none, &event)
    };
    // To select the rules takes a step for each, and the words of the call are collected once.
    let selected = 2001;
    assert_eq!(extra("echo a"), selected);
    // To look at each rule again takes a step, and another one for each four commands.
    assert_eq!(extra("echo $X"), selected + 2000);
    assert_eq!(extra("echo $X; echo $Y; echo $Z; echo $V"), selected + 2 * 2000);
}

#[test]
fn looking_for_a_path_among_the_protected_files_costs_more_if_it_is_long() {
    let policy = policy("[permissions]\n");
    let cost = |path: String| {
        let event = one(Action::Write { path });
        let context = PathContext::new(folders(&event), TestMachine::with(None, &[]));
        let atom = atoms(&seen(&event), &policy, &context).list.remove(0);
        let AtomKind::Path(path) = &atom.what else { unreachable!() };
        // The path is looked up once, at a cost of its own.
        path.forms(&context);
        spent(&policy, &event, |judging| {
            judging.protections.protects(&atom);
        })
    };
    let named = |length| format!(".invented/{}", "a".repeat(length));
    let compared = policy.protected(Wanted::Named(&[ListedName::new(".invented")])).len();
    assert!(compared > 0);
    assert_eq!(cost(named(64_000)) - cost(named(1)), 1000 * (8 + compared));
    // Nearly all paths have no name of a protected file.
    assert_eq!(cost("a".repeat(64_000)) - cost("a".into()), 8000);
}

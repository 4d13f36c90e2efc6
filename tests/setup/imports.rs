//! `snaphook import` from the rules of Gemini CLI.

use crate::place;
use crate::place::{Place, Said};

const SETTINGS: &str = "home/.gemini/settings.json";
const POLICY: &str = "home/.gemini/policies/mine.toml";

/// What an import prints, and the new rules in each list of the user policy.
fn imported(place: &Place) -> (Said, [Vec<String>; 3]) {
    let said = place.answered(&["import", "gemini-cli"], "y\n");
    let rules = |text: &str| {
        let policy: toml::Table = toml::from_str(text).unwrap();
        ["deny", "ask", "allow"].map(|list| {
            let rules = policy.get("permissions").and_then(|lists| lists.get(list)).and_then(toml::Value::as_array);
            let rules = rules.into_iter().flatten();
            rules.map(|rule| rule.get("rule").unwrap_or(rule).as_str().unwrap().to_owned()).collect::<Vec<_>>()
        })
    };
    let file = "home/.config/snaphook/snaphook.toml";
    let now = if place.path(file).exists() { rules(&place.read(file)) } else { Default::default() };
    (said, now)
}

/// A rule of a policy file.
fn rule(members: &str, decision: &str, priority: u16) -> String {
    format!("[[rule]]\n{members}\ndecision = \"{decision}\"\npriority = {priority}\n")
}

const SHELL: &str = "toolName = \"run_shell_command\"";

#[test]
fn settings_of_gemini_cli_are_imported() {
    let place = place();
    place.file(
        SETTINGS,
        r#"{ // a comment
          "tools": {
            "exclude": ["write_file", "ShellTool(rm -rf)", "search_file_content", "WebFetchTool"],
            "confirmationRequired": ["save_memory"],
            "allowed": ["run_shell_command(git log)", "write_todos", "google_web_search", "read_file", "run_shell_command"],
          },
          "mcp": {"excluded": ["github"], "allowed": ["files"]},
        }"#,
    );
    let (said, [deny, ask, allow]) = imported(&place);
    said.says(
        0,
        &[
            "not imported: tools.allowed: read_file: allows one tool of Gemini CLI",
            "not imported: tools.allowed: run_shell_command: allows every command",
            "not imported: tools.allowed: run_shell_command(git log): it denies other commands",
            "not imported: mcp.allowed: files: snaphook cannot tell",
        ],
    );
    let denied =
        ["Tool(write_file)", "Bash(rm -rf:*)", "Tool(grep_search)", "Tool(search_file_content)", "Tool(web_fetch)"];
    assert_eq!(deny, [&denied[..], &["mcp__github"]].concat());
    assert_eq!(ask, ["Tool(save_memory)"]);
    assert_eq!(allow, ["Bash(git log:*)", "Tool(write_todos)", "WebSearch"]);
    place.run(&["try", "-v", "--agent", "gemini-cli", "rm -rf /x"]).says(0, &["deny"]);
}

#[test]
fn policy_files_of_gemini_cli_are_imported() {
    let place = place();
    let text = [
        rule(&format!("{SHELL}\ncommandPrefix = [\"git push\", \"npm publish\"]"), "deny", 500),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo\"\nallowRedirection = true"), "allow", 100),
        rule("toolName = [\"replace\", \"write_file\"]\ndenyMessage = \"no\"", "ask_user", 100),
        rule("mcpName = \"my-srv\"\ntoolName = \"say_it\"", "deny", 100),
        rule("mcpName = \"other\"\ntoolName = \"*\"", "deny", 100),
        rule("mcpName = \"other\"\ntoolName = \"*\"", "allow", 10),
        rule("toolName = \"mcp_*\"", "ask_user", 1),
    ];
    place.file(POLICY, &text.concat());
    place.file("home/.gemini/policies/notes.txt", "not a policy");
    let (said, [deny, ask, allow]) = imported(&place);
    said.says(0, &["rule 6: allow * of other: snaphook cannot tell"]);
    assert_eq!(deny, ["Bash(git push:*)", "Bash(npm publish:*)", "mcp__my-srv__say_it", "mcp__other"]);
    assert_eq!(ask, ["Tool(replace)", "Tool(write_file)"]);
    assert_eq!(allow, ["Bash(cargo:*)"]);
}

/// Each text restricts `cargo` in a way that no rule can express, so that no rule may allow it.
#[test]
fn an_allow_rule_is_not_imported_below_a_restriction_that_is_not() {
    let cargo = rule(&format!("{SHELL}\ncommandPrefix = \"cargo\""), "allow", 100);
    let above = [
        rule(&format!("{SHELL}\nargsPattern = \"publish\""), "deny", 200),
        rule(&format!("{SHELL}\ncommandRegex = \"cargo p\""), "ask_user", 100),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo 'x\""), "deny", 200),
        rule("toolName = \"*\"\nmodes = [\"yolo\"]", "deny", 200),
        rule(&format!("{SHELL}\ninteractive = false"), "deny", 200),
        rule(&format!("{SHELL}\nfuture = 1"), "deny", 200),
        "[[safety_checker]]\ntoolName = \"*\"\n[safety_checker.checker]\ntype = \"external\"\nname = \"x\"\n"
            .to_owned(),
    ];
    for above in above {
        let place = place();
        place.file(POLICY, &[above.as_str(), &cargo].concat());
        let said = place.run(&["import", "gemini-cli", "--dry-run"]);
        said.says(0, &["allow run_shell_command cargo: a stricter rule", "There are no new rules"]);
    }
    for settings in [
        r#"{"tools": {"core": ["read_file"]}}"#,
        r#"{"policyPaths": ["elsewhere"]}"#,
        r#"{"security": {"disableAlwaysAllow": true}}"#,
    ] {
        let place = place();
        place.file(SETTINGS, settings);
        place.file(POLICY, &cargo);
        place
            .run(&["import", "gemini-cli", "--dry-run"])
            .says(0, &["allow run_shell_command cargo: a stricter rule", "There are no new rules"]);
    }
    // A condition on the allow rule, or an invalid rule beside it, which makes Gemini CLI ignore the file.
    for text in [
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo\"\nmodes = [\"autoEdit\"]"), "allow", 100),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo *\""), "allow", 100),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo \""), "allow", 100),
        [cargo.as_str(), &rule("toolName = \"glob\"", "perhaps", 1)].concat(),
        [cargo.as_str(), &rule("toolName = \"glob\"", "deny", 1000)].concat(),
    ] {
        let place = place();
        place.file(POLICY, &text);
        place.run(&["import", "gemini-cli", "--dry-run"]).says(0, &["not imported: rule", "There are no new rules"]);
    }
}

/// In Gemini CLI the highest priority wins, here the strictest rule.
#[test]
fn a_rule_with_an_exception_is_not_imported() {
    let place = place();
    let text = [
        rule(SHELL, "ask_user", 10),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo\""), "allow", 100),
        rule(&format!("{SHELL}\ncommandPrefix = \"cargo publish\""), "deny", 200),
        rule(&format!("{SHELL}\ncommandPrefix = \"make\""), "allow", 5),
    ];
    place.file(POLICY, &text.concat());
    let (said, [deny, ask, allow]) = imported(&place);
    said.says(
        0,
        &[
            "rule 1: ask run_shell_command: a weaker rule with a higher priority is an exception",
            "rule 4: allow run_shell_command make: a stricter rule",
        ],
    );
    assert_eq!((deny, ask, allow), (vec!["Bash(cargo publish:*)".into()], vec![], vec!["Bash(cargo:*)".into()]));
}

#[test]
fn rules_of_a_project_go_into_its_own_policy() {
    let place = place();
    place.file(POLICY, &rule(&format!("{SHELL}\ncommandPrefix = \"make\""), "allow", 1));
    place.file("project/.gemini/settings.json", r#"{"tools": {"exclude": ["glob"]}}"#);
    let project = rule(&format!("{SHELL}\ncommandPrefix = \"make clean\""), "deny", 900);
    place.file("project/.gemini/policies/a.toml", &project);
    let said = place.answered(&["import", "gemini-cli"], "y\n");
    said.says(0, &["rule 1: deny run_shell_command make clean: a weaker rule with a higher priority"]);
    let policy: toml::Table = toml::from_str(&place.read("project/.snaphook.toml")).unwrap();
    assert_eq!(policy["permissions"]["deny"].as_array().unwrap(), &[toml::Value::from("Tool(glob)")]);
}

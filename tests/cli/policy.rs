//! `snaphook policy`.

use serde_json::Value;

use crate::place::{Place, Said};

const POLICY: &str = "\
[permissions]
deny = [\"Bash(git push --force *)\", \"Read(.env)\"]
allow = [\"Bash(git push *)\"]
[agent.codex.permissions]
deny = [\"Bash(cargo publish *)\"]
[[respond]]
match = \"WebFetch(domain:wiki.example)\"
text = \"Ask the team.\"
";

fn with_cases(cases: &str) -> String {
    format!("{POLICY}{cases}")
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_policy_without_mistakes_has_no_findings() {
    let place = Place::new();
    let file = place.file("policy.toml", POLICY);
    assert_eq!(place.run(&["policy", "check", &file]).says(0, &[]).out, "0 findings, 0 cases\n");
    // The starter policy applies.
    for check in [&["policy", "check"][..], &["check"]] {
        assert_eq!(place.run(check).says(0, &[]).out, "0 findings, 0 cases\n");
    }
}

#[test]
fn check_names_each_mistake_with_its_place() {
    let place = Place::new();
    place.file(
        "project/policy.toml",
        "[permissions]\ndeny = ['Bash(git *)', 'Bash(git *)', 'Read($HOME/x)']\nask = ['Bash(make *)', 'WebFetch']\n\
         allow = ['Bash(git log *)', 'Bash(make test)', 'Edit(src/**)', 'Bash(timeout 5 make)', 'WebFetch(domain:x.org)']\n",
    );
    let said = place.run(&["policy", "check", "policy.toml"]);
    said.says(
        1,
        &[
            "policy.toml:2:24: warning: permissions.deny[1]: duplicate rule `Bash(git *)`\n",
            "policy.toml:2:39: warning: permissions.deny[2]: `Read($HOME/x)` never matches",
            "permissions.allow[0]: `Bash(git log *)` has no effect: `Bash(git *)` (policy.toml:2) denies every such call\n",
            "permissions.allow[1]: `Bash(make test)` has no effect: `Bash(make *)` (policy.toml:3) asks about every such call\n",
            "permissions.allow[3]: `Bash(timeout 5 make)` never allows",
            "permissions.allow[4]: `WebFetch(domain:x.org)` has no effect: `WebFetch` (policy.toml:3) asks",
        ],
    );
    assert!(!said.out.contains("Edit(src"), "{}", said.out);
    assert!(!said.out.contains("cannot ask"), "what agents cannot obey is a note: {}", said.out);
    place.file("bin/codex", "");
    let found = json(&place.run(&["policy", "check", "policy.toml", "--json"]));
    let levels = |level: &str| {
        let findings = found["findings"].as_array().unwrap().iter();
        findings.filter(|found| found["level"] == level).count()
    };
    assert_eq!(levels("error"), 0, "{found:#}");
    // Of the agents that cannot ask, one is on this machine.
    assert_eq!(levels("note"), 1, "{found:#}");
    let lines: Vec<_> = said.out.lines().collect();
    assert_eq!(lines.len(), levels("warning") + 1, "{found:#}\n{}", said.out);
    assert_eq!(found["findings"][0]["line"], 2);
    assert_eq!(found["findings"][0]["column"], 24);
}

#[test]
fn check_says_what_a_rule_covers() {
    let place = Place::new();
    place.file(
        "project/policy.toml",
        "[permissions]\ndeny = ['Bash(git push --force *)', 'Read(.env)']\nask = ['Bash(pnpm remove *)']\n\
         [agent.codex.permissions]\nask = ['Bash(kubectl delete *)']\n",
    );
    let more = ", in any order and with other options before or between\n";
    place.run(&["check", "policy.toml", "-v"]).says(
        0,
        &[
            &format!("policy.toml:2: Bash(git push --force *) covers git push with --force (-f, +…){more}"),
            &format!("policy.toml:3: Bash(pnpm remove *) covers pnpm remove (rm, uninstall, un){more}"),
            &format!("policy.toml:5: Bash(kubectl delete *) covers kubectl delete{more}0 findings"),
        ],
    );
    let found = json(&place.run(&["check", "policy.toml", "--json"]));
    assert_eq!(found["covers"][1]["rule"], "Bash(pnpm remove *)");
    assert_eq!(place.run(&["check", "policy.toml"]).says(0, &[]).out, "0 findings, 0 cases\n");
}

#[test]
fn check_names_each_error_with_its_place() {
    let place = Place::new();
    place.file("project/policy.toml", "[permissions]\ndeny = [\"Bsh\"]\nalow = []\n");
    let said = place.run(&["policy", "check", "policy.toml"]);
    said.says(1, &["policy.toml:2:9: error: permissions.deny[0]: unknown rule name `Bsh`; did you mean `Bash`?\n"]);
    said.says(
        1,
        &["policy.toml:3:1: error: permissions: unknown key `alow`; did you mean `allow`?\n2 findings, 0 cases\n"],
    );
    let found = json(&place.run(&["policy", "check", "policy.toml", "--json"]));
    assert_eq!(found["findings"][1]["line"], 3);
    assert_eq!(found["findings"][1]["level"], "error");
    place.run(&["policy", "check", "missing.toml"]).says(1, &["missing.toml: cannot be read", "1 finding"]);
    place.run(&["policy", "check", "--yaml"]).says(2, &["unexpected argument"]);
    place.run(&["policy"]).says(2, &["Usage"]);
}

#[test]
fn without_a_file_every_file_that_applies_is_checked() {
    let place = Place::new();
    place.file("home/.config/snaphook/snaphook.toml", "[permissions]\ndeny = ['Bash(git *)']\n");
    place.file("project/.snaphook.toml", "[permissions]\nallow = ['Bash(git push)']\n");
    let said = place.run(&["policy", "check"]);
    said.says(1, &[".snaphook.toml:2:10: warning: ", "`Bash(git *)` (~/.config/snaphook/snaphook.toml:2) denies"]);
    place.run(&["policy", "check", ".snaphook.toml"]).says(0, &["0 findings"]);
}

#[test]
fn cases_are_judged_and_a_failure_names_the_deciding_rule() {
    let place = Place::new();
    let cases = "
[[test]]
command = 'git push origin main'
verdict = 'allow'
[[test]]
command = 'git push -f origin main'
verdict = 'deny'
[[test]]
command = 'cat .env'
verdict = 'pass'
[[test]]
tool = 'Read'
path = 'config/.env'
verdict = 'deny'
[[test]]
tool = 'WebFetch'
url = 'https://wiki.example/a'
verdict = 'respond'
[[test]]
command = 'cargo publish'
verdict = 'pass'
[[test]]
command = 'cargo publish'
agent = 'codex'
verdict = 'deny'
[[test]]
tool = 'mcp__github__get_issue'
verdict = 'pass'
[[test]]
tool = 'TodoWrite'
verdict = 'allow'
";
    place.file("project/policy.toml", &with_cases(cases));
    let said = place.run(&["policy", "test", "policy.toml"]);
    let expected = "policy.toml:16: `cat .env`: expected pass, got deny by `Read(.env)` (policy.toml:2)\n\
                    policy.toml:37: `TodoWrite`: expected allow, got pass by no rule\n\
                    9 cases, 2 failed\n";
    assert_eq!(said.says(1, &[]).out, expected);
    let shown = json(&place.run(&["policy", "test", "policy.toml", "--json"]));
    assert_eq!((&shown["passed"], &shown["failed"]), (&7.into(), &2.into()), "{shown:#}");
    assert_eq!(shown["cases"][2]["cause"]["rule"], "Read(.env)", "{shown:#}");
    let checked = place.run(&["policy", "check", "policy.toml"]);
    checked.says(1, &["policy.toml:16: error: test: `cat .env`: expected pass", "2 findings, 9 cases"]);
    // Calls do not read the cases.
    place.run(&["try", "git push", "-v", "--policy", "policy.toml"]).says(0, &["claude-code: allow"]);
}

#[test]
fn cases_may_be_in_a_file_of_their_own() {
    let place = Place::new();
    place.file("project/policy.toml", POLICY);
    place.file("project/cases.toml", "[[test]]\ncommand = 'git push'\nverdict = 'allow'\n");
    place.run(&["policy", "test", "cases.toml", "--policy", "policy.toml"]).says(0, &["1 case, 0 failed"]);
    place.run(&["policy", "test", "cases.toml"]).says(1, &["expected allow, got pass by no rule"]);
    place.run(&["policy", "test", "policy.toml"]).says(1, &["0 cases", "expected a `[[test]]`"]);
    place.run(&["policy", "test", "--policy", "policy.toml"]).says(2, &["FILE"]);
}

#[test]
fn an_invalid_case_names_what_is_missing() {
    for (case, says) in [
        ("command = 'ls'", "test[0]: missing `verdict`"),
        ("verdict = 'deny'", "test[0]: expected exactly one of `command` and `tool`"),
        ("command = 'ls'\ntool = 'Read'\nverdict = 'deny'", "exactly one of"),
        ("tool = 'Read'\nverdict = 'deny'", "test[0]: missing `path`, which the tool Read needs"),
        ("tool = 'Read'\npath = 'x'\nurl = 'y'\nverdict = 'deny'", "`url` has no meaning for the tool `Read`"),
        ("tool = 'Raed'\npath = 'x'\nverdict = 'deny'", "no meaning for the tool `Raed`; did you mean `Read`?"),
        ("command = 'ls'\nverdict = 'denied'", "unknown value `denied`; expected \"deny\""),
        ("command = 'ls'\nverdict = 'deny'\nagent = 'codx'", "unknown agent; did you mean `codex`?"),
        ("comand = 'ls'\nverdict = 'deny'", "unknown key `comand`; did you mean `command`?"),
    ] {
        let place = Place::new();
        place.file("project/policy.toml", &format!("[permissions]\n[[test]]\n{case}\n"));
        place.run(&["policy", "test", "policy.toml"]).says(2, &["policy.toml:", says]);
        place.run(&["policy", "check", "policy.toml"]).says(1, &["error: test[0]"]);
    }
}

#[test]
fn the_cases_of_a_project_are_judged_as_if_the_file_were_trusted() {
    let place = Place::new();
    place.file(
        "project/.snaphook.toml",
        "[permissions]\nallow = ['Edit(/src/**)']\n[[test]]\ntool = 'Edit'\npath = 'src/a'\nverdict = 'allow'\n",
    );
    place.run(&["policy", "test", ".snaphook.toml"]).says(0, &["1 case, 0 failed"]);
    let elsewhere = place.at("project/.snaphook.toml");
    let mut command = place.command(place.binary());
    Said::of(command.args(["policy", "test", &elsewhere]).current_dir(place.path("home")), "").says(0, &["1 case"]);
}

#[test]
fn show_lists_rules_by_strength_with_file_and_line() {
    let place = Place::new();
    place.file(
        "home/.config/snaphook/snaphook.toml",
        &format!(
            "{POLICY}[failure]\npolicy = \"ask\"\n[protect]\nagents = \"off\"\n[shell]\nnot_understood = \"ask\"\n"
        ),
    );
    let project = place.file(
        "project/.snaphook.toml",
        "[permissions]\nask = [\"Bash(make *)\"]\nallow = [\"Bash(ls *)\"]\n[failure]\npolicy = \"pass\"\n",
    );
    let rows = |said: &Said| {
        let lines = said.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.map(|line| line.replace(&project, "PROJECT")).collect::<Vec<_>>()
    };
    let said = place.run(&["policy", "show"]);
    let user = "~/.config/snaphook/snaphook.toml";
    let expected = [
        format!("policy: {user}"),
        "policy: PROJECT".to_owned(),
        "PROJECT is not trusted: 1 allow rule and [failure] ignored; `snaphook trust` shows it".to_owned(),
        String::new(),
        format!("deny Bash(git push --force *) {user}:2"),
        format!("deny Read(.env) {user}:2"),
        format!("deny Bash(cargo publish *) {user}:5 codex only"),
        "deny protect.snaphook built in".to_owned(),
        format!("respond WebFetch(domain:wiki.example) {user}:7"),
        "ask Bash(make *) PROJECT:2".to_owned(),
        format!("allow Bash(git push *) {user}:3"),
        "allow Bash(ls *) PROJECT:3 ignored: only deny and ask rules of this file apply".to_owned(),
        String::new(),
        format!("failure.policy = \"ask\" {user}:10"),
        format!("protect.agents = \"off\" {user}:12"),
        format!("shell.not_understood = \"ask\" {user}:14"),
        "failure.policy = \"pass\" PROJECT:5 ignored: only the user's own policy sets that".to_owned(),
    ];
    assert_eq!(rows(said.says(0, &[])), expected);
    let shown = json(&place.run(&["policy", "show", "--json"]));
    assert_eq!(shown["rules"][0]["rule"], "Bash(git push --force *)");
    assert_eq!(shown["rules"][0]["line"], 2);
    let elsewhere = place.run(&["policy", "show", "--cwd", &place.at("home")]);
    assert!(!elsewhere.out.contains("make"), "{elsewhere:?}");
    place.file("project/.snaphook.toml", "[permissions]\ndeny = ['Bsh']\n");
    place.run(&["policy", "show"]).says(2, &["unknown rule name `Bsh`"]);
}

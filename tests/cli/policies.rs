//! Tests of `snaphook init` and `snaphook trust`.

use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, Said, fixture};

fn mode(place: &Place, name: &str) -> u32 {
    place.path(name).metadata().unwrap().permissions().mode() & 0o777
}

const FILE: &str = "home/.config/snaphook/snaphook.toml";

#[test]
fn init_writes_the_starter_policy_once() {
    let place = Place::new();
    place.run(&["init"]).says(0, &["wrote ", &place.at(FILE), "snaphook try"]);
    assert_eq!(place.read(FILE), snaphook_policy::STARTER);
    assert_eq!((mode(&place, FILE), mode(&place, "home/.config/snaphook")), (0o600, 0o700));
    place.file(FILE, "mine");
    place.run(&["init"]).says(2, &["already exists and was not changed"]);
    assert_eq!(place.read(FILE), "mine");

    let named = place.at("project/deep/er/policy.toml");
    place.run(&["init", "--policy", &named]).says(0, &[&named]);
    place.run(&["try", "rm -rf /", "-v", "--policy", &named]).says(0, &["claude-code: deny"]);
    place.run(&["init", "--policy", &named]).says(2, &["already exists"]);
    place.run(&["init", "--policy", "plain.toml"]).says(0, &[]);
    assert_eq!(mode(&place, "project/plain.toml"), 0o600);
    place.file("project/file", "");
    place.run(&["init", "--policy", "file/policy.toml"]).says(2, &["file"]);
}

#[test]
fn init_follows_xdg_config_home() {
    let place = Place::new();
    let mut command = place.command(place.binary());
    command.arg("init").env("XDG_CONFIG_HOME", place.path("xdg"));
    Said::of(&mut command, "").says(0, &[&place.at("xdg/snaphook/snaphook.toml")]);
    // A new policy with a higher precedence would replace the existing one.
    std::fs::remove_dir_all(place.path("xdg")).unwrap();
    place.file(FILE, "mine");
    let mut second = place.command(place.binary());
    second.arg("init").env("XDG_CONFIG_HOME", place.path("xdg"));
    Said::of(&mut second, "").says(2, &["already exists"]);
    assert!(!place.path("xdg/snaphook").exists());
    let mut homeless = place.command(place.binary());
    Said::of(homeless.arg("init").env_remove("HOME"), "").says(2, &["--policy FILE"]);
}

const PROJECT: &str = "project/.snaphook.toml";
const STORE: &str = "home/.local/state/snaphook/trust.toml";

#[test]
fn trust_shows_the_file_and_records_it_only_after_confirmation() {
    let place = Place::new();
    place.run(&["trust"]).says(2, &["no .snaphook.toml in this folder or above it"]);
    place.file(PROJECT, "[permissions]\nallow = [\"Bash(ls)\"]\n");
    // An answer through a pipe is ignored.
    place.fed(&["trust"], "y\n").says(1, &["allow = [\"Bash(ls)\"]", "not trusted", "on a terminal"]);
    place.run(&["trust", "--yes"]).says(2, &["unexpected argument"]);
    place.answered(&["trust"], "n\n").says(1, &["allow = [\"Bash(ls)\"]", "not trusted"]);
    assert!(!place.path(STORE).exists());
    place.run(&["try", "ls", "-v"]).says(0, &["is not trusted: 1 allow rule ignored", "claude-code: pass"]);
    place.answered(&["trust"], "y\n").says(0, &["allow = [\"Bash(ls)\"]", "any change to the file revokes this"]);
    assert_eq!(mode(&place, STORE), 0o600);
    place.run(&["trust"]).says(0, &["already trusted"]);
    let said = place.run(&["try", "ls", "-v"]);
    said.says(0, &["claude-code: allow"]);
    assert!(!said.out.contains("not trusted"), "{said:?}");
}

#[test]
fn any_edit_revokes_trust() {
    let place = Place::new();
    let text = "[permissions]\nallow = [\"Bash(ls)\"]\n";
    for edit in
        ["[permissions]\nallow = [\"Bash\"]\n".to_owned(), format!("{text}\n"), text.replace("ls", "l\u{200b}s")]
    {
        place.file(PROJECT, text);
        place.answered(&["trust"], "y\n").says(0, &[]);
        place.run(&["try", "ls", "-v"]).says(0, &["claude-code: allow"]);
        place.file(PROJECT, &edit);
        place.run(&["try", "ls", "-v"]).says(0, &["claude-code: pass", "is not trusted"]);
    }
    place.file(PROJECT, text);
    place.answered(&["trust", "--trust", &place.at("other.toml")], "y\n").says(0, &[]);
    assert!(place.path("other.toml").exists());
    let elsewhere = place.run(&["try", "ls", "-v", "--trust", &place.at("other.toml")]);
    elsewhere.says(0, &["claude-code: allow"]);
}

#[test]
fn f4_an_unknown_key_of_an_untrusted_file_is_named_and_its_deny_rules_hold() {
    let place = Place::new();
    place.file(
        PROJECT,
        "version = 1\n[permissions]\nalow = []\ndeny = ['Bash(frob *)']\nallow = ['Bash(ls)']\n[newtable]\nx = 1\n",
    );
    let named =
        "/project/.snaphook.toml:3:1: permissions: unknown key `alow`; did you mean `allow`? (the key is ignored)";
    place.run(&["try", "frob x", "-v"]).says(0, &["claude-code: deny", named, ":6:2: unknown key `newtable`"]);
    place.run(&["try", "ls", "-v"]).says(0, &["claude-code: pass"]);
    place.run(&["policy", "check"]).says(1, &[":3:1: error: permissions: unknown key `alow`"]);
    // A rule that cannot be read still denies, and so does an unknown key in the user's own policy.
    place.file(PROJECT, "[permissions]\ndeny = ['Bsh(x)']\nalow = []\n");
    place.run(&["try", "ls", "-v"]).says(2, &["the policy is invalid", "unknown rule name `Bsh`"]);
    std::fs::remove_file(place.path(PROJECT)).unwrap();
    place.file(FILE, "[permissions]\nalow = []\n");
    place.run(&["try", "ls", "-v"]).says(2, &["the policy is invalid", "alow"]);
}

#[test]
fn f4_nothing_is_quoted_from_a_file_that_an_untrusted_link_names() {
    let place = Place::new();
    place.file("home/secret.toml", "hunter2 = 'x'\n[permissions]\ndeny = ['Bash(frob *)']\n");
    std::os::unix::fs::symlink(place.path("home/secret.toml"), place.path(PROJECT)).unwrap();
    let said = place.run(&["try", "frob x", "-v"]);
    said.says(2, &["the target of this symbolic link is not a valid policy"]);
    assert!(!said.out.contains("hunter2") && !said.err.contains("hunter2"), "{said:?}");
}

#[test]
fn only_version_1_of_the_format_is_read() {
    let place = Place::new();
    place.file(FILE, "version = 1\n[permissions]\ndeny = ['Bash(frob *)']\n");
    place.run(&["policy", "check"]).says(0, &["0 findings"]);
    for version in ["2", "'1'", "1.0"] {
        place.file(FILE, &format!("version = {version}\n"));
        place.run(&["policy", "check"]).says(1, &[":1:11: error: version: unknown version; expected 1"]);
    }
}

#[test]
fn a_file_with_errors_is_not_trusted() {
    let place = Place::new();
    place.file(PROJECT, "[permissions]\nalow = []\n");
    let said = place.answered(&["trust"], "y\n");
    said.says(2, &["alow", ":2:1:", "did you mean `allow`?", "not trusted"]);
    assert!(!place.path(STORE).exists());
}

#[test]
fn invisible_characters_of_a_project_file_are_shown_escaped() {
    let place = Place::new();
    place.file(PROJECT, "# \u{202e}hidden\u{200b} \u{feff} \u{2066} \u{ad} \u{e0041}\r\n[permissions]\ndeny = []\n");
    let said = place.answered(&["trust"], "y\n");
    said.says(0, &["\\u{202e}hidden\\u{200b}", "\\u{feff}", "\\u{2066}", "\\u{ad}", "\\u{e0041}", "\\u{d}"]);
    let plain = |c: char| c == '\n' || (' '..='~').contains(&c);
    assert!(said.out.chars().all(plain), "{said:?}");
    // Control characters are invalid TOML, so the file is shown but not trusted.
    place.file(PROJECT, "# \u{1b}[2K\u{9b}2K\u{7}\n[permissions]\n");
    let said = place.answered(&["trust"], "y\n");
    said.says(2, &["\\u{1b}[2K"]);
    assert!(said.out.chars().chain(said.err.chars()).all(plain), "{said:?}");
}

#[test]
fn s10_files_of_agents_are_also_protected_where_a_variable_relocates_them() {
    let place = Place::new();
    let elsewhere = place.at("elsewhere");
    let says = |moved: bool, path: &str, verdict: &str| {
        let mut command = place.command(place.binary());
        if moved {
            command.env("CLAUDE_CONFIG_DIR", &elsewhere).env("CODEX_HOME", &elsewhere);
        }
        let tried = ["try", "--json", "--agent", "claude-code", "--tool", "Write", "--path", path];
        let said = Said::of(command.args(tried), "");
        let shown: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(shown["agents"][0]["verdict"], verdict, "{moved} {path}: {shown:#}");
    };
    for moved in [false, true] {
        says(moved, &place.at("home/.claude/settings.json"), "ask");
        says(moved, &place.at("home/.codex/hooks.json"), "deny");
        says(moved, &format!("{elsewhere}/settings.json"), if moved { "ask" } else { "pass" });
        says(moved, &format!("{elsewhere}/hooks.json"), if moved { "deny" } else { "pass" });
    }
}

#[test]
fn the_details_of_a_response_reach_an_agent_that_has_them_and_are_lost_elsewhere() {
    let place = Place::new();
    let respond = "[[respond]]\nmatch = 'WebFetch'\ntext = 'seen'\n";
    let policy = place.file(
        "policy.toml",
        &format!(
            "{respond}media = ['media://1', 'm2']\nartifact_tags = ['[file:/tmp/a]']\nhandled = true\nfor_user = 'u'\n"
        ),
    );
    let fetch = |id: &str| {
        let words =
            ["try", "--tool", "WebFetch", "--url", "https://x.org/", "--agent", id, "--policy", &policy, "--json"];
        place.run(&words)
    };
    fetch("picoclaw").says(
        0,
        &[
            r#"\"for_llm\":\"seen\",\"for_user\":\"u\""#,
            r#"\"media\":[\"media://1\",\"m2\"],\"artifact_tags\":[\"[file:/tmp/a]\"],\"response_handled\":true"#,
        ],
    );
    let denied = fetch("claude-code");
    assert!(denied.out.contains("seen") && !denied.out.contains("media://1"), "{denied:?}");
    for (key, says) in
        [("media = 'm'", "respond[0].media: expected an array"), ("handled = 1", "respond[0].handled: expected")]
    {
        place.file("policy.toml", &format!("{respond}{key}\n"));
        place.run(&["policy", "check", &policy]).says(1, &[says]);
    }
}

#[test]
fn several_policies_count_together_and_none_may_be_missing() {
    let place = Place::new();
    let first = place.file("rules/first.toml", "[permissions]\nallow = ['Bash(ls *)']\ndeny = ['Bash(nc *)']\n");
    let second = place.file(
        "rules/second.toml",
        "[permissions]\nallow = ['Bash(make *)']\ndeny = ['Bash(curl *)']\n[failure]\npolicy = 'pass'\n",
    );
    let both = ["--policy", &first, "--policy", &second];
    let verdict = |command: &str| {
        let tried = place.json(&[&["try", command, "--agent", "claude-code", "--json"], &both[..]].concat());
        tried["agents"][0]["verdict"].as_str().unwrap().to_owned()
    };
    for (command, expected) in
        [("ls x", "allow"), ("make x", "allow"), ("nc x", "deny"), ("curl x", "deny"), ("ls x && curl x", "deny")]
    {
        assert_eq!(verdict(command), expected, "{command}");
    }
    // Every one of them is protected, and only the first says what failures mean.
    for file in [&first, &second] {
        assert_eq!(verdict(&format!("echo > '{file}'")), "deny", "{file}");
    }
    let shown = place.run(&[&["policy", "show"], &both[..]].concat());
    shown.says(0, &["second.toml: [failure] ignored: only the first `--policy` sets that"]);
    assert!(!shown.out.contains("is not trusted"), "{shown:?}");
    let message = fixture("claude-code", "pre_tool_use_bash");
    let hook = |last: &str| place.fed(&["hook", "claude-code", "--policy", &first, "--policy", last], &message);
    assert_eq!(hook(&second).code, Some(0));
    hook(&place.at("rules/missing.toml")).says(0, &["\"deny\"", "rules/missing.toml: cannot be read"]);
    hook(&place.file("rules/bad.toml", "[permissions]\ndeny = 1\n")).says(0, &["\"deny\"", "permissions.deny"]);

    place.file("home/.claude/settings.json", "{}");
    let missing = place.at("rules/missing.toml");
    place
        .run(&["install", "claude-code", "--yes", "--policy", &first, "--policy", &missing])
        .says(2, &["missing.toml"]);
    place.run(&[&["install", "claude-code", "--yes"], &both[..]].concat()).says(0, &[]);
    let line = format!("--policy {first} --policy {second} ||");
    assert!(place.read("home/.claude/settings.json").contains(&line));
    place.run(&["status", "claude-code"]).says(0, &["current"]);
    place.run(&["install", "claude-code", "--yes"]).says(0, &["is up to date"]);
    std::fs::remove_file(&second).unwrap();
    place.run(&["doctor", "claude-code"]).says(1, &["rules/second.toml, which does not exist"]);
}

#[test]
fn a_rule_with_an_address_of_a_file_is_told_the_path() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\ndeny = ['Read(file:///etc/passwd)']\n");
    place.run(&["policy", "check", &policy]).says(1, &["write `Read(//etc/passwd)`"]);
}

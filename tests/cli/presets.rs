//! `extends` and `snaphook init --preset`.

use snaphook_policy::Preset;

use crate::brief::completed;
use crate::managed::Managed;
use crate::place::Place;

const FILE: &str = "home/.config/snaphook/snaphook.toml";
const PROJECT: &str = "project/.snaphook.toml";

/// The line of the verdict on a command, and the rule that decided.
fn decided(place: &Place, command: &str) -> (String, String) {
    let shown = place.json(&["try", command, "--agent", "claude-code", "--json"]);
    let agent = &shown["agents"][0];
    let cause = &agent["hosts"][0]["gates"][0]["causes"][0];
    (agent["verdict"].as_str().unwrap().to_owned(), format!("{} {}", cause["rule"], cause["file"]))
}

#[test]
fn init_extends_the_presets_that_are_named() {
    for (words, extends) in [
        (&[][..], r#"extends = ["preset:standard"]"#),
        (&["--preset", "strict"], r#"extends = ["preset:strict"]"#),
        (
            &["--preset", "secrets,git", "--preset", "cloud"],
            r#"extends = ["preset:secrets", "preset:git", "preset:cloud"]"#,
        ),
        (&["--preset", "git,git", "--preset", "git"], r#"extends = ["preset:git"]"#),
    ] {
        let place = Place::new();
        place.run(&[&["init"], words].concat()).says(0, &["wrote ", "snaphook policy show"]);
        let written = place.read(FILE);
        assert_eq!(written.lines().find(|line| line.starts_with("extends")), Some(extends));
        place.run(&["policy", "check"]).says(0, &["0 findings"]);
        place.run(&["policy", "show"]).says(0, &["preset:git:"]);
    }
    let place = Place::new();
    for words in [&["--preset", "gti"][..], &["--preset", ""], &["--preset", "git,"], &["--preset"]] {
        place.run(&[&["init"], words].concat()).says(2, &["--preset <NAME>"]);
    }
    assert!(!place.path(FILE).exists());
}

#[test]
fn init_writes_the_presets_also_beside_the_answer_to_its_question() {
    let place = Place::new();
    place.answered(&["init", "--preset", "database"], "y\n").says(0, &["with secrets masked"]);
    let written = place.read(FILE);
    assert!(written.contains(r#"extends = ["preset:database"]"#) && written.ends_with("inputs = \"redacted\"\n"));
}

#[test]
fn a_rule_of_a_preset_counts_like_one_of_the_file_and_is_named_by_the_preset() {
    let place = Place::new();
    place.file(FILE, "extends = ['preset:git', 'preset:secrets']\n");
    let (verdict, cause) = decided(&place, "git reset --hard");
    assert_eq!((&*verdict, &*cause), ("ask", r#""Bash(git reset --hard *)" "preset:git""#));
    assert_eq!(decided(&place, "cat ~/.ssh/id_rsa").0, "deny");
    assert_eq!(decided(&place, "psql -c 'DROP TABLE x'").0, "pass");
    place
        .run(&["try", "git reset --hard", "-v", "--agent", "claude-code"])
        .says(0, &["git stash, then git reset --keep"]);
    // No allow rule outweighs it, and a rule of the file gives the reason.
    place.file(
        FILE,
        "extends = ['preset:git']\n[permissions]\nallow = ['Bash(git reset --hard)']\nask = ['Bash(git stash drop)']\n",
    );
    assert_eq!(decided(&place, "git reset --hard").0, "ask");
    let mine = r#""Bash(git stash drop)" "~/.config/snaphook/snaphook.toml""#;
    assert_eq!(decided(&place, "git stash drop").1, mine);
    place.run(&["policy", "check"]).says(1, &["`Bash(git reset --hard)` has no effect", "(preset:git:", "1 finding"]);
    let shown = place.json(&["policy", "show", "--json"]);
    assert_eq!(shown["files"], serde_json::json!(["~/.config/snaphook/snaphook.toml", "preset:git"]));
}

#[test]
fn standard_and_strict_have_the_rules_of_the_other_presets_once() {
    let place = Place::new();
    for extends in ["'preset:standard'", "'preset:strict'", "'preset:git', 'preset:strict', 'preset:standard'"] {
        place.file(FILE, &format!("extends = [{extends}]\n"));
        let shown = place.json(&["policy", "show", "--json"]);
        let mut files: Vec<_> = shown["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
        files.sort_unstable();
        let all = Preset::all().iter().filter(|preset| preset.name != "strict" || extends.contains("strict"));
        let mut wanted: Vec<_> =
            all.map(Preset::written).chain(["~/.config/snaphook/snaphook.toml".to_owned()]).collect();
        wanted.sort_unstable();
        assert_eq!(files, wanted);
        place.run(&["policy", "check"]).says(0, &["0 findings"]);
    }
}

#[test]
fn the_presets_have_no_mistakes() {
    let place = Place::new();
    for preset in Preset::all() {
        place.file("project/policy.toml", preset.text);
        place.run(&["policy", "check", "policy.toml"]).says(0, &["0 findings"]);
    }
}

#[test]
fn an_untrusted_project_file_extends_presets_and_still_allows_nothing() {
    let place = Place::new();
    place.file(FILE, "[permissions]\n");
    place.file(PROJECT, "extends = ['preset:database']\n[permissions]\nallow = ['Bash(ls)']\n");
    assert_eq!(decided(&place, "dropdb prod").0, "ask");
    assert_eq!(decided(&place, "ls").0, "pass");
    place.run(&["try", "dropdb prod"]).says(0, &["It deletes data of a database."]);
    place.run(&["policy", "show"]).says(0, &["is not trusted: 1 allow rule ignored", "preset:database:"]);
    // The same preset is not judged twice.
    place.file(FILE, "extends = ['preset:database']\n");
    assert_eq!(place.run(&["policy", "show"]).out.matches("policy: preset:database\n").count(), 1);
    // A rule that cannot be read could have been a denial.
    place.file(PROJECT, "extends = ['preset:datbase']\n");
    let error = ".snaphook.toml:1:12: extends[0]: unknown preset `preset:datbase`; did you mean `preset:database`?";
    place.run(&["try", "ls"]).says(2, &[error]);
}

#[test]
fn a_managed_policy_extends_presets() {
    let Some(managed) = Managed::with("extends = ['preset:git']\nonly_managed = true\n") else { return };
    managed.run(&["policy", "show"]).says(0, &["policy: preset:git (managed)\n"]);
    managed.run(&["try", "git stash clear", "--agent", "claude-code"]).says(0, &["asks you", "(preset:git:"]);
    let Some(beside) = Managed::with("extends = ['preset:git']\n") else { return };
    beside.run(&["try", "git stash clear", "--agent", "claude-code"]).says(0, &["asks you", "(preset:git:"]);
    beside.run(&["policy", "show"]).says(0, &["policy: preset:git (managed)\n", "policy: preset:database\n"]);
}

#[test]
fn a_preset_in_several_files_is_judged_once_as_that_of_the_strongest() {
    let Some(managed) = Managed::with("extends = ['preset:git']\n") else { return };
    let place = &managed.place;
    for file in [FILE, PROJECT, "project/sub/.snaphook.toml"] {
        place.file(file, "extends = ['preset:git', 'preset:database']\n");
    }
    let shown = managed.run(&["policy", "show", "--cwd", &place.at("project/sub")]);
    shown.says(0, &["policy: preset:git (managed)\n", "policy: preset:database\n"]);
    for (text, count) in [("policy: preset:", 2), ("  Bash(git stash clear)", 1), ("  Bash(dropdb *)", 1)] {
        assert_eq!(shown.out.matches(text).count(), count, "{text} {}", shown.out);
    }
    // What the managed policy names cannot be set aside.
    place.file(FILE, "mode = 'monitor'\nextends = ['preset:git', 'preset:database']\n");
    assert_eq!(["git stash clear", "dropdb x"].map(|command| managed.verdict(command)), ["ask", "pass"]);
    // Without a managed policy, of two project files.
    let place = Place::new();
    place.file(FILE, "[permissions]\n");
    for file in [PROJECT, "project/sub/.snaphook.toml"] {
        place.file(file, "extends = ['preset:git']\n");
    }
    let shown = place.run(&["policy", "show", "--cwd", &place.at("project/sub")]);
    assert_eq!(shown.says(0, &[]).out.matches("policy: preset:git").count(), 1, "{shown:?}");
}

#[test]
fn an_invalid_extends_is_an_error_with_its_place() {
    let place = Place::new();
    for (text, says) in [
        (
            "extends = ['preset:gti']",
            "1:12: error: extends[0]: unknown preset `preset:gti`; did you mean `preset:git`?",
        ),
        ("extends = ['git']", "extends[0]: unknown preset `git`; did you mean `preset:git`?"),
        (
            "extends = ['preset:']",
            "unknown preset `preset:`; expected one of preset:standard, preset:strict, preset:secrets",
        ),
        ("extends = ['./team.toml']", "unknown preset `./team.toml`; expected one of preset:standard"),
        ("extends = ['preset:git', 1]", "1:26: error: extends[1]: expected a string"),
        ("extends = 'preset:git'", "1:11: error: extends: expected an array of strings"),
        ("extends = { preset = 'git' }", "extends: expected an array of strings"),
        ("extend = ['preset:git']", "unknown key `extend`; did you mean `extends`?"),
    ] {
        place.file("project/policy.toml", &format!("{text}\n"));
        place.run(&["policy", "check", "policy.toml"]).says(1, &[says, "1 finding"]);
    }
    place.file(FILE, "extends = ['preset:gti']\n");
    let denied =
        place.fed(&["hook", "claude-code", "--no-audit"], &crate::place::fixture("claude-code", "pre_tool_use_bash"));
    denied.says(0, &["\"permissionDecision\":\"deny\"", "unknown preset `preset:gti`"]);
}

#[test]
fn a_preset_that_is_named_very_often_is_read_once() {
    let place = Place::new();
    place.file(FILE, "[permissions]\n");
    let shown = |times| {
        place.file(PROJECT, &format!("extends = [{}]\n", "'preset:git',".repeat(times)));
        assert_eq!(decided(&place, "git stash clear").0, "ask");
        place.json(&["policy", "show", "--json"])
    };
    let once = shown(1);
    assert!(once.to_string().contains("preset:git"));
    assert_eq!(shown(4600), once);
}

#[test]
fn the_names_of_presets_are_known_to_the_shell_the_schema_and_the_manual() {
    let place = Place::new();
    let schema: serde_json::Value = place.json(&["schema"]);
    let known: Vec<_> = Preset::all().iter().map(Preset::written).collect();
    assert_eq!(schema["properties"]["extends"]["items"]["enum"], serde_json::json!(known));
    let names: Vec<_> = Preset::all().iter().map(|preset| preset.name).collect();
    assert_eq!(completed(&place, "bash", &["init", "--preset", ""]), names.join("\n"));
    let help = place.run(&["init", "--help"]).out;
    assert!(names.iter().all(|name| help.contains(name)), "{help}");
    place.run(&["man", &place.at("man")]).says(0, &[]);
    assert!(place.read("man/man5/snaphook.toml.5").contains("\\fBextends\\fR"));
}

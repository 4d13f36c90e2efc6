//! `snaphook schema`: its keys are those that the program knows.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::place::Place;

fn schema() -> Value {
    let place = Place::new();
    let said = place.run(&["schema"]);
    serde_json::from_str(&said.says(0, &[]).out).unwrap()
}

/// The keys of a table in the schema.
fn keys(table: &Value) -> BTreeSet<String> {
    assert_eq!(table["additionalProperties"], false, "{table:#}");
    table["properties"].as_object().unwrap().keys().cloned().collect()
}

/// The keys that the program names if it meets an unknown one.
fn known(place: &Place, before: &str, after: &str) -> BTreeSet<String> {
    place.file("project/policy.toml", &format!("{before}zzzzzzzzzzzz = 1{after}\n"));
    let said = place.run(&["policy", "check", "policy.toml"]);
    let line =
        said.out.lines().find(|line| line.contains("unknown key `zzzzzzzzzzzz`")).unwrap_or_else(|| panic!("{said:?}"));
    line.split("expected one of ").nth(1).unwrap().split(", ").map(str::to_owned).collect()
}

#[test]
fn the_schema_has_exactly_the_keys_that_the_program_knows() {
    let (schema, place) = (schema(), Place::new());
    assert!(jsonschema::meta::is_valid(&schema));
    let at = |pointer: &str| keys(schema.pointer(pointer).unwrap());
    assert_eq!(known(&place, "", ""), at(""));
    for table in ["permissions", "context", "shell", "protect", "failure", "audit", "limits", "overrides", "sandbox"] {
        let inside =
            if table == "permissions" { at("/$defs/permissions") } else { at(&format!("/properties/{table}")) };
        assert_eq!(known(&place, &format!("[{table}]\n"), ""), inside, "{table}");
    }
    for table in ["respond", "handler", "tool", "test"] {
        assert_eq!(known(&place, &format!("[[{table}]]\n"), ""), at(&format!("/$defs/{table}")), "{table}");
    }
    assert_eq!(known(&place, "[agent.codex]\n", ""), keys(&schema["properties"]["agent"]["additionalProperties"]));
    assert_eq!(known(&place, "[permissions]\ndeny = [{ ", " }]"), at("/$defs/worded_rule"));
    assert_eq!(known(&place, "[audit]\notlp = { ", " }"), at("/$defs/collector"));
    let mut allowing = at("/$defs/allowing_rule");
    allowing.insert("instead".to_owned());
    assert_eq!(allowing, at("/$defs/worded_rule"), "`instead` is an error in allow");
}

#[test]
fn policies_that_load_are_valid_and_broken_ones_are_not() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let json = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let mut count = 0;
    for page in [
        "../../README.md",
        "../../docs/guide/policy.md",
        "../../docs/guide/teams.md",
        "../../docs/reference/policy-file.md",
    ] {
        let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&page[6..])).unwrap();
        for example in text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
            let found = validator.iter_errors(&json(example)).map(|error| error.to_string()).collect::<Vec<_>>();
            assert!(found.is_empty(), "{page}: {example}: {found:?}");
            count += 1;
        }
    }
    assert!(count >= 8, "{count}");
    for broken in [
        "version = 2",
        "[permissions]\nalow = []",
        "[permissions]\nallow = [{ rule = 'Bash(x)', instead = 'y' }]",
        "[permissions]\ndeny = [{ reason = 'y' }]",
        "[failure]\npolicy = 'allow'",
        "[sandbox]\nwrite = ['/']",
        "[[respond]]\nmatch = 'WebFetch'",
        "[[handler]]\nmatch = ['*']",
        "[[tool]]\ncommand = '/script'",
        "[[tool]]\nname = 'x'",
        "[[tool]]\nname = 'x'\ncommand = 'script'",
        "[[tool]]\nname = 'x'\ncommand = '/a~2'",
        "[[tool]]\nname = 'x'\npath = '/a'\nkind = 'execute'",
        "[[test]]\ncommand = 'ls'",
        "[limits]\ninput = '1 MB'",
        "[audit]\notlp = 4318",
        "[audit]\notlp = { ca = 'x' }",
    ] {
        assert!(!validator.is_valid(&json(broken)), "{broken}");
        let place = Place::new();
        place.file("project/policy.toml", broken);
        place.run(&["policy", "check", "policy.toml"]).says(1, &["error: "]);
    }
}

#[test]
fn the_policy_that_init_writes_names_the_schema_of_the_repository() {
    let place = Place::new();
    place.run(&["init"]).says(0, &[]);
    let repository = env!("CARGO_PKG_REPOSITORY").replace("https://github.com/", "https://raw.githubusercontent.com/");
    let first = format!("#:schema {repository}/main/schemas/policy.schema.json\n");
    assert!(place.read("home/.config/snaphook/snaphook.toml").starts_with(&first), "{first}");
}

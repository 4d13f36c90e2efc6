//! Tests of the search for programs that a policy names.

use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, fixture};

fn program(place: &Place, name: &str, says: &str) {
    let file = place.file(name, &format!("#!/bin/sh\necho '{{\"decision\":\"deny\",\"reason\":\"{says}\"}}'\n"));
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_path_is_relative_to_the_policy_file_and_a_bare_name_is_on_path() {
    let place = Place::new();
    // Programs with the same names in the working directory must not be used.
    for name in ["project/judge", "project/sub/judge"] {
        program(&place, name, "the wrong one");
    }
    program(&place, "rules/judge", "beside the policy");
    program(&place, "rules/sub/judge", "below the policy");
    program(&place, "home/judge", "at home");
    program(&place, "bin/judge", "on the path");
    let message = fixture("hygge", "pre_tool_bash");
    for (command, says) in [
        ("./judge", "beside the policy"),
        ("sub/judge", "below the policy"),
        ("~/judge", "at home"),
        ("judge", "on the path"),
        (place.at("rules/sub/../judge").as_str(), "beside the policy"),
    ] {
        let text = format!("[[handler]]\nmatch = [\"*\"]\ncommand = [\"{command}\"]\n");
        place.file("rules/policy.toml", &text);
        for policy in [place.at("rules/policy.toml"), "../rules/policy.toml".to_owned()] {
            let said = place.fed(&["hook", "hygge", "--policy", &policy, "--no-audit"], &message);
            assert!(said.code == Some(2) && said.err.contains(says), "{command}: {said:?}");
        }
        let shown = place.run(&["try", "ls", "--agent", "hygge", "--policy", &place.at("rules/policy.toml")]);
        assert!(shown.out.contains(&format!("handler `{command}` was not called")), "{shown:?}");
    }
}

#[test]
fn a_missing_handler_program_denies() {
    let place = Place::new();
    program(&place, "project/judge", "the wrong one");
    let message = fixture("hygge", "pre_tool_bash");
    for command in ["./judge", "judge"] {
        let policy = place.file("rules/p.toml", &format!("[[handler]]\nmatch = [\"*\"]\ncommand = [\"{command}\"]\n"));
        let said = place.fed(&["hook", "hygge", "--policy", &policy, "--no-audit"], &message);
        assert!(said.code == Some(2) && said.err.contains("cannot be started"), "{command}: {said:?}");
    }
}

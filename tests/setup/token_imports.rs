//! `snaphook import` from the permissions of Cursor's CLI and the rule files of Codex.

use crate::place;

const POLICY: &str = "home/.config/snaphook/snaphook.toml";

#[test]
fn permissions_of_cursor_are_imported() {
    let place = place();
    let permissions = |deny: &str| {
        format!(
            r#"{{"version": 1, "permissions": {{
              "allow": ["Shell(git)", "Read(src/**/*.ts)", "Write(package.json)", "Mcp(github:get_issue)"],
              "deny": ["Shell(rm)", "Read(.env*)", "Read(/etc/passwd)", "Write(**/*.key)", "Mcp(github, delete_repo)"{deny}]
            }}}}"#
        )
    };
    place.file("home/.cursor/cli-config.json", &permissions(""));
    place.answered(&["import", "cursor"], "y\n").says(
        0,
        &[
            "not imported: allow: Write(package.json): a rule here would also allow deletions",
            "not imported: allow: Mcp(github:get_issue)",
        ],
    );
    let policy = place.read(POLICY);
    for rule in ["Bash(rm:*)", "Read(.env*)", "Read(//etc/passwd)", "Edit(**/*.key)", "mcp__github__delete_repo"] {
        assert!(policy.contains(&format!("\"{rule}\"")), "{rule}: {policy}");
    }
    assert!(policy.contains("\"Bash(git:*)\"") && policy.contains("\"Read(/src/**/*.ts)\""), "{policy}");

    // An approval that a denial may restrict is not imported if the denial is not.
    let place = self::place();
    place.file("home/.cursor/cli-config.json", &permissions(", \"Shell(curl *)\""));
    place.answered(&["import", "cursor"], "y\n").says(
        0,
        &[
            "not imported: deny: Shell(curl *): only the name of a program can be converted",
            "not imported: allow: Shell(git): a denial, which wins over it, could not be imported",
        ],
    );
    assert!(!place.read(POLICY).contains("Bash(git:*)"));
}

const RULES: &str = r#"
# mine
prefix_rule(
    pattern = ["git", ["push", "fetch"]], # either
    decision = "prompt",
    match = [["git", "push"], "git fetch"],
)
prefix_rule(pattern=["rm", "-rf"], decision="forbidden", justification='no')
prefix_rule(pattern=["cargo", "test"])
"#;

#[test]
fn rules_of_codex_are_imported() {
    let place = place();
    place.file("home/.codex/rules/default.rules", RULES);
    place.file("home/.codex/rules/notes.txt", "not rules");
    place.answered(&["import", "codex"], "y\n").says(0, &[]);
    let policy = place.read(POLICY);
    for rule in ["Bash(git push:*)", "Bash(git fetch:*)", "Bash(rm -rf:*)", "Bash(cargo test:*)"] {
        assert!(policy.contains(&format!("\"{rule}\"")), "{rule}: {policy}");
    }
    // What cannot be read may be stricter than an approval.
    for (odd, why) in [
        ("prefix_rule(pattern=[\"a b\"], decision=\"forbidden\")\n", "deny a b: only words"),
        ("x = 1\n", "the file: it has more than calls"),
        ("prefix_rule(pattern=[\"rm\\\"\"], decision=\"forbidden\")\n", "the file: it has more than calls"),
        ("network_rule(host=\"a\", decision=\"forbidden\")\n", "network_rule: cannot be converted"),
    ] {
        let place = self::place();
        place.file(POLICY, "[permissions]\n");
        place.file("home/.codex/rules/default.rules", RULES);
        place.file("home/.codex/rules/other.rules", odd);
        place.answered(&["import", "codex"], "y\n").says(
            0,
            &[why, "not imported: allow cargo test: a stricter rule, which wins over it, could not be imported"],
        );
        let policy = place.read(POLICY);
        assert!(policy.contains("Bash(rm -rf:*)") && !policy.contains("cargo test"), "{odd}: {policy}");
    }
}

//! `snaphook import` from the rules of Copilot and of Kiro.

use crate::place;
use crate::place::Place;

/// The text of the user policy after an import, which prints these texts.
fn imported(place: &Place, agent: &str, says: &[&str]) -> String {
    place.answered(&["import", agent], "y\n").says(0, says);
    place.read("home/.config/snaphook/snaphook.toml")
}

#[test]
fn denied_hosts_of_copilot_are_imported_and_no_approval_is() {
    let place = place();
    place.file(
        "home/.copilot/settings.json",
        r#"{"deniedUrls": ["example.com", "https://*.evil.org/", "https://x.org/a"], "allowedUrls": ["github.com"]}"#,
    );
    place.file(
        "home/.copilot/permissions-config.json",
        r#"{"locations": {"/w": {"tool_approvals": [{"kind": "commands", "commandIdentifiers": ["git:*"]}, {"kind": "write"}],
           "allowed_directories": ["/d"]}}}"#,
    );
    let policy = imported(
        &place,
        "copilot",
        &[
            "not imported: deniedUrls: https://x.org/a: a rule is about a host",
            "not imported: allowedUrls: github.com: it allows one scheme",
            "not imported: commands git:*: it holds in /w",
            "not imported: write: it holds in /w",
            "not imported: allowed_directories: /d",
        ],
    );
    assert!(
        policy.contains(r#""WebFetch(domain:example.com)""#) && policy.contains(r#""WebFetch(domain:*.evil.org)""#)
    );
    assert!(!policy.contains("git:*") && !policy.contains("github.com") && !policy.contains("x.org"), "{policy}");
}

#[test]
fn denials_of_kiros_agents_are_imported_and_no_approval_is() {
    let place = place();
    place.file(
        "home/.kiro/agents/dev.json",
        r#"{
          "tools": ["fs_read"], "allowedTools": ["fs_read", "@git"],
          "toolsSettings": {
            "execute_bash": {"deniedCommands": ["git push .*", "npm publish", "rm (-rf|-fr) .*"], "allowedCommands": ["ls"]},
            "fs_read": {"deniedPaths": ["/etc/passwd", "~/secret", "$HOME/x"], "allowReadOnly": true},
            "fs_write": {"deniedPaths": ["src/**"]},
            "use_aws": {"deniedServices": ["rds"]}
          }
        }"#,
    );
    let policy = imported(
        &place,
        "kiro",
        &[
            "not imported: tools: the agent has only these tools",
            "not imported: allowedTools: @git: it holds for one agent",
            "not imported: execute_bash.allowedCommands: it holds for one agent",
            "not imported: execute_bash.deniedCommands: rm (-rf|-fr) .*: it has no form",
            "not imported: fs_read.allowReadOnly: it holds for one agent",
            "not imported: fs_read.deniedPaths: $HOME/x: it has no form",
            "not imported: use_aws.deniedServices: rds: it has no form",
        ],
    );
    for rule in ["Bash(git push:*)", "Bash(npm publish)", "Read(//etc/passwd)", "Read(~/secret)", "Edit(src/**)"] {
        assert!(policy.contains(&format!("\"{rule}\"")), "{rule}: {policy}");
    }
    for (call, says) in [("git push origin main", "deny"), ("git status", "pass")] {
        place.run(&["try", "-v", "--agent", "kiro", call]).says(0, &[says]);
    }
}

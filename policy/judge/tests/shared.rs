//! Tests of the facts that several events share.

use std::path::Path;
use std::sync::Arc;

use super::{judged_by, policy};
use crate::SharedFacts;
use crate::testing::{folders, seen, shell};

#[test]
fn events_that_share_what_is_looked_up_get_the_verdicts_that_they_get_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("secrets")).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("secrets"), &link).unwrap();
    let rules = "[permissions]\ndeny = ['Read(secrets/**)', 'Edit(secrets/**)']\n";
    let at = |path: &Path, name: &str| path.join(name).display().to_string();
    let commands = [
        format!("cat {}", at(&link, "key")),
        format!("cat {}", at(folder.path(), "other/key")),
        format!("echo x > {}", at(&link, "key")),
        format!("cd {} && rm key", link.display()),
        "rm -rf ~".to_owned(),
        "echo x > ~/.claude/settings.json".to_owned(),
        "cat README.md".to_owned(),
    ];
    let alone = policy(rules);
    let together = policy(rules).with_shared(Arc::new(SharedFacts::default()));
    for command in commands.iter().chain(&commands) {
        let event = shell(command);
        // An event without steps leaves no wrong facts for the next one.
        let facts = together.facts(folders(&event));
        facts.context.budget().spend(usize::MAX);
        let _ = facts.judging(true).rules(&seen(&event));
        assert_eq!(judged_by(&alone, &event).verdict, judged_by(&together, &event).verdict, "{command}");
    }
}

//! `[protect]`: where protected files are found, and what may replace them.

use super::skills::TestHome;
use super::*;

#[test]
fn s10_a_marker_that_moves_the_root_of_the_project_is_protected() {
    let allow = rules("", "", "'Bash', 'Edit', 'Write'");
    // No folder has a marker, so one above the session would move the root up.
    for (line, verdict) in [
        ("mkdir /w/.git", VerdictKind::Deny),
        ("mkdir ../.git", VerdictKind::Deny),
        ("touch /w/.git", VerdictKind::Deny),
        ("echo x > ../.git/HEAD", VerdictKind::Deny),
        ("cd .. && mkdir .git", VerdictKind::Deny),
        ("cp -r x ../.git", VerdictKind::Deny),
        ("mv x /w/.git", VerdictKind::Deny),
        ("rm -rf /w", VerdictKind::Deny),
        ("rmdir /w", VerdictKind::Deny),
        // It may remove the marker, as all that is not tracked.
        ("cd .. && git clean -fd", VerdictKind::Pass),
        ("mkdir .git", VerdictKind::Allow),
        ("mkdir sub/.git", VerdictKind::Allow),
        ("mkdir /w/git", VerdictKind::Allow),
        ("touch /w/.gitignore", VerdictKind::Allow),
        ("mkdir /.git", VerdictKind::Allow),
        ("mkdir -p /w", VerdictKind::Allow),
        ("cd \"$D\" && touch w/.git/HEAD", VerdictKind::Deny),
        ("cd \"$D\" && touch v/.git/HEAD", VerdictKind::Pass),
        ("cat /w/.git/HEAD", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&allow, &shell(line)), verdict, "{line}");
    }
    let delete = call("x", "{}", vec![Action::Delete { path: "/w".into() }]);
    assert_eq!(kind(&allow, &delete), VerdictKind::Deny);
    let reason = judged(&allow, &shell("mkdir /w/.git")).verdict.reason().to_owned();
    assert!(reason.contains("a marker that makes a folder the root of the project"), "{reason}");
    let off = format!("{allow}[protect]\nsnaphook = 'off'\n");
    assert_eq!(kind(&off, &shell("mkdir /w/.git")), VerdictKind::Allow);
    // A project in a project: the session is in `w/app/sub`, and `w` has a marker too.
    let home = TestHome::new();
    home.file("w/.git/HEAD", "x");
    home.file("w/app/.git/HEAD", "x");
    for (line, verdict) in [
        ("rm -rf ../.git", VerdictKind::Deny),
        ("mv ../.git ../x", VerdictKind::Deny),
        ("rm -rf ../../app", VerdictKind::Deny),
        ("mkdir .git", VerdictKind::Deny),
        ("touch .git/HEAD", VerdictKind::Deny),
        ("touch ../.git/HEAD", VerdictKind::Allow),
        ("cd \"$D\" && touch app/.git/HEAD", VerdictKind::Pass),
        ("cd \"$D\" && rm -rf app/.git", VerdictKind::Deny),
        ("rm -rf ../../.git", VerdictKind::Allow),
        ("rm -rf ../x", VerdictKind::Allow),
    ] {
        let input = format!("{{\"command\":{}}}", Raw::string(line).as_str());
        assert_eq!(home.kind(&allow, "Bash", &input), verdict, "{line}");
    }
}

#[test]
fn s10_a_protected_file_is_found_through_links() {
    let home = TestHome::new();
    home.file(".claude/settings.json", "{}");
    home.file("real/config/snaphook/snaphook.toml", "");
    let link = |to: &str, from: &str| std::os::unix::fs::symlink(home.0.path().join(to), home.0.path().join(from));
    link("real/config", ".config").unwrap();
    link(".claude", "w/app/sub/linked").unwrap();
    link(".claude/settings.json", "w/app/sub/one.json").unwrap();
    let allow = rules("", "", "'Bash', 'Edit', 'Write'");
    for (line, verdict) in [
        ("touch linked/settings.json", VerdictKind::Ask),
        ("echo {} > one.json", VerdictKind::Ask),
        ("touch linked/other", VerdictKind::Allow),
        ("touch ~/.config/snaphook/snaphook.toml", VerdictKind::Deny),
        ("touch ~/real/config/snaphook/snaphook.toml", VerdictKind::Deny),
        ("mv ~/real x", VerdictKind::Deny),
        ("touch ~/real/config/other", VerdictKind::Allow),
    ] {
        let input = format!("{{\"command\":{}}}", Raw::string(line).as_str());
        assert_eq!(home.kind(&allow, "Bash", &input), verdict, "{line}");
    }
}

#[test]
fn s10_an_archive_or_a_checkout_is_not_allowed_where_a_protected_file_may_be() {
    let allow = rules("", "", "'Bash', 'Edit', 'Read'");
    for (line, verdict) in [
        ("tar xf a.tar -C ~", VerdictKind::Pass),
        ("tar xf a.tar -C /", VerdictKind::Pass),
        ("tar xf a.tar -C /opt", VerdictKind::Pass),
        ("tar xf a.tar -C /opt/bin", VerdictKind::Pass),
        ("tar xf a.tar -C /opt/other", VerdictKind::Allow),
        ("tar xf a.tar -C ..", VerdictKind::Pass),
        ("tar xf a.tar -C ../other", VerdictKind::Allow),
        ("tar xf a.tar -C ~/.invented/skills/x", VerdictKind::Ask),
        ("tar xf a.tar -C ~/.invented/other", VerdictKind::Allow),
        // A glob that may be the folder, or that is not.
        ("tar xf a.tar -C .inv*", VerdictKind::Pass),
        ("tar xf a.tar -C out*", VerdictKind::Allow),
        ("tar xf a.tar -C /w/a*", VerdictKind::Pass),
        ("tar xf a.tar -C /w/b*", VerdictKind::Allow),
        ("tar xf a.tar -C /opt/b*", VerdictKind::Pass),
        ("tar xf a.tar -C /opt/o*", VerdictKind::Allow),
        ("tar xf a.tar -C ~/.invented/sk*", VerdictKind::Pass),
        ("tar xf a.tar -C ~/.invented/oth*", VerdictKind::Allow),
        // A file that is copied into a folder does not replace what is in another folder of that name.
        ("cp x/bin /opt", VerdictKind::Allow),
        ("tar xf a.tar -C \"$D\"", VerdictKind::Pass),
        ("tar xf a.tar -C \"out/$D\"", VerdictKind::Pass),
        ("cp a \"$D\"", VerdictKind::Pass),
        ("cp -r a/. /opt", VerdictKind::Pass),
        ("git -C /opt checkout x", VerdictKind::Pass),
        ("chmod -R 777 /opt/other", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&allow, &shell(line)), verdict, "{line}");
    }
    let off = format!("{allow}[protect]\nsnaphook = 'off'\nagents = 'off'\n");
    for line in ["tar xf a.tar", "git checkout x", "git -C \"$D\" checkout x", "cp -r a ~"] {
        assert_eq!(kind(&off, &shell(line)), VerdictKind::Allow, "{line}");
    }
}

#[test]
fn s10_a_checkout_is_judged_by_the_working_tree_that_it_changes() {
    let home = TestHome::new();
    home.file("w/app/.git/HEAD", "x");
    home.file("other/.git/HEAD", "x");
    home.file("other/deep/x", "x");
    home.file("hg/.hg/x", "x");
    let allow = rules("", "", "'Bash', 'Edit', 'Read'");
    for (line, verdict) in [
        ("git checkout x", VerdictKind::Pass),
        ("git -C ~/other checkout x", VerdictKind::Allow),
        ("git -C ~/other/deep checkout x", VerdictKind::Allow),
        ("cd ~/hg && hg update x", VerdictKind::Allow),
        ("cd ~/none && hg update x", VerdictKind::Pass),
        ("git -C ~ checkout x", VerdictKind::Pass),
        ("git -C \"$D\" checkout x", VerdictKind::Pass),
    ] {
        let input = format!("{{\"command\":{}}}", Raw::string(line).as_str());
        assert_eq!(home.kind(&allow, "Bash", &input), verdict, "{line}");
    }
}

#[test]
fn s10_a_folder_that_could_replace_a_policy_file_is_not_allowed_if_an_unreadable_policy_passes() {
    let allow = rules("", "", "'Bash', 'Edit'");
    let pass = format!("{allow}[failure]\npolicy = 'pass'\n");
    for (line, denies, passes) in [
        ("mkdir \"$D\"", VerdictKind::Allow, VerdictKind::Pass),
        ("mkdir .snaphook.toml", VerdictKind::Deny, VerdictKind::Deny),
        ("mkdir out", VerdictKind::Allow, VerdictKind::Allow),
        ("mkdir ~/.config/snaphook", VerdictKind::Allow, VerdictKind::Allow),
        ("mkdir -p ~/.invented/skills", VerdictKind::Allow, VerdictKind::Allow),
        ("mkdir ~/.invented/skills/x", VerdictKind::Ask, VerdictKind::Ask),
        ("mkdir sub/.invented/skills", VerdictKind::Allow, VerdictKind::Allow),
        ("mkdir sub/.invented/skills/x", VerdictKind::Ask, VerdictKind::Ask),
    ] {
        assert_eq!(kind(&allow, &shell(line)), denies, "{line}");
        assert_eq!(kind(&pass, &shell(line)), passes, "{line} if an unreadable policy passes");
    }
}

#[test]
fn s10_a_relative_path_of_an_unknown_folder_is_protected_by_its_last_steps() {
    let allow = rules("", "", "'Bash', 'Edit'");
    for (line, verdict) in [
        ("cd \"$D\" && touch .invented/settings.json", VerdictKind::Ask),
        ("cd \"$D\" && touch settings.json", VerdictKind::Pass),
        ("cd \"$D\" && touch snaphook/snaphook.toml", VerdictKind::Deny),
        ("cd \"$D\" && touch bin/snaphook", VerdictKind::Deny),
        ("cd \"$D\" && touch skills/x/y", VerdictKind::Pass),
        ("cd \"$D\" && rm -rf .invented/skills/x", VerdictKind::Ask),
        ("cd \"$D\" && rm -rf x.invented/skills/x", VerdictKind::Pass),
        ("touch x.invented/settings.json", VerdictKind::Allow),
        ("touch .invented/settings.json.bak", VerdictKind::Allow),
        ("touch x.snaphook.toml", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&allow, &shell(line)), verdict, "{line}");
    }
}

#[test]
fn s10_a_path_to_our_program_is_recognised_from_every_working_directory() {
    let home = TestHome::new();
    home.file("bin/ours", "");
    home.file("w/app/sub/ours", "");
    let allow = rules("", "", "'Bash'");
    for (program, cwd, verdict) in [
        ("~/bin/ours", true, VerdictKind::Deny),
        ("../../../bin/ours", true, VerdictKind::Deny),
        ("./ours", true, VerdictKind::Allow),
        ("sub/ours", true, VerdictKind::Allow),
        ("~/ours", true, VerdictKind::Allow),
        ("ours", true, VerdictKind::Deny),
        ("theirs", true, VerdictKind::Allow),
        ("./ours", false, VerdictKind::Allow),
    ] {
        let (user, ours) = (Some(home.0.path().to_owned()), Some(home.0.path().join("bin/ours")));
        let policy = policy_on(&allow, TestMachine { home: user, program: ours, ..TestMachine::default() });
        let mut event = shell(&format!("{program} trust"));
        event.cwd = cwd.then(|| home.0.path().join("w/app/sub").to_str().unwrap().to_owned());
        assert_eq!(judged_by(&policy, &event).verdict.kind(), verdict, "{program} {cwd}");
    }
}

#[test]
fn s10_the_reason_says_if_a_file_or_its_folder_is_protected() {
    for (line, why) in [
        ("touch .invented/settings.json", "a file that decides what hooks and agents may do"),
        ("cp -rT x .invented", "a folder with files that decide what hooks and agents may do"),
        ("snaphook trust", "the command changes the protection by snaphook"),
    ] {
        let judgement = judged("[permissions]\n", &shell(line));
        let reason = judgement.verdict.reason();
        assert!(reason.contains(why), "{line}: {reason}");
    }
}

#[test]
fn s10_of_two_keys_for_one_folder_the_stricter_one_applies() {
    for (own, agents, verdict, key) in [
        ("ask", "deny", VerdictKind::Deny, "protect.agents"),
        ("deny", "ask", VerdictKind::Deny, "protect.snaphook"),
        ("deny", "deny", VerdictKind::Deny, "protect.snaphook"),
        ("ask", "ask", VerdictKind::Ask, "protect.snaphook"),
        ("off", "ask", VerdictKind::Ask, "protect.agents"),
    ] {
        let text = format!("[protect]\nsnaphook = '{own}'\nagents = '{agents}'\n");
        let judgement = judged(&text, &shell("rm -r ~/.invented"));
        assert_eq!(judgement.verdict.kind(), verdict, "{own} {agents}");
        assert_eq!(judgement.causes[0].rule, key, "{own} {agents}");
    }
}

#[test]
fn s10_a_file_below_a_linked_home_folder_is_protected_by_all_its_names() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().canonicalize().unwrap().join(name);
    let link = |to: &str, from: &str| std::os::unix::fs::symlink(at(to), at(from)).unwrap();
    for folder in ["real", "moved/folder", "w"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    std::fs::write(at("moved/file"), "").unwrap();
    link("real", "home");
    link("moved/folder", "real/.invented");
    link("moved/file", "real/.invented.json");
    let text = format!("{}[protect]\nsnaphook = 'off'\n", rules("", "", "'Bash', 'Edit'"));
    let policy = policy_on(&text, TestMachine { home: Some(at("home")), ..TestMachine::default() });
    for (line, verdict) in [
        ("touch ~/.invented.json", VerdictKind::Ask),
        ("touch real/.invented.json", VerdictKind::Ask),
        ("touch moved/file", VerdictKind::Ask),
        ("touch moved/folder/skills/x", VerdictKind::Ask),
        ("touch real/.invented/skills/x", VerdictKind::Ask),
        ("touch moved/other", VerdictKind::Allow),
        // The links themselves.
        ("rm -r real", VerdictKind::Ask),
        ("rm -r home", VerdictKind::Ask),
        ("rm -r moved", VerdictKind::Ask),
        ("rm -r other", VerdictKind::Allow),
    ] {
        let mut event = shell(line);
        event.cwd = at("").to_str().map(str::to_owned);
        event.project = at("w").to_str().map(str::to_owned);
        assert_eq!(judged_by(&policy, &event).verdict.kind(), verdict, "{line}");
    }
}

#[test]
fn s10_a_file_below_the_home_folder_is_protected_where_its_link_leads() {
    let home = TestHome::new();
    home.file("moved/settings.json", "{}");
    std::os::unix::fs::symlink(home.0.path().join("moved"), home.0.path().join(".claude")).unwrap();
    let allow = rules("", "", "'Bash', 'Edit', 'Write'");
    for (line, verdict) in [
        ("touch ~/.claude/settings.json", VerdictKind::Ask),
        ("touch ~/moved/settings.json", VerdictKind::Ask),
        ("rm -r ~/moved", VerdictKind::Ask),
        ("touch ~/moved/other", VerdictKind::Allow),
    ] {
        let input = format!("{{\"command\":{}}}", Raw::string(line).as_str());
        assert_eq!(home.kind(&allow, "Bash", &input), verdict, "{line}");
    }
}

#[test]
fn s10_a_file_with_an_absolute_path_is_protected_there_only() {
    let home = TestHome::new();
    let allow = rules("", "", "'Bash', 'Edit', 'Write'");
    for (line, verdict) in [
        ("touch /etc/claude-code/managed-settings.json", VerdictKind::Ask),
        ("touch sub/etc/claude-code/managed-settings.json", VerdictKind::Allow),
        ("rm -rf /etc/claude-code", VerdictKind::Ask),
    ] {
        let input = format!("{{\"command\":{}}}", Raw::string(line).as_str());
        assert_eq!(home.kind(&allow, "Bash", &input), verdict, "{line}");
    }
}

#[test]
fn s10_without_a_home_folder_files_that_are_protected_in_every_folder_still_count() {
    let text = format!("{}[protect]\nsnaphook = 'off'\n", rules("", "", "'Bash', 'Edit'"));
    let policy = policy_on(&text, TestMachine { home: None, ..TestMachine::default() });
    for (line, in_folder, without) in [
        ("tar xf a.tar", VerdictKind::Pass, VerdictKind::Pass),
        ("tar xf a.tar -C .inv*", VerdictKind::Pass, VerdictKind::Pass),
        ("tar xf a.tar -C \"$D\"", VerdictKind::Pass, VerdictKind::Pass),
        ("tar xf a.tar -C /srv/x", VerdictKind::Allow, VerdictKind::Allow),
        ("tar xf a.tar -C /srv/x*", VerdictKind::Allow, VerdictKind::Allow),
        ("tar xf a.tar -C /w/app", VerdictKind::Pass, VerdictKind::Allow),
        ("tar xf a.tar -C /w/a*", VerdictKind::Pass, VerdictKind::Allow),
    ] {
        let mut event = shell(line);
        assert_eq!(judged_by(&policy, &event).verdict.kind(), in_folder, "{line}");
        event.cwd = None;
        assert_eq!(judged_by(&policy, &event).verdict.kind(), without, "{line} without a folder");
    }
}

#[test]
fn a_relative_path_in_a_folder_that_is_gone_may_be_in_that_of_the_session() {
    let text = rules("'Read(/secrets/**)', 'Edit(./keep/**)'", "", "'Bash', 'Edit(/src/**)', 'Read'");
    for (line, verdict) in [
        ("cat secrets/key", VerdictKind::Deny),
        ("cat ../secrets/key", VerdictKind::Deny),
        ("rm keep/x", VerdictKind::Deny),
        ("cat /w/app/secrets/key", VerdictKind::Deny),
        ("cat README.md", VerdictKind::Allow),
        ("echo x > src/a", VerdictKind::Pass),
        ("git status", VerdictKind::Allow),
    ] {
        let mut event = shell(line);
        event.cwd = Some("/w/app/gone".into());
        assert_eq!(event.project.as_deref(), Some("/w/app"));
        assert_eq!(kind(&text, &event), verdict, "{line}");
    }
    let mut event = shell("cat keep");
    event.project = Some("/w/gone".into());
    event.cwd.clone_from(&event.project);
    assert_eq!(kind(&rules("'Read(/keep)'", "", ""), &event), VerdictKind::Deny, "the folder of the session is kept");
}

//! `[protect]`: files of snaphook and of agents, and commands that change the protection.

use super::*;

#[test]
fn protect_denies_our_own_files_and_asks_for_the_agents_settings() {
    let write = |path: &str| call("write", "{}", vec![Action::Write { path: path.into() }]);
    let delete = |path: &str| call("x", "{}", vec![Action::Delete { path: path.into() }]);
    let none = "[permissions]\n";
    for (event, verdict) in [
        (write("/opt/bin/snaphook"), VerdictKind::Deny),
        (write("~/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (write("/h/u/.local/state/snaphook/audit.jsonl"), VerdictKind::Deny),
        (write("sub/.snaphook.toml"), VerdictKind::Deny),
        (write("~/.invented/hooks/x"), VerdictKind::Deny),
        (write(".invented/settings.json"), VerdictKind::Ask),
        (write("other/.invented/settings.json"), VerdictKind::Ask),
        (write("~/.invented/other"), VerdictKind::Pass),
        (delete("~/.invented"), VerdictKind::Deny),
        (delete("~/.config"), VerdictKind::Deny),
        (delete("/w/app/.invented"), VerdictKind::Ask),
        (delete("~/.cache"), VerdictKind::Pass),
        (shell("tee ~/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (call("read", "{}", vec![Action::Read { path: "/opt/bin/snaphook".into() }]), VerdictKind::Pass),
    ] {
        assert_eq!(kind(none, &event), verdict, "{:?}", event.call().unwrap().actions);
    }
    let off = "[protect]\nsnaphook = \"off\"\nagents = \"deny\"\n";
    assert_eq!(kind(off, &write("/opt/bin/snaphook")), VerdictKind::Pass);
    assert_eq!(kind(off, &write(".invented/settings.json")), VerdictKind::Deny);
    assert_eq!(judged(none, &write("/opt/bin/snaphook")).causes[0].rule, "protect.snaphook");
    let named = "[audit]\nfile = \"/srv/log\"\n";
    for (event, verdict) in [
        (write("/srv/log"), VerdictKind::Deny),
        (delete("/srv/log.older"), VerdictKind::Deny),
        (delete("/srv/log.older/2026-11-24T08-00-00.000Z-k3f9abc.jsonl"), VerdictKind::Deny),
        (shell("rm /srv/log.older/*"), VerdictKind::Deny),
        (delete("/srv/log.old"), VerdictKind::Pass),
    ] {
        assert_eq!(kind(named, &event), verdict, "{:?}", event.call().unwrap().actions);
    }
}

#[test]
fn s10_a_command_that_could_replace_a_protected_file_or_its_folder_is_never_allowed() {
    for (line, verdict) in [
        // Into the folder of a protected file, or over it.
        ("cp -rT x .invented", VerdictKind::Ask),
        ("cp -r x/.invented .", VerdictKind::Ask),
        ("cp x/settings.json .invented", VerdictKind::Ask),
        ("cp --parents x/.invented/settings.json .", VerdictKind::Ask),
        ("cp -a x/. .invented/", VerdictKind::Ask),
        ("cd .. && cp -r x app/.invented", VerdictKind::Ask),
        ("rsync -a x/ .invented/", VerdictKind::Ask),
        ("rsync -a x/.invented .", VerdictKind::Ask),
        ("mv -T x .invented", VerdictKind::Ask),
        ("mv x .invented", VerdictKind::Ask),
        ("mv .invented x", VerdictKind::Ask),
        ("ln -sfn x .invented", VerdictKind::Ask),
        ("ln .invented/settings.json x", VerdictKind::Ask),
        ("cp -al .invented x", VerdictKind::Ask),
        ("install -D x .invented/settings.json", VerdictKind::Ask),
        ("dd if=x of=.invented/settings.json", VerdictKind::Ask),
        ("truncate -s0 .invented/settings.json", VerdictKind::Ask),
        ("rm -r .invented", VerdictKind::Ask),
        ("find .invented -delete", VerdictKind::Ask),
        ("rename s/a/b/ .invented", VerdictKind::Ask),
        ("chmod 000 .invented", VerdictKind::Ask),
        ("chmod 400 .invented/settings.json", VerdictKind::Ask),
        ("chown x .invented/settings.json", VerdictKind::Ask),
        ("mount --bind x .invented", VerdictKind::Ask),
        ("rm .invented/$X", VerdictKind::Ask),
        // From an archive, a patch or a repository.
        ("tar xf a.tar .invented/settings.json", VerdictKind::Ask),
        ("tar xf a.tar -C .invented", VerdictKind::Ask),
        ("cd .invented && tar xf ../a.tar", VerdictKind::Ask),
        ("unzip a.zip -d .invented", VerdictKind::Ask),
        ("7z x a.7z -o.invented", VerdictKind::Ask),
        ("git checkout x -- .invented", VerdictKind::Ask),
        ("git checkout x .invented", VerdictKind::Ask),
        ("git restore .invented", VerdictKind::Ask),
        ("git clone u .invented", VerdictKind::Ask),
        ("git worktree add .invented", VerdictKind::Ask),
        ("git mv x .invented", VerdictKind::Ask),
        ("git apply --directory=.invented p", VerdictKind::Ask),
        ("curl -o .invented/settings.json u", VerdictKind::Ask),
        ("wget -P .invented u/x", VerdictKind::Ask),
        // Any word of a program that may write.
        ("frob .invented/settings.json", VerdictKind::Ask),
        ("frob --out=\"$D/.invented/settings.json\"", VerdictKind::Ask),
        ("docker run -v ./.invented:/x y", VerdictKind::Ask),
        ("sh -c 'frob $1' _ .invented/settings.json", VerdictKind::Ask),
        ("find . -exec frob .invented {} +", VerdictKind::Ask),
        ("frob .invent*/settings.json", VerdictKind::Pass),
        ("frob \"$X\"", VerdictKind::Allow),
        ("frob .invented/set*", VerdictKind::Pass),
        // Files of snaphook.
        ("ln -s x ~/.config/snaphook", VerdictKind::Deny),
        ("cp -rT x ~/.config/snaphook", VerdictKind::Deny),
        ("tar xf a.tar -C ~/.config/snaphook", VerdictKind::Deny),
        ("rsync -a x/ ~/.local/state/snaphook/", VerdictKind::Deny),
        ("frob ~/.invented/hooks", VerdictKind::Deny),
        ("cp -r x ~/.invented", VerdictKind::Deny),
        ("git checkout x -- .snaphook.toml", VerdictKind::Deny),
        // Commands that could change a protected file, but are not known to.
        ("tar xf a.tar", VerdictKind::Pass),
        ("unzip a.zip", VerdictKind::Pass),
        ("7z x a.7z", VerdictKind::Pass),
        ("patch -p1 < p", VerdictKind::Pass),
        ("cpio -id < a", VerdictKind::Pass),
        ("git apply p", VerdictKind::Pass),
        ("git stash pop", VerdictKind::Pass),
        ("git pull", VerdictKind::Pass),
        ("git merge x", VerdictKind::Pass),
        ("rsync -a x/ .", VerdictKind::Pass),
        ("cp -a x/. .", VerdictKind::Pass),
        ("cp -r x ~", VerdictKind::Pass),
        ("chmod -R 000 .", VerdictKind::Pass),
        ("mount x ~", VerdictKind::Pass),
        ("hg update x", VerdictKind::Pass),
        ("cd sub && git checkout x", VerdictKind::Pass),
        ("cd $X && frob a *.c", VerdictKind::Allow),
        ("cd sub && git apply p", VerdictKind::Allow),
        ("python3 -m zipfile -e a.zip .", VerdictKind::Pass),
        ("ar x a", VerdictKind::Pass),
        // Reads, and writes elsewhere.
        ("cat .invented/settings.json", VerdictKind::Allow),
        ("grep -rn x .invented", VerdictKind::Allow),
        ("jq . .invented/settings.json", VerdictKind::Allow),
        ("git add .invented", VerdictKind::Allow),
        ("git diff -- .invented", VerdictKind::Allow),
        ("git rm --cached .invented/settings.json", VerdictKind::Allow),
        ("cp -r .invented/other /tmp/x", VerdictKind::Allow),
        ("tar czf /tmp/a.tgz .invented", VerdictKind::Allow),
        ("cp a .invented/other", VerdictKind::Allow),
        ("mkdir -p .invented", VerdictKind::Allow),
        ("tar xf a.tar -C out", VerdictKind::Allow),
        ("rm -rf target", VerdictKind::Allow),
        ("frob src ~/.config .", VerdictKind::Allow),
        ("snaphook try --policy ~/.config/snaphook/snaphook.toml ls", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&rules("", "", "'Bash', 'Edit', 'Read'"), &shell(line)), verdict, "{line}");
    }
}

#[test]
fn s10_without_a_working_directory_an_unpacked_file_may_be_protected() {
    for (line, verdict) in [
        ("tar xf a.tar", VerdictKind::Pass),
        ("git checkout x", VerdictKind::Pass),
        ("cp -rT x .invented", VerdictKind::Ask),
        ("tar xf a.tar -C /tmp/x", VerdictKind::Allow),
        ("cargo build", VerdictKind::Allow),
    ] {
        let mut event = shell(line);
        event.cwd = None;
        assert_eq!(kind(&rules("", "", "'Bash', 'Edit', 'Read'"), &event), verdict, "{line}");
    }
}

#[test]
fn s10_words_that_may_be_too_many_paths_are_too_large_to_analyse() {
    let many = |count: usize| format!("frob {}", vec!["a"; count].join(" "));
    let allow = rules("", "", "'Bash'");
    assert_eq!(kind(&allow, &shell(&many(4000))), VerdictKind::Allow);
    assert_eq!(kind(&allow, &shell(&many(5000))), VerdictKind::Deny);
    assert_eq!(kind(&allow, &shell(&format!("{} .invented", many(5000)))), VerdictKind::Deny);
}

#[test]
fn s10_the_strictest_protect_key_applies() {
    let text = "[protect]\nsnaphook = 'ask'\nagents = 'deny'\n";
    assert_eq!(kind(text, &shell("tee .invented/settings.json")), VerdictKind::Deny);
    assert_eq!(kind(text, &shell("tee ~/.invented/hooks/x")), VerdictKind::Ask);
}

#[test]
fn s10_files_that_an_agent_runs_without_a_hook_are_protected_in_every_project() {
    let write = |path: &str| call("write", "{}", vec![Action::Write { path: path.into() }]);
    for (path, verdict) in [
        (".invented/skills/x/SKILL.md", VerdictKind::Ask),
        ("sub/.invented/skills", VerdictKind::Ask),
        ("~/.invented/skills/x", VerdictKind::Ask),
        ("~/.invented.json", VerdictKind::Ask),
        ("skills/x", VerdictKind::Allow),
        (".invented.json", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&rules("", "", "'Edit'"), &write(path)), verdict, "{path}");
    }
}

#[test]
fn s10_snaphook_commands_that_change_protection_are_denied_in_any_spelling() {
    let allow = rules("", "", "'Bash'");
    for line in [
        "snaphook trust --yes",
        "snaphook uninstall",
        "snaphook install --policy other.toml",
        "snaphook init",
        "snaphook import",
        "snaphook adopt",
        "snaphook unadopt",
        "echo y | snaphook trust",
        "/opt/bin/snaphook trust",
        "./target/debug/snaphook trust",
        "sn\"\"aphook trust",
        "env X=1 snaphook trust",
        "sudo -u me snaphook trust",
        "timeout 5 snaphook trust",
        "sh -c 'snaphook trust'",
        "xargs snaphook trust",
        "xargs -n1 snaphook",
        "find . -exec snaphook trust {} \\;",
        "snaphook $X",
        "eval 'snaphook trust'",
        "echo snaphook trust | sh",
        "python3 -c 'import os; os.system(\"snaphook trust\")'",
        "script -qc 'snaphook trust' /dev/null",
        "snaphook run -- snaphook trust",
        "if x; then snaphook trust; fi",
        "cd x && $(snaphook trust)",
    ] {
        assert_eq!(kind(&allow, &shell(line)), VerdictKind::Deny, "{line}");
    }
    for line in
        ["snaphook status", "snaphook try 'snaphook trust'", "git commit -m 'snaphook trust'", "echo snaphook trust"]
    {
        assert_eq!(kind(&allow, &shell(line)), VerdictKind::Allow, "{line}");
    }
    let typed = |text: &str| call("sh", "{}", vec![Action::ShellInput { text: text.into() }]);
    assert_eq!(kind(&allow, &typed("snaphook trust\n")), VerdictKind::Deny);
    let judgement = judged(&allow, &shell("snaphook trust"));
    assert_eq!(judgement.causes[0].rule, "protect.snaphook");
    let setting = |word: &str| format!("{allow}[protect]\nsnaphook = '{word}'\n");
    assert_eq!(kind(&setting("ask"), &shell("snaphook trust")), VerdictKind::Ask);
    assert_eq!(kind(&setting("off"), &shell("snaphook trust")), VerdictKind::Allow);
}

#[test]
fn s10_a_link_to_our_program_is_treated_as_our_program() {
    let dir = tempfile::tempdir().unwrap();
    let binary = dir.path().join("real");
    std::fs::write(&binary, "").unwrap();
    std::os::unix::fs::symlink(&binary, dir.path().join("other")).unwrap();
    let machine = TestMachine { program: Some(binary), ..TestMachine::default() };
    let policy = policy_on(&rules("", "", "'Bash'"), machine);
    for (name, verdict) in [("other", VerdictKind::Deny), ("real", VerdictKind::Deny), ("none", VerdictKind::Allow)] {
        let event = shell(&format!("{}/{name} trust", dir.path().display()));
        assert_eq!(judged_by(&policy, &event).verdict.kind(), verdict, "{name}");
    }
}

#[test]
fn s10_a_protected_file_that_find_gives_to_an_unknown_program_is_not_allowed() {
    for command in [
        "find .invented -name 'setting?.json' -exec frob {} +",
        "cd .invented && find . -name 'setting?.json' -exec frob {} +",
        "find .invented -name 'settings\\.j*' -exec frob --in={} \\;",
    ] {
        assert_ne!(kind(&rules("", "", "'Bash'"), &shell(command)), VerdictKind::Allow, "{command}");
    }
    let rust = "find . -name '*.rs' -exec frob {} +";
    assert_eq!(kind(&rules("", "", "'Bash'"), &shell(rust)), VerdictKind::Allow);
}

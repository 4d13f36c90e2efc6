//! Project files: which apply, and how far.

use snaphook_adapters::model::{Action, Command, ShellKind, VerdictKind};
use snaphook_policy::{Folders, OnFailure};

use super::super::{PROJECT_FILE, ProjectFile, ProjectScope, UserPolicy, project_files};
use super::{FixedDeciders, Stage};
use crate::decide::folders_of;
use crate::policy::LoadedPolicy;
use crate::skipped::skipped;
use crate::testing::{call, event, registry, shell};

#[test]
fn f4_an_untrusted_project_file_is_small_and_a_trusted_one_may_be_larger() {
    let stage = Stage::new("[failure]\npolicy = \"ask\"\n");
    let large = format!("[permissions]\ndeny = [\"Bash(rm *)\"]\n# {}\n", "x".repeat(64 << 10));
    stage.write("work/app/.snaphook.toml", &large);
    let fault = stage.load().unwrap_err();
    assert!(fault.errors[0].contains("larger than 64 KiB and not trusted"), "{fault}");
    assert_eq!(fault.on_failure, OnFailure::Ask);
    stage.trust();
    stage.load().unwrap();
    stage.write("work/app/.snaphook.toml", &format!("{large}#\n"));
    stage.load().unwrap_err();
    stage.write("work/app/.snaphook.toml", large.get(..64 << 10).unwrap());
    stage.load().unwrap();
}

#[test]
fn more_than_32_project_files_are_an_error() {
    let stage = Stage::new("[permissions]\n");
    let mut folder = String::from("work/app/sub");
    for _ in 0..33 {
        folder.push_str("/a");
        std::fs::create_dir_all(stage.home().join(&folder)).unwrap();
        stage.write(&format!("{folder}/.snaphook.toml"), "[permissions]\n");
    }
    let cwd = stage.home().join(&folder);
    let fault = LoadedPolicy::load(&stage.places, cwd.to_str(), &registry()).unwrap_err();
    assert!(fault.errors[0].contains("more than 32 project files"), "{fault}");
    LoadedPolicy::load(&stage.places, cwd.parent().unwrap().to_str(), &registry()).unwrap();
}

#[test]
fn a_working_directory_longer_than_any_path_is_an_error() {
    let stage = Stage::new("[permissions]\n");
    let fault = LoadedPolicy::load(&stage.places, Some(&"/a".repeat(500_000)), &registry()).unwrap_err();
    assert!(fault.errors[0].contains("working directory"), "{fault}");
}

/// The project files of a session in one directory below home for a call in another. `!` marks those that are applied in full.
fn files(stage: &Stage, session: &str, call: Option<&str>) -> Vec<String> {
    let at = |folder: &str| stage.home().join(folder).to_string_lossy().into_owned();
    let (session, call) = (at(session), call.map(at));
    let mut folders = Folders::at(Some(&session));
    folders.cwd = call.as_deref();
    let shown = |file: ProjectFile| {
        let folder = file.path.parent().and_then(|folder| folder.strip_prefix(stage.home()).ok()).unwrap().display();
        format!("{folder}{}", if file.scope == ProjectScope::Full { "!" } else { "" })
    };
    project_files(folders, &stage.places).into_iter().map(shown).collect()
}

fn with_files(folders: &[&str]) -> Stage {
    let stage = Stage::new("#");
    for folder in folders {
        std::fs::create_dir_all(stage.home().join(folder)).unwrap();
        stage.write(&format!("{folder}/{PROJECT_FILE}"), "#");
    }
    stage
}

#[test]
fn project_files_apply_in_full_up_to_the_repository_and_never_in_home() {
    let stage = with_files(&[".", "work", "work/app", "work/app/sub"]);
    let app = "work/app/sub";
    assert_eq!(files(&stage, app, Some(app)), ["work/app/sub!", "work/app!", "work"]);
    std::fs::remove_dir(stage.home().join("work/app/.git")).unwrap();
    assert_eq!(files(&stage, app, Some(app)), ["work/app/sub!", "work/app!", "work!"]);
    assert!(project_files(Folders::default(), &stage.places).is_empty());
    assert!(stage.dir.path().exists());
}

#[test]
fn a_new_repository_does_not_hide_project_files_above_it() {
    let stage = with_files(&["work/app"]);
    assert_eq!(files(&stage, "work/app/sub", Some("work/app/sub")), ["work/app!"]);
    std::fs::create_dir(stage.home().join("work/app/sub/.git")).unwrap();
    assert_eq!(files(&stage, "work/app/sub", Some("work/app/sub")), ["work/app"]);
    assert_eq!(files(&stage, "work/app", Some("work/app/sub")), ["work/app!"]);
}

#[test]
fn a_call_in_another_directory_only_adds_deny_and_ask_rules() {
    let stage = with_files(&["work/app", "work/app/sub", "other"]);
    assert_eq!(files(&stage, "work/app", Some("other")), ["work/app!", "other"]);
    assert_eq!(files(&stage, "work/app", Some("work/app/sub")), ["work/app!", "work/app/sub"]);
    assert_eq!(files(&stage, "work/app", None), ["work/app"], "the agent does not say where it works");
}

#[test]
fn a_server_notices_new_and_changed_project_files() {
    let stage = Stage::new("[permissions]\n");
    let user = UserPolicy::for_server(&std::sync::Arc::new(stage.places.clone()), &registry()).unwrap();
    let folder = stage.cwd();
    let mut event = shell("rm x");
    (event.project, event.cwd) = (Some(folder), None);
    let judged = || {
        let policy = LoadedPolicy::compose(&user, folders_of(&event), &registry()).unwrap();
        policy.judge(&event, &mut FixedDeciders).decision.verdict.kind()
    };
    assert_eq!(judged(), VerdictKind::Pass);
    stage.write("work/app/.snaphook.toml", "[permissions]\ndeny = ['Bash(rm *)']\n");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while judged() == VerdictKind::Pass {
        assert!(std::time::Instant::now() < until, "the file is not seen");
    }
    stage.write("work/app/.snaphook.toml", "[permissions]\nask = ['Bash(rm *)']\n");
    assert_eq!(judged(), VerdictKind::Ask);
    std::fs::remove_file(stage.home().join("work/app/.snaphook.toml")).unwrap();
    while LoadedPolicy::compose(&user, folders_of(&event), &registry()).is_err() {
        assert!(std::time::Instant::now() < until, "the file is still looked for");
    }
    assert_eq!(judged(), VerdictKind::Pass);
}

#[cfg(unix)]
#[test]
fn above_the_repository_only_files_of_the_user_apply() {
    let stage = with_files(&["work", "work/app"]);
    let other = |folder: &str| std::os::unix::fs::chown(stage.home().join(folder).join(PROJECT_FILE), Some(4711), None);
    if other("work").and_then(|()| other("work/app")).is_err() {
        skipped("files of other users: only root gives files away");
        return;
    }
    assert_eq!(files(&stage, "work/app/sub", Some("work/app/sub")), ["work/app!"]);
}

#[test]
fn a_directory_chosen_by_a_call_never_allows_anything() {
    let stage = Stage::new("[permissions]\n");
    let judged = |session: &str, cwd: &str, command: &str| {
        let at = |folder: &str| stage.home().join(folder).to_string_lossy().into_owned();
        let mut event = shell(command);
        (event.project, event.cwd) = (Some(at(session)), Some(at(cwd)));
        let user = UserPolicy::load(&stage.places, &registry()).unwrap();
        let policy = LoadedPolicy::compose(&user, folders_of(&event), &registry()).unwrap();
        policy.judge(&event, &mut FixedDeciders).decision.verdict.kind()
    };
    stage.write("work/app/.snaphook.toml", "[permissions]\ndeny = ['Bash(rm *)']\n");
    let text = "[permissions]\nallow = ['Bash(ls)']\nask = ['Bash(make *)']\n[shell]\nnot_understood = 'deny'\n";
    stage.write("work/app/sub/.snaphook.toml", text);
    stage.trust();
    assert_eq!(judged("work/app/sub", "work/app/sub", "ls"), VerdictKind::Allow);
    for (command, verdict) in [
        ("ls", VerdictKind::Pass),
        ("make x", VerdictKind::Ask),
        ("eval x", VerdictKind::Pass),
        ("rm x", VerdictKind::Deny),
    ] {
        assert_eq!(judged("work/app", "work/app/sub", command), verdict, "{command}");
    }
    assert_eq!(judged("work/app", "work", "rm x"), VerdictKind::Deny);
}

#[test]
fn a_call_does_not_change_the_project() {
    let stage =
        Stage::new("[permissions]\nallow = ['Edit(/**)']\ndeny = ['Edit(./config/**)']\nask = ['Delete(<outside>)']\n");
    std::fs::create_dir_all(stage.home().join("other/.git")).unwrap();
    let judged = |cwd: &str, action: Action| {
        let at = |folder: &str| stage.home().join(folder).to_string_lossy().into_owned();
        let mut event = call("write", "{}", vec![action]);
        (event.project, event.cwd) = (Some(at("work/app")), Some(at(cwd)));
        stage.load().unwrap().judge(&event, &mut FixedDeciders).decision.verdict.kind()
    };
    let write = |path: &str| Action::Write { path: path.into() };
    let delete = |path: &str| Action::Delete { path: path.into() };
    for (cwd, action, verdict) in [
        ("work/app", write("x"), VerdictKind::Allow),
        ("other", write("x"), VerdictKind::Pass),
        ("other", write("../work/app/x"), VerdictKind::Allow),
        ("other", write("../work/app/config/x"), VerdictKind::Deny),
        ("other", delete("x"), VerdictKind::Ask),
        ("work/app/sub", delete("../x"), VerdictKind::Allow),
    ] {
        assert_eq!(judged(cwd, action.clone()), verdict, "{cwd} {action:?}");
    }
}

#[test]
fn s10_tools_cannot_move_the_project_root() {
    let stage = Stage::new("[permissions]\nallow = ['Edit(/**)']\n");
    let judged = |session: &str, action: Action| {
        let session = stage.home().join(session).to_string_lossy().into_owned();
        let mut event = call("write", "{}", vec![action]);
        (event.project, event.cwd) = (Some(session.clone()), Some(session));
        stage.load().unwrap().judge(&event, &mut FixedDeciders).decision.verdict.kind()
    };
    let delete = |path: &str| Action::Delete { path: path.into() };
    let write = |path: &str| Action::Write { path: path.into() };
    assert_eq!(judged("work/app", delete(".git")), VerdictKind::Allow, "the only mark");
    std::fs::create_dir_all(stage.home().join("work/.git")).unwrap();
    assert_eq!(judged("work/app", delete(".git")), VerdictKind::Deny);
    assert_eq!(judged("work/app", write(".git/config")), VerdictKind::Allow);
    std::fs::create_dir_all(stage.home().join("free/in")).unwrap();
    assert_eq!(judged("free/in", write("../.git/HEAD")), VerdictKind::Deny);
    assert_eq!(judged("free/in", write(".git/HEAD")), VerdictKind::Allow);
    assert_eq!(judged("free/in", write("../x")), VerdictKind::Pass);
    stage.write("p.toml", "[permissions]\nallow = ['Bash', 'Edit(/**)']\n");
    let run =
        |command: &str| Action::Shell { command: Command::Text(command.into()), cwd: None, shell: ShellKind::Posix };
    // A revision or an archive may hold protected files, so that no rule allows them.
    assert_eq!(judged("work/app/sub", run("git checkout main")), VerdictKind::Pass);
    assert_eq!(judged("work/app/sub", run("tar -xf a.tar")), VerdictKind::Pass);
    for (session, command, denied) in [
        ("free/in", "git init ..", true),
        ("free/in", "git -C .. init", true),
        ("free/in", "mkdir ../.git", true),
        ("free/in", "git init", false),
        ("free/in", "git init sub", false),
        ("work/app", "git init ..", false),
        ("work/app/sub", "git init", true),
        ("work/app/sub", "mkdir -p .git/objects", true),
        ("work/app/sub", "git init new", false),
        ("work/app/sub", "git init ../new", false),
        ("work/app", "mv .git x", true),
        ("work/app", "rm -rf .git", true),
    ] {
        let verdict = if denied { VerdictKind::Deny } else { VerdictKind::Allow };
        assert_eq!(judged(session, run(command)), verdict, "{session}: {command}");
    }
}

#[cfg(unix)]
#[test]
fn the_target_of_an_untrusted_link_is_never_quoted() {
    let stage = Stage::new("[permissions]\n");
    let link = stage.home().join("work/app/.snaphook.toml");
    std::os::unix::fs::symlink("../../secret.toml", &link).unwrap();
    for text in ["[database]\npassword = 'x'\n", "password", "[permissions]\ndeny = ['Sesame(x)']\n", ""] {
        stage.write("secret.toml", text);
        let fault = stage.load().unwrap_err().to_string();
        assert!(fault.contains("~/work/app/.snaphook.toml: the target of this symbolic link"), "{fault}");
        assert!(!["database", "password", "Sesame", "secret"].iter().any(|word| fault.contains(word)), "{fault}");
    }
    stage.write("secret.toml", "[permissions]\ndeny = ['Bash(rm *)']\n");
    assert_eq!(stage.kind(&shell("rm x")), VerdictKind::Deny, "a policy is followed");
}

const PROJECT: &str = "[permissions]\ndeny = ['Bash(rm *)']\nallow = ['Bash(ls)', 'Edit(/sub/**)']\n\
    [[handler]]\nmatch = ['Bash(curl *)']\ncommand = ['judge']\n[shell]\nnot_understood = 'deny'\n\
    [failure]\nhandler = 'pass'\n";

#[test]
fn f4_an_untrusted_project_file_only_denies_and_asks() {
    let stage = Stage::new("[permissions]\n");
    stage.write("work/app/.snaphook.toml", PROJECT);
    assert_eq!(stage.kind(&shell("rm x")), VerdictKind::Deny);
    for command in ["ls", "curl x", "eval x"] {
        assert_eq!(stage.kind(&shell(command)), VerdictKind::Pass, "{command}");
    }
    let policy = stage.load().unwrap();
    let told = "~/work/app/.snaphook.toml is not trusted: 2 allow rules, 1 handler, [failure] and [shell] ignored; \
                `snaphook trust` shows it";
    assert_eq!(policy.notices(), [told]);
    assert_eq!(policy.judge(&event("start"), &mut FixedDeciders).decision.notice.as_deref(), Some(told));
    stage.write("work/app/.snaphook.toml", &PROJECT.replace("'Bash(ls)'", "'Bsh'"));
    assert!(stage.load().is_err(), "what does not count is checked all the same");
}

#[test]
fn f5_a_trusted_project_file_applies_in_full_except_for_user_only_tables() {
    let stage = Stage::new("[permissions]\n");
    stage.write("work/app/.snaphook.toml", PROJECT);
    stage.trust();
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Allow);
    assert_eq!(stage.kind(&shell("curl x")), VerdictKind::Deny);
    assert_eq!(stage.kind(&shell("eval x")), VerdictKind::Deny);
    let write = |path: &str| call("write", "{}", vec![Action::Write { path: path.into() }]);
    assert_eq!(stage.kind(&write("x")), VerdictKind::Allow, "`/sub` is below the file's own folder");
    assert_eq!(stage.kind(&write("../x")), VerdictKind::Pass);
    let policy = stage.load().unwrap();
    assert_eq!(policy.failures().handler, OnFailure::Deny);
    assert_eq!(
        policy.notices(),
        ["~/work/app/.snaphook.toml: [failure] ignored: only the user's own policy sets that"]
    );
    stage.write("p.toml", "[shell]\nnot_understood = 'ask'\n");
    assert_eq!(stage.kind(&shell("eval x")), VerdictKind::Ask, "where the user speaks the project does not");
    stage.write("work/app/.snaphook.toml", &format!("{PROJECT}# edited\n"));
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Pass, "an edit ends the trust");
}

#[test]
fn f5_a_project_sets_only_sandbox_keys_that_the_user_left_unset() {
    use snaphook_policy::{Launcher, Network};
    let stage = Stage::new("[sandbox]\nlauncher = 'landlock'\nnetwork = 'off'\nwrite = []\n");
    stage.write(
        "work/app/.snaphook.toml",
        "[sandbox]\nlauncher = 'bwrap'\nnetwork = 'on'\nrequired = false\nhide = []\nwrite = ['/']\nmatch = ['Bash(x)']\n",
    );
    let policy = stage.load().unwrap();
    let before = policy.sandbox(Some("invented")).unwrap();
    assert!(before.required && before.hide.is_none() && !before.of_project, "F4: not trusted");
    stage.trust();
    let policy = stage.load().unwrap();
    let sandbox = policy.sandbox(Some("invented")).unwrap();
    assert_eq!((sandbox.launcher, sandbox.network), (&Launcher::Landlock, Network::Off));
    assert!(!sandbox.required && sandbox.of_project);
    assert_eq!(sandbox.write.map(|(write, own)| (write.len(), own.is_some())), Some((0, false)));
    assert_eq!(sandbox.only.map(|(rules, own)| (rules.len(), own.is_some())), Some((1, true)));
    assert_eq!(sandbox.hide.map(|(hide, own)| (hide.len(), own.is_some())), Some((0, true)));
}

use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Change, Command, Decision, Detail, EventKind, HookEvent, Response, ShellKind, Target, ToolCall, Verdict,
    VerdictKind,
};
use snaphook_adapters::registry::Registry;

use crate::policy::testing::{call, done, event, registry, shell};
use crate::policy::{Deciders, Folders, Handler, Judgement, Places, Policy, PolicyFault, UserPolicy};

/// Answers each handler by its name and records the events it was shown.
#[derive(Default)]
struct ScriptedHandlers {
    decisions: Vec<(&'static str, Result<Decision, String>)>,
    shown: Vec<(String, String)>,
}

impl Deciders for ScriptedHandlers {
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String> {
        let seen = event.call().map_or_else(String::new, |call| call.input.as_str().to_owned());
        self.shown.push((handler.name.clone(), seen));
        let said = self.decisions.iter().find(|(name, _)| *name == handler.name);
        said.map_or_else(|| Ok(Decision::pass()), |(_, decision)| decision.clone())
    }

    fn respond(&mut self, command: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        match command.first().map(String::as_str) {
            Some("works") => Ok("from a command".to_owned()),
            _ => Err("exit 1".to_owned()),
        }
    }
}

pub(super) fn policy(text: &str) -> Policy {
    loaded(text, |places| UserPolicy::load(places, &registry()))
}

/// A policy as loaded by a long-lived server.
pub(super) fn policy_for_many(text: &str) -> Policy {
    loaded(text, |places| UserPolicy::for_many(&Arc::new(places.clone()), &registry()))
}

fn loaded(text: &str, load: impl Fn(&Places) -> Result<UserPolicy, PolicyFault>) -> Policy {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.toml");
    std::fs::write(&file, text).unwrap();
    let places = Places {
        policy: Some(file),
        home: Some("/h/u".into()),
        state: Some("/h/u/.local/state".into()),
        binary: Some("/opt/bin/snaphook".into()).into(),
        ..Places::default()
    };
    let loaded = load(&places).and_then(|user| Policy::compose(&user, Folders::default(), &registry()));
    loaded.unwrap_or_else(|fault| panic!("{fault}"))
}

fn judged(text: &str, event: &HookEvent) -> Judgement {
    judged_by(&policy(text), event)
}

pub(super) fn judged_by(policy: &Policy, event: &HookEvent) -> Judgement {
    policy.judge(event, &mut ScriptedHandlers::default())
}

pub(super) fn kind(text: &str, event: &HookEvent) -> VerdictKind {
    judged(text, event).decision.verdict.kind()
}

pub(super) fn rules(deny: &str, ask: &str, allow: &str) -> String {
    format!("[permissions]\ndeny = [{deny}]\nask = [{ask}]\nallow = [{allow}]\n")
}

fn handlers(names: &[&str]) -> String {
    let one = |name: &&str| format!("[[handler]]\nmatch = [\"PreTool\"]\ncommand = [\"{name}\"]\n");
    names.iter().map(one).collect::<Vec<_>>().concat()
}

const CHANGED: &str = r#"{"command":"rm x"}"#;

fn change(json: &str) -> Change {
    Change::optional(Target::Input, Raw::document(json))
}

#[test]
fn c1_only_calls_and_permission_questions_are_judged_by_rules() {
    let text = rules("'*'", "", "");
    assert_eq!(kind(&text, &shell("ls")), VerdictKind::Deny);
    for native in ["stop", "start", "prompt"] {
        assert_eq!(kind(&text, &event(native)), VerdictKind::Pass, "{native}");
    }
    assert_eq!(kind(&text, &done(&shell("ls"), "out")), VerdictKind::Pass);
}

#[test]
fn c2_every_action_of_a_call_is_judged_and_operands_are_watched() {
    let two = call("x", "{}", vec![Action::Write { path: "src/a".into() }, Action::Edit { path: ".env".into() }]);
    assert_eq!(kind(&rules("'Edit(.env)'", "", "'Edit(/src/**)'"), &two), VerdictKind::Deny);
    assert_eq!(kind(&rules("", "", "'Edit(/src/**)'"), &two), VerdictKind::Pass);
    assert_eq!(kind(&rules("'Read(.env)'", "", "'Bash(cat *)'"), &shell("cat .env")), VerdictKind::Deny);
    assert_eq!(kind(&rules("", "", "'Bash(cat *)'"), &shell("cat .env")), VerdictKind::Allow);
}

#[test]
fn c3_deny_then_ask_then_allow_and_the_first_in_the_file_is_named() {
    let judgement = judged(&rules("'Bash(git *)', 'Bash(git push *)'", "'Bash'", "'Bash'"), &shell("git push"));
    let cause = &judgement.causes[0];
    assert_eq!((cause.rule.as_str(), cause.line), ("Bash(git *)", Some(2)));
    assert_eq!(cause.action.as_deref(), Some("Bash: git push"));
    let reason = judgement.decision.verdict.reason();
    assert!(reason.starts_with("Bash(git *) denies (") && reason.ends_with("p.toml:2)"), "{reason}");
    assert_eq!(kind(&rules("", "'Bash'", "'Bash'"), &shell("ls")), VerdictKind::Ask);
    assert_eq!(kind(&rules("", "", ""), &shell("ls")), VerdictKind::Pass);
}

#[test]
fn g2_a_parameter_rule_looks_at_the_native_argument() {
    let text = rules("'Bash(run_in_background:true)'", "", "");
    assert_eq!(kind(&text, &shell("ls")), VerdictKind::Deny);
    let input = r#"{"command":"ls","run_in_background":false}"#;
    let shell = vec![Action::Shell { command: Command::Text("ls".into()), cwd: None, shell: ShellKind::Posix }];
    assert_eq!(kind(&text, &call("sh", input, shell.clone())), VerdictKind::Pass);
    assert_eq!(kind(&text, &call("sh", r#"{"command":"ls"}"#, shell.clone())), VerdictKind::Pass);
    let twice = call("sh", r#"{"run_in_background":false,"Run_In_Background":true}"#, shell);
    let judgement = judged(&text, &twice);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    assert!(judgement.decision.verdict.reason().starts_with("ambiguous input"));
}

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
fn s10_without_a_folder_whatever_is_unpacked_here_may_be_protected() {
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
fn s10_another_name_that_leads_to_our_program_is_our_program() {
    let dir = tempfile::tempdir().unwrap();
    let binary = dir.path().join("real");
    std::fs::write(&binary, "").unwrap();
    std::os::unix::fs::symlink(&binary, dir.path().join("other")).unwrap();
    let mut policy = policy(&rules("", "", "'Bash'"));
    Arc::make_mut(&mut policy.places).binary = Some(binary).into();
    for (name, verdict) in [("other", VerdictKind::Deny), ("real", VerdictKind::Deny), ("none", VerdictKind::Allow)] {
        let event = shell(&format!("{}/{name} trust", dir.path().display()));
        assert_eq!(policy.judge(&event, &mut ScriptedHandlers::default()).decision.verdict.kind(), verdict, "{name}");
    }
}

#[test]
fn s10_an_index_is_protected_wherever_the_trust_store_lies() {
    let mut policy = policy("[permissions]\n");
    Arc::make_mut(&mut policy.places).trust = Some("/elsewhere/trust.toml".into());
    for (path, verdict) in [
        ("/elsewhere/index/x", VerdictKind::Deny),
        ("/h/u/.local/state/snaphook/index/x", VerdictKind::Deny),
        ("/elsewhere/other", VerdictKind::Pass),
    ] {
        let event = call("write", "{}", vec![Action::Write { path: path.into() }]);
        let judgement = policy.judge(&event, &mut ScriptedHandlers::default());
        assert_eq!(judgement.decision.verdict.kind(), verdict, "{path}");
    }
}

#[test]
fn b4_a_command_that_a_deny_rule_could_match_is_not_allowed() {
    let text = rules("'Bash(git push *)'", "", "'Bash(git *)', 'Bash(echo *)', 'Bash(xargs *)'");
    for (command, verdict) in [
        ("git log \"$X\"", VerdictKind::Allow),
        ("git commit -m \"$(echo push)\"", VerdictKind::Allow),
        ("echo $X", VerdictKind::Allow),
        ("git log *", VerdictKind::Allow),
        ("git \"pu$X\"", VerdictKind::Pass),
        ("git pus[h] x", VerdictKind::Pass),
        ("xargs git", VerdictKind::Pass),
        // The input may add `--output=FILE`, and any file may be protected.
        ("xargs git log", VerdictKind::Pass),
        ("xargs git status", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn c4_a_response_to_any_action_answers_the_call_unless_a_rule_denies() {
    let fetch =
        |urls: &[&str]| call("fetch", "{}", urls.iter().map(|url| Action::Fetch { url: (*url).into() }).collect());
    let respond = "[[respond]]\nmatch = 'WebFetch(domain:x.org)'\ntext = 'no network'\nis_error = true\n";
    let judgement = judged(respond, &fetch(&["https://x.org/a"]));
    assert_eq!(judgement.decision.verdict, Verdict::Respond(Response::new("no network").error()));
    assert_eq!(kind(respond, &fetch(&["https://y.org", "https://x.org/a"])), VerdictKind::Respond);
    assert_eq!(kind(respond, &fetch(&["https://y.org"])), VerdictKind::Pass);
    let guarded = |deny, ask| format!("{}{respond}", rules(deny, ask, "'WebFetch'"));
    assert_eq!(kind(&guarded("", "'WebFetch'"), &fetch(&["https://x.org", "https://y.org"])), VerdictKind::Respond);
    assert_eq!(
        kind(&guarded("'WebFetch(domain:y.org)'", ""), &fetch(&["https://x.org", "https://y.org"])),
        VerdictKind::Deny
    );
    let part = "[[respond]]\nmatch = 'Bash(git push *)'\ntext = 'no'\n[[respond]]\nmatch = 'Read(.env)'\ntext = 'no'\n";
    let part = format!("{}{part}", rules("'Bash(rm *)'", "", "'Bash'"));
    for (command, verdict) in [
        ("git push", VerdictKind::Respond),
        ("true && git push && touch x", VerdictKind::Respond),
        ("sudo git push", VerdictKind::Respond),
        ("eval git push", VerdictKind::Respond),
        ("cat .env; echo x", VerdictKind::Respond),
        ("git push; rm x", VerdictKind::Deny),
        ("git log", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&part, &shell(command)), verdict, "{command}");
    }
    let denied = format!("{}{respond}", rules("'WebFetch(domain:*)'", "", ""));
    assert_eq!(kind(&denied, &fetch(&["https://x.org/a"])), VerdictKind::Deny);
    let works = "[[respond]]\nmatch = 'WebFetch'\ncommand = ['works']\n";
    assert_eq!(judged(works, &fetch(&["https://x.org"])).decision.verdict.reason(), "from a command");
    let fails = "[[respond]]\nmatch = 'WebFetch'\ncommand = ['fails']\n";
    assert_eq!(kind(fails, &fetch(&["https://x.org"])), VerdictKind::Deny);
    let missing = "[[respond]]\nmatch = 'WebFetch'\nfile = '/nowhere/at/all'\n";
    assert_eq!(kind(missing, &fetch(&["https://x.org"])), VerdictKind::Deny);
}

#[test]
fn c5_pass_is_silence_and_the_strictest_of_the_rest_counts() {
    use VerdictKind::{Abort, Allow, Ask, Deny, HardAbort, Pass, Respond};
    let reason = || "r".to_owned();
    let word = |kind: VerdictKind| -> Decision {
        match kind {
            Pass => Decision::pass(),
            Allow => Decision::allow(),
            Ask => Decision::ask(reason()),
            Deny => Decision::deny(reason()),
            Respond => Decision::respond(Response::new("t")),
            Abort => Verdict::Abort { reason: reason() }.into(),
            _ => Verdict::HardAbort { reason: reason() }.into(),
        }
    };
    let order = [Pass, Allow, Ask, Respond, Deny, Abort, HardAbort];
    let policy = policy(&handlers(&["one", "two"]));
    for (a, one) in order.iter().enumerate() {
        for (b, two) in order.iter().enumerate() {
            let mut say = ScriptedHandlers {
                decisions: vec![("one", Ok(word(*one))), ("two", Ok(word(*two)))],
                ..ScriptedHandlers::default()
            };
            let judgement = policy.judge(&shell("ls"), &mut say);
            assert_eq!(judgement.decision.verdict.kind(), order[a.max(b)], "{one:?} {two:?}");
        }
    }
}

#[test]
fn c5_a_handler_but_no_rule_may_allow_a_command_that_is_not_understood() {
    let text = format!("{}{}", rules("", "", "'Bash'"), handlers(&["one"]));
    assert_eq!(kind(&text, &shell("eval x")), VerdictKind::Pass);
    let mut say = ScriptedHandlers { decisions: vec![("one", Ok(Decision::allow()))], ..ScriptedHandlers::default() };
    assert_eq!(policy(&text).judge(&shell("eval x"), &mut say).decision.verdict.kind(), VerdictKind::Allow);
    let text = format!("{}{}", rules("'Bash(evil *)'", "", ""), handlers(&["one"]));
    assert_eq!(policy(&text).judge(&shell("eval evil"), &mut say).decision.verdict.kind(), VerdictKind::Deny);
}

#[test]
fn c6_a_part_without_an_allow_is_not_allowed_and_the_setting_applies_last() {
    let text = |word: &str| format!("{}[shell]\nnot_understood = \"{word}\"\n", rules("", "", "'Bash'"));
    assert_eq!(kind(&text("ask"), &shell("eval x")), VerdictKind::Ask);
    assert_eq!(kind(&text("deny"), &shell("eval x")), VerdictKind::Deny);
    assert_eq!(kind(&text("deny"), &shell("ls")), VerdictKind::Allow);
    let judgement = judged(&text("ask"), &shell("eval x"));
    assert_eq!(judgement.not_understood.as_deref(), Some("`eval`"));
    assert_eq!(judgement.causes[0].rule, "shell.not_understood");
}

#[test]
fn c7_rules_judge_the_change_of_a_handler_again() {
    let text = format!("{}{}", rules("'Bash(rm *)'", "", "'Bash(ls *)'"), handlers(&["one"]));
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::allow().change(change(CHANGED))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&text).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    assert!(judgement.decision.changes.is_empty());
    let other = r#"{"command":"cp a b"}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(other))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&text).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Pass, "nobody allowed the new command");
    assert_eq!(judgement.decision.changes, [change(other)]);
    let same = r#"{"command":"ls -la"}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(same))))],
        ..ScriptedHandlers::default()
    };
    assert_eq!(policy(&text).judge(&shell("ls"), &mut say).decision.verdict.kind(), VerdictKind::Allow);
    let answered = "[[respond]]\nmatch = 'Bash(cp *)'\ntext = 'no'\n";
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(other))))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(&format!("{text}{answered}")).judge(&shell("ls"), &mut say);
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Respond);
    let broken = r#"{"command":7}"#;
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(change(broken))))],
        ..ScriptedHandlers::default()
    };
    assert_eq!(policy(&text).judge(&shell("ls"), &mut say).decision.verdict.kind(), VerdictKind::Deny);
}

#[test]
fn v5_changes_are_a_pipeline_and_two_required_ones_a_failure() {
    let text = handlers(&["one", "two"]);
    let required = |json: &str| Change::required(Target::Input, Raw::document(json));
    let said = |one: Decision, two: Decision| {
        let mut say =
            ScriptedHandlers { decisions: vec![("one", Ok(one)), ("two", Ok(two))], ..ScriptedHandlers::default() };
        (policy(&text).judge(&shell("ls"), &mut say), say)
    };
    let (a, b) = (r#"{"command":"a"}"#, r#"{"command":"b"}"#);
    let (judgement, say) = said(
        Decision::pass().change(required(a)).context("one").notice("n1"),
        Decision::pass().change(change(b)).context("two").notice("n2"),
    );
    assert_eq!(say.shown[1], ("two".to_owned(), a.to_owned()), "the second sees what the first changed");
    assert_eq!(judgement.decision.changes, [required(b)]);
    assert_eq!(judgement.decision.context.as_deref(), Some("one\ntwo"));
    assert_eq!(judgement.decision.notice.as_deref(), Some("n1\nn2"));
    let (judgement, _) = said(Decision::pass().change(required(a)), Decision::pass().change(required(b)));
    assert_eq!(judgement.decision.verdict.kind(), VerdictKind::Deny);
    let (judgement, _) = said(Decision::pass().change(required(a)), Decision::pass().change(required(a)));
    assert_eq!(judgement.decision.changes, [required(a)]);
    let (plain, escaped) = (r#"{"command":"a>b"}"#, r#"{ "command" : "a\u003eb" }"#);
    let (judgement, _) = said(Decision::pass().change(required(plain)), Decision::pass().change(required(escaped)));
    assert_eq!(judgement.decision.changes, [required(plain)], "what says the same does not differ");
}

#[test]
fn c9_a_failure_has_its_class_and_is_never_weaker_than_a_verdict() {
    let failing = || ScriptedHandlers {
        decisions: vec![("one", Err("handler `one`: exit 1".to_owned()))],
        ..ScriptedHandlers::default()
    };
    for (class, verdict) in [("deny", VerdictKind::Deny), ("ask", VerdictKind::Ask), ("pass", VerdictKind::Pass)] {
        let text = format!("{}[failure]\nhandler = \"{class}\"\n", handlers(&["one"]));
        let judgement = policy(&text).judge(&shell("ls"), &mut failing());
        assert_eq!(judgement.decision.verdict.kind(), verdict);
        assert_eq!(judgement.remarks, ["handler `one`: exit 1"]);
        let text = format!("{}{text}", rules("'Bash(ls)'", "", ""));
        assert_eq!(policy(&text).judge(&shell("ls"), &mut failing()).decision.verdict.kind(), VerdictKind::Deny);
    }
    let text = "[[handler]]\nmatch = ['TurnEnd', 'PostTool']\ncommand = ['one']\n";
    assert_eq!(policy(text).judge(&event("stop"), &mut failing()).decision.verdict.kind(), VerdictKind::Pass);
}

#[test]
fn handlers_are_asked_by_kind_rule_and_agent() {
    let asked = |matches: &str, more: &str, event: &HookEvent| {
        let text = format!("[[handler]]\nmatch = {matches}\ncommand = [\"one\"]\n{more}");
        let mut say = ScriptedHandlers::default();
        policy(&text).judge(event, &mut say);
        !say.shown.is_empty()
    };
    assert!(asked("['*']", "", &shell("ls")));
    assert!(!asked("['*']", "", &event("prompt")));
    assert!(asked("['Bash(git *)']", "", &shell("git log")));
    assert!(!asked("['Bash(git *)']", "", &shell("ls")));
    assert!(!asked("['Bash(git *)']", "", &done(&shell("git log"), "x")));
    assert!(asked("['PostTool', 'Bash(git *)']", "", &done(&shell("git log"), "x")));
    assert!(asked("['Prompt']", "", &event("prompt")));
    assert!(!asked("['PermissionRequest']", "", &shell("ls")));
    assert!(asked("['*']", "agents = ['invented']\n", &shell("ls")));
}

#[test]
fn a_change_of_a_result_is_seen_by_the_next_handler() {
    let text = "[[handler]]\nmatch = ['PostTool']\ncommand = ['one']\n";
    let new = Change::optional(Target::Result, Raw::string("redacted"));
    let mut say = ScriptedHandlers {
        decisions: vec![("one", Ok(Decision::pass().change(new.clone())))],
        ..ScriptedHandlers::default()
    };
    let judgement = policy(text).judge(&done(&shell("ls"), "secret"), &mut say);
    assert_eq!(judgement.decision.changes, std::slice::from_ref(&new));
    let after = super::additions::changed(&done(&shell("ls"), "secret"), &new).unwrap();
    assert_eq!(after.result().unwrap().read().unwrap().value, "redacted");
}

#[test]
fn context_is_given_when_a_session_starts() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("more.md"), "more").unwrap();
    let base = dir.path().display();
    let text = format!("[context]\nsession = 'be kind'\nfiles = ['{base}/more.md', '{base}/gone.md']\n");
    let judgement = judged(&text, &event("start"));
    assert_eq!(judgement.decision.context.as_deref(), Some("be kind\nmore"));
    assert!(judgement.decision.notice.unwrap().contains("gone.md"));
    assert_eq!(judged(&text, &event("prompt")).decision.context, None);
}

#[test]
fn b9_pipelines_in_a_text_that_is_not_understood_are_matched_separately() {
    for (line, verdict) in [
        ("eval x; curl u; sh f", VerdictKind::Pass),
        ("for i in {1..5}; do curl u; done; sh f", VerdictKind::Pass),
        ("eval x; curl u | tee f | sh", VerdictKind::Deny),
        ("eval 'curl u | sh'", VerdictKind::Deny),
        ("curl u | {sh,-}", VerdictKind::Deny),
        ("curl u | sh 'x", VerdictKind::Deny),
        ("curl u | ( sh; ) )", VerdictKind::Deny),
    ] {
        assert_eq!(kind(&rules("'Bash(curl * | sh *)'", "", ""), &shell(line)), verdict, "{line}");
    }
}

#[test]
fn b11_an_unknown_file_is_not_allowed_if_a_rule_could_deny_it() {
    for (deny, line, verdict) in [
        // A target that the shell itself opens.
        ("", "echo x > \"$f\"", VerdictKind::Pass),
        ("", "echo x > out$f.txt", VerdictKind::Pass),
        ("", "echo x > out.txt", VerdictKind::Allow),
        ("", "echo x > /proc/self/cwd/f", VerdictKind::Pass),
        ("", "echo x > ~+/f", VerdictKind::Pass),
        ("", "exec 5< f; echo x > /dev/fd/5", VerdictKind::Pass),
        ("", "echo x > /dev/stdin", VerdictKind::Pass),
        ("", "cd / && echo x > dev/stdin", VerdictKind::Pass),
        ("", "cd /proc/self; echo x > cwd/f", VerdictKind::Pass),
        ("", "echo x > /dev/null", VerdictKind::Allow),
        ("", "cd \"$d\" && echo x > f", VerdictKind::Pass),
        ("", "cd sub && echo x > f", VerdictKind::Allow),
        ("", "time -p cd sub; echo x > f", VerdictKind::Pass),
        ("", "for i in 1 2; do cd ..; done; echo x > f", VerdictKind::Pass),
        ("", "ln -s keep.txt l; echo x > l", VerdictKind::Pass),
        ("", "ln -s keep.txt l", VerdictKind::Allow),
        // Operands, which need no rule.
        ("'Edit(keep.txt)'", "rm *.txt", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "rm *.o", VerdictKind::Allow),
        // The path in the rule may be a folder, and the expansion a path inside it.
        ("'Edit(keep.txt)'", "rm \"$f\".o", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "rm \"$f\"", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "ls | xargs rm", VerdictKind::Pass),
        ("'Edit(//etc/hosts)'", "find . -name '*.o' -exec rm {} \\;", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "find . -name '*.txt' -exec rm {} \\;", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "find . -size 0 -exec env rm {} +", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "cp sub/keep.txt .", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "cp -t out sub/keep.txt", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "cp sub/keep.txt out", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "cp -r sub/. .", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "mv a.txt b.txt", VerdictKind::Allow),
        ("'Edit(//w/app/sub/keep.txt)'", "rm -rf sub", VerdictKind::Pass),
        ("'Edit(//w/app/sub/keep.txt)'", "mv sub other", VerdictKind::Pass),
        ("'Edit(/**/keep.txt)'", "rm sub/*", VerdictKind::Pass),
        ("'Edit(/**/keep.txt)'", "rm sub/*.o", VerdictKind::Allow),
        ("'Edit(//w/app/sub/keep.txt)'", "rm -rf other", VerdictKind::Allow),
        ("'Read(.env)'", "rm -rf target", VerdictKind::Allow),
        ("'Read(.env)'", "rm *", VerdictKind::Allow),
        ("'Read(.env)'", "rm .e*", VerdictKind::Pass),
        ("'Read(.env)'", "cp src/*.rs out/", VerdictKind::Allow),
        ("'Read(.env)'", "cp -r src out", VerdictKind::Allow),
        ("'Read(.env)'", "cat \"$f\"", VerdictKind::Pass),
        ("'Read(.env)'", "for f in *.txt; do cat \"$f\"; done", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "mkdir \"$d\"", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "make CC='cp a keep.txt #'", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "tar -xf a.tar", VerdictKind::Pass),
        ("'Edit(//etc/**)'", "tar -xf a.tar && git checkout main", VerdictKind::Allow),
        ("'Edit(//etc/**)'", "tar -C /etc -xf a.tar", VerdictKind::Deny),
        ("'Edit(<outside>)'", "unzip a.zip -d /srv", VerdictKind::Pass),
        ("'Edit(<outside>)'", "unzip a.zip -d out", VerdictKind::Allow),
        ("'Edit(<keys>)'", "tar -C ~ -xf a.tar", VerdictKind::Pass),
        ("'Edit(<critical>)'", "git restore .", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "git checkout -- a.txt", VerdictKind::Allow),
        // A protected file, without a rule.
        ("", "sed -i s/a/b/ \"$f\"", VerdictKind::Pass),
        ("", "cp a .invented/*", VerdictKind::Pass),
        ("", "tee ?invented/settings.json", VerdictKind::Allow),
        ("", "rm .i*/settings.json", VerdictKind::Pass),
        ("", "rm *.o", VerdictKind::Allow),
        ("", "mkdir -p \"$d\"", VerdictKind::Allow),
        ("", "tar -xf a.tar", VerdictKind::Pass),
        ("", "tar -C out -xf a.tar", VerdictKind::Allow),
        ("", "git checkout main", VerdictKind::Pass),
        ("", "rm -rf .", VerdictKind::Pass),
        ("", "mv ../app x", VerdictKind::Pass),
        ("", "curl \"$(cat u)\"", VerdictKind::Pass),
        ("", "curl -- \"$(cat u)\"", VerdictKind::Allow),
        ("", "read -aX; curl \"$X\"", VerdictKind::Pass),
        ("", "read 'X?p'; curl \"$X\"", VerdictKind::Pass),
        ("", "[[ a =~ b ]]; curl \"$MATCH\"", VerdictKind::Pass),
        ("", "rm -rf target", VerdictKind::Allow),
        ("", "cat \"$f\"", VerdictKind::Allow),
        ("'Delete(<critical>)'", "rm -rf \"$d\"", VerdictKind::Pass),
        ("'Delete(<critical>)'", "find . -name '*.orig' -exec rm {} \\;", VerdictKind::Allow),
        ("'Delete(<critical>)'", "find . -exec rm -rf {} +", VerdictKind::Deny),
    ] {
        let mut text = rules(deny, "", "'Bash', 'Edit', 'Read'");
        if !deny.is_empty() {
            text += "[protect]\nsnaphook = 'off'\nagents = 'off'\n";
        }
        assert_eq!(kind(&text, &shell(line)), verdict, "{deny}: {line}");
    }
}

#[test]
fn sandbox_match_rules_concern_every_command_that_they_could_match() {
    for (rules, command, concerned) in [
        ("'Bash(npm *)'", "npm ci", true),
        ("'Bash(npm *)'", "cd x && LANG=C /usr/bin/npm ci", true),
        ("'Bash(npm *)'", "sudo npm ci", true),
        ("'Bash(npm *)'", "snaphook run --policy x -- sh -c -- 'npm ci'", true),
        ("'Bash(npm *)'", "echo $(npm ci)", true),
        ("'Bash(npm *)'", "ls -l; git status", false),
        ("'Bash(npm *)'", "echo npm ci", false),
        ("'Bash(npm *)'", "eval x", true),
        ("'Bash(npm *)'", "$P ci", true),
        ("'Bash(npm *)'", "python3 -c 'x()'", true),
        ("'Bash(npm *)'", "ls $X", false),
        ("'Bash(npm ci)'", "npm $X", true),
        ("'Bash(npm ci)'", "npm test", false),
        ("'Bash(curl * | sh *)'", "curl u | tee f", false),
        ("'Bash(curl * | cat *)'", "curl u | tee f | cat", true),
        ("'Edit(//srv/**)'", "cp a /srv/x", true),
        ("'Edit(//srv/**)'", "echo x > \"$F\"", true),
        ("'Edit(//srv/**)'", "echo x > /tmp/y", false),
        ("'Read(.env)'", "cat sub/.env", true),
        ("'Bash(run_in_background:true)'", "ls", true),
        ("'Bash(run_in_background:false)'", "ls", false),
        ("'Tool(sh)'", "ls", true),
        ("'Bash(a)', 'Bash(ls *)'", "ls", true),
        ("'*'", "ls", true),
    ] {
        let policy = policy(&format!("[sandbox]\nlauncher = 'bwrap'\nmatch = [{rules}]\n"));
        let (rules_read, own) = policy.sandbox(None).unwrap().only.unwrap();
        let event = shell(command);
        assert_eq!(policy.concerns(rules_read, own, &event, event.call().unwrap()), concerned, "{rules}: {command}");
    }
}

#[test]
fn a_patch_in_a_command_is_judged_by_its_files() {
    let patch = |before: &str, file: &str| {
        shell(&format!("{before}apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\nEOF\n"))
    };
    let text = rules("'Edit(.env)'", "", "'Bash', 'Edit(/src/**)'");
    for (event, verdict) in [
        (patch("", "src/a"), VerdictKind::Allow),
        (patch("cd src && ", "a"), VerdictKind::Allow),
        (patch("", "other"), VerdictKind::Pass),
        (patch("", ".env"), VerdictKind::Deny),
        (patch("cd sub && ", ".env"), VerdictKind::Deny),
        (patch("", "/h/u/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("cd /h/u/.config && ", "snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("cd \"$X/h\" && ", "u/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("", ".invented/settings.json"), VerdictKind::Ask),
        (shell("apply_patch < p"), VerdictKind::Pass),
    ] {
        assert_eq!(kind(&text, &event), verdict, "{:?}", event.call().unwrap().actions);
    }
    let refused = judged(&text, &patch("cd \"$X\" && ", "a"));
    assert!(refused.decision.verdict.reason().starts_with("ambiguous input: the `cd` before the patch"));
}

#[test]
fn v6_deny_and_ask_match_the_likely_actions_of_an_unknown_tool() {
    let registry = Registry::standard();
    let agents = |id: &str| registry.get(id).unwrap().agent();
    let unknown = |id: &str, name: &str, input: &str| {
        let agent = agents(id);
        let call = ToolCall::new(name, Raw::document("{}"), Vec::new());
        let call = call.with_input(agent, Raw::document(input)).unwrap();
        let row = agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.cwd = Some("/w/app".to_owned());
        event.detail = Detail::Tool(call);
        event
    };
    let text = rules(
        "'Bash(rm *)', 'Read(~/.ssh/**)', 'Edit(.env)', 'WebFetch(domain:x.org)'",
        "'Bash(git push *)'",
        "'Bash', 'Read', 'Edit', 'WebFetch', 'mcp__s__ok'",
    );
    for (name, input, verdict) in [
        ("frob", r#"{"command":"rm -rf /"}"#, VerdictKind::Deny),
        ("frob", r#"{"cmd":"ls; rm x"}"#, VerdictKind::Deny),
        ("frob", r#"{"script":"git push"}"#, VerdictKind::Ask),
        ("frob", r#"{"command":["sudo","rm","x"]}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"rm","args":["x"]}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"eval rm"}"#, VerdictKind::Deny),
        ("frob", r#"{"command":"ls > .env"}"#, VerdictKind::Deny),
        ("frob", r#"{"path":"~/.ssh/id"}"#, VerdictKind::Deny),
        ("frob", r#"{"file_path":"sub/.env"}"#, VerdictKind::Deny),
        ("frob", r#"{"path":"/h/u/.config/snaphook/snaphook.toml"}"#, VerdictKind::Deny),
        ("frob", r#"{"url":"https://x.org/"}"#, VerdictKind::Deny),
        ("mcp__s__ok", r#"{"command":"rm x"}"#, VerdictKind::Deny),
        // Such a match never allows the call.
        ("frob", r#"{"command":"ls"}"#, VerdictKind::Pass),
        ("frob", r#"{"path":"a"}"#, VerdictKind::Pass),
        ("mcp__s__ok", r#"{"command":"ls"}"#, VerdictKind::Allow),
        ("mcp__s__ok", r#"{"script":"Once (upon a time"}"#, VerdictKind::Allow),
        // Other cases.
        ("frob", r#"{"command":7,"path":{"a":"~/.ssh/id"},"url":null,"cmd":[["rm"]],"script":""}"#, VerdictKind::Pass),
        ("frob", r#"{"inner":{"command":"rm x"}}"#, VerdictKind::Pass),
    ] {
        assert_eq!(kind(&text, &unknown("claude-code", name, input)), verdict, "{name} {input}");
    }
    for id in ["picoclaw", "codex", "docker-agent", "hygge"] {
        let name = if id == "hygge" { "shell" } else { "bash" };
        let event = unknown(id, name, r#"{"command":"rm -rf /"}"#);
        assert_eq!(kind(crate::policy::STARTER, &event), VerdictKind::Deny, "{id}");
    }
}

/// A home folder that contains a project, and a policy for both.
struct TestHome(tempfile::TempDir);

impl TestHome {
    fn new() -> Self {
        let shelf = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(shelf.0.path().join("w/app/sub")).unwrap();
        shelf
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// With `None`, the starter policy is used.
    fn judged(&self, text: Option<&str>, agent: &str, tool: &str, input: &str) -> Judgement {
        let registry = Registry::standard();
        let agent = registry.get(agent).unwrap().agent();
        let call = ToolCall::new(tool, Raw::document("{}"), Vec::new());
        let row = agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.cwd = Some(self.0.path().join("w/app/sub").to_str().unwrap().to_owned());
        event.detail = Detail::Tool(call.with_input(agent, Raw::document(input)).unwrap());
        let policy = text.map(|text| {
            self.file("p.toml", text);
            self.0.path().join("p.toml")
        });
        let places = Places { policy, home: Some(self.0.path().to_owned()), ..Places::default() };
        let policy = Policy::load(&places, None, &registry).unwrap_or_else(|fault| panic!("{fault}"));
        policy.judge(&event, &mut ScriptedHandlers::default())
    }

    fn kind(&self, text: &str, tool: &str, input: &str) -> VerdictKind {
        self.judged(Some(text), "claude-code", tool, input).decision.verdict.kind()
    }
}

#[test]
fn the_shell_lines_of_a_skill_are_judged_as_commands() {
    let shelf = TestHome::new();
    shelf.file("w/app/.claude/skills/quiet/SKILL.md", "---\nname: quiet\n---\nNothing runs.\n");
    shelf.file("w/app/.claude/skills/status/SKILL.md", "State: !`git status`\n```!\nls -l\n```\n");
    shelf.file("w/app/.claude/skills/push/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/commands/fix/one.md", "!`git push`");
    shelf.file("w/app/sub/.claude/skills/other/SKILL.md", "---\nname: 'titled'\n---\n!`git push`");
    shelf.file(".claude/skills/home/SKILL.md", "!`git push`");
    shelf.file(".claude/plugins/cache/m/p/1/skills/plugged/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/asks/SKILL.md", "Look at $ARGUMENTS.");
    shelf.file("w/app/.claude/skills/fills/SKILL.md", "!`git $ARGUMENTS`");
    shelf.file("w/app/.claude/skills/numbers/SKILL.md", "!`git $1`");
    shelf.file("w/app/.claude/skills/bangs/SKILL.md", "!$ARGUMENTS");
    shelf.file("w/app/.claude/skills/bang/SKILL.md", "!$0");
    shelf.file("w/app/low/.claude/skills/quiet/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/hooks/SKILL.md", "---\nhooks:\n  PreToolUse: []\n---\n");
    shelf.file(".agents/skills/push/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/quiet/more.md", "!`git push`");
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)', 'Bash(git status)', 'Bash(ls *)'");
    for (tool, input, verdict) in [
        ("Skill", r#"{"skill":"quiet"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"status"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"PUSH"}"#, VerdictKind::Deny),
        ("Skill", r#"{"command":"push"}"#, VerdictKind::Deny),
        ("SlashCommand", r#"{"command":"/fix:one now"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"titled"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"home"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"p:plugged"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"asks","args":"src"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"asks","args":"!`git push`"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"quiet","args":["!`git push`"]}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"fills","args":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"numbers","args":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"bangs","args":"`git push`"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"bang","args":"'`git push`'"}"#, VerdictKind::Deny),
        // A folder below has a skill of the same name, or one that was not found.
        ("Skill", r#"{"skill":"low:quiet"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"elsewhere:quiet"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"hooks"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"absent"}"#, VerdictKind::Deny),
        ("Skill", "{}", VerdictKind::Deny),
    ] {
        assert_eq!(shelf.kind(&text, tool, input), verdict, "{tool} {input}");
    }
    for (tool, input, verdict) in [
        ("read_skill", r#"{"name":"push"}"#, VerdictKind::Deny),
        ("run_skill", r#"{"name":"home","task":"t"}"#, VerdictKind::Deny),
        ("read_skill_file", r#"{"skill_name":"quiet","path":"more.md"}"#, VerdictKind::Deny),
        ("read_skill", r#"{"name":"quiet"}"#, VerdictKind::Pass),
    ] {
        let judgement = shelf.judged(Some(&text), "docker-agent", tool, input);
        assert_eq!(judgement.decision.verdict.kind(), verdict, "{tool} {input}");
    }
}

#[test]
fn a_skill_that_cannot_be_read_is_never_allowed_and_guarded_by_every_rule_about_commands() {
    let shelf = TestHome::new();
    let absent = r#"{"skill":"absent"}"#;
    for (text, verdict) in [
        (rules("'Bash(git push *)'", "", ""), VerdictKind::Deny),
        (rules("'Bash'", "", ""), VerdictKind::Deny),
        (rules("", "'Bash(git push *)'", "'Tool(Skill)'"), VerdictKind::Ask),
        (rules("'Edit(.env)'", "", "'Tool(Skill)', 'Bash'"), VerdictKind::Pass),
        (format!("{}[shell]\nnot_understood = 'ask'\n", rules("", "", "'Tool(Skill)'")), VerdictKind::Ask),
        // A policy that is long enough to have an index.
        (rules(&format!("{}'Bash(git push *)'", "'Bash(a b c)', ".repeat(300)), "", ""), VerdictKind::Deny),
    ] {
        assert_eq!(shelf.kind(&text, "Skill", absent), verdict, "{text:.120}");
    }
    let reason = shelf.judged(Some(&rules("'Bash(git push *)'", "", "")), "claude-code", "Skill", absent);
    let reason = reason.decision.verdict.reason();
    assert!(reason.ends_with("it could match the commands of skill `absent`: its file was not found"), "{reason}");
    assert_eq!(shelf.judged(None, "claude-code", "Skill", absent).decision.verdict.kind(), VerdictKind::Pass);

    let denies = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    shelf.file("w/app/.claude/skills/large/SKILL.md", &"x".repeat((1 << 20) + 1));
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"large"}"#), VerdictKind::Deny);
    let fifo = shelf.0.path().join("w/app/.claude/skills/fifo");
    std::fs::create_dir_all(&fifo).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fifo.join("SKILL.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"fifo"}"#), VerdictKind::Deny);
    // A link that makes a folder contain itself does not cause an endless search.
    std::os::unix::fs::symlink("..", shelf.0.path().join("w/app/.claude/skills/loop")).unwrap();
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"none"}"#), VerdictKind::Deny);
}

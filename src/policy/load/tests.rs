use std::path::Path;
use std::time::SystemTime;

use super::{PROJECT_FILE, ProjectFile, ProjectScope, UserPolicy, project_files};
use crate::policy::testing::{call, event, registry, shell};
use crate::policy::{Deciders, Folders, Handler, OnFailure, Places, Policy, PolicyFault, trust};
use snaphook_adapters::model::{Action, Command, Decision, HookEvent, ShellKind, VerdictKind};

struct FixedDeciders;

impl Deciders for FixedDeciders {
    fn handler(&mut self, handler: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Ok(Decision::deny(format!("{} was asked", handler.name)))
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("no command".to_owned())
    }
}

/// A temporary home directory with a policy and a project.
struct Stage {
    dir: tempfile::TempDir,
    places: Places,
}

impl Stage {
    fn new(policy: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        std::fs::create_dir_all(home.join("work/app/.git")).unwrap();
        std::fs::create_dir_all(home.join("work/app/sub")).unwrap();
        let places = Places {
            policy: Some(home.join("p.toml")),
            trust: Some(home.join("state/trust.toml")),
            home: Some(home),
            ..Places::default()
        };
        let stage = Self { dir, places };
        stage.write("p.toml", policy);
        stage
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.home().join(name), text).unwrap();
    }

    fn home(&self) -> &Path {
        self.places.home.as_deref().unwrap()
    }

    fn cwd(&self) -> String {
        self.home().join("work/app/sub").to_string_lossy().into_owned()
    }

    fn load(&self) -> Result<Policy, PolicyFault> {
        Policy::load(&self.places, Some(&self.cwd()), &registry())
    }

    fn trust(&self) {
        for shown in trust::show(&self.places, Path::new(&self.cwd()), &registry()).unwrap() {
            trust::record(&self.places, &shown, SystemTime::now()).unwrap();
        }
    }

    fn kind(&self, event: &HookEvent) -> VerdictKind {
        let mut event = event.clone();
        (event.cwd, event.project) = (Some(self.cwd()), Some(self.cwd()));
        self.load().unwrap().judge(&event, &mut FixedDeciders).decision.verdict.kind()
    }
}

fn errors(policy: &str) -> String {
    let stage = Stage::new(policy);
    match stage.load() {
        Ok(_) => String::new(),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn f1_each_error_has_a_location_a_problem_and_a_remedy() {
    for (text, says) in [
        (
            "[permissions]\ndeny = ['Bsh']",
            "~/p.toml:2:9: permissions.deny[0]: unknown rule name `Bsh`; did you mean `Bash`?",
        ),
        (
            "[permissions]\nallow = [\n  '*']",
            "~/p.toml:3:3: permissions.allow[0]: `*` cannot be allowed; list the kinds: Bash, Read, Edit, WebFetch, \
             WebSearch, Agent, mcp__SERVER, Tool(name)",
        ),
        (
            "[permissions]\nallow = ['Bash(a && b)']",
            "~/p.toml:2:10: permissions.allow[0]: `Bash(a && b)` can never match: a rule speaks of one command; write \
             `Bash(a)` and `Bash(b)`",
        ),
        (
            "[permissions]\ndeny = ['Bash(command:rm *)']",
            "~/p.toml:2:9: permissions.deny[0]: `Bash(command:rm *)`: `command` cannot be matched as an argument; write \
             `Bash(rm *)`",
        ),
        (
            "[permissions]\ndeny = ['WebFetch(x.org)']",
            "~/p.toml:2:9: permissions.deny[0]: `WebFetch(x.org)` needs the prefix `domain:`; write `WebFetch(domain:x.org)`",
        ),
        ("[agent.invente.permissions]", "~/p.toml:1:8: agent.invente: unknown agent; did you mean `invented`?"),
        (
            "[[respond]]\nmatch = 'Bash'\ntext = 'a'\nfile = 'b'",
            "~/p.toml:1:1: respond[0]: expected exactly one of `text`, `file`, `command`",
        ),
        ("[permisions]", "~/p.toml:1:2: unknown key `permisions`; did you mean `permissions`?"),
        ("[permissions]\ndenny = []", "~/p.toml:2:1: permissions: unknown key `denny`; did you mean `deny`?"),
        (
            "[sandbox]",
            "~/p.toml:1:2: sandbox: missing `launcher`; expected \"landlock\", \"bwrap\", or an array with `{}`",
        ),
        (
            "[sandbox]\nlauncher = 'docker'",
            "~/p.toml:2:12: sandbox.launcher: unknown value `docker`; expected \"landlock\"",
        ),
        (
            "[sandbox]\nlauncher = ['srt', '--']",
            "~/p.toml:2:12: sandbox.launcher: expected exactly one `{}` after the program",
        ),
        ("[sandbox]\nlauncher = ['{}']", "sandbox.launcher: expected exactly one `{}` after the program"),
        ("[sandbox]\nlauncher = []", "sandbox.launcher: missing program name"),
        (
            "[sandbox]\nlauncher = ['srt', '{}']\nnetwork = 'off'",
            "~/p.toml:3:1: sandbox.network: not supported with a custom launcher; configure the launcher itself",
        ),
        ("[sandbox]\nlauncher = 'bwrap'\nnetwork = true", "~/p.toml:3:11: sandbox.network: expected a string"),
        (
            "[sandbox]\nlauncher = 'bwrap'\nnetwork = 'none'",
            "sandbox.network: unknown value `none`; expected \"on\" or \"off\"",
        ),
        ("[sandbox]\nlauncher = 'bwrap'\nrequired = 1", "sandbox.required: expected `true` or `false`"),
        (
            "[sandbox]\nlauncher = 'bwrap'\nwrite = ['/a', 'src/*']",
            "~/p.toml:3:16: sandbox.write[1]: `src/*` is a glob",
        ),
        (
            "[sandbox]\nlauncher = 'bwrap'\nwrite = ['../x']",
            "sandbox.write[0]: `../x` contains `..`; write the resolved path",
        ),
        (
            "[sandbox]\nlauncher = 'bwrap'\nwrite = ['<keys>']",
            "sandbox.write[0]: `<keys>`: unknown set; only `<keys>` is supported",
        ),
        ("[sandbox]\nlauncher = 'bwrap'\nhide = ['<disks>']", "sandbox.hide[0]: `<disks>`: unknown set"),
        (
            "[sandbox]\nlauncher = 'bwrap'\nagents = ['invente']",
            "sandbox.agents: unknown agent; did you mean `invented`?",
        ),
        (
            "[sandbox]\nlauncher = 'bwrap'\nmatch = ['Bash', 'WebFetch']",
            "~/p.toml:3:18: sandbox.match[1]: `WebFetch` never matches a command; expected `Bash(…)` or a rule about files",
        ),
        ("[sandbox]\nlauncher = 'bwrap'\nmatch = ['Bsh']", "sandbox.match[0]: unknown rule name `Bsh`; did you mean"),
        ("[sandbox]\nlauncher = 'bwrap'\nmatch = []", "~/p.toml:3:9: sandbox.match: empty array; remove the key"),
        ("[sandbox]\nlauncher = 'bwrap'\nmatch = 'Bash'", "sandbox.match: expected an array of strings"),
        ("[sandbox]\nlaunch = 'bwrap'", "~/p.toml:2:1: sandbox: unknown key `launch`; did you mean `launcher`?"),
        ("[shell]\nnot_understood = 'al'", "~/p.toml:2:18: shell.not_understood: unknown value `al`"),
        (
            "[shell]\nharmless_env = ['LD_PRELOAD']",
            "shell.harmless_env: `LD_PRELOAD` can change the program that a command runs",
        ),
        ("[limits]\ninput = 0", "~/p.toml:2:9: limits.input: invalid size; expected a positive value such as `4096`"),
        (
            "[limits]\ninput = '64KB'",
            "limits.input: invalid size; expected a positive value such as `4096`, `\"64KiB\"` or `\"1MiB\"`",
        ),
        (
            "[[handler]]\nmatch = ['PreToll']\ncommand = ['x']",
            "handler[0].match[0]: unknown event kind `PreToll`; did you mean `PreTool`?",
        ),
        (
            "[[handler]]\nmatch = ['PreTool']",
            "~/p.toml:1:1: handler[0]: missing `command`; expected an array of strings",
        ),
        (
            "[[handler]]\nmatch = ['*']\nurl = 'http://x'\ncommand = ['x']",
            "handler[0].url: not supported; use `command`",
        ),
        (
            "[[handler]]\nmatch = ['*']\ncommand = ['x']\ndeadline = '0s'",
            "handler[0].deadline: invalid duration `0s`; expected a value such as `800ms` or `3s`",
        ),
        ("[handler]\nmatch = ['*']", "handler: expected an array of tables, written `[[handler]]`"),
        ("[permissions]\ndeny = 'Bash'", "permissions.deny: expected an array of strings"),
        ("[permissions]\ndeny = [1]", "permissions.deny[0]: expected a string"),
        (
            "[failure]\nhandler = 'maybe'",
            "failure.handler: unknown value `maybe`; expected \"deny\" or \"ask\" or \"pass\"",
        ),
        ("", "~/p.toml: empty file; write `[permissions]` for a policy without rules"),
        ("[permissions\n", "~/p.toml:1:13: "),
    ] {
        let found = errors(text);
        assert!(found.contains(says), "{text}\n{found}");
    }
}

#[test]
fn f1_all_errors_are_shown_at_once_and_at_most_ten() {
    let text = format!("[permissions]\ndeny = [{}]\n", "'Bsh', ".repeat(12));
    let shown = errors(&text);
    assert_eq!(shown.lines().count(), 11);
    assert!(shown.ends_with("… and 2 more"), "{shown}");
}

/// Creates a file of about this many bytes.
type Shape = fn(usize) -> String;

/// Each shape once took time or stack space that grew faster than the file.
#[test]
fn f1_a_file_of_errors_is_read_in_linear_time_and_at_most_twenty_are_collected() {
    let shapes: [(&str, Shape); 9] = [
        ("bad rules", |n| format!("[permissions]\ndeny = [\n{}]\n", "\"Bsh(x)\",\n".repeat(n / 10))),
        ("numbers for rules", |n| format!("[permissions]\ndeny = [\n{}]\n", "1,\n".repeat(n / 3))),
        ("unknown tables", |n| (0..n / 12).map(|i| format!("x{i}.y = 1\n")).collect::<Vec<_>>().concat()),
        ("no TOML", |n| "]=[\n".repeat(n / 4)),
        ("open arrays", |n| format!("a = {}", "[".repeat(n))),
        ("a deep key", |n| format!("a{} = 1\n", ".a".repeat(n / 2))),
        ("deep tables", |n| format!("a = {}", "{a=".repeat(n / 3))),
        ("one long key", |n| format!("{} = 1\n", "permission".repeat(n / 10))),
        ("one long rule", |n| format!("[permissions]\ndeny = [\"{}\"]\n", "Bsh".repeat(n / 3))),
    ];
    // CPU time of this thread, so that other programs do not affect it.
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        text.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let time = |text: String| {
        let started = spent();
        let places = Places::default();
        let errors = super::check(super::PolicySource::embedded(&text, "p.toml"), &places, &registry());
        assert!(errors.len() <= 20 && errors.iter().all(|error| error.len() < 600), "{}", errors.len());
        assert!(!errors.is_empty());
        spent() - started
    };
    for (what, shape) in shapes {
        let least = |size: usize| (0..3).map(|_| time(shape(size))).min().unwrap();
        let (small, large) = (least(32 << 10), least(512 << 10));
        // The file is 16 times as long; a quadratic algorithm would take 256 times as long.
        let most = small.max(1_000_000) * 80;
        assert!(large < most, "{what}: {small} ns, {large} ns");
    }
}

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
    let fault = Policy::load(&stage.places, cwd.to_str(), &registry()).unwrap_err();
    assert!(fault.errors[0].contains("more than 32 project files"), "{fault}");
    Policy::load(&stage.places, cwd.parent().unwrap().to_str(), &registry()).unwrap();
}

#[test]
fn a_working_directory_longer_than_any_path_is_an_error() {
    let stage = Stage::new("[permissions]\n");
    let fault = Policy::load(&stage.places, Some(&"/a".repeat(500_000)), &registry()).unwrap_err();
    assert!(fault.errors[0].contains("working directory"), "{fault}");
}

#[test]
fn f1_a_file_that_cannot_be_read_whole_is_a_failure_and_its_own_class_still_counts() {
    let stage = Stage::new("[failure]\npolicy = 'ask'\n[permisions]\n");
    assert_eq!(stage.load().unwrap_err().on_failure, OnFailure::Ask);
    stage.write("p.toml", "[failure]\npolicy = 'ask'\n");
    stage.write("work/app/.snaphook.toml", "nonsense");
    let fault = stage.load().unwrap_err();
    assert_eq!(fault.on_failure, OnFailure::Ask);
    assert!(fault.to_string().starts_with("~/work/app/.snaphook.toml:1:"), "{fault}");
    for (name, bytes) in [("big", vec![b'#'; (1 << 20) + 1]), ("odd", vec![0xff, 0xfe])] {
        let stage = Stage::new("#");
        std::fs::write(stage.home().join("p.toml"), bytes).unwrap();
        assert!(stage.load().is_err(), "{name}");
    }
    let mut stage = Stage::new("#");
    stage.places.policy = Some(stage.home().join("missing.toml"));
    assert!(stage.load().unwrap_err().to_string().contains("cannot be read"));
    stage.places.policy = Some(stage.home().to_owned());
    assert!(stage.load().unwrap_err().to_string().contains("is not a regular file"));
}

#[test]
fn f1_a_file_with_tables_and_no_rules_is_valid() {
    assert_eq!(Stage::new("[permissions]\n").kind(&shell("rm -rf x")), VerdictKind::Pass);
}

#[cfg(unix)]
#[test]
fn f2_a_policy_that_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new("[permissions]\n");
    std::fs::set_permissions(stage.home().join("p.toml"), std::fs::Permissions::from_mode(0o664)).unwrap();
    assert!(stage.load().unwrap_err().to_string().contains("chmod go-w"));
}

#[test]
fn the_first_existing_file_applies_else_the_starter_policy() {
    let mut stage = Stage::new("#");
    stage.places.policy = None;
    let loaded = UserPolicy::load(&stage.places, &registry()).unwrap();
    assert_eq!(stage.load().unwrap().origin(), "starter");
    assert!(loaded.is_current());
    std::fs::create_dir_all(stage.home().join(".config/snaphook")).unwrap();
    stage.write(".config/snaphook/snaphook.toml", "[permissions]\n");
    assert!(!loaded.is_current(), "a file came");
    let loaded = UserPolicy::load(&stage.places, &registry()).unwrap();
    assert_eq!(stage.load().unwrap().origin(), "~/.config/snaphook/snaphook.toml");
    assert!(loaded.is_current());
    stage.write(".config/snaphook/snaphook.toml", "[permissions]\ndeny = []\n");
    assert!(!loaded.is_current(), "it changed");
    stage.places.config = Some(stage.home().join("xdg"));
    std::fs::create_dir_all(stage.home().join("xdg/snaphook")).unwrap();
    stage.write("xdg/snaphook/snaphook.toml", "[permissions]\n");
    assert_eq!(stage.load().unwrap().origin(), "~/xdg/snaphook/snaphook.toml");
}

#[test]
fn f3_lists_add_up_and_a_deny_anywhere_wins() {
    let stage = Stage::new("[permissions]\nallow = ['Bash']\n[agent.invented.permissions]\nask = ['Bash(npm *)']\n");
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Allow);
    assert_eq!(stage.kind(&shell("npm i")), VerdictKind::Ask);
    stage.write("work/app/sub/.snaphook.toml", "[permissions]\nask = ['Bash(ls)']\n");
    stage.write("work/app/.snaphook.toml", "[permissions]\ndeny = ['Bash(ls)']\n");
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Deny);
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
    let user = UserPolicy::for_many(&std::sync::Arc::new(stage.places.clone()), &registry()).unwrap();
    let folder = stage.cwd();
    let mut event = shell("rm x");
    (event.project, event.cwd) = (Some(folder), None);
    let judged = || {
        let policy = Policy::compose(&user, Folders::from(&event), &registry()).unwrap();
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
    while Policy::compose(&user, Folders::from(&event), &registry()).is_err() {
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
        println!("SKIPPED: only root gives files away");
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
        let policy = Policy::compose(&user, Folders::from(&event), &registry()).unwrap();
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
fn warnings_name_mistakes_and_unsupported_settings() {
    let stage = Stage::new(
        "[permissions]\ndeny = ['Bash(git *)', 'Bash(git *)', 'Tool(x)', 'Bash(frobs:true)']\n\
         ask = ['Bash(git push)']\nallow = ['Bash(a:* b)']\n",
    );
    let warnings = stage.load().unwrap().warnings(&registry());
    assert_eq!(
        warnings,
        [
            "~/p.toml:2:24: warning: permissions.deny[1]: duplicate rule `Bash(git *)`",
            "~/p.toml:2:50: warning: permissions.deny[3]: `Bash(frobs:true)`: no known tool has an argument `frobs`",
            "~/p.toml:3:8: warning: permissions.ask[0]: `Bash(git push)` has no effect: a deny rule covers it",
            "~/p.toml:3:8: warning: permissions.ask: invented cannot ask the user: calls are denied instead",
            "~/p.toml:4:10: warning: permissions.allow[0]: `Bash(a:* b)`: `:*` is literal text unless it is at the end; write ` *` for a wildcard",
        ]
    );
}

#[test]
fn v8_a_sandbox_warns_about_agents_whose_own_rules_no_longer_match_commands() {
    let stage = Stage::new("[sandbox]\nlauncher = 'bwrap'\nwrite = ['/', '/tmp', '//tmp', '~/x', 'src']\n");
    let policy = stage.load().unwrap();
    let below = "warning: sandbox.write: `/tmp` is relative to the project; write `//tmp` for the absolute path";
    assert_eq!(
        policy.warnings(&registry()),
        [
            "~/p.toml:1:2: warning: sandbox: the shell of invented is unknown, so its commands are denied".to_owned(),
            format!("~/p.toml:1:2: {below}"),
        ]
    );
    let all = snaphook_adapters::registry::Registry::standard();
    let warnings = policy.warnings(&all).join("\n");
    assert!(warnings.contains("claude-code, hygge match their own allow, ask and deny rules"), "{warnings}");
}

#[test]
fn f5_a_project_sets_only_sandbox_keys_that_the_user_left_unset() {
    use crate::policy::sandbox::{Launcher, Network};
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

#[test]
fn settings_are_read_as_written() {
    let stage = Stage::new(
        "[limits]\ninput = '1MiB'\ncommand = 512\nreason = 0x40\n[audit]\nenabled = false\nfile = 'a.jsonl'\n\
         inputs = 'redacted'\n[failure]\naudit = 'required'\nunknown = 'deny'\n",
    );
    let policy = stage.load().unwrap();
    assert_eq!((policy.limits().input, policy.limits().command, policy.limits().reason), (1 << 20, 512, 64));
    assert_eq!(policy.limits().text, 8192);
    assert!(!policy.audit().enabled);
    assert_eq!(policy.audit().file.as_deref(), Some(stage.home().join("a.jsonl").as_path()));
    assert_eq!((policy.failures().audit, policy.failures().unknown), (OnFailure::Deny, OnFailure::Deny));
    assert_eq!(policy.digest().len(), 64);
}

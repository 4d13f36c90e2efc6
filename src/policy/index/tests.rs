use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use snaphook_adapters::model::{Action, Decision, HookEvent, McpName};

use super::{LONG, Unindexed, identities, place};
use crate::policy::testing::{call, file_patterns, registry, shell};
use crate::policy::{Deciders, Folders, Handler, Judgement, Places, Policy, UserPolicy};

struct NoHandlers;

impl Deciders for NoHandlers {
    fn handler(&mut self, _: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Ok(Decision::pass())
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("none".to_owned())
    }
}

/// A long policy in a temporary folder, with a state folder.
struct Stage {
    _dir: tempfile::TempDir,
    places: Arc<Places>,
}

impl Stage {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let places = Places {
            policy: Some(root.join("p.toml")),
            home: Some("/h/u".into()),
            state: Some(root.join("state")),
            binary: std::env::current_exe().ok().into(),
            ..Places::default()
        };
        std::fs::write(root.join("p.toml"), format!("{text}\n# {}\n", "x".repeat(2048))).unwrap();
        Self { _dir: dir, places: Arc::new(places) }
    }

    fn policy(&self) -> &Path {
        self.places.policy.as_deref().unwrap()
    }

    fn index(&self) -> PathBuf {
        place(self.policy(), &self.places).unwrap()
    }

    /// Writes the index without waiting until the change time is final.
    fn write_index(&self) {
        let user = UserPolicy::shared(&self.places, &registry()).unwrap();
        let found = std::fs::metadata(self.policy()).unwrap();
        let unindexed = Unindexed(identities(&found, &self.places).unwrap());
        unindexed.write_index(&user.file, &self.places, &registry());
    }

    fn for_call(&self) -> UserPolicy {
        UserPolicy::for_call(&self.places, &registry()).unwrap()
    }

    fn is_indexed(&self) -> bool {
        self.for_call().file.index.is_some()
    }
}

fn judged(user: &UserPolicy, event: &HookEvent) -> Judgement {
    Policy::compose(user, Folders::default(), &registry()).unwrap().judge(event, &mut NoHandlers)
}

#[rustfmt::skip]
const RULES: &[&str] = &[
    "*", "Bash", "Bash(git *)", "Bash(git push *)", "Bash(git push)", "Bash(git push origin main *)", "Bash(gitk *)",
    "Bash(git * push *)", "Bash(g*t *)", "Bash(* push)", "Bash(rm *)", "Bash(rm -rf *)", "Bash(/bin/rm *)",
    "Bash(~/bin/x *)", "Bash(/h/u/bin/x *)", "Bash(ls*)", "Bash(ls)", "Bash(cat \"a b\")", "Bash(curl * | sh *)",
    "Bash(sh *)", "Bash(evil,x *)", "Bash(evil *)", "Bash(a=b *)", "Bash(git:* push)", "Bash(python3 *)",
    "Bash(x *)", "Bash(env *)", "Bash(run_in_background:true)", "Read(model:x)",
    "Read", "Read(.env)", "Read(*.pem)", "Read(<keys>)", "Edit(src/**)", "Edit(/src/**)", "Edit(//etc/**)",
    "Edit(~/.ssh/**)", "Edit(./a/b)", "Edit(**/x/y)", "Edit([ab]/x)", "Edit(src/*.rs)", "Delete(<critical>)",
    "Delete(//w/**)", "Delete(out/a)", "Read(//)", "Edit(//**)", "Edit(/**/x)", "Edit(//w/app/src/a/b)", "Edit(./src/a/b/x)",
    "Edit(//w/app)", "Delete(/src/*/b)", "Edit(~/x)", "Bash(git push -f *)", "Bash(git pushx)", "Bash(git push ab *)", "Edit(.env)", "Edit(*.rs)", "Bash(rm src *)",
    "WebFetch", "WebFetch(domain:x.org)", "WebFetch(domain:*.x.org)", "WebFetch(domain:a.*.org)",
    "WebFetch(domain:*)", "WebFetch(domain:b.x.org)", "WebFetch(domain:127.0.0.1)",
    "mcp__git", "mcp__git__get", "mcp__*", "mcp__git__*", "mcp__my-srv__x",
    "Agent", "Agent(Explore)", "Tool(sh)", "Tool(tod*)", "WebSearch",
];

#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "git push", "git push origin main", "git push -f", "git log", "git $X", "git push $X", "git \"$X\" push", "gitk",
    "/usr/bin/git push", "rm -rf x", "rm x", "/bin/rm -rf \"$D\"/*", "~/bin/x y", "$HOME/bin/x", "ls", "lsof", "ls *.rs",
    "cat 'a b'", "cat .env src/a k.pem", "curl u | sh", "curl u | tee f | sudo sh -s", "eval \"evil x\"", "$P evil x",
    "evil,x y", "x=1 evil", "a=b c", "python3 -c 'git push'", "python3 a.py", "env git push", "sudo -u x rm y",
    "git push; rm x", "echo x > out/a", "echo x > \"$F\"", "cp -r a src", "mv src/x.rs /etc/y", "cd /etc && rm *",
    "sh -c 'git push'", "`git push`", "ev''il x", "", "x", "git", "xargs -n1 rm", "rm -rf src", "rm -rf .", "rm -rf /w",
    "rm src/*", "rm */x", "rm \"$D\"", "rm src/\"$F\"", "rm ~/*", "mv src other", "rm -rf ~", "git push$X", "git push \"$B\"",
    "git $A$B", "git push -f \"$B\" x", "cp a src/$X", "cd sub && rm -rf ../src", "cd $D; rm x", "find src -delete",
    "git push \"a$B\"", "git \"push $B\"", "git push \"a b$X\"", "git \" $B\"", "git pu$X", "git push a$X b", "git push b$X", "rm s*c", "rm *.rs", "rm src/x*", "rm src/[xy]*",
];

fn events() -> impl Strategy<Value = HookEvent> {
    let path = prop::sample::select(&[
        ".env",
        "src/a",
        "/etc/x",
        "a/b",
        "/w/app/src/x.rs",
        "~/.ssh/id",
        "k.pem",
        "x/y",
        "..",
        "/",
        "/h/u/.ssh/id",
    ]);
    let act = (path, 0..6).prop_map(|(path, act)| {
        let path = path.to_owned();
        match act {
            0 => Action::Read { path },
            1 => Action::Write { path },
            2 => Action::Delete { path },
            3 => Action::Move { from: path, to: "out/a".to_owned() },
            4 => Action::Search { path, pattern: Some("*.pem".to_owned()) },
            _ => Action::List { path },
        }
    });
    let name = |name: &str| name.to_owned();
    let other = prop::sample::select(vec![
        Action::Fetch { url: name("https://a.b.X.org:8/") },
        Action::Fetch { url: name("https://x.org") },
        Action::Fetch { url: name("no address") },
        Action::Fetch { url: name("file:///etc/x") },
        Action::Fetch { url: name("http://127.0.0.1/") },
        Action::Mcp(McpName::Split { server: name("git"), tool: name("get") }),
        Action::Mcp(McpName::Joined(name("my_srv_x"))),
        Action::Mcp(McpName::Bare(name("get"))),
        Action::Subagent { name: Some(name("Explore")) },
        Action::Subagent { name: None },
        Action::WebSearch { query: name("q") },
        Action::ShellInput { text: name("git push") },
        Action::Other,
    ]);
    let command = prop::sample::select(COMMANDS);
    let two = (command.clone(), prop::sample::select(&[" && ", " | ", "; ", "\n"]), command.clone());
    prop_oneof![
        3 => command.prop_map(shell),
        2 => two.prop_map(|(a, between, b)| shell(&format!("{a}{between}{b}"))),
        2 => prop::collection::vec(prop_oneof![act, other], 0..3)
            .prop_map(|actions| call("x", r#"{"model":"x","run_in_background":true}"#, actions)),
    ]
}

fn policies() -> impl Strategy<Value = String> {
    let list = |max: usize| prop::collection::vec(prop::sample::select(RULES), 0..max);
    let lists = (list(6), list(4), list(6), any::<bool>());
    let written = |(deny, ask, allow, wide): (Vec<&str>, Vec<&str>, Vec<&str>, bool)| {
        let one = |name: &str, rules: &[&str]| {
            let grants = |rule: &&&str| {
                name != "allow"
                    || !(rule.contains("mcp__*")
                        || rule.contains(" | ")
                        || rule.contains(":true")
                        || **rule == "*"
                        || rule.contains("model:"))
            };
            let between = if wide { ",\n  # why\n\n  " } else { ", " };
            let rules: Vec<_> = rules.iter().filter(grants).map(|rule| format!("'{rule}'")).collect();
            format!("{name} = [{}]\n", rules.join(between))
        };
        let all = if allow.len() > 3 { "Bash" } else { "Bash(x)" };
        one("deny", &deny) + &one("ask", &ask) + &one("allow", &[allow.as_slice(), &[all]].concat())
    };
    let rest = prop::sample::select(&[
        "",
        "[shell]\nnot_understood = 'ask'\n",
        "\n\n[[respond]]\nmatch = 'WebFetch'\ntext = 'no'\n",
        "[[handler]]\nmatch = ['Bash(git *)']\ncommand = ['x']\n",
    ]);
    (lists.clone().prop_map(written), lists.prop_map(written), rest, any::<bool>()).prop_map(
        |(all, own, rest, dotted)| {
            if dotted {
                let dotted: String = all.replace("deny =", "permissions.deny =");
                let dotted = dotted.replace("ask =", "permissions.ask =").replace("allow =", "permissions.allow =");
                format!("{dotted}[agent.invented.permissions]\n{own}{rest}")
            } else {
                format!("{rest}[agent.invented.permissions]\n{own}# between\n[permissions]\n{all}")
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// An index gives the same verdict, rule, line and record as the policy.
    #[test]
    fn an_index_judges_as_the_policy_does(
        text in policies(),
        events in prop::collection::vec(events(), 1..12),
    ) {
        let stage = Stage::new(&text);
        let whole = UserPolicy::shared(&stage.places, &registry()).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        stage.write_index();
        let indexed = stage.for_call();
        prop_assert!(indexed.file.index.is_some());
        let kept = UserPolicy::for_many(&stage.places, &registry()).unwrap();
        prop_assert!(kept.file.catalogue.is_some());
        for event in events {
            let wanted = format!("{:?}", judged(&whole, &event));
            for (user, how) in [(&indexed, "indexed"), (&kept, "kept")] {
                prop_assert_eq!(&wanted, &format!("{:?}", judged(user, &event)), "{}: {:?}\n{}", how, event.detail, text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The rules that could deny a command with unknown parts are found.
    #[test]
    fn what_could_be_denied_is_found(
        patterns in prop::collection::vec(file_patterns(), 1..4),
        commands in prop::collection::vec(r"(rm|rm -rf|mv src|cp -r) (/|~/|/w/|\./|\$D/)?[ab*]{0,2}(/(\$X|[ab*]{1,2})){0,3}", 1..12),
        cwd: bool,
    ) {
        let deny: Vec<_> = patterns.iter().map(|pattern| format!("'Edit({pattern})'")).collect();
        let stage = Stage::new(&format!("[permissions]\nallow = ['Bash']\ndeny = [{}]\n[protect]\nsnaphook = 'off'\nagents = 'off'\n", deny.join(", ")));
        let whole = UserPolicy::shared(&stage.places, &registry()).unwrap();
        stage.write_index();
        let (indexed, kept) = (stage.for_call(), UserPolicy::for_many(&stage.places, &registry()).unwrap());
        prop_assert!(indexed.file.index.is_some() && kept.file.catalogue.is_some());
        for command in &commands {
            let mut event = shell(command);
            event.cwd = event.cwd.filter(|_| cwd);
            let wanted = format!("{:?}", judged(&whole, &event));
            for user in [&indexed, &kept] {
                prop_assert_eq!(&wanted, &format!("{:?}", judged(user, &event)), "{} {:?}", command, patterns);
            }
        }
    }
}

const GIT: &str = "[permissions]\ndeny = ['Bash(git *)']\n";

#[test]
fn an_index_counts_for_the_file_alone_that_it_was_made_of() {
    let stage = Stage::new(GIT);
    assert!(!stage.is_indexed());
    stage.write_index();
    assert!(stage.is_indexed());
    let text = std::fs::read_to_string(stage.policy()).unwrap();
    // The same length and the same time of modification.
    let before = std::fs::metadata(stage.policy()).unwrap().modified().unwrap();
    std::fs::write(stage.policy(), text.replace("git", "svn")).unwrap();
    std::fs::File::open(stage.policy()).unwrap().set_modified(before).unwrap();
    assert!(!stage.is_indexed());
    assert_eq!(judged(&stage.for_call(), &shell("git x")).causes, []);
    stage.write_index();
    assert!(stage.is_indexed());
    std::fs::rename(stage.policy(), stage.policy().with_extension("old")).unwrap();
    std::fs::write(stage.policy(), text).unwrap();
    assert!(!stage.is_indexed());
    std::fs::set_permissions(stage.policy(), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(UserPolicy::for_call(&stage.places, &registry()).is_err());
}

#[test]
fn an_index_of_another_program_or_of_somebody_else_counts_for_nothing() {
    let stage = Stage::new(GIT);
    stage.write_index();
    let other = Places { binary: Some("/bin/sh".into()).into(), ..(*stage.places).clone() };
    assert!(UserPolicy::for_call(&Arc::new(other), &registry()).unwrap().file.index.is_none());
    let mode = |path: &Path, mode: u32| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let (index, folder) = (stage.index(), stage.index().parent().unwrap().to_owned());
    assert_eq!(std::fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600);
    for (path, good) in [(&index, 0o600), (&folder, 0o700)] {
        for bad in [good | 0o040, good | 0o002] {
            mode(path, bad);
            assert!(!stage.is_indexed(), "{bad:o}");
        }
        mode(path, good);
        assert!(stage.is_indexed());
    }
    std::fs::hard_link(&index, folder.join("twin")).unwrap();
    assert!(!stage.is_indexed());
    std::fs::remove_file(folder.join("twin")).unwrap();
    for path in [&index, &folder] {
        let moved = path.with_extension("moved");
        std::fs::rename(path, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, path).unwrap();
        assert!(!stage.is_indexed(), "{}", path.display());
        std::fs::remove_file(path).unwrap();
        std::fs::rename(&moved, path).unwrap();
    }
    assert!(stage.is_indexed());
}

#[test]
fn a_damaged_index_is_as_good_as_none() {
    let stage = Stage::new("[permissions]\ndeny = ['Bash(git *)', 'Bash(* x)', 'Read(.env)']\n");
    stage.write_index();
    let whole = std::fs::read(stage.index()).unwrap();
    let (git, env) = (shell("git push"), shell("cat .env; git x"));
    let wanted = [&git, &env].map(|event| format!("{:?}", judged(&stage.for_call(), event)));
    let check = |bytes: &[u8], what: usize| {
        if !stage.index().exists() {
            stage.write_index();
        }
        std::fs::write(stage.index(), bytes).unwrap();
        for (event, wanted) in [&git, &env].into_iter().zip(&wanted) {
            assert_eq!(format!("{:?}", judged(&stage.for_call(), event)), *wanted, "{what}");
        }
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        check(&bytes, at);
    }
    for cut in (0..whole.len()).step_by(7) {
        check(&whole[..cut], cut);
    }
    check(&[whole.clone(), vec![0]].concat(), whole.len());
    check(&vec![0; whole.len()], 0);
}

#[test]
fn recently_changed_and_short_policies_get_no_index() {
    let stage = Stage::new(GIT);
    assert!(!stage.for_call().needs_index(), "changed just now");
    stage.for_call().write_index(&registry());
    assert!(!stage.index().exists());
    std::thread::sleep(super::SETTLED);
    assert!(stage.for_call().needs_index());
    stage.for_call().write_index(&registry());
    assert!(stage.is_indexed());
    std::fs::write(stage.policy(), GIT).unwrap();
    stage.write_index();
    assert!((GIT.len() as u64) < LONG && !stage.is_indexed());
}

#[test]
fn no_tool_may_write_to_the_index() {
    let stage = Stage::new(GIT);
    let write = |path: &Path| call("write", "{}", vec![Action::Write { path: path.display().to_string() }]);
    stage.write_index();
    for event in [write(&stage.index()), write(&stage.index().with_extension("new"))] {
        assert_eq!(judged(&stage.for_call(), &event).causes[0].rule, "protect.snaphook");
    }
}

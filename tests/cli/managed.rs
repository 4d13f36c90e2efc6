//! The managed policy. Its place is fixed, so each test runs the program where `/etc` holds nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::place::{Place, Said, fixture};
use crate::skipped::skipped;

const USER: &str = "home/.config/snaphook/snaphook.toml";

/// A machine with a managed policy.
pub(crate) struct Managed {
    pub(crate) place: Place,
}

impl Managed {
    /// Returns `None` on a machine that cannot show another `/etc` to a program.
    pub(crate) fn with(policy: &str) -> Option<Self> {
        let works = Command::new("bwrap")
            .args(["--unshare-user", "--uid", "0", "--ro-bind", "/", "/", "--tmpfs", "/etc", "/bin/true"])
            .stderr(Stdio::null())
            .status();
        if !works.is_ok_and(|status| status.success()) {
            skipped("bwrap: no bubblewrap with user namespaces to put a managed policy in place with");
            return None;
        }
        let managed = Self { place: Place::new() };
        managed.place.file("etc/policy.toml", policy);
        managed.mode("etc", 0o755);
        managed.mode("etc/policy.toml", 0o644);
        Some(managed)
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn fed(&self, words: &[&str], input: &str) -> Said {
        self.fed_as("0", words, input)
    }

    /// Runs the program as a user to whom the files of this user belong.
    fn fed_as(&self, user: &str, words: &[&str], input: &str) -> Said {
        let (home, etc) = (self.place.at(""), self.place.at("etc"));
        let mut command = self.place.command("/usr/bin/bwrap");
        command.args([
            "--unshare-user",
            "--uid",
            user,
            "--gid",
            user,
            "--bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--tmpfs",
            "/etc",
        ]);
        command.args(["--ro-bind", &etc, "/etc/snaphook", "--bind", &home, &home]).arg(self.place.binary());
        Said::of(command.args(words).stdin(Stdio::piped()), input)
    }

    pub(crate) fn run(&self, words: &[&str]) -> Said {
        self.fed(words, "")
    }

    /// The verdict on a command for Claude Code.
    pub(crate) fn verdict(&self, command: &str) -> String {
        let said = self.run(&["try", command, "--agent", "claude-code", "--json"]);
        let shown: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        shown["agents"][0]["verdict"].as_str().unwrap().to_owned()
    }

    /// Answers a shell command of Codex.
    pub(crate) fn hook(&self, command: &str, more: &[&str]) -> Said {
        let message =
            fixture("codex", "pre_tool_use_bash").replace("echo hello > /home/user/lab/side; echo hello", command);
        self.fed(&[&["hook", "codex"], more].concat(), &message)
    }
}

#[test]
fn the_managed_policy_judges_what_a_handler_changed_in_monitor_mode() {
    let Some(managed) = Managed::with("[permissions]\nask = ['Bash(frob *)']\n") else { return };
    let change = r#"{"changes":[{"target":"input","value":{"action":"run","command":"frob x"}}]}"#;
    let answer = managed.place.file("home/answer.json", change);
    let handler = format!("[[handler]]\nmatch = ['PreTool']\ncommand = ['/bin/cat', '{answer}']\n");
    managed.place.file(USER, &format!("mode = 'monitor'\n{handler}"));
    let call = fixture("picoclaw", "before_tool_exec") + "\n";
    // PicoClaw cannot ask.
    managed.fed(&["hook", "picoclaw"], &call).says(0, &["deny_tool", "frob x"]);
}

#[test]
fn deny_and_ask_of_the_managed_policy_hold_beside_the_users() {
    let rules = "[permissions]\ndeny = ['Bash(frob *)']\nask = ['Bash(push *)']\nallow = ['Bash(ls *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    managed.place.file(
        USER,
        "[permissions]\nallow = ['Bash(frob *)', 'Bash(push *)', 'Bash(make *)']\n[protect]\nagents = 'off'\n",
    );
    for (command, verdict) in
        [("frob x", "deny"), ("push x", "ask"), ("ls x", "allow"), ("make x", "allow"), ("x", "pass")]
    {
        assert_eq!(managed.verdict(command), verdict, "{command}");
    }
    managed.hook("frob x", &[]).says(2, &["`frob x` is denied by Bash(frob *) (/etc/snaphook/policy.toml:2)"]);
    // Another user policy on the registered line changes nothing.
    let other = managed.place.file("other.toml", "[permissions]\nallow = ['Bash']\n");
    managed.hook("frob x", &["--policy", &other]).says(2, &["/etc/snaphook/policy.toml:2"]);
    let shown = managed.run(&["policy", "show"]);
    shown.says(0, &["policy: /etc/snaphook/policy.toml (managed)\npolicy: ~/.config/snaphook/snaphook.toml\n"]);
    shown.says(0, &["deny   Bash(frob *)      /etc/snaphook/policy.toml:2\n"]);
    managed.run(&["try", "ls"]).says(0, &["policy: /etc/snaphook/policy.toml, ~/.config/snaphook/snaphook.toml\n"]);
    managed.run(&["doctor"]).says(0, &["/etc/snaphook/policy.toml, ~/.config/snaphook/snaphook.toml is read"]);
    managed.place.file("home/.claude/settings.json", "{}");
    managed.run(&["status"]).says(1, &["managed policy: /etc/snaphook/policy.toml\n"]);
    let checked = managed.run(&["policy", "check"]);
    checked.says(
        1,
        &["`Bash(frob *)` has no effect: `Bash(frob *)` (/etc/snaphook/policy.toml:2) denies every such call"],
    );
    managed
        .run(&["try", "-v", "--tool", "Write", "--path", "/etc/snaphook/policy.toml"])
        .says(0, &["claude-code: deny"]);
}

#[test]
fn only_managed_forbids_other_files() {
    let rules = "only_managed = true\n[permissions]\ndeny = ['Bash(frob *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    managed.place.file(USER, "[permissions]\nallow = ['Bash(ls *)']\nthis is broken\n");
    managed.place.file("project/.snaphook.toml", "[permissions]\nask = ['Bash(ls *)']\n");
    assert_eq!((managed.verdict("frob x"), managed.verdict("ls x")), ("deny".to_owned(), "pass".to_owned()));
    managed.hook("ls x", &["--policy", "/no/such/file"]).says(0, &[]);
    let shown = managed.run(&["policy", "show"]);
    shown.says(0, &["policy: /etc/snaphook/policy.toml (managed)\n\n"]);
    // The key means nothing elsewhere.
    let place = Place::new();
    place.file(USER, rules);
    place.run(&["policy", "check"]).says(1, &["snaphook.toml: `only_managed` is read only in the managed policy"]);
}

#[test]
fn a_setting_of_the_managed_policy_is_fixed() {
    let rules = "[failure]\npolicy = 'deny'\n[audit]\nfile = '~/fixed.jsonl'\n[limits]\ncommand = 64\n[sandbox]\nlauncher = \
                 ['wrap', '{}']\nrequired = false\n";
    let Some(managed) = Managed::with(rules) else { return };
    let user = "[failure]\npolicy = 'pass'\nunknown = 'deny'\n[audit]\nenabled = true\nfile = '~/mine.jsonl'\nkeep_days = 1\n[limits]\ncommand = 99\n";
    managed.place.file(USER, user);
    // The registered line cannot turn the log off.
    managed.hook("ls x", &["--no-audit"]).says(0, &[]);
    assert!(managed.place.path("home/fixed.jsonl").exists() && !managed.place.path("home/mine.jsonl").exists());
    let said = managed.run(&["policy", "show"]);
    let rows: Vec<_> = said.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for row in [
        "failure.policy = 'deny' /etc/snaphook/policy.toml:2",
        "failure.policy = 'pass' ~/.config/snaphook/snaphook.toml:2 ignored: set above",
        "failure.unknown = 'deny' ~/.config/snaphook/snaphook.toml:3",
        "audit.file = '~/mine.jsonl' ~/.config/snaphook/snaphook.toml:6 ignored: set above",
        "audit.keep_days = 1 ~/.config/snaphook/snaphook.toml:7 ignored: beside a managed policy it may not be weaker than the default",
        "sandbox.required = false /etc/snaphook/policy.toml:9",
    ] {
        assert!(rows.iter().any(|line| line == row), "{row}\n{rows:#?}");
    }
    // A lower limit of the user would leave a command unread.
    managed.place.file("etc/policy.toml", "[permissions]\ndeny = ['Bash(frob *)']\n[failure]\npolicy = 'deny'\n");
    managed.place.file(USER, "[limits]\nnodes = 1\ncommand = 1\ndepth = 1\n[failure]\ndeadline = 'pass'\n");
    assert_eq!(managed.verdict("(true; (true; fr'o'b x))"), "deny");
    // A broken user policy is denied, as the managed policy says.
    managed.place.file(USER, "[failure]\npolicy = 'pass'\n[permisions]\n");
    managed.hook("ls x", &[]).says(2, &["policy cannot be read"]);
}

#[test]
fn no_setting_of_the_user_takes_denials_of_the_managed_policy_away() {
    let rules = "[permissions]\ndeny = ['Bash(frob *)']\n";
    let Some(managed) = Managed::with(rules) else { return };
    let passes = "[failure]\ninput = 'pass'\npolicy = 'pass'\ndeadline = 'pass'\nunknown = 'pass'\n";
    for (more, says) in [
        ("[limits]\ninput = 1\n", "`frob x` is denied by Bash(frob *)"),
        ("[permisions]\n", "policy cannot be read"),
        ("[permissions]\nallow = ['Frob(']\n", "policy cannot be read"),
    ] {
        managed.place.file(USER, &format!("{passes}{more}"));
        managed.hook("frob x", &[]).says(2, &[says]);
    }
    managed.place.file(USER, passes);
    managed.place.file("project/.snaphook.toml", "[permissions]\ndeny = ['Frob(']\n");
    managed.hook("frob x", &[]).says(2, &["policy cannot be read"]);
    managed.place.file("project/.snaphook.toml", "[permissions]\n");
    // A stricter answer of the user counts.
    managed.place.file(USER, "[failure]\nunknown = 'deny'\npolicy = 'pass'\n[limits]\ninput = 1\n");
    let shown = managed.run(&["policy", "show"]);
    shown.says(0, &[]);
    let rows: Vec<_> = shown.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let weaker = "ignored: beside a managed policy it may not be weaker than the default";
    for row in [
        "failure.unknown = 'deny' ~/.config/snaphook/snaphook.toml:2".to_owned(),
        format!("failure.policy = 'pass' ~/.config/snaphook/snaphook.toml:3 {weaker}"),
        format!("limits.input = 1 ~/.config/snaphook/snaphook.toml:5 {weaker}"),
    ] {
        assert!(rows.contains(&row), "{row}\n{rows:#?}");
    }
}

#[test]
fn no_file_changes_the_sandbox_of_the_managed_policy() {
    let Some(managed) = Managed::with("[sandbox]\nlauncher = ['wrap', '{}']\n") else { return };
    managed.place.file(USER, "[sandbox]\nlauncher = ['true', '{}']\nagents = []\nrequired = false\n");
    // The shell of Codex is not known here, and a required sandbox denies what it cannot wrap.
    managed.hook("ls x", &[]).says(2, &["commands have to run in the sandbox"]);
    managed.run(&["policy", "show"]).says(0, &["ignored: the managed policy describes the sandbox"]);
}

#[test]
fn a_managed_policy_that_cannot_be_used_denies() {
    let Some(managed) = Managed::with("[failure]\npolicy = 'pass'\n[permissions]\nalow = []\n") else { return };
    managed.place.file(USER, "[failure]\npolicy = 'pass'\n[permissions]\nallow = ['Bash']\n");
    managed.hook("ls x", &[]).says(2, &["/etc/snaphook/policy.toml:4:1: permissions: unknown key `alow`"]);
    managed.run(&["doctor"]).says(1, &["/etc/snaphook/policy.toml:4:1", "denied until the policy is fixed"]);
    managed.run(&["policy", "show"]).says(2, &["/etc/snaphook/policy.toml:4:1"]);
    managed.place.file("etc/policy.toml", "[permissions]\n");
    managed.hook("ls x", &[]).says(0, &[]);
    for (name, mode, says) in [
        ("etc/policy.toml", 0o664, "managed policy: /etc/snaphook/policy.toml: only root may own and write this file"),
        ("etc", 0o777, "managed policy: /etc/snaphook/policy.toml: only root may own and write its folder"),
    ] {
        managed.mode(name, mode);
        managed.hook("ls x", &[]).says(2, &[says]);
        managed.mode(name, if name == "etc" { 0o755 } else { 0o644 });
    }
    // It belongs to the user, who is not root.
    managed
        .fed_as("1000", &["try", "ls x"], "")
        .says(2, &["only root may own and write this file", "the policy is invalid"]);
    managed.hook("ls x", &[]).says(0, &[]);
    fs::remove_file(managed.place.path("etc/policy.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", managed.place.path("etc/policy.toml")).unwrap();
    managed.hook("ls x", &[]).says(2, &["managed policy: /etc/snaphook/policy.toml: cannot be read"]);
}

#[test]
fn no_variable_and_no_option_moves_the_managed_policy() {
    let place = Place::new();
    let file = place.file("etc/snaphook/policy.toml", "[permissions]\ndeny = ['Bash']\n");
    let folder = place.at("etc");
    let mut command = place.command(place.binary());
    for name in ["XDG_CONFIG_DIRS", "ProgramData", "SNAPHOOK_MANAGED", "SNAPHOOK_ETC"] {
        command.env(name, &folder);
    }
    let said = Said::of(command.args(["try", "ls", "-v", "--agent", "codex"]), "");
    assert!(said.says(0, &["codex: pass"]).out.starts_with("policy: starter\n"), "{said:?} {file}");
}

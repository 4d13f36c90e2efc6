//! Errors of policy files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_policy::OnFailure;

use super::super::{AgentNames, LocalMachine, PolicyFile, PolicySource};
use super::Stage;
use crate::testing::registry;

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
            "~/p.toml:2:10: permissions.allow[0]: `Bash(a && b)` can never match: a rule matches one command; write \
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
            "[[handler]]\nmatch = ['*']\nhttp = 'http://x'",
            "handler[0].http: would send events to another machine without encryption; use `https://`, or set `allow_plain_http = true`",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'http://127.0.0.1.x.org/'",
            "handler[0].http: would send events to another machine",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'http://x'\nallow_plain_http = 1",
            "handler[0].allow_plain_http: expected",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'https://u:p@x/'",
            "handler[0].http: has a name or a password; use `token_file` or `token_env`",
        ),
        (
            "[audit]\notlp = 4318",
            "audit.otlp: expected an address such as `http://collector:4318`, or a table with `url`",
        ),
        ("[audit]\notlp = 'collector:4318'", "audit.otlp: invalid address `collector:4318`; expected one such as"),
        ("[audit]\notlp = 'http://u:p@x/'", "audit.otlp: has a name or a password; use `token_file` or `token_env`"),
        ("[audit]\notlp = {}", "audit.otlp: expected `url`, such as `https://collector.example.org:4318`"),
        ("[audit]\notlp = { url = 'https://x', tokenfile = 'y' }", "audit.otlp: unknown key `tokenfile`; did you mean"),
        (
            "[audit]\notlp = { url = 'http://x', token_env = 'T' }",
            "audit.otlp.url: would send the token to another machine without encryption; use `https://`, or set",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'ftp://x/'",
            "handler[0].http: invalid address `ftp://x/`; expected one such as",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'https://x'\ncommand = ['x']",
            "handler[0]: expected exactly one of `command`, `http`, `opa`",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'https://x'\nspeaks = 'invented'",
            "handler[0]: a handler with `speaks` is a program; expected `command`",
        ),
        (
            "[[handler]]\nmatch = ['*']\nhttp = 'https://x'\ntoken_file = 'a'\ntoken_env = 'A'",
            "handler[0].token_env: expected only one of `token_file` and `token_env`",
        ),
        (
            "[[handler]]\nmatch = ['*']\ncommand = ['x']\ntoken_file = 'a'",
            "handler[0].token_file: has a meaning only with `http` or `opa`",
        ),
        ("[[handler]]\nmatch = ['*']\nopa = 'https://x'", "handler[0].opa: expected a table"),
        (
            "[[handler]]\nmatch = ['*']\nopa = { url = 'https://x' }",
            "handler[0].opa: expected `url` and `path`, such as",
        ),
        (
            "[[handler]]\nmatch = ['*']\nopa = { url = 'http://10.0.0.1', path = 'a' }",
            "handler[0].opa.url: would send events",
        ),
        (
            "[[handler]]\nmatch = ['*']\nopa = { url = 'https://x', path = 'a/../b' }",
            "handler[0].opa.path: invalid path `a/../b`; expected the path of a rule",
        ),
        (
            "[[handler]]\nmatch = ['*']\nopa = { url = 'https://x', path = 'a', port = 1 }",
            "handler[0].opa: unknown key `port`",
        ),
        (
            "[[handler]]\nspeaks = 'inventd'\ncommand = ['x']",
            "handler[0].speaks: unknown agent; did you mean `invented`?",
        ),
        (
            "[[handler]]\nspeaks = 'invented'\nevents = ['promt']\ncommand = ['x']",
            "handler[0].events: invented has no event `promt`; did you mean `prompt`?",
        ),
        (
            "[[handler]]\nmatch = ['PreTool']\nmatcher = 'Bash'\ncommand = ['x']",
            "handler[0].matcher: has a meaning only with `speaks`",
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
        let machine = LocalMachine::new(&Arc::default(), &registry());
        let source = PolicySource::new(Path::new("p.toml"), PathBuf::from("/"), "p.toml".to_owned(), text);
        let errors = PolicyFile::read(source, &machine, &AgentNames::new(&registry()))
            .map_or_else(|fault| fault.errors, |_| Vec::new());
        assert!(errors.len() <= 20 && errors.iter().all(|error| error.len() < 600), "{}", errors.len());
        assert!(!errors.is_empty());
        spent() - started
    };
    for (what, shape) in shapes {
        let least = |size: usize| (0..3).map(|_| time(shape(size))).min().unwrap();
        let (small, large) = (least(32 << 10), least(512 << 10));
        // The file is 16 times as long; a quadratic algorithm would take 256 times as long.
        let most = small.max(1_000_000) * 120;
        assert!(large < most, "{what}: {small} ns, {large} ns");
    }
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

//! Tests that the cost of a call grows at most linearly with its length.

use std::time::Duration;

use snaphook_adapters::model::{Action, Command, HookEvent, McpName, ShellKind, VerdictKind};
use snaphook_shell::Budget;

use super::tests::{judged_by, left, policy, rules};
use crate::Policy;
use crate::testing::{call, folders, seen, shell};

/// The processor time used by this thread.
fn used() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// The steps that judging a call takes.
fn steps(policy: &Policy, event: &HookEvent) -> usize {
    let facts = policy.facts(folders(event));
    assert!(facts.judging(true).rules(&seen(event)).is_ok());
    left(&Budget::default()) - left(facts.context.budget())
}

/// The minimum cost of judging a call, over several runs.
fn cost(policy: &Policy, event: &HookEvent, times: usize) -> Duration {
    let once = |_| {
        let begun = used();
        judged_by(policy, event);
        used().saturating_sub(begun)
    };
    (0..times).map(once).min().unwrap()
}

/// Repeats a text up to a length.
fn fill(text: &str, length: usize) -> String {
    text.repeat(length / text.len())
}

/// Repeats a text between two others, up to a length.
fn between(before: &str, text: &str, after: &str, length: usize) -> String {
    format!("{before}{}{after}", fill(text, length.saturating_sub(before.len() + after.len())))
}

/// Nests as often as the length allows.
fn nest(open: &str, middle: &str, close: &str, length: usize) -> String {
    let times = length.saturating_sub(middle.len()) / (open.len() + close.len());
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

/// Distinct numbered texts.
fn each(length: usize, one: impl Fn(usize) -> String) -> String {
    let mut all = String::new();
    for at in 0.. {
        let next = one(at);
        if all.len() + next.len() > length {
            break;
        }
        all.push_str(&next);
    }
    all
}

type CallShape = (&'static str, fn(usize) -> String);

#[rustfmt::skip]
const COMMANDS: &[CallShape] = &[
    ("words", |n| fill("a ", n)),
    ("one word", |n| format!("a {}", fill("b", n - 2))),
    ("commands", |n| fill("a;", n)),
    ("allowed commands", |n| fill("ls;", n)),
    ("different commands", |n| each(n, |at| format!("git x{at};"))),
    ("open commands", |n| fill("git $X;", n)),
    ("different open commands", |n| each(n, |at| format!("git $X y{at};"))),
    ("lines", |n| fill("ls\n", n)),
    ("pipes", |n| format!("{}a", fill("a|", n))),
    ("and", |n| format!("{}a", fill("a&&", n))),
    ("deep path with a variable", |n| between("rm -rf ", "a/", "$X", n)),
    ("deep path with a glob", |n| between("rm -rf ", "a/", "*", n)),
    ("deep path", |n| between("rm -rf ", "a/", "b", n)),
    ("deep path of dots", |n| between("rm -rf a", "/..", "/b", n)),
    ("paths that end with dots", |n| between("rm -rf ", "a/b/.. ", "", n)),
    ("deep path behind several cd", |n| between("cd a||cd b||cd c||cd d||cd e||cd f||cd g; cat ", "a/", "b", n)),
    ("operands behind several cd", |n| between("cd a||cd b||cd c||cd d||cd e||cd f||cd g; rm ", "a/b ", "b", n)),
    ("cd", |n| fill("cd a;", n)),
    ("cd and cd", |n| format!("{}cat x", fill("cd a&&", n))),
    ("cd and cd and files", |n| format!("{}cat x", fill("cd a&&>b&&", n))),
    ("cd or cd", |n| format!("{}cat x", fill("cd a||", n))),
    ("different cd", |n| each(n, |at| format!("cd a{at}||"))+ "cat x"),
    ("cd and operand", |n| fill("cd a;cat b;", n)),
    ("stars and folders", |n| between("rm ", "**/", "x", n)),
    ("stars", |n| between("rm ", "*", "x", n)),
    ("stars and letters", |n| between("rm ", "*a", "x", n)),
    ("long step with a star", |n| between("rm ", "a", "*b", n)),
    ("brackets", |n| between("rm ", "[", "", n)),
    ("brackets and one that closes", |n| between("rm ", "[", "]", n)),
    ("classes", |n| between("rm ", "[a-z]", "", n)),
    ("question marks", |n| between("rm ", "?/", "", n)),
    ("braces", |n| between("echo ", "{a,b}", "", n)),
    ("files with braces that run", |n| between("touch x", "{a,b}", "*; sh x.sh", n)),
    ("ranges", |n| between("echo ", "{1..99999}", "", n)),
    ("open braces", |n| between("echo ", "{", "", n)),
    ("tildes", |n| between("ls ", "~/", "", n)),
    ("tilde words", |n| between("ls ", "~ ", "", n)),
    ("home", |n| between("rm ", "$HOME/", "x", n)),
    ("variables", |n| between("rm ", "$X", "", n)),
    ("variables and slashes", |n| between("rm ", "$X/", "", n)),
    ("open parameters", |n| fill("${", n)),
    ("parameters", |n| between("echo ", "${a}", "", n)),
    ("odd parameters", |n| between("echo ", "${a!b}", "", n)),
    ("odd parameters far from their end", |n| between("echo ", "${a!", "}", n)),
    ("substitutions", |n| between("echo ", "$(a)", "", n)),
    ("open substitutions", |n| fill("$(", n)),
    ("nested substitutions", |n| nest("$(", "a", ")", n)),
    ("backquotes", |n| between("echo ", "`a`", "", n)),
    ("escaped backquotes", |n| between("echo `", "\\`a\\` ", "`", n)),
    ("arithmetic", |n| between("echo ", "$((1))", "", n)),
    ("open arithmetic", |n| fill("$((", n)),
    ("long arithmetic", |n| between("echo $((", "1+", "1))", n)),
    ("quotes", |n| between("echo ", "''", "", n)),
    ("double quotes", |n| between("echo ", "\"a\"", "", n)),
    ("quotes in quotes", |n| between("echo ", "'\"'\"'\"'", "", n)),
    ("ansi quotes", |n| between("echo ", "$'a'", "", n)),
    ("backslashes", |n| between("echo ", "\\a", "", n)),
    ("line continuations", |n| between("echo a", "\\\n", "b", n)),
    ("equals signs", |n| between("a-", "=", "", n)),
    ("a long name and equals signs", |n| format!("{}-{}", fill("a", n / 2), fill("=", n / 2))),
    ("words that begin with equals signs", |n| between("a ", "=a ", "", n)),
    ("comparisons", |n| between("[[ ", "== ", "]]", n)),
    ("comparisons behind reserved words", |n| format!("{}[[ {}", fill("if ", n / 2), fill("== ", n / 2))),
    ("assignments", |n| fill("a=b ", n)),
    ("assignments before a command", |n| between("", "A=b ", "git push", n)),
    ("exports", |n| between("export ", "a=b ", "", n)),
    ("for", |n| fill("for ", n)),
    ("read", |n| fill("read ", n)),
    ("loops", |n| fill("for a in b;do c;done;", n)),
    ("open loops", |n| fill("for a in b;do ", n)),
    ("cd in loops", |n| fill("while cd a;do cat b;done;", n)),
    ("if", |n| fill("if a;then b;fi;", n)),
    ("open if", |n| fill("if a;then ", n)),
    ("case", |n| fill("case a in b)c;;esac;", n)),
    ("six open cases", |n| between(&"case a in b) ".repeat(6), "a;", "", n)),
    ("six cases", |n| between(&"case a in b) ".repeat(6), "a;", &";; esac".repeat(6), n)),
    ("a case of many branches", |n| between("case a in ", "b)c;;", "esac", n)),
    ("five open cases of many branches", |n| between(&"case a in b) ".repeat(5), "case a in b)c;;esac;", "", n)),
    ("groups", |n| fill("{ a;};", n)),
    ("open groups", |n| fill("{ a;", n)),
    ("subshells", |n| fill("(a);", n)),
    ("functions", |n| fill("f(){ a;};", n)),
    ("here-documents", |n| fill("cat<<E\na\nE\n", n)),
    ("one long here-document", |n| between("cat<<E\n", "$a `b`\n", "E\n", n)),
    ("here-documents on one line", |n| format!("{}\n", fill("cat<<E;", n))),
    ("here-documents with substitutions", |n| fill("cat<<E\n$(a)\nE\n", n)),
    ("here-strings", |n| fill("cat<<<a;", n)),
    ("redirections", |n| between("a ", ">b ", "", n)),
    ("different redirections", |n| each(n, |at| format!(">b{at} "))),
    ("commands with redirections", |n| fill("a>b;", n)),
    ("files that are written and run", |n| format!("touch {}; bash {}", each(n / 2, |at| format!("a{at} ")), each(n / 2, |at| format!("b{at} ")))),
    ("many commands that write and run", |n| each(n, |at| format!("touch a{at};bash b{at};"))),
    ("process substitutions", |n| between("cat ", "<(a) ", "", n)),
    ("comments", |n| fill("a #b\n", n)),
    ("wrappers", |n| fill("sudo ", n)),
    ("wrappers of a long word", |n| format!("{}{}", fill("sudo ", n / 2), fill("a", n / 2))),
    ("wrapped commands", |n| fill("sudo env nice a;", n)),
    ("env", |n| between("env ", "A=b ", "git push", n)),
    ("timeout", |n| fill("timeout 1 ", n)),
    ("xargs", |n| fill("xargs ", n)),
    ("shells in shells", |n| nest("sh -c \"", "a", "\"", n)),
    ("shells", |n| fill("sh -c 'a';", n)),
    ("eval", |n| fill("eval ", n)),
    ("evals", |n| fill("eval 'a b';", n)),
    ("traps", |n| fill("trap 'a' EXIT;", n)),
    ("find from many folders", |n| format!("find {}-exec rm {{}} \\;", fill("a ", n))),
    ("find with many commands", |n| between("find a ", "-exec rm {} \\; ", "", n)),
    ("find with a long name", |n| format!("find {}-name {} -delete", fill("a ", n / 2), fill("b", n / 2))),
    ("find of find", |n| fill("find . -exec ", n)),
    ("copies", |n| between("cp ", "a ", "b", n)),
    ("copies with suffixes", |n| format!("cp {}{}", fill("-Sx ", n / 2), each(n / 2, |at| format!("a{at} ")))),
    ("copies into a long name", |n| format!("cp {} {}", fill("a ", n / 2), fill("b", n / 2))),
    ("sed with suffixes", |n| format!("sed {}{}", fill("-ix ", n / 2), each(n / 2, |at| format!("a{at} ")))),
    ("sed scripts", |n| between("sed -n '", "s/a/b/;", "' x", n)),
    ("sed expressions", |n| between("sed ", "-e p ", "x", n)),
    ("awk programs", |n| between("awk '", "{ x = y / z } ", "' x", n)),
    ("awk variables", |n| between("awk ", "-v a=b ", "1 x", n)),
    ("git settings", |n| between("git ", "-c a.b=c ", "push", n)),
    ("git folders", |n| between("git ", "-C a ", "rm b", n)),
    ("git removals", |n| between("git -C a rm ", "b ", "", n)),
    ("tar folders", |n| between("tar x ", "-C a ", "", n)),
    ("make variables", |n| between("make ", "A=b ", "", n)),
    ("options", |n| between("grep ", "-a ", "x y", n)),
    ("one bundle of options", |n| between("grep -", "a", " x y", n)),
    ("bundles of tar", |n| between("tar ", "f", " x y", n)),
    ("npm commands", |n| between("npm ", "a ", "", n)),
    ("npm commands behind an option", |n| between("npm -a ", "set ", "", n)),
    ("make variables with expansions", |n| between("make A=", "$X", "", n)),
    ("options behind dashes", |n| between("grep ", "-a -- ", "x", n)),
    ("prefixed readings", |n| between("IFS= read ", "a ", "", n)),
    ("long words and globs", |n| format!("rm {}* {}", fill("a", n / 2), fill("b*", n / 2))),
    ("names behind dollars", |n| fill("$a$", n)),
    ("npm options", |n| between("npm ", "-a ", "", n)),
    ("code", |n| between("python3 -c '", "x = 1\n", "'", n)),
    ("code of many commands", |n| fill("perl -e 'x';", n)),
    ("text that is not understood", |n| between("eval \"$X\" ", "git push ", "", n)),
    ("odd programs in a pipeline", |n| format!("{}a", fill("$X a|", n))),
    ("downloads", |n| between("curl ", "-O http://a/b ", "", n)),
    ("uploads", |n| between("curl ", "-F a=@b ", "http://a", n)),
    ("copies between machines", |n| between("scp ", "a:b ", "c", n)),
    ("copies by rsync", |n| between("rsync -a --remove-source-files ", "a ", "b", n)),
    ("printf", |n| between("printf '", "%d", "' 1", n)),
    ("conditions", |n| between("[ ", "a -a ", "b ]", n)),
    ("control characters", |n| between("echo ", "\u{1}", "", n)),
    ("wide characters", |n| between("echo ", "é", "", n)),
    ("operators", |n| fill(";", n)),
    ("parentheses", |n| fill("(a", n)),
    ("closing parentheses", |n| fill("a)", n)),
    ("links", |n| fill("ln -s a b;", n)),
    ("links and operands", |n| between("ln -s a b;", "rm b/c;", "", n)),
    ("proc", |n| between("cat ", "/proc/self/fd/../", "", n)),
    ("protected names", |n| between("rm ", ".invented/", "x", n)),
    ("keys", |n| between("cat ", ".ssh/", "x", n)),
];

type ActionShape = (&'static str, fn(usize) -> Vec<Action>);

fn paths(length: usize, path: impl Fn(usize) -> String, action: impl Fn(String) -> Action) -> Vec<Action> {
    let mut left = length;
    let mut all = Vec::new();
    for at in 0.. {
        let path = path(at);
        let Some(rest) = left.checked_sub(path.len() + 4) else { break };
        left = rest;
        all.push(action(path));
    }
    all
}

const INPUTS: &[ActionShape] = &[
    ("paths", |n| paths(n, |at| format!("src/a{at}"), |path| Action::Edit { path })),
    ("one path", |n| vec![Action::Edit { path: fill("a/", n) }]),
    ("one path of dots", |n| vec![Action::Read { path: fill("../a/", n) }]),
    ("one long name", |n| vec![Action::Write { path: fill("a", n) }]),
    ("moves", |n| paths(n, |at| format!("b{at}"), |to| Action::Move { from: "a".into(), to })),
    ("addresses", |n| paths(n, |at| format!("https://h{at}.org/"), |url| Action::Fetch { url })),
    ("one address", |n| vec![Action::Fetch { url: format!("https://{}", fill("a.", n)) }]),
    ("one address of a file", |n| vec![Action::Fetch { url: format!("file:///{}", fill("a/", n)) }]),
    ("searches", |n| vec![Action::Search { path: ".".into(), pattern: Some(fill("**/", n)) }]),
    ("searches for a class", |n| vec![Action::Search { path: ".".into(), pattern: Some(fill("[", n)) }]),
    ("words of a command", |n| {
        let command = Command::Argv(fill("a ", n).split(' ').map(str::to_owned).collect());
        vec![Action::Shell { command, cwd: None, shell: ShellKind::Posix }]
    }),
    ("a long command", |n| {
        let command = fill("git push;", n).into();
        vec![Action::Shell { command, cwd: None, shell: ShellKind::Posix }]
    }),
    ("commands", |n| {
        let one = |command: String| Action::Shell { command: command.into(), cwd: None, shell: ShellKind::Posix };
        paths(n, |at| format!("git x{at}"), one)
    }),
    ("typed text", |n| vec![Action::ShellInput { text: fill("git push ", n).into() }]),
    ("tools of servers", |n| paths(n, |at| format!("a_b{at}"), |name| Action::Mcp(McpName::Joined(name)))),
    ("one tool of a server", |n| vec![Action::Mcp(McpName::Joined(fill("a_", n)))]),
    ("agents", |n| paths(n, |at| format!("a{at}"), |name| Action::Subagent { name: Some(name) })),
];

/// Rules of every kind, some with a star or a path in the middle.
const POLICY: &str = r#"
[permissions]
deny = ["Bash(git * x *)", "Bash(* --force *)", "Bash(curl * | sh *)", "Bash(rm -rf * /)", "Bash(*a*a*a*b)",
  "Edit(**/x/**/*.rs)", "Edit(**/*a*a*a*b)", "Read(**/a/**/a/**/a/**/b)", "Edit(src/*/y/**)", "Read(.env)",
  "Edit(//etc/**)", "Delete(<critical>)", "Read(<keys>)", "Edit(<disks>)", "Edit(~/.ssh/**)",
  "WebFetch(domain:*.x.org)", "mcp__*__delete_*", "Agent(*x*y)", "Bash(model:*a*b)"]
ask = ["Delete(<outside>)", "Bash(git push * main)", "Bash(npm * publish)", "Edit(*.pem)", "Edit([ab]/**/c)"]
allow = ["Bash(ls *)", "Bash(git *)", "Bash(rm *)", "Bash(cat *)", "Bash(cp *)", "Bash(cd *)", "Bash(touch *)",
  "Bash(a *)", "Bash(a)", "Bash(b *)", "Bash(c)", "Bash(sudo *)", "Bash(find *)", "Bash(echo *)", "Edit(/src/**)",
  "Edit(/a/**)", "Read", "WebFetch", "Agent"]
"#;

/// Compares the cost of a call with that of a call of an eighth of its length. Each byte may cost up to three
/// times as much.
fn grows(policy: &Policy, name: &str, length: usize, event: impl Fn(usize) -> HookEvent) -> Option<String> {
    let (short, long) = (event(length / 8), event(length));
    // Every call has a fixed cost.
    let floor = Duration::from_millis(1);
    let allowed = |times| (cost(policy, &short, times) + floor) * 8 * 3;
    let (allowed, mut took) = (allowed(2), cost(policy, &long, 1));
    if took > allowed {
        took = cost(policy, &long, 3);
    }
    (took > allowed).then(|| format!("{name}: {took:?} for {length} bytes, and {allowed:?} is allowed"))
}

#[test]
fn the_cost_of_a_command_is_linear_in_its_length() {
    let policy = policy(POLICY);
    let shapes = COMMANDS.iter().map(|(name, text)| grows(&policy, name, 16_000, |n| shell(&text(n))));
    let found: Vec<_> = shapes.flatten().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_cost_of_tool_arguments_is_linear_in_their_length() {
    let policy = policy(POLICY);
    let shapes = INPUTS.iter().map(|(name, input)| grows(&policy, name, 1_000_000, |n| call("x", "{}", input(n))));
    let found: Vec<_> = shapes.flatten().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_cost_of_many_rules_and_many_commands_is_linear() {
    const RULES: usize = 10_000;
    let kinds = ["Bash(git * x{} *)", "Bash(*y{}*)", "Edit(**/z{}/*.rs)", "Read(w{}*)", "Bash(* --v{}=*)"];
    let rules: Vec<_> = (0..RULES).map(|at| format!("'{}'", kinds[at % 5].replace("{}", &at.to_string()))).collect();
    let text = format!("[permissions]\ndeny = [\n{}]\nallow = ['Bash(git *)', 'Bash(rm *)']", rules.join(",\n"));
    let without_rules = policy("[permissions]\nallow = ['Bash(git *)', 'Bash(rm *)']");
    let policy = policy(&text);
    // Patterns are compiled on first use.
    cost(&policy, &shell(&"git a; rm b;".repeat(100)), 1);
    for shape in ["git a{};", "rm a/b{}.rs;", "git $X {};"] {
        let command = |n| shell(&each(n, |at| shape.replace("{}", &at.to_string())));
        assert_eq!(grows(&policy, shape, 16_000, command), None);
        let (many, none) = (steps(&policy, &command(16_000)), steps(&without_rules, &command(16_000)));
        // Matching every rule against every command would spend the whole budget: 200 steps for each rule.
        let added = (many - none) / RULES;
        assert!(added < 100, "{shape}: {added} steps for each rule");
    }
}

#[test]
fn deep_paths_are_judged_and_not_allowed_if_partly_unknown() {
    let policy = policy(&rules("'Edit(/a/secret/**)'", "", "'Bash(rm *)', 'Bash(cd *)'"));
    for command in [
        format!("rm -rf {}$X", "a/".repeat(6500)),
        format!("rm -rf {}*", "a/".repeat(6500)),
        format!("rm -rf {}", "**/".repeat(5000)),
        format!("cd a||cd b||cd c; rm -rf {}", "a/".repeat(5000)),
    ] {
        let said = judged_by(&policy, &shell(&command)).verdict.kind();
        assert!(said != VerdictKind::Allow, "{said:?} {}", command.len());
    }
    let deep = shell(&format!("rm -rf {}b", "a/".repeat(100)));
    assert_eq!(judged_by(&policy, &deep).verdict.kind(), VerdictKind::Allow);
}

/// Calls with more content than the limits allow to check.
fn too_large() -> Vec<(&'static str, HookEvent)> {
    let mut paths: Vec<_> = (0..400_000).map(|at| Action::Edit { path: format!("/w/app/src/a{at}") }).collect();
    paths.push(Action::Edit { path: "/etc/passwd".into() });
    vec![
        ("wrappers", shell(&format!("{}a; echo x > /etc/passwd", "sudo ".repeat(300)))),
        ("nesting", shell(&format!("{}a{}; echo x > /etc/passwd", "$(".repeat(100), ")".repeat(100)))),
        ("operands", shell(&format!("rm {} {} /etc/passwd", "a ".repeat(4050), "b".repeat(8000)))),
        ("length", shell(&format!("{}echo x > /etc/passwd", "a;".repeat(1 << 20)))),
        ("paths", call("x", "{}", paths)),
    ]
}

#[test]
fn an_oversized_call_is_answered_like_a_call_that_times_out() {
    for (failure, verdict) in [
        ("", VerdictKind::Deny),
        ("[failure]\ndeadline = 'ask'", VerdictKind::Ask),
        ("[failure]\ndeadline = 'pass'", VerdictKind::Pass),
    ] {
        // The denied part comes after the limit.
        let text = rules("'Edit(//etc/**)'", "", "'Bash', 'Edit(/src/**)', 'Edit(//etc/**)'");
        let policy = policy(&format!("{text}{failure}"));
        for (name, event) in too_large() {
            let judgement = judged_by(&policy, &event);
            let reason = judgement.verdict.reason();
            assert!(judgement.not_understood.is_some(), "{name}");
            // The words of a text that cannot be split into commands may still name the file.
            if !matches!(name, "length" | "paths") && reason.contains("denied by Edit(//etc/**)") {
                continue;
            }
            assert_eq!(judgement.verdict.kind(), verdict, "{name} {failure} {reason}");
            assert!(failure.contains("pass") || reason.contains("too large to analyse"), "{name}: {reason}");
        }
    }
}

#[test]
fn a_denied_part_of_an_oversized_call_is_denied_by_its_rule() {
    let text = rules("'Bash(rm *)', 'Edit(/src/a0)'", "", "'Bash'");
    for failure in ["deny", "ask", "pass"] {
        let policy = policy(&format!("{text}[failure]\ndeadline = '{failure}'"));
        for (name, event) in too_large() {
            let event = match name {
                "paths" => event,
                _ => match &event.call().unwrap().actions[0] {
                    Action::Shell { command: Command::Text(text), .. } => shell(&format!("rm x; {text}")),
                    _ => unreachable!(),
                },
            };
            let judgement = judged_by(&policy, &event);
            assert_eq!(judgement.verdict.kind(), VerdictKind::Deny, "{name}");
            let rule = judgement.causes[0].rule.as_str();
            assert!(matches!(rule, "Bash(rm *)" | "Edit(/src/a0)"), "{name}: {rule}");
        }
    }
}

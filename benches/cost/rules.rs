//! The cost of a long policy.

use std::path::{Path, PathBuf};

use crate::messages;
use crate::run::{Bench, instructions};
use crate::table::Table;

/// Compares calls under a policy of ten thousand rules with the same calls under ten rules.
pub(crate) fn many(bench: &Bench, table: &mut Table) {
    let policies = [10, 10_000].map(|count| bench.policy(&format!("{count}.toml"), &messages::rules(count)));
    let cwd = bench.cwd();
    let commands = [
        ("`eval`, not understood", "eval 'tool5 x'".to_owned()),
        ("a program of 60 lines on the input of `python3`", messages::heredoc()),
        ("`rm -rf build`, allowed beside 1,500 deny rules on files", "rm -rf build".to_owned()),
        ("`rm src/*.o`, allowed beside 500 deny rules on files there", "rm src/*.o".to_owned()),
        (r#"`git log "$B"`, allowed beside 1,000 rules on git"#, r#"git log \"$B\""#.to_owned()),
        (r#"`git push "$B"`, which 1,000 rules could mean"#, r#"git push \"$B\""#.to_owned()),
    ];
    let plain = [("1 KiB PreToolUse", messages::command(&cwd)), ("a file read", messages::file_read(&cwd))];
    let commands = commands.map(|(what, command)| (what, messages::run_by(&cwd, "Bash", &command)));
    for (what, message) in plain.into_iter().chain(commands) {
        let count = |policy: &Path| instructions(bench, &bench.claude_code(policy), message.as_bytes());
        let [few, many] = &policies;
        match (count(few), count(many)) {
            (Ok(few), Ok(many)) => {
                table.noted(&format!("10,000 rules: {what}, instructions"), many, "");
                table.noted("… of the same under 10 rules", many / few, "x");
            }
            (Err(why), _) | (_, Err(why)) => table.skipped(&format!("10,000 rules: {what}, instructions"), &why),
        }
    }
}

/// Rules that do not apply to `git status`, with a number in each.
const OTHERS: [(&str, &str); 12] = [
    ("about another program", "'Bash(tool# run *)'"),
    ("about another program, as Claude Code writes it", "'Bash(npm run x#:*)'"),
    ("about another program, longer", "'Bash(kubectl delete namespace app# *)'"),
    ("about a pipeline", "'Bash(curl *# | sh *)'"),
    ("about the same program", "'Bash(git push remote# *)'"),
    ("with quotes", "\"Bash(git commit -m 'x#' *)\""),
    ("about an argument", "'Bash(run_in_background:x#)'"),
    ("about files", "'Read(./secrets/x#/**)'"),
    ("about hosts", "'WebFetch(domain:x#.example.com)'"),
    ("about an MCP tool", "'mcp__server#__tool'"),
    ("about a tool", "'Tool(frob#)'"),
    (
        "with a reason and an alternative",
        "{ rule = 'Bash(tool# run *)', reason = 'Not allowed here #.', instead = 'Use the other tool #.' }",
    ),
];

/// Writes a policy with this many rules of each kind.
pub(crate) fn of_each_kind(bench: &Bench, count: usize) -> PathBuf {
    denying(bench, OTHERS.map(|(_, rule)| rule), count)
}

/// Writes a policy with this many deny rules of each spelling.
fn denying<const N: usize>(bench: &Bench, spellings: [&str; N], count: usize) -> PathBuf {
    let numbered = |at: usize| spellings.map(|rule| rule.replace('#', &(1000 + at).to_string()));
    let rules: Vec<_> = (0..count).flat_map(numbered).collect();
    bench.policy("denied.toml", &format!("[permissions]\ndeny = [\n  {}\n]\n", rules.join(",\n  ")))
}

/// Measures the cost of one rule that does not apply.
pub(crate) fn one(bench: &Bench, table: &mut Table) {
    let message = messages::run_by(&bench.cwd(), "Bash", "git status");
    for (what, rule) in OTHERS {
        let count = |rules: usize| {
            let hook = bench.claude_code(&denying(bench, [rule], rules));
            instructions(bench, &hook, message.as_bytes())
        };
        match (count(1000), count(2000)) {
            (Ok(few), Ok(many)) => table.most(&format!("a rule {what}, instructions"), (many - few) / 1e3, 1000.0, ""),
            (Err(why), _) | (_, Err(why)) => table.skipped(&format!("a rule {what}, instructions"), &why),
        }
    }
}

//! The cost of a long policy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::messages;
use crate::run::{Bench, instructions};
use crate::table::Table;

/// Compares calls under a policy of ten thousand rules with the same calls under ten rules.
pub(crate) fn many(bench: &Bench, table: &mut Table) {
    let policies = [10, 10_000].map(|count| {
        let policy = bench.path(&format!("{count}.toml"));
        fs::write(&policy, messages::rules(count)).expect("a policy");
        fs::set_permissions(&policy, fs::Permissions::from_mode(0o600)).expect("a policy");
        policy
    });
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
        let count = |policy: &Path| {
            let mut hook = bench.program(&bench.snaphook());
            hook.args(["hook", "claude-code", "--policy"]).arg(policy).arg("--audit").arg(bench.path("audit.jsonl"));
            instructions(bench, &hook, message.as_bytes())
        };
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

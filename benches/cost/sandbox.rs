//! The cost of starting a command with `snaphook run`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::floor;
use crate::run::{Bench, pairs, time};
use crate::table::Table;

/// Measures the built-in launcher with an empty program, with and without hidden keys.
pub(crate) fn before_exec(bench: &Bench, table: &mut Table) {
    let program = match floor::empty(bench.folder()) {
        Ok(program) => program,
        Err(why) => return table.skipped("snaphook run before exec", &why),
    };
    let mut empty = bench.program(&program);
    let mut sandboxed = command(bench, &program);
    if sandboxed.output().expect("a program").status.code() == Some(126) {
        return table.skipped("snaphook run before exec", "landlock cannot be applied here");
    }
    let micros = |command: &mut Command| time(command, b"").as_secs_f64() * 1e6;
    let mut measure = |table: &mut Table, what: &str, target: Option<f64>| {
        let [_, ours, ratio] = pairs(500, || micros(&mut empty), || micros(&mut sandboxed));
        table.noted(&format!("snaphook run, {what}, and an empty program"), ours, "µs");
        match target {
            Some(target) => table.most("… adds, of the empty program", ratio - 1.0, target, "x"),
            None => table.noted("… adds, of the empty program", ratio - 1.0, "x"),
        }
    };
    measure(table, "no keys at home", Some(1.5));
    fs::create_dir_all(bench.path("home/.ssh")).expect("a folder");
    fs::write(bench.path("home/.ssh/id_test"), "secret").expect("a key");
    // A hidden path needs one landlock rule for each sibling of each of its components.
    measure(table, "a key to hide", None);
}

/// The command of a program in the sandbox.
pub(crate) fn command(bench: &Bench, program: &Path) -> Command {
    let policy = bench.policy("sandbox.toml", "[sandbox]\nlauncher = \"landlock\"\nwrite = [\"/\"]\n");
    let mut command = bench.program(&bench.snaphook());
    command.arg("run").arg("--policy").arg(&policy).arg("--").arg(program);
    command
}

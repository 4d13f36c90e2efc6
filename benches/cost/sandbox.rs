//! What `snaphook run` adds to a command before it starts.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::floor;
use crate::run::{Bench, pairs, time};
use crate::table::Table;

/// The built-in launcher around an empty program, with private keys to hide and without.
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
    // One rule for each neighbour of what is hidden, on every level from the root down.
    measure(table, "a key to hide", None);
}

/// A program in the sandbox.
pub(crate) fn command(bench: &Bench, program: &Path) -> Command {
    let policy = bench.path("sandbox.toml");
    fs::write(&policy, "[sandbox]\nlauncher = \"landlock\"\nwrite = [\"/\"]\n").expect("a policy");
    let mut command = bench.program(&bench.snaphook());
    command.arg("run").arg("--policy").arg(&policy).arg("--").arg(program);
    command
}

//! One process for one event.

use crate::floor;
use crate::messages;
use crate::run::{Bench, instructions, pairs, peak_kib, time};
use crate::table::Table;

const MIB: f64 = 1024.0 * 1024.0;

/// Compares a small call with an empty program.
pub(crate) fn small(bench: &Bench, table: &mut Table) {
    let message = messages::command(&bench.cwd());
    let mut hook = bench.claude_code(&bench.rules());
    match floor::empty(bench.folder()) {
        Ok(program) => {
            let mut empty = bench.program(&program);
            let micros = |command: &mut _| time(command, message.as_bytes()).as_secs_f64() * 1e6;
            let [floor, ours, ratio] = pairs(500, || micros(&mut empty), || micros(&mut hook));
            table.noted("empty static C program", floor, "µs");
            table.noted("1 KiB PreToolUse, 20 rules, audit", ours, "µs");
            table.most("… of the empty program", ratio, 1.25, "x");
        }
        Err(why) => table.skipped("1 KiB PreToolUse, of an empty static C program", &why),
    }
    match instructions(bench, &hook, message.as_bytes()) {
        Ok(count) => table.most("… instructions", count, 250_000.0, ""),
        Err(why) => table.skipped("… instructions", &why),
    }
}

/// The cost of parsing a command: the same command for another kind of shell is not parsed.
pub(crate) fn commands(bench: &Bench, table: &mut Table) {
    let mut hook = bench.claude_code(&bench.policy("none.toml", "[permissions]\n"));
    hook.arg("--no-audit");
    for command in messages::COMMANDS {
        let count = |tool: &str| {
            let message = messages::run_by(&bench.cwd(), tool, command);
            instructions(bench, &hook, message.as_bytes())
        };
        let what = format!("`{}`: instructions to read it", command.replace('|', "\\|"));
        match (count("Bash"), count("PowerShell")) {
            (Ok(read), Ok(unread)) => table.most(&what, read - unread, 100_000.0, ""),
            (Err(why), _) | (_, Err(why)) => table.skipped(&what, &why),
        }
    }
}

/// Compares a call with a large file with reading that file.
pub(crate) fn write_50_mib(bench: &Bench, table: &mut Table) {
    let message = messages::write(&bench.cwd(), 50 << 20);
    let payload = large(bench, table, "50 MiB Write", message.as_bytes(), Some(3.0));
    let peak = peak_kib(&mut bench.claude_code(&bench.rules()), message.as_bytes());
    table.most("… peak memory over the payload", peak / 1024.0 - payload, 4.0, "MiB");
}

/// Measures a shell command that is too long to be analysed.
pub(crate) fn command_50_mib(bench: &Bench, table: &mut Table) {
    let message = messages::long_command(&bench.cwd(), 50 << 20);
    let payload = large(bench, table, "50 MiB shell command", message.as_bytes(), None);
    let peak = peak_kib(&mut bench.claude_code(&bench.rules()), message.as_bytes());
    table.most("… peak memory over the payload", peak / 1024.0 - payload, 8.0, "MiB");
}

/// Measures a call with many small objects in arguments that no rule matches.
pub(crate) fn small_objects(bench: &Bench, table: &mut Table) {
    let message = messages::small_objects(&bench.cwd(), 128 << 20);
    let payload = large(bench, table, "128 MiB of small objects", message.as_bytes(), None);
    let peak = peak_kib(&mut bench.claude_code(&bench.rules()), message.as_bytes());
    table.most("… peak memory over the payload", peak / 1024.0 - payload, 8.0, "MiB");
}

/// Times a large message; returns its size in MiB.
fn large(bench: &Bench, table: &mut Table, what: &str, message: &[u8], target: Option<f64>) -> f64 {
    let mut reader = bench.role(floor::READER);
    let mut hook = bench.claude_code(&bench.rules());
    let millis = |command: &mut _| time(command, message).as_secs_f64() * 1e3;
    let [floor, ours, ratio] = pairs(9, || millis(&mut reader), || millis(&mut hook));
    table.noted(&format!("{what}: read_to_end alone"), floor, "ms");
    table.noted(&format!("{what}: judged, with audit"), ours, "ms");
    let what = "… of read_to_end";
    match target {
        Some(target) => table.most(what, ratio, target, "x"),
        None => table.noted(what, ratio, "x"),
    }
    #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^53")]
    let payload = message.len() as f64 / MIB;
    payload
}

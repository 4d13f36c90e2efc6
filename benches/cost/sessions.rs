//! The cost of the calls of a session, beside programs that do less and programs that do the same.

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::corpus::{CorpusCall, calls};
use crate::floor;
use crate::run::{Bench, instructions, pairs, time};
use crate::table::Table;

const ROUNDS: usize = 11;

/// Measures each call of the corpus, in instructions and as a ratio to a process that only exits.
pub(crate) fn corpus(bench: &Bench, table: &mut Table) {
    let calls = calls(&bench.cwd());
    println!("{} calls", calls.len());
    match counted(bench, &calls) {
        Ok(mut counts) => {
            let values: Vec<_> = counts.iter().map(|(count, _)| *count).collect();
            quantiles(table, "instructions", values, "", [220_000.0, 450_000.0, 900_000.0]);
            counts.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            let shown = if std::env::args().any(|word| word == "--all") { counts.len() } else { 10 };
            println!("\nthe dearest:");
            for (count, name) in counts.iter().take(shown) {
                println!("{count:>12} {name}");
            }
        }
        Err(why) => table.skipped("calls of a session: instructions", &why),
    }
    match floor::exits(bench.folder()) {
        Ok(program) => {
            let mut exits = bench.program(&program);
            let mut hook = bench.claude_code(&bench.rules());
            let (mut ratios, mut times) = (Vec::new(), Vec::new());
            for call in &calls {
                let message = call.message.as_bytes();
                let micros = |command: &mut _| time(command, message).as_secs_f64() * 1e6;
                let [_, ours, ratio] = pairs(ROUNDS, || micros(&mut exits), || micros(&mut hook));
                ratios.push(ratio);
                times.push(ours);
            }
            let never = [f64::INFINITY; 3];
            quantiles(table, "time", times, "µs", never);
            quantiles(table, "time, of a process that only exits", ratios, "x", [2.3, 2.7, 3.6]);
        }
        Err(why) => table.skipped("calls of a session: of a process that only exits", &why),
    }
}

/// Measures programs that do less than a hook, and other hooks, with one short command.
pub(crate) fn others(bench: &Bench, table: &mut Table) {
    const DENIES: &str = r#"jq -r '.tool_input.command // ""' | grep -q 'rm -rf' && exit 2; exit 0"#;
    const PYTHON: &str =
        "import json,sys; sys.exit(2 if 'rm -rf' in json.load(sys.stdin)['tool_input'].get('command','') else 0)";
    const NODE: &str = "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>process.exit(JSON.parse(s).tool_input.command.includes('rm -rf')?2:0))";
    let message = crate::messages::run_by(&bench.cwd(), "Bash", "git status");
    let floors = [
        ("a process that only exits", floor::exits(bench.folder())),
        ("empty static C program, musl", floor::musl(bench.folder())),
        ("empty static C program, glibc", floor::empty(bench.folder())),
    ];
    let floors = floors.map(|(what, built)| (what, built.map(|program| bench.program(&program))));
    let role = ("the smallest hook with serde", Ok(bench.role(floor::SMALLEST)));
    let ours = ("snaphook", Ok(bench.claude_code(&bench.rules())));
    let peers = [
        ("nah", "nah", &[][..]),
        ("agent-harness-adapter", "agent-harness-adapter", &[]),
        ("cc-safety-net", "cc-safety-net", &["hook"]),
        ("sh and jq", "sh", &["-c", DENIES]),
        ("python3", "python3", &["-c", PYTHON]),
        ("node", "node", &["-e", NODE]),
    ];
    let peers = peers.map(|(what, program, args)| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
        let command = found.ok_or_else(|| "not installed".to_owned()).map(|file| {
            let mut command = bench.program(&file);
            command.args(args).env("PATH", &path);
            command
        });
        (what, command)
    });
    for (what, command) in floors.into_iter().chain([role, ours]).chain(peers) {
        let what = format!("`git status`, {what}");
        match command {
            Ok(mut command) => {
                let rounds = if time(&mut command, message.as_bytes()).as_millis() > 20 { 21 } else { 301 };
                let micros = |command: &mut Command| time(command, message.as_bytes()).as_secs_f64() * 1e6;
                let [_, took, _] = pairs(rounds, || 1.0, || micros(&mut command));
                table.noted(&what, took, "µs");
            }
            Err(why) => table.skipped(&what, &why),
        }
    }
}

/// The instructions and the name of each call, counted on every processor at once.
fn counted<'c>(bench: &Bench, calls: &'c [CorpusCall]) -> Result<Vec<(f64, &'c str)>, String> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(call) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let count = instructions(bench, &bench.claude_code(&bench.rules()), call.message.as_bytes());
                    done.lock().expect("no panic").push(count.map(|count| (count, call.name.as_str())));
                }
            });
        }
    });
    done.into_inner().expect("no panic").into_iter().collect()
}

/// Adds the smallest value, the median, two quantiles and the largest value.
fn quantiles(table: &mut Table, what: &str, mut values: Vec<f64>, unit: &str, targets: [f64; 3]) {
    values.sort_by(f64::total_cmp);
    let at = |hundredths: usize| values[(values.len() - 1) * hundredths / 100];
    let what = |which: &str| format!("calls of a session, {which}: {what}");
    table.noted(&what("least"), at(0), unit);
    for (which, hundredths, target) in [("median", 50, targets[0]), ("p90", 90, targets[1]), ("p99", 99, targets[2])] {
        if target.is_finite() {
            table.most(&what(which), at(hundredths), target, unit);
        } else {
            table.noted(&what(which), at(hundredths), unit);
        }
    }
    table.noted(&what("most"), at(100), unit);
}

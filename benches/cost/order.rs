//! Runs usual calls: so that the compiler can optimize for them, and to record the code and the data that they use, which the
//! linker places next to each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use snaphook_adapters::protocol::Transport;
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::Suite;

use crate::blocks::{self, Function};
use crate::run::{Bench, start, valgrind};
use crate::{corpus, lines, link_map, sandbox};

/// The calls for which the released program is optimized: every fourth call of a session, calls of each agent that starts a
/// process for each call, under the starter policy, and a command in the sandbox.
fn usual_runs(bench: &Bench) -> Vec<(Command, String)> {
    let session = corpus::calls(&bench.cwd()).into_iter().step_by(4);
    let mut runs: Vec<_> = session.map(|call| (bench.hook("claude-code", true), call.message)).collect();
    for protocol in Registry::standard().iter().filter(|protocol| protocol.agent().transport != Transport::Lines) {
        let id = protocol.agent().id;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters").join(id.replace('-', "_")).join("fixtures");
        let suite = Suite::read(protocol, &folder);
        let gated = suite.judged().filter(|(_, event)| event.call().is_some() && event.row.gates());
        runs.extend(gated.map(|(fixture, _)| (bench.starter_hook(id, true), fixture.native.body.as_str().to_owned())));
    }
    for (run, _) in &mut runs {
        // Valgrind is slow.
        run.args(["--deadline", "60s"]);
    }
    // Valgrind does not support landlock, so this run ends before the command is isolated.
    runs.push((sandbox::command(bench, Path::new("true")), String::new()));
    runs
}

/// Runs the usual calls and a session of the line server with a program that was built with `-Cprofile-generate`. The program
/// writes its counts when it exits, so the run in the sandbox, which ends in `exec`, is not counted.
pub(crate) fn train(bench: &Bench) {
    for (mut run, message) in usual_runs(bench) {
        let (child, feeding) = start(&mut run, message.as_bytes());
        child.wait_with_output().expect("an end");
        feeding.join().expect("the input");
    }
    lines::served(&mut bench.hook("picoclaw", true), 64, 2_000);
}

/// Runs the usual calls under valgrind. Writes the basic blocks that they execute, for the compiler, which then divides the
/// functions, and the order of what they use, for the linker.
pub(crate) fn write(bench: &Bench) {
    let file = |variable: &str| PathBuf::from(std::env::var_os(variable).expect(variable));
    let text = |variable: &str| fs::read_to_string(file(variable)).expect(variable);
    let sections = link_map::read(&text("SNAPHOOK_MAP"), OUTPUTS);
    let functions = blocks::read(&text("SNAPHOOK_BLOCKS"));
    let runs = usual_runs(bench);
    let uses = count_uses(bench, &runs);
    let most = |addresses: Range<u64>| uses.range(addresses).map(|(_, count)| *count).max().unwrap_or_default();

    let often = runs.len() / 10;
    let functions: BTreeMap<u64, &Function> = functions.iter().map(|function| (function.start, function)).collect();
    let mut divided = String::from("v1\n");
    let mut order = Vec::new();
    for section in &sections {
        let Range { start, end } = section.addresses;
        let count = most(start..end);
        if count == 0 {
            continue;
        }
        let output = section.output.as_str();
        let kinds = ["hot.", "unlikely.", ""].map(|kind| format!("{output}.{kind}"));
        let Some(name) = kinds.iter().find_map(|kind| section.name.strip_prefix(kind)) else {
            order.push((output, count, end - start, section.pattern.clone()));
            continue;
        };
        let Some(function) = functions.get(&start) else {
            // The tables of a function that is divided become hot.
            order.push((output, count, end - start, format!("*({output}.{name} {output}.hot.{name})")));
            continue;
        };
        let blocks = function.blocks.iter().enumerate().map(|(position, block)| {
            let start = function.start + block.offset;
            // The first block begins the first part, even if it is empty.
            (block.id, if position == 0 { count } else { most(start..start + block.size) })
        });
        let (usual, rare): (Vec<_>, Vec<_>) =
            blocks.filter(|(_, count)| *count > 0).partition(|(_, count)| *count > often);
        writeln!(divided, "f {name}").expect("a text");
        // The compiler puts the first part into `.text.hot.NAME`, and the second one, if there are two, into
        // `.text.hot.NAME.NAME.__part.1`.
        let patterns = [format!("*(.text.hot.{name})"), format!("*(.text.hot.{name}.{name}.__part.1)")];
        for (part, pattern) in [usual, rare].into_iter().filter(|part| !part.is_empty()).zip(patterns) {
            let ids: Vec<_> = part.iter().map(|(id, _)| id.to_string()).collect();
            writeln!(divided, "c {}", ids.join(" ")).expect("a text");
            let count = part.iter().map(|(_, count)| *count).max().unwrap_or_default();
            order.push((output, count, end - start, pattern));
        }
    }
    let always = order.iter().filter(|(_, count, ..)| *count == runs.len()).count();
    assert!(always > 50, "the map does not belong to the program: {always} sections are used by all runs");
    fs::write(file("SNAPHOOK_DIVIDED"), divided).expect("the blocks");
    fs::write(file("SNAPHOOK_ORDER"), script(order)).expect("the order");
}

/// The output sections in which the used parts are placed next to each other.
const OUTPUTS: &[&str] = &[".text", ".rodata", ".bss"];

/// Writes a linker script from the output section, the number of runs, the size and the pattern of each part.
fn script(mut parts: Vec<(&str, usize, u64, String)>) -> String {
    // What is used most often is first; the arena, which is large, after the rest of what is always used.
    parts.sort_by_key(|(_, count, size, _)| (Reverse(*count), *size));
    let mut script = String::from("/* Written by `cargo bench -- --order`. */\n");
    for output in OUTPUTS {
        // The addresses of the blocks are not needed any more.
        writeln!(script, "SECTIONS {{\n  /DISCARD/ : {{ *(.llvm_bb_addr_map) }}\n  {output}.call : {{")
            .expect("a text");
        for (_, _, _, pattern) in parts.iter().filter(|(of, ..)| of == output) {
            writeln!(script, "    {pattern}").expect("a text");
        }
        writeln!(script, "  }}\n}}\nINSERT BEFORE {output};").expect("a text");
    }
    script
}

/// The number of runs that execute, read or write each address.
fn count_uses(bench: &Bench, runs: &[(Command, String)]) -> BTreeMap<u64, usize> {
    let next = AtomicUsize::new(0);
    let work = |worker: usize| {
        let out = bench.path(&format!("accesses-{worker}"));
        let mut uses = BTreeMap::new();
        while let Some((run, message)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for address in accesses(bench, &out, run, message) {
                *uses.entry(address).or_default() += 1;
            }
        }
        uses
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let counted: Vec<BTreeMap<u64, usize>> = std::thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        started.into_iter().map(|worker| worker.join().expect("a worker")).collect()
    });
    let mut uses = BTreeMap::new();
    for (address, count) in counted.into_iter().flatten() {
        *uses.entry(address).or_default() += count;
    }
    uses
}

/// The addresses that a run executes, reads or writes.
fn accesses(bench: &Bench, out: &Path, run: &Command, message: &str) -> BTreeSet<u64> {
    let options = ["--tool=lackey".to_owned(), "--trace-mem=yes".to_owned(), format!("--log-file={}", out.display())];
    valgrind(bench, &options, run, message.as_bytes()).expect("valgrind");
    let seen = fs::read_to_string(out).expect("what valgrind saw");
    // A line is the kind of access in three columns, the address, a comma and the size.
    let addresses = seen.lines().filter_map(|line| line.get(3..)?.split_once(','));
    addresses.filter_map(|(address, _)| u64::from_str_radix(address, 16).ok()).collect()
}

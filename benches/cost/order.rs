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

use crate::blocks::{self, Function};
use crate::run::{Bench, start, valgrind};
use crate::{agents, corpus, lines, link_map, messages, rules, sandbox};

/// The calls for which the released program is optimized: every fourth call of a session, every third of the everyday commands of the tests,
/// messages of each agent that starts a process for each, before and after tools run, under the starter policy, a few calls under rules of each kind,
/// and a command in the sandbox.
fn usual_runs(bench: &Bench) -> Vec<(Command, String)> {
    let session = corpus::calls(&bench.cwd()).into_iter().step_by(4);
    let everyday = corpus::everyday(&bench.cwd()).into_iter().step_by(3);
    let calls = session.map(|call| call.message).chain(everyday);
    let mut runs: Vec<_> = calls.map(|message| (bench.claude_code(&bench.rules()), message)).collect();
    for protocol in Registry::standard().iter().filter(|protocol| protocol.agent().transport != Transport::Lines) {
        for (fixture, event) in agents::suite(protocol).judged() {
            if event.call().is_some() && protocol.agent().is_registered_for(event.row) {
                let run = agents::registered(bench, fixture, &event, &bench.starter());
                runs.push((run, fixture.native.body.as_str().to_owned()));
            }
        }
    }
    let policy = rules::of_each_kind(bench, 10);
    let commands = messages::COMMANDS.iter().map(|command| messages::run_by(&bench.cwd(), "Bash", command));
    runs.extend(commands.map(|message| (bench.claude_code(&policy), message)));
    // Valgrind is slow, so half of the calls get more time. The others show what calls without this option execute.
    for (run, _) in runs.iter_mut().step_by(2) {
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
    lines::served(&mut bench.registered("picoclaw", None, &bench.rules()), 64, 2_000);
    let log = fs::read_to_string(bench.log()).expect("a log");
    let refused = log.lines().find(|record| record.contains(r#""failure":"#));
    assert_eq!(refused, None, "a usual call that was refused without being judged");
}

/// Runs the usual calls under valgrind and writes two files: for the compiler, the basic blocks that they execute, by which it
/// divides the functions; for the linker, the order of the parts that they use.
pub(crate) fn write(bench: &Bench) {
    let file = |variable: &str| PathBuf::from(std::env::var_os(variable).expect(variable));
    let text = |variable: &str| fs::read_to_string(file(variable)).expect(variable);
    let outputs = OUTPUTS.iter().map(|(output, ..)| *output).collect::<Vec<_>>();
    let sections = link_map::read(&text("SNAPHOOK_MAP"), &outputs);
    let functions = blocks::read(&text("SNAPHOOK_BLOCKS"));
    let functions: BTreeMap<u64, &Function> = functions.iter().map(|function| (function.start, function)).collect();
    let runs = usual_runs(bench);
    let recorded = Uses::count(bench, &runs);
    let asking = sections.iter().filter(|section| section.name.contains("detect_and_initialize"));
    let asked = asking.map(|section| recorded.of(section.addresses.clone()).runs).max();
    assert_eq!(asked, Some(0), "runs that ask the processor for its features, which a virtual machine answers slowly");

    let often = runs.len() / 10;
    let mut divided = String::from("v1\n");
    let not_seen = NOT_SEEN.iter().map(|(output, pattern)| (*output, (*pattern).to_owned()));
    let by_all = Used { runs: runs.len(), first: 0 };
    let mut parts: Vec<_> = not_seen.map(|(output, pattern)| Part { output, used: by_all, size: 0, pattern }).collect();
    for section in &sections {
        let Range { start, end } = section.addresses;
        let output = section.output.as_str();
        let kinds = ["hot.", "unlikely.", ""].map(|kind| format!("{output}.{kind}"));
        let name = kinds.iter().find_map(|kind| section.name.strip_prefix(kind));
        let part = |used: Used, pattern: String| Part { output, used, size: end - start, pattern };
        let used = recorded.of(start..end);
        match (used.runs, name, functions.get(&start)) {
            (0, ..) => {}
            // The page has no room for the large variables, which few calls use.
            (count, ..) if output == ".data" && count < runs.len() / 2 => {}
            (_, None, _) => parts.push(part(used, section.pattern.clone())),
            // The compiler moves the jump tables of a function that it divides to `.hot`.
            (_, Some(name), None) => parts.push(part(used, format!("*({output}.{name} {output}.hot.{name})"))),
            (_, Some(name), Some(function)) => {
                writeln!(divided, "f {name}").expect("a text");
                // The compiler puts the first group into `.text.hot.NAME`, and the second one, if there are two, into
                // `.text.hot.NAME.NAME.__part.1`.
                let patterns = [format!("*(.text.hot.{name})"), format!("*(.text.hot.{name}.{name}.__part.1)")];
                for ((blocks, used), pattern) in groups(function, &recorded, often).into_iter().zip(patterns) {
                    writeln!(divided, "c {}", blocks.join(" ")).expect("a text");
                    parts.push(part(used, pattern));
                }
            }
        }
    }
    let always = parts.iter().filter(|part| part.used.runs == runs.len()).count();
    assert!(always > 50, "the map does not belong to the program: {always} parts are used by all runs");
    fs::write(file("SNAPHOOK_DIVIDED"), divided).expect("the blocks");
    fs::write(file("SNAPHOOK_ORDER"), script(parts, often)).expect("the order");
}

/// The output sections in which the used parts are placed next to each other, each with its alignment and the section before which they are
/// placed. Constants follow the header of the program, which is read when it starts. Variables that have a value at the start are in
/// one page with those that have none: the kernel writes to this page when it starts the program.
const OUTPUTS: &[(&str, &str, &str)] = &[
    (".text", "", ".text"),
    (".rodata", "", ".gcc_except_table"),
    (".data", "ALIGN(4096)", ".bss"),
    (".bss", "", ".bss"),
];

/// Parts that all calls use although neither valgrind nor the map shows it: musl compares the names of the vDSO's functions, which valgrind
/// hides, the linker merges the strings of all files, and the kernel reads two constants.
const NOT_SEEN: &[(&str, &str)] = &[
    (".text", "*(.text.strcmp)"),
    (".rodata", "*libc.a:*(.rodata.*.str1.1)"),
    (".rodata", "*(.rodata.app_mask)"),
    (".rodata", "*(.rodata.all_mask)"),
];

/// Places what every run executes at its start and its end beside the used parts, and removes the addresses of the blocks, which are not
/// needed any more.
const OTHERS: &str = "SECTIONS {
  /DISCARD/ : { *(.llvm_bb_addr_map) }
  .init : { KEEP(*(.init)) }
  .fini : { KEEP(*(.fini)) }
}
INSERT BEFORE .text.call;
";

/// A part of the program that is used.
struct Part<'a> {
    output: &'a str,
    used: Used,
    /// The size in bytes, of a function before it is divided.
    size: u64,
    /// The pattern that selects it in a linker script.
    pattern: String,
}

/// Groups the blocks of a function that are executed, those that more than `often` runs execute before the others. Returns the
/// blocks of each group and the runs that execute it.
fn groups(function: &Function, recorded: &Uses, often: usize) -> Vec<(Vec<String>, Used)> {
    let blocks = function.blocks.iter().map(|block| {
        let start = function.start + block.offset;
        (block.id, recorded.of(start..start + block.size))
    });
    let mut blocks: Vec<_> = blocks.collect();
    // An empty block continues with the next one. In a divided function it becomes a jump, which has to be in the same group.
    for at in (1..blocks.len()).rev().filter(|at| function.blocks[at - 1].size == 0) {
        blocks[at - 1].1 = blocks[at].1;
    }
    // A function begins with its first block, even if that is empty.
    let all = blocks.iter().map(|(_, used)| *used).filter(|used| used.runs > 0).reduce(Used::or);
    if let (Some(first), Some(all)) = (blocks.first_mut(), all) {
        first.1 = all;
    }
    let (usual, rare): (Vec<_>, Vec<_>) =
        blocks.into_iter().filter(|(_, used)| used.runs > 0).partition(|(_, used)| used.runs > often);
    let group = |blocks: Vec<(u32, Used)>| {
        let used = blocks.iter().map(|(_, used)| *used).reduce(Used::or)?;
        Some((blocks.iter().map(|(id, _)| id.to_string()).collect(), used))
    };
    [usual, rare].into_iter().filter_map(group).collect()
}

/// Returns a linker script. Parts that more runs use come first, and small parts before large ones. They are followed by those that are not
/// used often, by the first run that uses them: runs of the same kind follow each other. Of the variables, only the arena is large, and
/// is used by all runs, so they are sorted by size alone.
fn script(mut parts: Vec<Part<'_>>, often: usize) -> String {
    parts.sort_by_key(|part| match part {
        Part { output: ".bss", .. } => (0, Reverse(0), part.size),
        Part { used, .. } if used.runs > often => (0, Reverse(used.runs), part.size),
        Part { used, .. } => (1 + used.first, Reverse(used.runs), part.size),
    });
    let mut script = String::from("/* Written by `cargo bench -- --order`. */\n");
    for (output, alignment, next) in OUTPUTS {
        writeln!(script, "SECTIONS {{\n  {output}.call {alignment} : {{").expect("a text");
        for part in parts.iter().filter(|part| part.output == *output) {
            writeln!(script, "    {}", part.pattern).expect("a text");
        }
        writeln!(script, "  }}\n}}\nINSERT BEFORE {next};").expect("a text");
    }
    script.push_str(OTHERS);
    script
}

/// The runs that execute, read or write a part.
#[derive(Debug, Default, Clone, Copy)]
struct Used {
    runs: usize,
    /// The first of these runs.
    first: usize,
}

impl Used {
    /// Returns the larger number of runs and the first run of two parts that are used.
    fn or(self, other: Self) -> Self {
        Self { runs: self.runs.max(other.runs), first: self.first.min(other.first) }
    }
}

/// The runs that use each address.
struct Uses(BTreeMap<u64, Used>);

impl Uses {
    fn count(bench: &Bench, runs: &[(Command, String)]) -> Self {
        let next = AtomicUsize::new(0);
        let work = |worker: usize| {
            let out = bench.path(&format!("accesses-{worker}"));
            let mut recorded = BTreeMap::new();
            loop {
                let first = next.fetch_add(1, Ordering::Relaxed);
                let Some((run, message)) = runs.get(first) else { return recorded };
                for address in accesses(bench, &out, run, message) {
                    recorded.entry(address).or_insert(Used { runs: 0, first }).runs += 1;
                }
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let counted: Vec<BTreeMap<u64, Used>> = std::thread::scope(|scope| {
            let work = &work;
            let started: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
            started.into_iter().map(|worker| worker.join().expect("a worker")).collect()
        });
        let mut recorded: BTreeMap<_, Used> = BTreeMap::new();
        for (address, Used { runs, first }) in counted.into_iter().flatten() {
            let used = recorded.entry(address).or_insert(Used { runs: 0, first });
            *used = Used { runs: used.runs + runs, first: used.first.min(first) };
        }
        Self(recorded)
    }

    /// The highest number of runs that use one of these addresses, and the first run that uses any.
    fn of(&self, addresses: Range<u64>) -> Used {
        self.0.range(addresses).map(|(_, used)| *used).reduce(Used::or).unwrap_or_default()
    }
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

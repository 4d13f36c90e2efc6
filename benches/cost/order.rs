//! Runs usual calls: so that the compiler can optimize for them, and to record the functions that they execute, which the linker
//! places next to each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use snaphook_adapters::protocol::Transport;
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::Suite;

use crate::run::{Bench, callgrind, start};
use crate::{corpus, lines, messages, sandbox};

/// The linker script.
const SCRIPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/order.ld");

/// The calls for which the released program is optimized: one call of each agent that starts a process for each call, every
/// fourth call of a session, and a command in the sandbox.
fn usual_runs(bench: &Bench) -> Vec<(Command, String)> {
    let mut calls = vec![("claude-code", messages::command(&bench.cwd()))];
    calls.extend(corpus::calls(&bench.cwd()).into_iter().step_by(4).map(|call| ("claude-code", call.message)));
    for protocol in Registry::standard().iter().filter(|protocol| protocol.agent().transport != Transport::Lines) {
        let id = protocol.agent().id;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters").join(id.replace('-', "_")).join("fixtures");
        let suite = Suite::read(protocol, &folder);
        let gated = suite.judged().filter(|(_, event)| event.call().is_some() && event.row.gates());
        calls.extend(gated.map(|(fixture, _)| (id, fixture.native.body.as_str().to_owned())));
    }
    let calls = calls.into_iter().map(|(id, message)| (bench.hook(id, true), message));
    // Valgrind does not support landlock, so this run ends before the command is isolated.
    calls.chain([(sandbox::command(bench, Path::new("true")), String::new())]).collect()
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

/// Runs the usual calls under callgrind and writes the linker script.
pub(crate) fn write(bench: &Bench) {
    let runs = usual_runs(bench);
    let mut passed: BTreeMap<String, usize> = BTreeMap::new();
    for (run, message) in &runs {
        let out = bench.path("callgrind");
        callgrind(bench, run, message.as_bytes(), &out).expect("callgrind");
        for name in functions(&fs::read_to_string(&out).expect("what callgrind saw")) {
            *passed.entry(name).or_default() += 1;
        }
    }
    assert!(passed.len() > 200, "no names: build it with CARGO_PROFILE_DIST_STRIP=none");
    let mut passed: Vec<_> = passed.into_iter().collect();
    passed.sort_by(|(a, ran), (b, also)| also.cmp(ran).then(a.cmp(b)));
    let mut script =
        String::from("/* Written by `cargo bench -- --order`: what a call passes through, most often first. */\n");
    script += "SECTIONS {\n  .text.call : {\n";
    for (name, _) in &passed {
        // `.text.NAME`, or `.text.unlikely.NAME`.
        writeln!(script, "    *(.text*{name})").expect("a text");
    }
    script += "  }\n}\nINSERT BEFORE .text;\n";
    fs::write(SCRIPT, script).expect(SCRIPT);
    println!("{SCRIPT}\n{} functions of {} calls", passed.len(), runs.len());
}

/// The functions of a run, as patterns without the hashes of the compiler.
fn functions(seen: &str) -> BTreeSet<String> {
    let entries = seen.lines().filter_map(|line| line.strip_prefix("fn=(").or_else(|| line.strip_prefix("cfn=(")));
    let names = entries.filter_map(|entry| entry.split_once(") ")).map(|(_, name)| name);
    names.filter(|name| name.starts_with('_')).map(unnumbered).collect()
}

/// A mangled name without the hashes of crates and functions.
fn unnumbered(name: &str) -> String {
    // A recursive call has `'2` after its name; a part of a function has a word after a dot.
    let name = name.split('\'').next().unwrap_or(name);
    let name = name.split('.').next().unwrap_or(name);
    let mut parts = name.split("Cs");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| match part.split_once('_') {
        Some((hash, rest)) if hash.bytes().all(|byte| byte.is_ascii_alphanumeric()) => format!("{before}Cs*_{rest}"),
        _ => format!("{before}Cs{part}"),
    })
}

//! A long-lived process that answers lines.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::corpus::commands;
use crate::floor;
use crate::messages::request;
use crate::run::{Bench, pairs};
use crate::table::Table;

/// Compares the requests per second with those of a bare loop over `serde_json::Value`.
pub(crate) fn throughput(bench: &Bench, table: &mut Table) {
    for (window, requests, targets) in [(64, 10_000, [0.5, 0.4]), (1, 3_000, [0.7, 0.4])] {
        let rate = |command: &mut Command| served(command, window, requests);
        let audited = || bench.registered("picoclaw", None, &bench.rules());
        let ours = || rate(audited().arg("--no-audit"));
        let [floor, ours, ratio] = pairs(9, || rate(&mut bench.role(floor::LOOP)), ours);
        table.noted(&format!("lines, {window} outstanding: bare Value loop"), floor, "/s");
        table.noted(
            &format!("lines, {window} outstanding: picoclaw, 20 rules, commands of a session, no audit"),
            ours,
            "/s",
        );
        table.least("… of the bare loop", ratio, targets[0], "x");
        let [_, _, ratio] = pairs(5, || rate(&mut bench.role(floor::LOOP)), || rate(&mut audited()));
        table.least("… with audit", ratio, targets[1], "x");
    }
}

/// Measures the requests per second with this many unanswered at any time.
pub(crate) fn served(command: &mut Command, window: usize, requests: usize) -> f64 {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = child.stdout.take().expect("stdout");
    let commands = commands();
    let lines: Vec<String> = (1..=requests).map(|id| request(id, &commands[id % commands.len()])).collect();
    // The sender only counts answers, because it shares the processors with the program.
    let starts: Vec<usize> =
        lines.iter().scan(0, |end, line| Some(std::mem::replace(end, *end + line.len()))).collect();
    let text = lines.concat();
    let start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let mut sent = window;
    let mut answered = 0;
    let mut buffer = vec![0; 1 << 16];
    let started = Instant::now();
    stdin.write_all(&text.as_bytes()[..start(window)]).expect("stdin");
    while answered < requests {
        let read = stdout.read(&mut buffer).expect("an answer");
        assert!(read > 0, "{command:?} ended after {answered}");
        let free = buffer[..read].split(|byte| *byte == b'\n').count() - 1;
        answered += free;
        let next = (sent + free).min(requests);
        stdin.write_all(&text.as_bytes()[start(sent)..start(next)]).expect("stdin");
        sent = next;
    }
    let took = started.elapsed().as_secs_f64();
    drop(stdin);
    child.wait().expect("an end");
    f64::from(u32::try_from(requests).expect("a small number")) / took
}

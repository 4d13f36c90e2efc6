//! A long-lived process that answers lines.

use std::io::{BufRead, BufReader, Write};
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
        let [floor, ours, ratio] =
            pairs(9, || rate(&mut bench.role(floor::LOOP)), || rate(&mut bench.hook("picoclaw", false)));
        table.noted(&format!("lines, {window} outstanding: bare Value loop"), floor, "/s");
        table.noted(
            &format!("lines, {window} outstanding: picoclaw, 20 rules, commands of a session, no audit"),
            ours,
            "/s",
        );
        table.least("… of the bare loop", ratio, targets[0], "x");
        let audited = || rate(&mut bench.hook("picoclaw", true));
        let [_, _, ratio] = pairs(5, || rate(&mut bench.role(floor::LOOP)), audited);
        table.least("… with audit", ratio, targets[1], "x");
    }
}

/// Measures the requests per second with this many unanswered at any time.
pub(crate) fn served(command: &mut Command, window: usize, requests: usize) -> f64 {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
    let commands = commands();
    let lines: Vec<String> = (1..=requests).map(|id| request(id, &commands[id % commands.len()])).collect();
    let mut sent = window;
    let mut answered = 0;
    let mut answer = String::new();
    let started = Instant::now();
    stdin.write_all(lines[..window].concat().as_bytes()).expect("stdin");
    while answered < requests {
        let mut free = 0;
        while free == 0 || stdout.buffer().contains(&b'\n') {
            answer.clear();
            assert!(stdout.read_line(&mut answer).expect("an answer") > 0, "{command:?} ended after {answered}");
            free += 1;
        }
        answered += free;
        let next = (sent + free).min(requests);
        stdin.write_all(lines[sent..next].concat().as_bytes()).expect("stdin");
        sent = next;
    }
    let took = started.elapsed().as_secs_f64();
    drop(stdin);
    child.wait().expect("an end");
    f64::from(u32::try_from(requests).expect("a small number")) / took
}

//! The recorded labels match the current cases, and real runs confirm them.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::generate::{Case, Seed, cases, chosen, key, seeds, shown, tools};
use crate::labels::{self, Label};
use crate::sandbox::{Ran, SHELLS, Sandbox, Start, on_path};
use crate::skipped::skipped;

pub(crate) const RAN: &str = "ran.jsonl";

#[test]
fn the_labels_match_the_programs_that_each_case_really_ran() {
    let seeds = seeds();
    let cases = cases(&seeds);
    assert!(cases.len() >= 3000, "{} cases", cases.len());
    let lines: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.text.as_str())).collect();
    check(RAN, &lines, 6, |at, ran| hit(&seeds, &cases[at], ran));
}

fn hit(seeds: &[Seed], case: &Case, ran: &Ran) -> bool {
    ran.marks.iter().any(|mark| seeds[case.seed].left(mark))
}

/// Runs lines and compares the results with the labels of a file, or writes the labels.
///
/// One line in `of` is run, unless all are requested or written.
pub(crate) fn check(file: &str, lines: &[(&str, &str)], of: u64, seen: impl Fn(usize, &Ran) -> bool) {
    check_from(Start::Plain, file, lines, of, seen);
}

/// The same with other initial files.
pub(crate) fn check_from(
    start: Start,
    file: &str,
    lines: &[(&str, &str)],
    of: u64,
    seen: impl Fn(usize, &Ran) -> bool,
) {
    if !labels::writing() {
        same_cases(file, lines);
    }
    let sandbox = match Sandbox::prepare(start) {
        Ok(sandbox) => sandbox,
        Err(why) => return skipped(&why),
    };
    for (_, name) in SHELLS.iter().filter(|(letter, _)| !sandbox.shells().contains(letter)) {
        skipped(&format!("{name}: not installed, so its recorded labels are believed"));
    }
    let missing: BTreeSet<_> = lines.iter().flat_map(|(_, text)| tools(text)).filter(|tool| !on_path(tool)).collect();
    if !missing.is_empty() {
        let names = missing.iter().copied().collect::<Vec<_>>().join(", ");
        skipped(&format!("programs of some cases: not installed, so their recorded labels are believed: {names}"));
    }
    let recorded = labels::read(file);
    let taken = |(_, (name, _)): &(usize, &(&str, &str))| labels::all() || chosen(&[key(name)], of);
    let mut left: Vec<_> = lines.iter().enumerate().filter(taken).map(|(at, _)| at).collect();
    let mut now: Vec<Label> = Vec::new();
    let began = Instant::now();
    println!("{file}: {} of {} cases are run under {} shells", left.len(), lines.len(), sandbox.shells().len());
    // Background processes may be late on a busy machine, so cases that differ are run again.
    for round in 0..if labels::writing() { 1 } else { 3 } {
        let texts: Vec<_> = left.iter().map(|at| lines[*at].1).collect();
        let all = sandbox.run(&texts);
        now = left
            .iter()
            .zip(&all)
            .map(|(at, runs)| {
                let (name, text) = lines[*at];
                let old = recorded.get(name).map_or("", |label| label.seen.as_str());
                let known = tools(text).all(|tool| !missing.contains(tool));
                let happened = |letter: &char| match runs.get(letter).filter(|_| known) {
                    Some(ran) => seen(*at, ran),
                    None => old.contains(*letter),
                };
                let seen = SHELLS.iter().map(|(letter, _)| *letter).filter(happened).collect();
                Label { case: name.to_owned(), text: text.to_owned(), seen }
            })
            .collect();
        println!("{file}: round {round} ended after {:.0?}", began.elapsed());
        if !labels::writing() {
            now.retain(|label| recorded.get(&label.case) != Some(label));
            left.retain(|at| now.iter().any(|label| label.case == lines[*at].0));
        }
    }
    if labels::writing() {
        return labels::write(file, &now);
    }
    let drifted = now.iter().take(40).map(|label| {
        let old = recorded.get(&label.case).map_or("", |label| label.seen.as_str());
        format!("{}: `{old}` was recorded, `{}` was seen: {}\n", label.case, label.seen, shown(&label.text))
    });
    assert!(now.is_empty(), "{file}; {}\n{}", labels::remedy(), drifted.collect::<String>());
}

/// Requires that the labelled cases are exactly the current cases.
fn same_cases(file: &str, lines: &[(&str, &str)]) {
    let recorded = labels::read(file);
    let recorded: BTreeSet<_> = recorded.values().map(|label| (label.case.as_str(), label.text.as_str())).collect();
    let now: BTreeSet<_> = lines.iter().copied().collect();
    let odd: Vec<_> = recorded.symmetric_difference(&now).take(10).collect();
    assert!(odd.is_empty(), "{file}; {}\n{odd:#?}", labels::remedy());
}

#[test]
fn no_line_that_only_mentions_a_denied_program_runs_it() {
    let Ok(sandbox) = Sandbox::prepare(Start::Plain) else {
        skipped("bwrap: no sandbox here, so the lines that mention denied programs are believed");
        return;
    };
    let (seeds, lines) = (seeds(), crate::laws::mentions());
    let texts: Vec<_> = lines.iter().map(String::as_str).collect();
    for (line, runs) in lines.iter().zip(sandbox.run(&texts)) {
        let ran = runs.values().any(|ran| ran.marks.iter().any(|mark| seeds.iter().any(|seed| seed.left(mark))));
        assert!(!ran, "{line}");
    }
}

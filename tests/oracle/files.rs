//! The oracle for files that a rule protects: which file redirections and operands of programs really wrote,
//! deleted or moved.

use std::collections::BTreeMap;

use snaphook_adapters::model::VerdictKind;

use crate::generate::{rows, shown};
use crate::judge::Judge;
use crate::labels;
use crate::laws::Ways;
use crate::truth::check;

const WROTE: &str = "wrote.jsonl";

/// The process that changes the file: the shell itself, a program in the tables of policy, or another one.
const KINDS: [&str; 3] = ["redirect", "known", "other"];

/// Every line, by `kind name`.
fn lines() -> Vec<(String, String)> {
    let of = |kind: &'static str| {
        let named = move |(name, text)| (format!("{kind} {name}"), text);
        rows(include_str!("files.toml"), kind).into_iter().map(named)
    };
    KINDS.into_iter().flat_map(of).collect()
}

#[test]
fn the_labels_match_the_files_that_each_line_really_wrote() {
    let lines = lines();
    let lines: Vec<_> = lines.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    check(WROTE, &lines, 2, |_, ran| ran.wrote);
}

#[test]
fn nothing_that_changed_a_denied_file_is_understood_and_allowed() {
    let allow = ["Bash", "Edit", "Read"];
    let by_path = Judge::new(&["Edit(//oracle/w/keep.txt)"], &allow);
    let by_name = Judge::new(&["Edit(keep.txt)"], &allow);
    let (labels, mut ways) = (labels::read(WROTE), Ways::read("wrote"));
    let mut breaches = Vec::new();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (name, text) in lines() {
        let seen = labels.get(&name).map_or("", |label| label.seen.as_str());
        if seen.is_empty() {
            continue;
        }
        let kind = KINDS.into_iter().find(|kind| name.starts_with(kind)).unwrap();
        let said = [by_path.says(&text), by_name.says(&text)];
        let allowed = said.iter().any(|said| said.verdict == VerdictKind::Allow);
        let [wrote, denied, open] = counts.entry(kind).or_default();
        *wrote += 1;
        *denied += usize::from(said.iter().all(|said| said.verdict == VerdictKind::Deny));
        *open += usize::from(allowed);
        if kind != "other" && allowed && !ways.know(std::slice::from_ref(&name)) {
            breaches.push(format!("{name}, wrote in {seen}: {}", shown(&text)));
        }
    }
    for (kind, [wrote, denied, open]) in counts {
        println!("{kind}: {wrote} lines changed the file; {denied} denied, {open} allowed");
    }
    assert!(breaches.is_empty(), "{} lines understood and allowed:\n{}", breaches.len(), breaches.join("\n"));
    ways.all_used();
}

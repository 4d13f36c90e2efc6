//! The oracle for files under `[protect]`: which cases really replaced or removed the file or its folder.

use snaphook_adapters::model::VerdictKind;

use crate::generate::{rows, shown};
use crate::judge::Judge;
use crate::labels;
use crate::sandbox::Start;
use crate::truth::check_from;

const PROTECTED: &str = "protected.jsonl";

fn lines() -> Vec<(String, String)> {
    let of = |kind: &'static str| {
        let named = move |(name, text)| (format!("{kind} {name}"), text);
        rows(include_str!("protected.toml"), kind).into_iter().map(named)
    };
    ["replaced", "harmless"].into_iter().flat_map(of).collect()
}

#[test]
fn the_labels_match_what_each_line_really_did_to_a_protected_file() {
    let lines = lines();
    let lines: Vec<_> = lines.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    check_from(Start::Protected, PROTECTED, &lines, 2, |_, ran| ran.wrote);
}

#[test]
fn nothing_that_changed_a_protected_file_is_allowed() {
    let judge = Judge::new(&[], &["Bash", "Edit", "Read"]);
    let labels = labels::read(PROTECTED);
    let (mut changed, mut stopped, mut breaches) = (0, 0, Vec::new());
    for (name, text) in lines() {
        let seen = labels.get(&name).map_or("", |label| label.seen.as_str());
        let said = judge.says(&text).verdict;
        if !seen.is_empty() {
            changed += 1;
            stopped += usize::from(matches!(said, VerdictKind::Ask | VerdictKind::Deny));
        }
        let harmless = name.starts_with("harmless");
        if (said == VerdictKind::Allow) != harmless || seen.is_empty() != harmless {
            breaches.push(format!("{name}, changed it in `{seen}`, {}: {}", said.word(), shown(&text)));
        }
    }
    println!("{changed} lines changed a protected file; {stopped} were asked about or denied");
    assert!(breaches.is_empty(), "{} lines:\n{}", breaches.len(), breaches.join("\n"));
}

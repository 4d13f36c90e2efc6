//! The laws that relate verdicts to the commands that really ran.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use snaphook_adapters::model::VerdictKind;

use crate::generate::{Case, Reach, cases, seeds, shown};
use crate::judge::{Judge, Said};
use crate::labels;
use crate::truth::RAN;

/// Programs that a careful user may allow: none of them runs its arguments.
const ORDINARY: &[&str] = &[
    "echo", "printf", "cat", "ls", "cp", "mv", "ln", "mkdir", "touch", "chmod", "install", "head", "tail", "grep",
    "sed", "cut", "tr", "sort", "base64", "tee", "find", "git", "true", "cd", "export", "set", "dd",
];

/// Known bypasses and the reasons why they exist.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    #[serde(default)]
    ran: Vec<Way>,
    #[serde(default)]
    wrote: Vec<Way>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    /// Carriers or spellings; a case with one of them is covered by this entry.
    through: Vec<String>,
    why: String,
}

/// The known bypasses, and which of them occurred.
pub(crate) struct Ways {
    all: Vec<String>,
    met: BTreeSet<String>,
}

impl Ways {
    /// The entries of one law: `ran` or `wrote`.
    pub(crate) fn read(law: &str) -> Self {
        let Open { ran, wrote } = toml::from_str(include_str!("open.toml")).unwrap();
        let ways = if law == "ran" { ran } else { wrote };
        assert!(ways.iter().all(|way| !way.why.is_empty()), "a way in open.toml has no reason");
        Self { all: ways.into_iter().flat_map(|way| way.through).collect(), met: BTreeSet::new() }
    }

    /// Returns true if a case with these carriers is a known bypass.
    pub(crate) fn know(&mut self, made_of: &[String]) -> bool {
        let known: Vec<_> = self.all.iter().filter(|way| made_of.contains(way)).cloned().collect();
        let any = !known.is_empty();
        self.met.extend(known);
        any
    }

    /// Requires that each known bypass still exists.
    pub(crate) fn all_used(&self) {
        let closed: Vec<_> = self.all.iter().filter(|way| !self.met.contains(*way)).collect();
        assert!(closed.is_empty(), "open.toml names ways that are no longer open: {closed:?}");
    }
}

/// The rules that deny the seeds, and the policies that are tested.
struct Bench {
    /// Allows everything that it does not deny.
    all: Judge,
    /// Allows ordinary programs.
    ordinary: Judge,
    /// Denies, and allows nothing.
    deny: Judge,
}

impl Bench {
    fn new() -> Self {
        let seeds = seeds();
        let deny: Vec<_> = seeds.iter().map(|seed| seed.rule.as_str()).collect();
        let ordinary: Vec<_> = ORDINARY.iter().map(|program| format!("Bash({program} *)")).collect();
        let mut ordinary: Vec<_> = ordinary.iter().map(String::as_str).collect();
        ordinary.extend(["Edit", "Read"]);
        Self {
            all: Judge::new(&deny, &["Bash", "Edit", "Read"]),
            ordinary: Judge::new(&deny, &ordinary),
            deny: Judge::new(&deny, &[]),
        }
    }
}

/// The results of all cases of one kind.
#[derive(Default)]
struct Count {
    ran: usize,
    understood: usize,
    denied: usize,
    allowed: usize,
}

#[test]
fn nothing_that_ran_a_denied_program_is_understood_and_allowed() {
    let (bench, labels, mut ways) = (Bench::new(), labels::read(RAN), Ways::read("ran"));
    let mut breaches = Vec::new();
    let mut counts: BTreeMap<Reach, Count> = BTreeMap::new();
    for case in cases(&seeds()) {
        let seen = labels.get(&case.name).map_or("", |label| label.seen.as_str());
        if seen.is_empty() {
            continue;
        }
        let (all, deny) = (bench.all.says(&case.text), bench.deny.says(&case.text));
        let count = counts.entry(case.reach).or_default();
        count.ran += 1;
        count.understood += usize::from(deny.understood());
        count.denied += usize::from(deny.verdict == VerdictKind::Deny);
        count.allowed += usize::from(all.verdict == VerdictKind::Allow);
        if let Some(what) = breach(&bench, &case, &all, &deny).filter(|_| !ways.know(&case.made_of)) {
            breaches.push(format!("{}, ran in {seen}, {what}: {}", case.name, shown(&case.text)));
        }
    }
    for (reach, count) in &counts {
        let Count { ran, understood, denied, allowed } = count;
        println!(
            "{reach:?}: {ran} cases ran a denied program; {understood} of them understood, {denied} denied by a \
             policy that only denies, {allowed} allowed by a policy that allows all the rest"
        );
    }
    let total = breaches.len();
    breaches.truncate(900);
    assert!(breaches.is_empty(), "{total} cases:\n{}", breaches.join("\n"));
    ways.all_used();
}

/// Describes how a case that ran a denied program breaks a law, if it does.
fn breach(bench: &Bench, case: &Case, all: &Said, deny: &Said) -> Option<&'static str> {
    match case.reach {
        Reach::Shell if deny.understood() && deny.verdict != VerdictKind::Deny => Some("understood and not denied"),
        Reach::Shell | Reach::Expansion | Reach::Code if all.verdict == VerdictKind::Allow => {
            Some("understood and allowed")
        }
        Reach::File if bench.ordinary.says(&case.text).verdict == VerdictKind::Allow => {
            Some("allowed where only ordinary programs are")
        }
        _ => None,
    }
}

#[test]
fn plain_commands_are_allowed_by_their_rules() {
    for (allow, line) in [
        (&["Bash(echo *)"][..], "echo hi"),
        (&["Bash(git status)"], "git status"),
        (&["Bash(ls *)", "Bash(cat *)"], "ls -la && cat a.txt"),
        (&["Bash(env *)", "Bash(git *)"], "LANG=C env git log"),
        (&["Bash(npm test *)"], "timeout 30 npm test"),
        (&["Bash(cargo *)", "Bash(tail *)"], "cargo test 2>&1 | tail -n 20"),
        (&["Bash(grep *)"], "grep -rn 'evilprog' src"),
        (&["Bash(make *)"], "make -j8 CFLAGS='-O2 -g' PREFIX=/usr install"),
        (&["Bash(tar *)", "Bash(unzip *)"], "tar -C out -xf a.tar && unzip -o a.zip -d out"),
        (&["Bash(git *)"], "git checkout -b next && git show \"$(git rev-parse HEAD)\""),
        (&["Bash(curl *)"], "for x in a b; do curl -s \"https://$x\" \"$URL\"; done"),
    ] {
        let rules: Vec<_> = seeds().iter().map(|seed| seed.rule.clone()).filter(|rule| !rule.contains("npm")).collect();
        let deny: Vec<_> = rules.iter().map(String::as_str).collect();
        let said = Judge::new(&deny, allow).says(line);
        assert_eq!(said.verdict, VerdictKind::Allow, "{line}: {said:?}");
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    lines: Vec<String>,
}

pub(crate) fn mentions() -> Vec<String> {
    toml::from_str::<Lines>(include_str!("mentions.toml")).unwrap().lines
}

pub(crate) fn harmless() -> Vec<String> {
    toml::from_str::<Lines>(include_str!("harmless.toml")).unwrap().lines
}

#[test]
fn a_line_that_only_mentions_a_denied_program_is_not_denied() {
    let (bench, lines) = (Bench::new(), mentions());
    assert!(lines.len() >= 200, "{}", lines.len());
    let denied: Vec<_> = lines.iter().filter(|line| bench.deny.says(line).verdict == VerdictKind::Deny).collect();
    assert!(denied.is_empty(), "{} of {}: {denied:#?}", denied.len(), lines.len());
}

#[test]
fn few_harmless_lines_are_not_understood() {
    let (bench, starter, lines) = (Bench::new(), Judge::starter(), harmless());
    let dark: Vec<_> = lines.iter().filter_map(|line| Some((line, bench.deny.says(line).not_understood?))).collect();
    let denies = |judge: &Judge| lines.iter().filter(|line| judge.says(line).verdict == VerdictKind::Deny).count();
    let (ours, starters) = (denies(&bench.deny), denies(&starter));
    let asked = lines.iter().filter(|line| starter.says(line).verdict == VerdictKind::Ask).count();
    println!(
        "{} harmless lines: {} not understood, {ours} denied by the rules of this test, {starters} denied and {asked} \
         asked about by the starter policy",
        lines.len(),
        dark.len(),
    );
    for (line, why) in &dark {
        println!("  not understood, because of {why}: {}", shown(line));
    }
    for line in lines.iter().filter(|line| starter.says(line).verdict == VerdictKind::Deny) {
        println!("  denied by the starter policy: {}", shown(line));
    }
    assert_eq!((ours, starters), (0, 0), "a harmless line is denied");
    let limits = include_str!("../../docs/design/limits.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let said = format!("Of {} harmless lines", lines.len());
    assert!(limits.contains(&said), "docs/design/limits.md should say `{said}`");
    let said = format!("{} are not understood", dark.len());
    assert!(limits.contains(&said), "docs/design/limits.md should say `{said}`");
}

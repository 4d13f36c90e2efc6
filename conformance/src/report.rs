//! The report: what each version of an agent did in its last full run.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::drive;
use crate::results::Row;
use crate::run::SCHEMAS;
use crate::scenarios;

/// The path of the report in the workspace.
const FILE: &str = "conformance/REPORT.md";

/// Writes the rows of one run into the report. Versions of agents that the run did not drive stay as they are.
pub(crate) fn write(rows: &[Row], snaphook: &str) -> Result<(), Box<dyn Error>> {
    let file = drive::root().join(FILE);
    let mut report = EffectReport::read(&fs::read_to_string(&file)?)?;
    report.0.extend(EffectReport::of(rows, snaphook).0);
    Ok(fs::write(file, report.page()?)?)
}

/// The commit of the workspace, from which snaphook was built; with a `+` if files were changed since.
pub(crate) fn commit() -> Result<String, Box<dyn Error>> {
    let git = |arguments: &[&str]| -> Result<String, Box<dyn Error>> {
        let said = Command::new("git").arg("-C").arg(drive::root()).args(arguments).output()?;
        if !said.status.success() {
            return Err(format!("git: {}", String::from_utf8_lossy(&said.stderr).trim()).into());
        }
        Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    let mut commit = git(&["rev-parse", "--short=9", "HEAD"])?;
    // The report itself may have been written by an earlier run.
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    if changed.lines().any(|line| !Path::new(line.trim()).ends_with("REPORT.md")) {
        commit.push('+');
    }
    Ok(commit)
}

/// The results by agent and version.
#[derive(Debug, PartialEq, Eq)]
struct EffectReport(BTreeMap<(String, String), VersionResults>);

/// The results of one version of an agent, which are from one run.
#[derive(Debug, Default, PartialEq, Eq)]
struct VersionResults {
    /// The cells of the first table, after agent and version.
    summary: Vec<String>,
    /// The cells of the second table, by scenario.
    effects: BTreeMap<String, String>,
    /// Judgement, reason and scenario.
    details: BTreeSet<(String, String, String)>,
}

impl EffectReport {
    /// The results of one run.
    fn of(rows: &[Row], snaphook: &str) -> Self {
        let mut subjects: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in rows.iter().filter(|row| !row.scenario.is_empty()) {
            subjects.entry((row.agent.clone(), row.version.clone())).or_default().push(row);
        }
        Self(subjects.into_iter().map(|(subject, rows)| (subject, VersionResults::of(&rows, snaphook))).collect())
    }

    /// Reads what [`EffectReport::page`] wrote.
    fn read(page: &str) -> Result<Self, String> {
        let invalid = |line: &str| format!("{FILE}: invalid line `{line}`; expected what `run --report` writes");
        let (mut sections, mut columns) = (BTreeMap::<_, VersionResults>::new(), Vec::new());
        for line in page.lines() {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
            let table = line.starts_with("| ");
            match (cells.as_slice(), line.strip_prefix("- **")) {
                ([first, ..], _) if table && first == "agent" => {}
                ([first, subjects @ ..], _) if table && first == "scenario" => columns = subjects.to_vec(),
                ([agent, version, summary @ ..], _) if table && columns.is_empty() => {
                    let section = VersionResults { summary: summary.to_vec(), ..VersionResults::default() };
                    sections.insert((agent.clone(), version.clone()), section);
                }
                ([scenario, effects @ ..], _) if table => {
                    // Both tables have the same order.
                    for (section, effect) in sections.values_mut().zip(effects).filter(|(_, effect)| *effect != NOT_RUN)
                    {
                        section.effects.insert(scenario.clone(), effect.clone());
                    }
                }
                (_, Some(detail)) => {
                    let parts =
                        detail.split_once("**: ").and_then(|(word, rest)| Some((word, rest.rsplit_once(" (")?)));
                    let (word, (why, places)) = parts.ok_or_else(|| invalid(line))?;
                    for place in places.trim_end_matches(')').split("; ") {
                        let (subject, scenario) = place.rsplit_once(": ").ok_or_else(|| invalid(line))?;
                        let subject = subject.split_once(' ').ok_or_else(|| invalid(line))?;
                        let section = sections.get_mut(&(subject.0.to_owned(), subject.1.to_owned()));
                        let detail = (word.to_owned(), why.to_owned(), scenario.to_owned());
                        section.ok_or_else(|| invalid(line))?.details.insert(detail);
                    }
                }
                _ => {}
            }
        }
        let in_order = sections.keys().map(|(agent, version)| format!("{agent} {version}")).eq(columns);
        if in_order { Ok(Self(sections)) } else { Err(invalid("| scenario |")) }
    }

    /// The text of the report.
    fn page(&self) -> Result<String, std::fmt::Error> {
        let mut page = String::from(HEAD);
        page += "| agent | version | what spoke | date | snaphook | runs | obeyed | limits | not as it should be | a hook call |\n";
        page += "|---|---|---|---|---|--:|--:|--:|--:|---|\n";
        for ((agent, version), section) in &self.0 {
            writeln!(page, "| {agent} | {version} | {} |", section.summary.join(" | "))?;
        }
        page += "\n## Verdict and effect\n\n";
        let head: Vec<_> = self.0.keys().map(|(agent, version)| format!(" {agent} {version} |")).collect();
        writeln!(page, "| scenario |{}\n|---|{}", head.concat(), "---|".repeat(self.0.len()))?;
        // Scenarios that were renamed or removed come last.
        let mut former: BTreeSet<&str> = self.0.values().flat_map(VersionResults::scenarios).collect();
        let known: Vec<_> =
            scenarios::names().into_iter().chain([SCHEMAS]).filter(|name| former.remove(name)).collect();
        for scenario in known.into_iter().chain(former) {
            let effect =
                |section: &VersionResults| section.effects.get(scenario).map_or(NOT_RUN, String::as_str).to_owned();
            let cells: Vec<_> = self.0.values().map(|section| format!(" {} |", effect(section))).collect();
            writeln!(page, "| {scenario} |{}", cells.concat())?;
        }
        let mut said: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for ((agent, version), section) in &self.0 {
            for (judgement, why, scenario) in &section.details {
                said.entry((judgement, why)).or_default().insert(format!("{agent} {version}: {scenario}"));
            }
        }
        if !said.is_empty() {
            page += "\n## Details\n\n";
        }
        for ((judgement, why), places) in said {
            let places: Vec<_> = places.into_iter().collect();
            writeln!(page, "- **{judgement}**: {why} ({})", places.join("; "))?;
        }
        Ok(page)
    }
}

impl VersionResults {
    fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.effects.keys().map(String::as_str)
    }

    fn of(rows: &[&Row], snaphook: &str) -> Self {
        let count = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count().to_string();
        let why = |row: &&Row| row.why.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = rows.iter().filter(|row| !row.why.is_empty());
        Self {
            summary: vec![
                rows.first().map_or_else(String::new, |row| row.spoke.clone()),
                rows.iter().map(|row| row.date.as_str()).max().unwrap_or_default().to_owned(),
                snaphook.to_owned(),
                count(|row| row.driven),
                count(|row| row.judgement == "obeyed"),
                count(|row| row.judgement == "limit"),
                count(|row| !row.good),
                milliseconds(rows.iter().flat_map(|row| row.calls.iter().copied()).collect()),
            ],
            effects: rows.iter().map(|row| (row.scenario.clone(), cell(row))).collect(),
            details: told.map(|row| (row.judgement.clone(), why(row), row.scenario.clone())).collect(),
        }
    }
}

/// The cell of a scenario that was not run.
const NOT_RUN: &str = "–";

fn cell(row: &Row) -> String {
    match row.judgement.as_str() {
        "obeyed" => row.effect.clone(),
        "limit" => format!("{} (limit)", row.effect),
        other => format!("**{} ({other})**", row.effect),
    }
}

/// The median and the maximum.
fn milliseconds(mut calls: Vec<f64>) -> String {
    calls.sort_by(f64::total_cmp);
    match (calls.get(calls.len() / 2), calls.last()) {
        (Some(median), Some(slowest)) => format!("{median:.1} ms, at most {slowest:.1}, of {}", calls.len()),
        _ => "–".into(),
    }
}

const HEAD: &str = "\
# What real agents did

Written by `cargo run -p conformance -- run --report`. The results of one version of an agent \
are from one full run, on the date in its row and with snaphook of that commit (`+`: with changes that were not \
committed; –: not recorded). A later run replaces only the versions that it drives. `snaphook install` registered each agent, and a scripted model drove it offline; an effect is what the call left behind. *program*: the agent itself; *double*: no \
program was available, so a double played the agent's part from the cases in `hosts/`.

The law: no call runs against a deny, a lowered ask or a required rewrite. A *limit* is a case in which a host does \
not ask or does not listen, as its adapter says. *waits*: the call did not run, and the agent waited for a person until \
the run was stopped. *held*: the command ran, and what is forbidden in it or after it did not happen. *told*: it ran, \
and the model was sent what the hook had to say. *logged*: it ran, and the log of snaphook says what was wrong with \
that. –: not run, because the agent has not what the scenario needs, or the scenario is newer than the run. A hook call is timed in the run of *pass*, from the start of its \
process to its end, with an unoptimized build unless `--snaphook` names another; on a connection, from request to \
answer. The scenarios from *project file of bad rules* on are attacks; `prove` shows that each succeeds where snaphook \
does nothing.

";

#[cfg(test)]
mod tests {
    use super::*;

    fn row(version: &str, scenario: &str, effect: &str, judgement: &str) -> Row {
        let mut row = Row::new("codex", version, scenario);
        row.effect = effect.into();
        row.judgement = judgement.into();
        row.good = matches!(judgement, "obeyed" | "limit");
        row.driven = true;
        row.calls = vec![3.0, 1.0, 2.0];
        row
    }

    #[test]
    fn a_report_shows_each_effect_and_each_departure() {
        let rows = [row("1", "pass", "ran", "obeyed"), row("1", "deny", "ran", "BREACH")];
        let page = EffectReport::of(&rows, "abc").page().unwrap();
        assert!(page.contains("| deny | **ran (BREACH)** |"), "{page}");
        assert!(page.contains("| abc | 2 | 1 | 0 | 1 | 2.0 ms, at most 3.0, of 6 |"), "{page}");
    }

    #[test]
    fn the_report_in_the_workspace_is_what_the_program_writes() {
        let page = fs::read_to_string(drive::root().join(FILE)).unwrap();
        assert!(EffectReport::read(&page).unwrap().page().unwrap() == page, "{FILE}: not as `run --report` writes it");
    }

    #[test]
    fn a_run_replaces_the_versions_that_it_drove_and_no_others() {
        let departs = |version: &str, why: &str| {
            let mut row = row(version, "slow hook", "ran", "DEPARTS");
            row.why = why.into();
            row
        };
        let first = [row("1", "pass", "ran", "obeyed"), departs("1", "for a reason (a long one)"), departs("2", "old")];
        let mut report = EffectReport::of(&first, "abc");
        let undriven = Row::new("hygge", "", "");
        report.0.extend(EffectReport::of(&[row("2", "deny", "blocked", "obeyed"), undriven], "def").0);
        let read = EffectReport::read(&report.page().unwrap()).unwrap();
        assert_eq!(read, report);
        let both = [row("1", "pass", "ran", "obeyed"), departs("1", "for a reason (a long one)")];
        let subject = |version: &str| ("codex".to_owned(), version.to_owned());
        assert_eq!(read.0.get(&subject("1")), EffectReport::of(&both, "abc").0.get(&subject("1")));
        let second = read.0.get(&subject("2")).unwrap();
        assert_eq!(second.summary[2], "def");
        assert!(second.details.is_empty() && !second.effects.contains_key("slow hook"), "{second:?}");
        assert_eq!(read.0.len(), 2);
    }

    #[test]
    fn a_damaged_report_is_refused() {
        let page = EffectReport::of(&[row("1", "pass", "ran", "obeyed")], "abc").page().unwrap();
        assert!(EffectReport::read(&page.replace("| scenario |", "| – |")).is_err());
        assert!(EffectReport::read(&format!("{page}- **limit**: no place\n")).is_err());
    }
}

//! The report of a full run.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;

use crate::drive;
use crate::results::Row;
use crate::run::SCHEMAS;
use crate::scenarios;

/// The path of the report in the workspace.
const FILE: &str = "conformance/REPORT.md";

/// Writes the report from the rows of one run.
pub(crate) fn write(rows: &[Row]) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(drive::root().join(FILE), page(rows)?)?)
}

fn page(rows: &[Row]) -> Result<String, std::fmt::Error> {
    let mut page = String::from(HEAD);
    let mut subjects: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        subjects.entry((&row.agent, &row.version)).or_default().push(row);
    }
    page += "| agent | version | what spoke | date | runs | obeyed | limits | not as it should be | a hook call |\n";
    page += "|---|---|---|---|--:|--:|--:|--:|---|\n";
    for ((agent, version), rows) in &subjects {
        let count = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count();
        let dates: BTreeSet<_> = rows.iter().map(|row| row.date.as_str()).collect();
        writeln!(
            page,
            "| {agent} | {version} | {} | {} | {} | {} | {} | {} | {} |",
            rows.first().map_or("", |row| row.spoke.as_str()),
            dates.last().unwrap_or(&""),
            count(|row| row.driven),
            count(|row| row.judgement == "obeyed"),
            count(|row| row.judgement == "limit"),
            count(|row| !row.good),
            milliseconds(rows.iter().flat_map(|row| row.calls.iter().copied()).collect()),
        )?;
    }
    page += "\n## Verdict and effect\n\n";
    let head: Vec<_> = subjects.keys().map(|(agent, version)| format!(" {agent} {version} |")).collect();
    writeln!(page, "| scenario |{}\n|---|{}", head.concat(), "---|".repeat(head.len()))?;
    for scenario in scenarios::names().into_iter().chain([SCHEMAS]) {
        let cells: Vec<_> = subjects.values().map(|rows| format!(" {} |", cell(rows, scenario))).collect();
        writeln!(page, "| {scenario} |{}", cells.concat())?;
    }
    let mut said: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.why.is_empty()) {
        let subject = format!("{} {}", row.agent, row.version);
        said.entry((&row.judgement, &row.why)).or_default().insert(format!("{}: {}", subject.trim(), row.scenario));
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

fn cell(rows: &[&Row], scenario: &str) -> String {
    let Some(row) = rows.iter().find(|row| row.scenario == scenario) else { return "–".into() };
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

Written by `cargo run -p conformance -- run --report`. The results of an agent are from one run, on the date in its \
row. `snaphook install` registered each agent, and a scripted model drove it offline; an effect is what the call left behind. *program*: the agent itself; *double*: no \
program was available, so a double played the agent's part from the cases in `hosts/`.

The law: no call runs against a deny, a lowered ask or a required rewrite. A *limit* is a case in which a host does \
not ask or does not listen, as its adapter says. *waits*: the call did not run, and the agent waited for a person until \
the run was stopped. *held*: the command ran, and what is forbidden in it or after it did not happen. *told*: it ran, \
and the model was sent what the hook had to say. *logged*: it ran, and the log of snaphook says what was wrong with \
that. A hook call is timed in the run of *pass*, from the start of its \
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
        let page = page(&[row("1", "pass", "ran", "obeyed"), row("1", "deny", "ran", "BREACH")]).unwrap();
        assert!(page.contains("| deny | **ran (BREACH)** |"), "{page}");
        assert!(page.contains("| 2 | 1 | 0 | 1 | 2.0 ms, at most 3.0, of 6 |"), "{page}");
    }
}

//! What runs came to, kept from one call of this program to the next.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What one run came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) agent: String,
    pub(crate) version: String,
    /// Empty where the agent could not be had.
    pub(crate) scenario: String,
    /// What spoke: `program` or `double`.
    pub(crate) spoke: String,
    pub(crate) date: String,
    /// What became of the call.
    pub(crate) effect: String,
    pub(crate) judgement: String,
    pub(crate) why: String,
    pub(crate) good: bool,
    /// Whether there is an effect to speak of.
    pub(crate) driven: bool,
    /// Seconds from the start of the agent to its end.
    pub(crate) seconds: f64,
    /// Milliseconds of each hook call, where they were taken.
    pub(crate) calls: Vec<f64>,
}

/// The file that keeps them, in the workspace.
pub(crate) const FILE: &str = "target/conformance/results.json";

impl Row {
    /// A run that did not come about.
    pub(crate) fn new(agent: &str, version: &str, scenario: &str) -> Self {
        Self {
            agent: agent.into(),
            version: version.into(),
            scenario: scenario.into(),
            spoke: "program".into(),
            date: today(),
            effect: "-".into(),
            judgement: "NOT DRIVEN".into(),
            why: String::new(),
            good: false,
            driven: false,
            seconds: 0.0,
            calls: Vec::new(),
        }
    }
}

/// Reads the rows that are there.
pub(crate) fn read(file: &Path) -> Vec<Row> {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Writes rows over those of the same agent, version and scenario; a double never over a program.
pub(crate) fn add(file: &Path, new: &[Row]) -> io::Result<()> {
    let rows = merged(read(file), new);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, serde_json::to_string_pretty(&rows)?)
}

fn merged(mut rows: Vec<Row>, new: &[Row]) -> Vec<Row> {
    for new in new {
        let same = |old: &Row| (&old.agent, &old.version, &old.scenario) == (&new.agent, &new.version, &new.scenario);
        if new.spoke == DOUBLE && rows.iter().any(|old| same(old) && old.spoke != DOUBLE) {
            continue;
        }
        // An agent that was had takes the place of one that was not.
        rows.retain(|old| !(same(old) || old.scenario.is_empty() && old.agent == new.agent));
        rows.push(new.clone());
    }
    rows
}

/// What speaks in the place of a program.
pub(crate) const DOUBLE: &str = "double";

/// Today.
pub(crate) fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_rows_count_and_a_double_hides_no_program() {
        let row = |scenario: &str, spoke: &str, effect: &str| {
            let mut row = Row::new("hygge", if scenario.is_empty() { "" } else { "1" }, scenario);
            (row.spoke, row.effect) = (spoke.into(), effect.into());
            row
        };
        let rows = merged(Vec::new(), &[row("", "program", "-"), row("deny", DOUBLE, "blocked")]);
        let rows = merged(rows, &[row("deny", "program", "ran"), row("deny", DOUBLE, "blocked")]);
        let shown: Vec<_> = rows.iter().map(|row| (row.spoke.as_str(), row.effect.as_str())).collect();
        assert_eq!(shown, [("program", "ran")]);
    }
}

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
    pub(crate) scenario: String,
    pub(crate) date: String,
    /// What became of the call.
    pub(crate) effect: String,
    pub(crate) judgement: String,
    pub(crate) why: String,
    pub(crate) good: bool,
    /// Seconds from the start of the agent to its end.
    pub(crate) seconds: f64,
    /// Milliseconds of each hook call, where they were taken.
    pub(crate) calls: Vec<f64>,
}

/// Reads the rows that are there.
pub(crate) fn read(file: &Path) -> Vec<Row> {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Writes rows over those of the same agent, version and scenario.
pub(crate) fn add(file: &Path, new: &[Row]) -> io::Result<()> {
    let mut rows = read(file);
    rows.retain(|old| {
        !new.iter().any(|new| (&new.agent, &new.version, &new.scenario) == (&old.agent, &old.version, &old.scenario))
    });
    rows.extend_from_slice(new);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, serde_json::to_string_pretty(&rows)?)
}

/// Today.
pub(crate) fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

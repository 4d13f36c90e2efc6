//! The outcome tables: what each agent does with each answer, as data.

mod pattern;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Effect, Fault, Heard, Report};

/// Holds what one agent does, row by row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Table {
    /// The agent's id.
    pub agent: String,
    /// The date of the protocol page that the rows follow.
    pub page: String,
    /// How many rows the file says it has.
    #[serde(rename = "rows")]
    pub declared: usize,
    /// Every event of the agent.
    pub events: Vec<String>,
    /// Where each rider may stand in an answer.
    pub riders: BTreeMap<String, Vec<String>>,
    /// Hosts that do what another does, but for the rows with the same answer that name them.
    #[serde(default)]
    pub like: BTreeMap<String, String>,
    /// The rows; the first that fits counts.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// Describes one answer, or the lack of one, and what comes of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Row {
    /// The section and row of the protocol page.
    pub page_row: String,
    /// The event.
    pub event: String,
    /// The versions and lanes it holds for.
    pub hosts: Vec<String>,
    /// The exit code; absent: a long-lived hook has none.
    pub exit: Option<i32>,
    /// The pattern of stdout; absent: there is no answer.
    pub stdout: Option<String>,
    /// The pattern of stderr; absent: any.
    pub stderr: Option<String>,
    /// Why there is no answer.
    pub fault: Option<Fault>,
    /// JSON pointers of members that may be there too.
    #[serde(default)]
    pub optional: Vec<String>,
    /// What the agent does.
    pub effect: Effect,
    /// Riders that take effect.
    #[serde(default)]
    pub carries: Vec<String>,
    /// Riders that the agent drops.
    #[serde(default)]
    pub gone: Vec<String>,
    /// How it was learnt.
    pub mark: String,
    /// Where.
    pub source: String,
    /// The pattern of stdout as a shape.
    #[serde(skip)]
    shape: Option<Value>,
}

/// Says why there is no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The text is not an outcome table.
    #[error("{0}")]
    Text(#[from] toml::de::Error),
}

impl Table {
    /// Reads the table of an agent from the project's own folder.
    pub fn of(agent: &str) -> Result<Self, TableError> {
        Self::read(&folder().join(format!("{agent}.toml")))
    }

    /// Reads a table from a file.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let text = std::fs::read_to_string(path).map_err(|error| TableError::File { path: path.to_owned(), error })?;
        Self::parse(&text)
    }

    /// Reads a table from its text.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table: Self = toml::from_str(text)?;
        for row in &mut table.rows {
            let shape = row.stdout.as_deref().and_then(|text| serde_json::from_str(text).ok());
            row.shape = shape.filter(Value::is_object);
        }
        Ok(table)
    }

    /// Finds the row that describes what was heard; its place counts from 0.
    pub fn find(&self, event: &str, host: &str, heard: &Heard) -> Option<(usize, &Row)> {
        let answer = serde_json::from_str(&heard.stdout).ok();
        let of = |host: &str, row: &Row| row.event == event && row.hosts.iter().any(|id| id == host);
        let rows = || self.rows.iter().enumerate();
        let fitting = |host: &str| rows().find(|(_, row)| of(host, row) && row.fits(heard, answer.as_ref()));
        let Some(like) = self.like.get(host) else { return fitting(host) };
        let (place, usual) = fitting(like)?;
        Some(rows().find(|(_, row)| of(host, row) && row.same_answer(usual)).unwrap_or((place, usual)))
    }

    /// Says what the agent does with what it heard.
    pub fn judge(&self, event: &str, host: &str, heard: Heard) -> Report {
        let fault = shell_fault(&heard).map(Heard::fault);
        let row = self.find(event, host, &heard).or_else(|| fault.and_then(|fault| self.find(event, host, &fault)));
        let mut carried = Map::new();
        for rider in row.iter().flat_map(|(_, row)| &row.carries) {
            let mut places: Vec<_> = self.riders.get(rider).into_iter().flatten().collect();
            if heard.exit == Some(2) {
                // What is refused by exit code has its reason on stderr, whatever else was printed.
                places.sort_by_key(|place| *place != "stderr");
            }
            if let Some(value) = places.iter().find_map(|place| heard.at(place)) {
                carried.insert(rider.clone(), value);
            }
        }
        let effect = row.map_or(Effect::Unmeasured, |(_, row)| row.effect);
        Report {
            agent: self.agent.clone(),
            host: host.to_owned(),
            event: event.to_owned(),
            effect,
            runs: effect.runs(),
            carried,
            row: row.map(|(place, row)| format!("{}: {}", place + 1, row.page_row)),
            heard,
        }
    }
}

impl Row {
    fn same_answer(&self, other: &Self) -> bool {
        (self.exit, &self.stdout, &self.stderr, self.fault) == (other.exit, &other.stdout, &other.stderr, other.fault)
    }

    fn fits(&self, heard: &Heard, answer: Option<&Value>) -> bool {
        if self.fault.is_some() || heard.fault.is_some() {
            return self.fault == heard.fault;
        }
        self.exit == heard.exit
            && self.stderr.as_deref().is_none_or(|stderr| match stderr {
                "*" => !heard.stderr.trim().is_empty(),
                text => heard.stderr.trim() == text,
            })
            && self
                .stdout
                .as_deref()
                .is_some_and(|stdout| pattern::fits(stdout, self.shape.as_ref(), &heard.stdout, answer, &self.optional))
    }
}

/// The folder of the tables.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/outcomes")
}

/// How a shell tells that the program it was to run was killed or is missing.
fn shell_fault(heard: &Heard) -> Option<Fault> {
    match heard.exit? {
        _ if !heard.stdout.is_empty() => None,
        126 | 127 => Some(Fault::Missing),
        129..=192 => Some(Fault::Signal),
        _ => None,
    }
}

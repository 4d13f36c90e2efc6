//! The recorded cases: replies, and their effects on each agent.
//!
//! The doubles look up every reply here, and a test compares the effects of the data files with each case. A reply that
//! no case describes fails the test.

mod heard;
mod shape;
mod start;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

pub use heard::{Heard, ReplyFault, Report};
pub use start::{HookStart, Shell};

use crate::{Effect, Form, Mark};

/// The cases of one agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Cases {
    /// The id of the agent.
    pub agent: String,
    /// The form of its messages.
    pub speaks: Form,
    /// How the agent starts a hook for each event; absent: it keeps one hook running.
    pub start: Option<HookStart>,
    /// The possible places of each part of a reply; the first place with a value counts.
    pub places: BTreeMap<String, Vec<String>>,
    /// Hosts that behave like another host, except in cases with the same reply that name them.
    pub like: BTreeMap<String, String>,
    /// The cases; the first match counts.
    pub cases: Vec<RecordedCase>,
}

/// One reply, or a missing one, and its effect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordedCase {
    /// The event.
    #[serde(skip)]
    pub event: String,
    /// The number of the case among those of the event, from 1.
    #[serde(skip)]
    pub number: usize,
    /// The versions and modes to which the case applies.
    pub hosts: Vec<String>,
    /// The exit code; absent: a long-lived hook has none.
    pub exit: Option<i32>,
    /// The pattern of stdout; absent: there is no reply.
    pub stdout: Option<String>,
    /// The pattern of stderr; absent: any.
    pub stderr: Option<String>,
    /// The reason for a missing reply.
    pub fault: Option<ReplyFault>,
    /// JSON pointers to optional members.
    #[serde(default)]
    pub optional: Vec<String>,
    /// The effect.
    pub effect: Effect,
    /// The parts that take effect.
    #[serde(default)]
    pub takes: Vec<String>,
    /// The parts that the agent ignores.
    #[serde(default)]
    pub drops: Vec<String>,
    /// The evidence.
    pub mark: Mark,
    /// The section and row of the protocol page.
    pub page: String,
    /// The source of the observation.
    pub source: String,
    /// The pattern of stdout, if it is a JSON object.
    #[serde(skip)]
    shape: Option<Value>,
}

/// A data file whose cases cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CasesError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The text has no valid cases.
    #[error("{0}")]
    Text(#[from] toml::de::Error),
}

impl Cases {
    /// Reads the cases of an agent from the folder of the data files.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of(agent: &str) -> Result<Self, CasesError> {
        Self::read(&file(agent))
    }

    /// Reads the cases of a data file.
    ///
    /// # Errors
    /// The file cannot be read, or has no valid cases.
    pub fn read(path: &Path) -> Result<Self, CasesError> {
        let text = std::fs::read_to_string(path).map_err(|error| CasesError::File { path: path.to_owned(), error })?;
        Self::parse(&text)
    }

    /// Reads the cases from the text of a data file.
    ///
    /// # Errors
    /// The text has no valid cases.
    pub fn parse(text: &str) -> Result<Self, CasesError> {
        #[derive(Deserialize)]
        struct CasesFile {
            agent: String,
            speaks: Form,
            start: Option<HookStart>,
            places: BTreeMap<String, Vec<String>>,
            #[serde(default)]
            like: BTreeMap<String, String>,
            cases: Vec<EventCases>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct EventCases {
            event: String,
            answers: Vec<RecordedCase>,
        }
        let CasesFile { agent, speaks, start, places, like, cases: events } = toml::from_str(text)?;
        let mut cases = Vec::new();
        for EventCases { event, answers } in events {
            for (place, mut case) in answers.into_iter().enumerate() {
                (case.event, case.number) = (event.clone(), place + 1);
                let shape = case.stdout.as_deref().and_then(|text| serde_json::from_str(text).ok());
                case.shape = shape.filter(Value::is_object);
                cases.push(case);
            }
        }
        Ok(Self { agent, speaks, start, places, like, cases })
    }

    /// Returns the case that describes the outcome of a hook process.
    pub fn find(&self, event: &str, host: &str, heard: &Heard) -> Option<&RecordedCase> {
        let answer = serde_json::from_str(&heard.stdout).ok();
        let of = |host: &str, case: &RecordedCase| case.event == event && case.hosts.iter().any(|id| id == host);
        let fitting = |host: &str| self.cases.iter().find(|case| of(host, case) && case.fits(heard, answer.as_ref()));
        let Some(like) = self.like.get(host) else { return fitting(host) };
        let usual = fitting(like)?;
        Some(self.cases.iter().find(|case| of(host, case) && case.same_answer(usual)).unwrap_or(usual))
    }

    /// Returns the effect of the outcome of a hook process.
    pub fn judge(&self, event: &str, host: &str, heard: Heard) -> Report {
        let fault = shell_fault(&heard).map(Heard::fault);
        let case = self.find(event, host, &heard).or_else(|| fault.and_then(|fault| self.find(event, host, &fault)));
        let mut carried = Map::new();
        for part in case.iter().flat_map(|case| &case.takes) {
            let mut places: Vec<_> = self.places.get(part).into_iter().flatten().collect();
            if heard.exit == Some(2) {
                // The reason of a block by exit code is on stderr, even if stdout is not empty.
                places.sort_by_key(|place| *place != "stderr");
            }
            if let Some(value) = places.iter().find_map(|place| heard.at(place)) {
                carried.insert(part.clone(), value);
            }
        }
        let effect = case.map_or(Effect::Unmeasured, |case| case.effect);
        Report {
            agent: self.agent.clone(),
            host: host.to_owned(),
            event: event.to_owned(),
            effect,
            runs: effect.runs(),
            carried,
            case: case.map(|case| format!("{} {}: {}", case.event, case.number, case.page)),
            heard,
        }
    }
}

impl RecordedCase {
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
                .is_some_and(|stdout| shape::fits(stdout, self.shape.as_ref(), &heard.stdout, answer, &self.optional))
    }
}

/// Returns the data file of an agent.
pub fn file(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{agent}.toml"))
}

/// Returns the fault that a shell reports by its exit code: the program was killed or is missing.
fn shell_fault(heard: &Heard) -> Option<ReplyFault> {
    match heard.exit? {
        _ if !heard.stdout.is_empty() => None,
        126 | 127 => Some(ReplyFault::Missing),
        129..=192 => Some(ReplyFault::Signal),
        _ => None,
    }
}

//! The recorded cases: answers, and what each agent did with them.
//!
//! The doubles look every answer up here, and a test holds the effects of the data files against each case. An answer
//! that no case describes is an error of the test, never a guess.

mod heard;
mod shape;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

pub use heard::{Heard, ReplyFault, Report};

use crate::{Effect, Form, Mark};

/// The cases of one agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Cases {
    /// The id of the agent.
    pub agent: String,
    /// The form of its messages.
    pub speaks: Form,
    /// Where each part of an answer may be; the first place with a value counts.
    pub places: BTreeMap<String, Vec<String>>,
    /// Hosts that do what another does, but for the cases with the same answer that name them.
    pub like: BTreeMap<String, String>,
    /// The cases; the first that fits counts.
    pub cases: Vec<RecordedCase>,
}

/// One answer, or the lack of one, and what the agent did.
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
    /// The versions and modes that it holds for.
    pub hosts: Vec<String>,
    /// The exit code; absent: a long-lived hook has none.
    pub exit: Option<i32>,
    /// The pattern of stdout; absent: there is no answer.
    pub stdout: Option<String>,
    /// The pattern of stderr; absent: any.
    pub stderr: Option<String>,
    /// Why there is no answer.
    pub fault: Option<ReplyFault>,
    /// JSON pointers of members that may be there too.
    #[serde(default)]
    pub optional: Vec<String>,
    /// What the agent does.
    pub effect: Effect,
    /// The parts that take effect.
    #[serde(default)]
    pub takes: Vec<String>,
    /// The parts that the agent ignores.
    #[serde(default)]
    pub drops: Vec<String>,
    /// How it was learnt.
    pub mark: Mark,
    /// The section and row of the protocol page.
    pub page: String,
    /// Where it was seen.
    pub source: String,
    /// The pattern of stdout as a shape.
    #[serde(skip)]
    shape: Option<Value>,
}

/// Reports a data file whose cases cannot be read.
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
        let CasesFile { agent, speaks, places, like, cases: events } = toml::from_str(text)?;
        let mut cases = Vec::new();
        for EventCases { event, answers } in events {
            for (place, mut case) in answers.into_iter().enumerate() {
                (case.event, case.number) = (event.clone(), place + 1);
                let shape = case.stdout.as_deref().and_then(|text| serde_json::from_str(text).ok());
                case.shape = shape.filter(Value::is_object);
                cases.push(case);
            }
        }
        Ok(Self { agent, speaks, places, like, cases })
    }

    /// Finds the case that describes what was heard.
    pub fn find(&self, event: &str, host: &str, heard: &Heard) -> Option<&RecordedCase> {
        let answer = serde_json::from_str(&heard.stdout).ok();
        let of = |host: &str, case: &RecordedCase| case.event == event && case.hosts.iter().any(|id| id == host);
        let fitting = |host: &str| self.cases.iter().find(|case| of(host, case) && case.fits(heard, answer.as_ref()));
        let Some(like) = self.like.get(host) else { return fitting(host) };
        let usual = fitting(like)?;
        Some(self.cases.iter().find(|case| of(host, case) && case.same_answer(usual)).unwrap_or(usual))
    }

    /// Says what the agent does with what it heard.
    pub fn judge(&self, event: &str, host: &str, heard: Heard) -> Report {
        let fault = shell_fault(&heard).map(Heard::fault);
        let case = self.find(event, host, &heard).or_else(|| fault.and_then(|fault| self.find(event, host, &fault)));
        let mut carried = Map::new();
        for part in case.iter().flat_map(|case| &case.takes) {
            let mut places: Vec<_> = self.places.get(part).into_iter().flatten().collect();
            if heard.exit == Some(2) {
                // What is refused by exit code has its reason on stderr, whatever else was printed.
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

/// The data file of an agent.
pub fn file(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{agent}.toml"))
}

/// How a shell reports that the program it was to run was killed or is missing.
fn shell_fault(heard: &Heard) -> Option<ReplyFault> {
    match heard.exit? {
        _ if !heard.stdout.is_empty() => None,
        126 | 127 => Some(ReplyFault::Missing),
        129..=192 => Some(ReplyFault::Signal),
        _ => None,
    }
}

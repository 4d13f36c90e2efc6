//! The outcome of a run: its files, the requests to the model, and our audit log.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::container::{Container, End, HARNESS, HOME};
use crate::inside::ASKED;
use crate::relay::RelayedCall;
use crate::scenarios::Scenario;

/// How the call that is judged ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallEnd {
    /// The call ran as the model wrote it.
    Ran,
    /// The other command ran instead.
    Rewritten,
    /// The call did not run; the model got our text as its result.
    Responded,
    /// The call did not run; the model was told so and the turn continued.
    Blocked,
    /// The call did not run; the agent waited for a person or the hook until the time limit.
    Asked,
    /// The call did not run, and the turn ended.
    Ended,
}

impl fmt::Display for CallEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ran => "ran",
            Self::Rewritten => "rewritten",
            Self::Responded => "responded",
            Self::Blocked => "blocked",
            Self::Asked => "waits",
            Self::Ended => "ended",
        })
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    pub(crate) end: End,
    /// Requests to the model, in order.
    pub(crate) requests: Vec<Value>,
    /// The tool results that the model got, from the longest conversation.
    pub(crate) results: Vec<String>,
    /// Files of the home folder before the run: the text, and the path.
    kept: Vec<(Option<String>, String)>,
    container: Container,
}

impl RunOutcome {
    /// Reads the outcome of a run.
    pub(crate) fn of(container: &Container, end: End, kept: Vec<(Option<String>, String)>) -> Self {
        let mut requests: Vec<Value> = json_files(&container.outside(HARNESS).join("model"));
        requests.retain(|request| request.get("api").is_some());
        let texts = |request: &Value| -> Vec<String> {
            let results = request.get("results").and_then(Value::as_array).into_iter().flatten();
            results.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let results = requests.iter().map(texts).max_by_key(Vec::len).unwrap_or_default();
        Self { end, requests, results, kept, container: container.clone() }
    }

    /// Returns true if a file of the home folder exists.
    pub(crate) fn file(&self, path: &str) -> bool {
        self.container.get(&format!("/home/user/{path}")).is_some()
    }

    /// The violations of the law, as one sentence each.
    pub(crate) fn broken(&self, scenario: &Scenario) -> Vec<String> {
        let there = scenario.forbids.iter().filter(|path| self.file(path)).map(|path| format!("~/{path} is there"));
        let now = |path: &str| self.container.get(&format!("{HOME}/{path}"));
        let changed = self.kept.iter().filter(|(before, path)| now(path) != *before);
        let changed = changed.map(|(_, path)| format!("~/{path} was changed"));
        let sent = scenario.hides.iter().filter(|words| self.model_saw(words));
        let sent = sent.map(|words| format!("the model was sent `{words}`"));
        there.chain(changed).chain(sent).collect()
    }

    /// The number of files and words that the law covers.
    pub(crate) fn promises(&self, scenario: &Scenario) -> usize {
        scenario.forbids.len() + self.kept.len() + scenario.hides.len()
    }

    /// The number of calls that the model made.
    pub(crate) fn made(&self) -> usize {
        self.requests.iter().filter(|request| request.get("tool").is_some_and(Value::is_string)).count()
    }

    /// How the first call ended.
    pub(crate) fn effect(&self) -> CallEnd {
        // If other words precede our text, it is the reason of a denial. Agents may append words to any result.
        let responded = || self.results.first().is_some_and(|text| text.trim_start().starts_with(RESPONSE));
        if self.file("project/probe.txt") {
            CallEnd::Ran
        } else if self.file("project/rewritten.txt") {
            CallEnd::Rewritten
        } else if responded() {
            CallEnd::Responded
        } else if !self.results.is_empty() {
            CallEnd::Blocked
        } else if self.end.timed_out {
            CallEnd::Asked
        } else {
            CallEnd::Ended
        }
    }

    /// Returns true if a request to the model contained these words.
    pub(crate) fn model_saw(&self, words: &str) -> bool {
        let shown = serde_json::to_string(words).unwrap_or_default();
        let shown = shown.trim_matches('"');
        self.requests.iter().any(|request| request.get("body").is_some_and(|body| body.to_string().contains(shown)))
    }

    /// Returns true if our log contains these words.
    pub(crate) fn logged(&self, words: &str) -> bool {
        let log = self.container.get("/home/user/.local/state/snaphook/audit.jsonl");
        log.is_some_and(|log| log.contains(words))
    }

    /// Returns true if the model was asked for a tool call.
    pub(crate) fn started(&self) -> bool {
        self.requests.iter().any(|request| request.get("tool").is_some_and(Value::is_string))
    }

    /// Returns true if a person was asked before the call ran, and was told why.
    pub(crate) fn asked(&self) -> bool {
        self.container.get(ASKED).is_some()
    }

    /// The number of hook calls that were started but not answered.
    pub(crate) fn unanswered(&self) -> usize {
        let folder = self.container.outside(HARNESS).join("calls");
        let begun = fs::read_dir(folder).into_iter().flatten().flatten();
        let begun = begun.filter(|entry| entry.path().extension().is_some_and(|end| end == "begun")).count();
        begun.saturating_sub(self.calls().iter().filter(|call| call.ms.is_some()).count())
    }

    /// The calls that went through the relay, in order.
    pub(crate) fn calls(&self) -> Vec<RelayedCall> {
        json_files(&self.container.outside(HARNESS).join("calls"))
    }
}

/// The JSON files of a folder, sorted by name.
fn json_files<T: serde::de::DeserializeOwned>(folder: &Path) -> Vec<T> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| serde_json::from_slice(&fs::read(file).ok()?).ok()).collect()
}

/// The text that replaces the tool's result.
pub(crate) const RESPONSE: &str = "The answer comes from policy.";

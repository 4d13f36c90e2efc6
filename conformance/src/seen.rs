//! What is left of a run: files, what the model was asked, and our own log.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::relay::Call;
use crate::scenarios::Scenario;
use crate::space::{End, HOME, LAB, Space};

/// What became of the call that was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallEnd {
    /// It ran as the model wrote it.
    Ran,
    /// The other command ran in its place.
    Rewritten,
    /// It did not run, the model got our text as its result.
    Responded,
    /// It did not run, the model was told so and the turn went on.
    Blocked,
    /// It did not run; the agent waited, for a person or the hook, until the time was over.
    Asked,
    /// It did not run and the turn ended.
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

/// What is left of a run.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) end: End,
    /// Requests to the model, in order.
    pub(crate) requests: Vec<Value>,
    /// What the model was told of its calls, by the longest conversation.
    pub(crate) told: Vec<String>,
    /// Files of the home folder as they were before: the text, and the path.
    kept: Vec<(Option<String>, String)>,
    space: Space,
}

impl Seen {
    /// Reads what a run left.
    pub(crate) fn of(space: &Space, end: End, kept: Vec<(Option<String>, String)>) -> Self {
        let mut requests: Vec<Value> = json_files(&space.outside(LAB).join("model"));
        requests.retain(|request| request.get("api").is_some());
        let texts = |request: &Value| -> Vec<String> {
            let told = request.get("told").and_then(Value::as_array).into_iter().flatten();
            told.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let told = requests.iter().map(texts).max_by_key(Vec::len).unwrap_or_default();
        Self { end, requests, told, kept, space: space.clone() }
    }

    /// Whether there is a file, by its path in the home folder.
    pub(crate) fn file(&self, path: &str) -> bool {
        self.space.get(&format!("/home/user/{path}")).is_some()
    }

    /// How the law was broken: one sentence for each thing that should not be.
    pub(crate) fn broken(&self, scenario: &Scenario) -> Vec<String> {
        let there = scenario.forbids.iter().filter(|path| self.file(path)).map(|path| format!("~/{path} is there"));
        let now = |path: &str| self.space.get(&format!("{HOME}/{path}"));
        let changed = self.kept.iter().filter(|(before, path)| now(path) != *before);
        let changed = changed.map(|(_, path)| format!("~/{path} was changed"));
        let sent = scenario.hides.iter().filter(|words| self.model_saw(words));
        let sent = sent.map(|words| format!("the model was sent `{words}`"));
        there.chain(changed).chain(sent).collect()
    }

    /// How many files and words the law is about.
    pub(crate) fn promises(&self, scenario: &Scenario) -> usize {
        scenario.forbids.len() + self.kept.len() + scenario.hides.len()
    }

    /// How many calls the model made.
    pub(crate) fn made(&self) -> usize {
        self.requests.iter().filter(|request| request.get("tool").is_some_and(Value::is_string)).count()
    }

    /// What became of the first call.
    pub(crate) fn effect(&self) -> CallEnd {
        // With other words around it, it is the reason of a denial. What an agent says behind all results is not.
        let responded = || self.told.first().is_some_and(|told| told.trim_start().starts_with(RESPONSE));
        if self.file("project/probe.txt") {
            CallEnd::Ran
        } else if self.file("project/rewritten.txt") {
            CallEnd::Rewritten
        } else if responded() {
            CallEnd::Responded
        } else if !self.told.is_empty() {
            CallEnd::Blocked
        } else if self.end.timed_out {
            CallEnd::Asked
        } else {
            CallEnd::Ended
        }
    }

    /// Whether the model was sent these words, other than by itself.
    pub(crate) fn model_saw(&self, words: &str) -> bool {
        let shown = serde_json::to_string(words).unwrap_or_default();
        let shown = shown.trim_matches('"');
        self.requests.iter().any(|request| request.get("body").is_some_and(|body| body.to_string().contains(shown)))
    }

    /// Says whether our log holds these words.
    pub(crate) fn logged(&self, words: &str) -> bool {
        let log = self.space.get("/home/user/.local/state/snaphook/audit.jsonl");
        log.is_some_and(|log| log.contains(words))
    }

    /// Whether the model was asked for anything at all.
    pub(crate) fn started(&self) -> bool {
        self.requests.iter().any(|request| request.get("tool").is_some_and(Value::is_string))
    }

    /// How many calls of the hook were begun but not answered.
    pub(crate) fn unanswered(&self) -> usize {
        let folder = self.space.outside(LAB).join("calls");
        let begun = fs::read_dir(folder).into_iter().flatten().flatten();
        let begun = begun.filter(|entry| entry.path().extension().is_some_and(|end| end == "begun")).count();
        begun.saturating_sub(self.calls().iter().filter(|call| call.ms.is_some()).count())
    }

    /// The calls that went through the relay, in order.
    pub(crate) fn calls(&self) -> Vec<Call> {
        json_files(&self.space.outside(LAB).join("calls"))
    }
}

/// The files of a folder, by name.
fn json_files<T: serde::de::DeserializeOwned>(folder: &Path) -> Vec<T> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| serde_json::from_slice(&fs::read(file).ok()?).ok()).collect()
}

/// The text that answers in the tool's place.
pub(crate) const RESPONSE: &str = "The answer comes from policy.";

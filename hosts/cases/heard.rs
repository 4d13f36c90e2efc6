//! What an agent hears of one call of its hook, and what it does then.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Effect;

/// All that an agent hears of one call of its hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Heard {
    /// The exit code; absent: no end was seen, or a signal.
    pub exit: Option<i32>,
    /// What it printed, or its answer line.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
    /// Why there is no answer; absent: there is one.
    pub fault: Option<ReplyFault>,
}

impl Heard {
    /// No answer, and why.
    pub fn fault(fault: ReplyFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// An answer line of a long-lived hook.
    pub fn line(line: impl Into<String>) -> Self {
        Self { stdout: line.into(), ..Self::default() }
    }

    /// An answer of a process that ended.
    pub fn ended(exit: i32, stdout: impl Into<String>, stderr: impl Into<String>) -> Self {
        Self { exit: Some(exit), stdout: stdout.into(), stderr: stderr.into(), fault: None }
    }

    /// The value at a place: a JSON pointer into stdout, or `stdout` or `stderr` whole. No agent
    /// reads the stderr of a success.
    pub fn at(&self, place: &str) -> Option<Value> {
        let text = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(Value::from);
        match place {
            "stdout" => text(&self.stdout),
            "stderr" => text(&self.stderr).filter(|_| self.exit != Some(0)),
            pointer => {
                serde_json::from_str::<Value>(&self.stdout).ok()?.pointer(pointer).filter(|v| !v.is_null()).cloned()
            }
        }
    }
}

/// The reason why an agent hears no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the words of the data files")]
pub enum ReplyFault {
    /// It did not end, or answer, in time.
    Timeout,
    /// It was killed.
    Signal,
    /// It could not be started.
    Missing,
    /// A long-lived hook has ended.
    Gone,
}

/// What an agent does with what it heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The agent.
    pub agent: String,
    /// Its version or mode, as in the data file.
    pub host: String,
    /// The event.
    pub event: String,
    /// What it does.
    pub effect: Effect,
    /// True: what was judged happens unless another hook or a person objects.
    pub runs: bool,
    /// What it takes from the answer beside the verdict, by part.
    pub carried: Map<String, Value>,
    /// The case that says so: its event and number, and its place on the page; absent: unmeasured.
    pub case: Option<String>,
    /// What it heard.
    pub heard: Heard,
}

impl Report {
    /// A text or value that takes effect, if it does.
    pub fn carried(&self, part: &str) -> Option<&Value> {
        self.carried.get(part)
    }
}

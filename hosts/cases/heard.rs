//! The outcome of one hook process as the agent sees it, and its effect.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Effect;

/// The outcome of one hook process as the agent sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Heard {
    /// The exit code; absent: the process was killed, or its end was not observed.
    pub exit: Option<i32>,
    /// The stdout of the process, or the line of a long-lived process.
    pub stdout: String,
    /// The stderr of the process.
    pub stderr: String,
    /// The reason for a missing reply; absent: there is a reply.
    pub fault: Option<ReplyFault>,
}

impl Heard {
    /// Creates the outcome without a reply.
    pub fn fault(fault: ReplyFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Creates the outcome with a line of a long-lived hook.
    pub fn line(line: impl Into<String>) -> Self {
        Self { stdout: line.into(), ..Self::default() }
    }

    /// Creates the outcome of a process that ended.
    pub fn ended(exit: i32, stdout: impl Into<String>, stderr: impl Into<String>) -> Self {
        Self { exit: Some(exit), stdout: stdout.into(), stderr: stderr.into(), fault: None }
    }

    /// Returns the value at a place: a JSON pointer into stdout, or `stdout` or `stderr` as a whole. No agent uses
    /// stderr after exit code 0.
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

/// The reason for a missing reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the words of the data files")]
pub enum ReplyFault {
    /// The hook exceeded the time limit.
    Timeout,
    /// The hook was killed by a signal.
    Signal,
    /// The hook could not be started.
    Missing,
    /// The long-lived hook has ended.
    Gone,
}

/// The effect of one hook process by the recorded cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The agent.
    pub agent: String,
    /// The version or mode of the agent, as in the data file.
    pub host: String,
    /// The event.
    pub event: String,
    /// The effect.
    pub effect: Effect,
    /// True if the operation happens unless another hook or the user objects.
    pub runs: bool,
    /// The values that the agent uses in addition to the verdict, by part.
    pub carried: Map<String, Value>,
    /// The matching case: its event and number, and its place on the protocol page; absent: unmeasured.
    pub case: Option<String>,
    /// The outcome of the process.
    pub heard: Heard,
}

impl Report {
    /// Returns a text or value that takes effect.
    pub fn carried(&self, part: &str) -> Option<&Value> {
        self.carried.get(part)
    }
}

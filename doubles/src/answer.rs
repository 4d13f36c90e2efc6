//! What a hook was heard to say, and what that means to the agent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Holds all that a host perceives of one call of its hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Heard {
    /// The exit code; absent: no end was seen, or a signal.
    pub exit: Option<i32>,
    /// What it printed, or its answer line.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// Why there is no answer; absent: there is one.
    pub fault: Option<Fault>,
}

impl Heard {
    /// Nothing was heard, and this is why.
    pub fn fault(fault: Fault) -> Self {
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

    /// What stands at a place: a JSON pointer into stdout, or `stdout` or `stderr` whole. No agent
    /// takes the stderr of a success for an answer.
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

/// Names a reason why a host hears no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the words of the outcome tables")]
pub enum Fault {
    /// It did not end, or answer, in time.
    Timeout,
    /// It was killed.
    Signal,
    /// It could not be started.
    Missing,
    /// A long-lived hook has ended.
    Gone,
}

/// Names what an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the words of the outcome tables")]
pub enum Effect {
    /// Its own permission flow goes on.
    Flow,
    /// It goes on without asking.
    Approves,
    /// It asks the person.
    Asks,
    /// It does not do it; the turn goes on.
    Blocks,
    /// It takes a text in the tool's place.
    Responds,
    /// It does not do it and ends the turn.
    Stops,
    /// It does not do it, ends the turn and undoes it.
    StopsHard,
    /// It goes on working at the end of a turn.
    Continues,
    /// It does it, and ends the turn afterwards.
    RunsThenStops,
    /// It does not start.
    RefusesStart,
    /// No table row says what it does: always an error.
    Unmeasured,
}

impl Effect {
    /// Whether what was judged does not happen, whatever the person says.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Blocks | Self::Responds | Self::Stops | Self::StopsHard | Self::RefusesStart)
    }

    /// Whether what was judged happens if nobody else objects.
    pub fn runs(self) -> bool {
        !self.blocks() && self != Self::Asks
    }
}

/// Says what an agent does with what it heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The agent.
    pub agent: String,
    /// Its version or lane, as in the tables.
    pub host: String,
    /// The event.
    pub event: String,
    /// What it does.
    pub effect: Effect,
    /// Whether what was judged happens if nobody else objects.
    pub runs: bool,
    /// What it takes from the answer beside the verdict, by rider.
    pub carried: Map<String, Value>,
    /// The row that says so, counted from 1, with its place on the page; absent: unmeasured.
    pub row: Option<String>,
    /// What it heard.
    pub heard: Heard,
}

impl Report {
    /// A text or value that takes effect, if it does.
    pub fn carried(&self, rider: &str) -> Option<&Value> {
        self.carried.get(rider)
    }
}

//! How an agent starts a hook.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

/// How an agent starts one process for each event, and how long it waits.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HookStart {
    /// The shell that parses a command line; absent: the line is the name of a program.
    pub shell: Option<Shell>,
    /// True if the message ends in a line break.
    #[serde(default)]
    pub newline: bool,
    /// True if the hook is the leader of a new process group.
    #[serde(default)]
    pub process_group: bool,
    /// The only variables that the hook inherits; absent: all.
    pub keeps: Option<Vec<String>>,
    /// The variables that the agent sets, by event or `*`.
    #[serde(default)]
    sets: BTreeMap<String, BTreeMap<String, String>>,
    /// The default time limits in milliseconds, by event or `*`.
    #[serde(default)]
    limits_ms: BTreeMap<String, u64>,
    /// The time in milliseconds for which the agent waits for the end of stdout and stderr after the process has ended;
    /// absent: until the time limit.
    output_ms: Option<u64>,
}

/// The shell that parses a registered command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the words of the data files")]
pub enum Shell {
    /// Always `sh`.
    Sh,
    /// The shell of the user.
    User,
}

impl HookStart {
    /// Returns the time limit of an entry without one.
    pub fn limit(&self, event: &str) -> Option<Duration> {
        let limit = self.limits_ms.get(event).or_else(|| self.limits_ms.get("*"));
        limit.map(|limit| Duration::from_millis(*limit))
    }

    /// Returns the time for which the agent waits for output after the process has ended.
    pub fn output_limit(&self) -> Option<Duration> {
        self.output_ms.map(Duration::from_millis)
    }

    /// Returns the variables that the agent sets for an event.
    pub fn variables(&self, event: &str) -> impl Iterator<Item = (&str, &str)> {
        let sets = ["*", event].into_iter().filter_map(|name| self.sets.get(name)).flatten();
        sets.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

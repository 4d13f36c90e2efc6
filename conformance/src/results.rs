//! The results of runs.

/// The result of one run.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) agent: String,
    pub(crate) version: String,
    /// Empty if no program of the agent was available.
    pub(crate) scenario: String,
    /// The kind of program that was driven: `program` or `double`.
    pub(crate) spoke: String,
    pub(crate) date: String,
    /// How the call ended.
    pub(crate) effect: String,
    pub(crate) judgement: String,
    pub(crate) why: String,
    pub(crate) good: bool,
    /// True if the agent was driven, so that there is an effect.
    pub(crate) driven: bool,
    /// Seconds from the start of the agent to its end.
    pub(crate) seconds: f64,
    /// Milliseconds of each hook call; empty if calls were not timed.
    pub(crate) calls: Vec<f64>,
}

impl Row {
    /// A run that did not take place.
    pub(crate) fn new(agent: &str, version: &str, scenario: &str) -> Self {
        Self {
            agent: agent.into(),
            version: version.into(),
            scenario: scenario.into(),
            spoke: "program".into(),
            date: today(),
            effect: "-".into(),
            judgement: "NOT DRIVEN".into(),
            why: String::new(),
            good: false,
            driven: false,
            seconds: 0.0,
            calls: Vec::new(),
        }
    }
}

/// The word for a double in `spoke`.
pub(crate) const DOUBLE: &str = "double";

/// The date of today.
pub(crate) fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

//! What runs came to.

/// What one run came to.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) agent: String,
    pub(crate) version: String,
    /// Empty where the agent could not be had.
    pub(crate) scenario: String,
    /// What spoke: `program` or `double`.
    pub(crate) spoke: String,
    pub(crate) date: String,
    /// What became of the call.
    pub(crate) effect: String,
    pub(crate) judgement: String,
    pub(crate) why: String,
    pub(crate) good: bool,
    /// Whether there is an effect to speak of.
    pub(crate) driven: bool,
    /// Seconds from the start of the agent to its end.
    pub(crate) seconds: f64,
    /// Milliseconds of each hook call, where they were taken.
    pub(crate) calls: Vec<f64>,
}

impl Row {
    /// A run that did not come about.
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

/// What speaks in the place of a program.
pub(crate) const DOUBLE: &str = "double";

/// Today.
pub(crate) fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

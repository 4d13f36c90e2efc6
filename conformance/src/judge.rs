//! Compares the result of a run with the expected result of its scenario.

use std::fmt;

use snaphook_adapters::protocol::Power;

use crate::inside::PersonAnswer;
use crate::limits;
use crate::outcome::{CallEnd, RunOutcome};
use crate::powers::Powers;
use crate::scenarios::{Capability, Expected, PASS, Scenario, ScenarioKind};

/// The judgement on one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunJudgement {
    /// The agent did what the adapter's rows say.
    Obeyed,
    /// The law does not hold because of a known limit of the host, which has this evidence.
    Limit(&'static str),
    /// The agent did not do what the adapter's rows say, but the law holds.
    Departs(String),
    /// A call ran against a deny, a lowered ask or a required rewrite.
    Breach(String),
}

impl RunJudgement {
    /// Returns true if the run passed.
    pub(crate) fn good(&self) -> bool {
        matches!(self, Self::Obeyed | Self::Limit(_))
    }

    /// The word for it in tables.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Limit(_) => "limit",
            Self::Departs(_) => "DEPARTS",
            Self::Breach(_) => "BREACH",
        }
    }

    /// The reason; may be empty.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Obeyed => "",
            Self::Limit(why) => why,
            Self::Departs(why) | Self::Breach(why) => why,
        }
    }
}

impl fmt::Display for RunJudgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why() {
            "" => f.write_str(self.word()),
            why => write!(f, "{}: {why}", self.word()),
        }
    }
}

/// The effect of a run as one word for tables: of the call, or of the steps after it.
pub(crate) fn effect(scenario: &Scenario, powers: &Powers, outcome: &RunOutcome) -> String {
    let effect = outcome.effect();
    let Expected { model_sees, logged, .. } = scenario.expected(powers);
    if scenario.answer == Some(PersonAnswer::Yes) && effect == CallEnd::Ran && outcome.asked() {
        "asked".into()
    } else if scenario.answer == Some(PersonAnswer::No) && effect == CallEnd::Blocked && outcome.asked() {
        "refused".into()
    } else if effect != CallEnd::Ran || scenario.name == PASS.name {
        effect.to_string()
    } else if outcome.promises(scenario) > 0 {
        if outcome.broken(scenario).is_empty() { "held" } else { "not held" }.into()
    } else if !model_sees.is_empty() && model_sees.iter().all(|words| outcome.model_saw(words)) {
        "told".into()
    } else if !logged.is_empty() && logged.iter().all(|words| outcome.logged(words)) {
        "logged".into()
    } else {
        effect.to_string()
    }
}

/// Judges a run.
pub(crate) fn judge(scenario: &Scenario, powers: &Powers, outcome: &RunOutcome) -> RunJudgement {
    match (problem(scenario, powers, outcome), limits::find(powers, scenario)) {
        (None, None) => RunJudgement::Obeyed,
        (Some(_), Some(evidence)) => RunJudgement::Limit(evidence),
        (None, Some(evidence)) => RunJudgement::Departs(format!("a limit that was not observed: {evidence}")),
        (Some(problem), None) => problem,
    }
}

fn problem(scenario: &Scenario, powers: &Powers, outcome: &RunOutcome) -> Option<RunJudgement> {
    let broken = outcome.broken(scenario);
    if !broken.is_empty() {
        return Some(RunJudgement::Breach(broken.join(", ")));
    }
    let effect = outcome.effect();
    if scenario.needs == Capability::Person && !outcome.asked() {
        return Some(match effect {
            CallEnd::Ran => RunJudgement::Breach("the call ran before a person was asked".into()),
            _ => RunJudgement::Departs("no person was asked".into()),
        });
    }
    let expected = scenario.expected(powers);
    if !expected.effects.contains(&effect) {
        let wanted: Vec<_> = expected.effects.iter().map(ToString::to_string).collect();
        return Some(RunJudgement::Departs(format!("{effect}, not {}", wanted.join(" or "))));
    }
    let steps = 1 + (scenario.then)(powers.driver).len();
    // An agent whose session or prompt is refused makes no call at all.
    let over = effect == CallEnd::Ended || outcome.made() == 0 || !powers.gate(Power::Deny);
    if scenario.kind == ScenarioKind::Attack && !over && outcome.made() < steps {
        return Some(RunJudgement::Departs(format!("{} of {steps} calls were made", outcome.made())));
    }
    if scenario.must_answer && outcome.unanswered() > 0 {
        return Some(RunJudgement::Departs("the agent gave up waiting for the hook".into()));
    }
    if let Some(missing) = expected.model_sees.iter().find(|words| !outcome.model_saw(words)) {
        return Some(RunJudgement::Departs(format!("the model was not sent `{missing}`")));
    }
    let missing = expected.logged.iter().find(|words| !outcome.logged(words))?;
    Some(RunJudgement::Departs(format!("the log does not hold `{missing}`")))
}

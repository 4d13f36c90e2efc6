//! Whether what came of a scenario is what had to come of it.

use std::fmt;

use crate::limits;
use crate::powers::Powers;
use crate::scenarios::{Expected, Kind, PASS, Scenario};
use crate::seen::{CallEnd, Seen};

/// The judgement on one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// What the adapter says is what happened.
    Obeyed,
    /// The law does not hold there, as is written down with its evidence.
    Limit(&'static str),
    /// Something else happened than the adapter says, and the law holds.
    Departs(String),
    /// A call ran against a deny, a lowered ask or a required rewrite.
    Breach(String),
}

impl Judgement {
    /// Whether it is as it should be.
    pub(crate) fn good(&self) -> bool {
        matches!(self, Self::Obeyed | Self::Limit(_))
    }

    /// The word of tables.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Limit(_) => "limit",
            Self::Departs(_) => "DEPARTS",
            Self::Breach(_) => "BREACH",
        }
    }

    /// Why, where there is something to say.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Obeyed => "",
            Self::Limit(why) => why,
            Self::Departs(why) | Self::Breach(why) => why,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why() {
            "" => f.write_str(self.word()),
            why => write!(f, "{}: {why}", self.word()),
        }
    }
}

/// What tables say of a run: what became of the call, and of what came after it.
pub(crate) fn effect(scenario: &Scenario, powers: &Powers, seen: &Seen) -> String {
    let effect = seen.effect();
    let Expected { told, logged, .. } = (scenario.expects)(powers);
    if effect != CallEnd::Ran || scenario.name == PASS.name {
        effect.to_string()
    } else if seen.promises(scenario) > 0 {
        if seen.broken(scenario).is_empty() { "held" } else { "not held" }.into()
    } else if !told.is_empty() && told.iter().all(|words| seen.model_saw(words)) {
        "told".into()
    } else if !logged.is_empty() && logged.iter().all(|words| seen.logged(words)) {
        "logged".into()
    } else {
        effect.to_string()
    }
}

/// Judges a run.
pub(crate) fn judge(scenario: &Scenario, powers: &Powers, seen: &Seen) -> Judgement {
    match (problem(scenario, powers, seen), limits::find(powers, scenario)) {
        (None, None) => Judgement::Obeyed,
        (Some(_), Some(evidence)) => Judgement::Limit(evidence),
        (None, Some(evidence)) => Judgement::Departs(format!("a limit that was not seen: {evidence}")),
        (Some(problem), None) => problem,
    }
}

fn problem(scenario: &Scenario, powers: &Powers, seen: &Seen) -> Option<Judgement> {
    let broken = seen.broken(scenario);
    if !broken.is_empty() {
        return Some(Judgement::Breach(broken.join(", ")));
    }
    let effect = seen.effect();
    let expected = (scenario.expects)(powers);
    if !expected.effects.contains(&effect) {
        let wanted: Vec<_> = expected.effects.iter().map(ToString::to_string).collect();
        return Some(Judgement::Departs(format!("{effect}, not {}", wanted.join(" or "))));
    }
    let steps = 1 + (scenario.then)(powers.driver).len();
    // An agent whose session or prompt is refused makes no call at all.
    let over = effect == CallEnd::Ended || seen.made() == 0;
    if scenario.kind == Kind::Attack && !over && seen.made() < steps {
        return Some(Judgement::Departs(format!("{} of {steps} calls were made", seen.made())));
    }
    if scenario.in_time && seen.unanswered() > 0 {
        return Some(Judgement::Departs("the agent gave up waiting for the hook".into()));
    }
    if let Some(untold) = expected.told.iter().find(|words| !seen.model_saw(words)) {
        return Some(Judgement::Departs(format!("the model was not told `{untold}`")));
    }
    let missing = expected.logged.iter().find(|words| !seen.logged(words))?;
    Some(Judgement::Departs(format!("the log does not hold `{missing}`")))
}

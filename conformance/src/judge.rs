//! Whether what came of a scenario is what had to come of it.

use std::fmt;

use crate::limits;
use crate::powers::Powers;
use crate::scenarios::Scenario;
use crate::seen::Seen;

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

/// Judges a run.
pub(crate) fn judge(scenario: &Scenario, powers: &Powers, seen: &Seen) -> Judgement {
    let limit = limits::find(powers, scenario);
    if let Some(file) = scenario.forbids.iter().find(|file| seen.file(file)) {
        return match limit {
            Some(evidence) => Judgement::Limit(evidence),
            None => Judgement::Breach(format!("~/{file} is there")),
        };
    }
    if let Some(evidence) = limit {
        return Judgement::Departs(format!("a limit that was not seen: {evidence}"));
    }
    let effect = seen.effect();
    let expected = (scenario.expects)(powers);
    if !expected.effects.contains(&effect) {
        let wanted: Vec<_> = expected.effects.iter().map(ToString::to_string).collect();
        return Judgement::Departs(format!("{effect}, not {}", wanted.join(" or ")));
    }
    if let Some(words) = expected.told.iter().find(|words| !seen.model_saw(words)) {
        return Judgement::Departs(format!("the model was not told `{words}`"));
    }
    Judgement::Obeyed
}

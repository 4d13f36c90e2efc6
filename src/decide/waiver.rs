//! Sets aside a verdict that is not to be enforced. `[protect]` and the managed policy stay in force, and nothing becomes
//! *allow*.

use snaphook_adapters::model::{HookEvent, Verdict, VerdictKind};
use snaphook_policy::{Policy, PolicyMode};

use super::{Deciders, Judgement, decide, folders_of};

/// A verdict that was not enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waived {
    /// The verdict.
    pub verdict: VerdictKind,
    /// Why it was not enforced.
    pub by: WaivedBy,
}

/// Why a verdict was not enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaivedBy {
    /// `mode = "monitor"`
    Monitor,
}

impl WaivedBy {
    /// The word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Monitor => "monitor",
        }
    }
}

/// Replaces a verdict that is not to be enforced by what the binding part of the policy says.
pub(crate) fn waive(
    policy: &Policy,
    event: &HookEvent,
    deciders: &mut dyn Deciders,
    judgement: &mut Judgement,
) -> Option<Waived> {
    let verdict = judgement.decision.verdict.kind();
    if !restricts(verdict) {
        return None;
    }
    let by = (policy.mode() == PolicyMode::Monitor).then_some(WaivedBy::Monitor)?;
    let binding = policy.binding_part()?;
    let Judgement { decision, mut causes, .. } = decide(&binding.facts(folders_of(event)), event, deciders);
    let enforced = decision.verdict.kind();
    judgement.decision.verdict = if restricts(enforced) { decision.verdict } else { Verdict::Pass };
    causes.append(&mut judgement.causes);
    judgement.causes = causes;
    (enforced != verdict).then(|| {
        judgement.remarks.push(format!("{}: {} is not enforced", by.word(), verdict.word()));
        Waived { verdict, by }
    })
}

fn restricts(verdict: VerdictKind) -> bool {
    verdict.blocks() || verdict == VerdictKind::Ask
}

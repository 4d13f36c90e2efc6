//! Sets aside a verdict that is not to be enforced. `[protect]` and the managed policy stay in force, and nothing becomes
//! *allow*.

use std::time::SystemTime;

use snaphook_adapters::model::{HookEvent, Target, Verdict, VerdictKind};
use snaphook_policy::PolicyMode;

use super::{Deciders, Judgement, changed, decide, folders_of};
use crate::overrides::{once, pause};
use crate::policy::LoadedPolicy;

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
    /// `snaphook pause`
    Pause,
    /// `snaphook allow-once`
    Once,
}

impl WaivedBy {
    /// The word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Monitor => "monitor",
            Self::Pause => "pause",
            Self::Once => "allow-once",
        }
    }
}

/// Replaces a verdict that is not to be enforced by what the binding part of the policy says. `call` is the digest by which
/// a person can let the call pass once.
pub(crate) fn waive(
    policy: &LoadedPolicy,
    event: &HookEvent,
    call: Option<&str>,
    deciders: &mut dyn Deciders,
    judgement: &mut Judgement,
) -> Option<Waived> {
    let verdict = judgement.decision.verdict.kind();
    if !restricts(verdict) {
        return None;
    }
    let binding = policy.binding_part()?;
    let remarks = &mut judgement.remarks;
    let permitted = call.filter(|_| policy.overrides().allow_once && deciders.uses_permissions());
    let by = waived_by(policy, permitted, remarks)?;
    let facts = binding.facts(folders_of(event));
    let mut bound = decide(&facts, event, deciders);
    // Changes stay with a question, so the call that would run is judged as well.
    let change = judgement.decision.changes.iter().find(|change| change.target == Target::Input);
    if let Some(change) = change.filter(|_| !verdict.blocks()) {
        let second = decide(&facts, &changed(event, change, policy).ok()?, deciders);
        if second.decision.verdict.kind() > bound.decision.verdict.kind() {
            bound = second;
        }
    }
    let Judgement { decision, mut causes, .. } = bound;
    let enforced = decision.verdict.kind();
    if let (WaivedBy::Once, Some(call)) = (by, permitted) {
        // A permission that would have no effect is not used up.
        let taken = enforced != verdict && said(once::take(policy.places(), call, event), remarks);
        if !taken {
            return None;
        }
    }
    // A decision that blocks has no changes, so those that the binding part requires are missing.
    if verdict.blocks() {
        judgement.decision.changes = decision.changes;
    }
    judgement.decision.verdict = if restricts(enforced) { decision.verdict } else { Verdict::Pass };
    causes.append(&mut judgement.causes);
    judgement.causes = causes;
    (enforced != verdict).then(|| {
        judgement.remarks.push(format!("{}: {} is not enforced", by.word(), verdict.word()));
        Waived { verdict, by }
    })
}

/// Finds out why a verdict is not enforced. Files are looked for only here, so that calls that pass cost nothing.
fn waived_by(policy: &LoadedPolicy, call: Option<&str>, remarks: &mut Vec<String>) -> Option<WaivedBy> {
    let (places, now) = (policy.places(), SystemTime::now());
    if policy.mode() == PolicyMode::Monitor {
        return Some(WaivedBy::Monitor);
    }
    if policy.overrides().pause && said(pause::current(places, now), remarks).is_some() {
        return Some(WaivedBy::Pause);
    }
    call.filter(|call| said(once::is_granted(places, call, now), remarks)).map(|_| WaivedBy::Once)
}

/// Adds an error to the remarks.
fn said<T: Default>(found: Result<T, String>, remarks: &mut Vec<String>) -> T {
    found.unwrap_or_else(|why| {
        remarks.push(why);
        T::default()
    })
}

pub(crate) fn restricts(verdict: VerdictKind) -> bool {
    verdict.blocks() || verdict == VerdictKind::Ask
}

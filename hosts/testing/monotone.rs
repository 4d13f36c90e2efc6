//! The effect of a reply is at least as strict as the decision (V1).

use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Fitted, Limits, Loss, fit};
use snaphook_adapters::model::{Change, Decision, Detail, HookEvent, Need, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::Power;
use snaphook_adapters::shared::result_text::text_of;
use snaphook_adapters::testing::{REASON, Suite, decisions, describe, place, show, value};

use crate::{Account, AnswerPart, Effect, Outcome};

/// Finds decisions whose effect is weaker than the decision, for every row, host and decision.
pub fn monotone(suite: &Suite, account: &Account) -> Vec<String> {
    weaker(suite, account, decisions)
}

/// Finds such decisions among others than those of the test set.
pub fn weaker(suite: &Suite, account: &Account, decisions: fn(&HookEvent) -> Vec<Decision>) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged() {
        for decision in decisions(&event) {
            let (fitted, losses) = fit(decision.clone(), &event, &Limits::default());
            let reply = suite.protocol().format(&event, &fitted);
            let answer =
                FittedReply { event: &event, decision: &decision, fitted: &fitted, losses: &losses, reply: &reply };
            for host in event.row.hosts {
                let outcome = account.interpret(&event, host, &reply);
                let at = || format!("{} on {host}: {}", place(&event, fixture), describe(&decision));
                found
                    .extend(answer.faults(&outcome).iter().map(|fault| format!("{}: {fault}; {}", at(), show(&reply))));
            }
        }
    }
    found
}

struct FittedReply<'a> {
    event: &'a HookEvent,
    decision: &'a Decision,
    fitted: &'a Fitted,
    losses: &'a [Loss],
    reply: &'a Reply,
}

impl FittedReply<'_> {
    fn faults(&self, outcome: &Outcome) -> Vec<String> {
        if outcome.effect == Effect::Unmeasured {
            return vec!["no effect describes this answer".to_owned()];
        }
        let declared = !self.event.row.gates() && self.losses.iter().any(Loss::weakens);
        let mut faults = Vec::new();
        if !declared {
            faults.extend(self.verdict(outcome));
            faults.extend(self.decision.changes.iter().filter_map(|change| self.change(change, outcome)));
        }
        faults.extend(self.uninvited(outcome));
        faults.extend(self.texts(outcome));
        faults
    }

    fn verdict(&self, outcome: &Outcome) -> Option<String> {
        let Self { event, losses, .. } = self;
        let wanted = self.decision.verdict.kind();
        let effect = outcome.effect;
        let after = !event.row.gates() && matches!(effect, Effect::RunsThenStops | Effect::Continues);
        let replaced = losses.contains(&Loss::Replaced { wanted });
        let lowered = losses.iter().any(|loss| matches!(loss, Loss::Verdict { .. } | Loss::TooLong { .. }));
        let silent = event.row.can(Power::SilenceAsks) || event.row.can(Power::AskLater);
        let holds = match wanted {
            VerdictKind::Ask
            | VerdictKind::Deny
            | VerdictKind::Respond
            | VerdictKind::Abort
            | VerdictKind::HardAbort
                if replaced =>
            {
                outcome.change(Target::Result).is_some_and(|result| result.as_str().contains(REASON))
            }
            VerdictKind::Pass => effect != Effect::Approves,
            VerdictKind::Allow => true,
            // A reply that answers for the user does not ask the user.
            VerdictKind::Ask if silent && effect == Effect::Responds => false,
            VerdictKind::Ask => {
                effect == Effect::Asks || effect.blocks() || after || (silent && effect == Effect::Flow)
            }
            VerdictKind::Deny | VerdictKind::Respond => effect.blocks() || after,
            VerdictKind::Abort | VerdictKind::HardAbort if lowered => effect.blocks() || after,
            VerdictKind::Abort => matches!(effect, Effect::Stops | Effect::StopsHard | Effect::RefusesStart) || after,
            VerdictKind::HardAbort => matches!(effect, Effect::StopsHard | Effect::RefusesStart) || after,
            VerdictKind::KeepGoing => {
                effect == Effect::Continues || self.fitted.verdict().kind() != VerdictKind::KeepGoing
            }
        };
        if !holds {
            return Some(format!("the agent {}", effect.word()));
        }
        let said = self.fitted.verdict().kind();
        // If the reply is the result of the event as plain text, an empty reply is not harmless. A native member is not
        // harmless either.
        let bare = !event.row.content.plain_text && self.fitted.extra().is_empty();
        let harmless = matches!(said, VerdictKind::Pass | VerdictKind::Allow) && bare;
        (harmless && (effect.blocks() || effect == Effect::Continues))
            .then(|| format!("{} was said, but the agent {}", said.word(), effect.word()))
    }

    fn change(&self, change: &Change, outcome: &Outcome) -> Option<String> {
        let Change { target, need, .. } = *change;
        let lost = |loss: &Loss| match loss {
            Loss::Change { target: of, need, .. } => *of == target && *need == Need::Optional,
            Loss::TooLong { .. } => need == Need::Optional,
            _ => false,
        };
        let withheld = self.losses.iter().any(|loss| matches!(loss, Loss::Replaced { .. }))
            && outcome
                .change(Target::Result)
                .is_some_and(|result| Some(result) != value(self.event, Target::Result).as_ref());
        let is_same = self.event.call().is_none_or(|call| change.other_tool(call).is_none());
        let no_change = is_same && value(self.event, target).is_some_and(|there| there.means(&change.value));
        match outcome.change(target).filter(|carried| !self.is_native(carried)) {
            _ if outcome.effect.blocks() || self.fitted.verdict().kind().blocks() || withheld => None,
            Some(carried) if same(self.event, change, carried) => self.tool(change, outcome),
            Some(carried) => Some(format!("the {} became {carried:?} instead of {:?}", target.word(), change.value)),
            None if no_change || self.losses.iter().any(lost) => None,
            None => Some(format!("the {} was not changed", target.word())),
        }
    }

    fn tool(&self, change: &Change, outcome: &Outcome) -> Option<String> {
        let wanted = self.event.call().and_then(|call| change.other_tool(call));
        let runs = outcome.text(AnswerPart::Tool);
        (runs != wanted).then(|| format!("the tool became {runs:?} instead of {wanted:?}"))
    }

    /// Returns a change that the agent takes from the reply but that is not part of the decision.
    fn uninvited(&self, outcome: &Outcome) -> Option<String> {
        let responds = outcome.effect == Effect::Responds;
        if let Some(tool) = outcome.text(AnswerPart::Tool).filter(|tool| self.fitted.tool() != Some(tool)) {
            return Some(format!("the agent runs {tool}, which is not in the decision"));
        }
        let stray = outcome.changes.iter().find(|(target, carried)| match (target, &self.event.detail) {
            (Target::Result, _) if responds => !carried.as_str().contains(self.fitted.verdict().reason()),
            (Target::Request, Detail::Request { request }) => self.strays(request, carried),
            _ if self.is_native(carried) => false,
            _ => self.fitted.change(*target).is_none() && value(self.event, *target).as_ref() != Some(carried),
        });
        stray.map(|(target, carried)| format!("the {} became {carried:?}, which is not in the decision", target.word()))
    }

    /// Returns true if a native member sets this value.
    fn is_native(&self, carried: &Raw) -> bool {
        self.fitted.extra().iter().any(|(_, value)| value == carried)
    }

    /// Returns true if a request that was sent back differs in a member that the decision does not change.
    fn strays(&self, request: &Raw, carried: &Raw) -> bool {
        let Ok(carried) = carried.object() else { return true };
        let wanted = self.fitted.change(Target::Request);
        let expected = |key: &str| match self.fitted.change(Target::Messages).filter(|_| key == "messages") {
            Some(messages) => Some(messages.clone()),
            None => wanted.and_then(|wanted| member(wanted, key)).or_else(|| member(request, key)),
        };
        carried.members().any(|(key, _)| expected(key) != carried.last(key))
    }

    fn texts(&self, outcome: &Outcome) -> Vec<String> {
        if self.losses.iter().any(|loss| matches!(loss, Loss::TooLong { .. })) {
            return Vec::new();
        }
        let texts = [
            (AnswerPart::Context, &self.decision.context, Loss::Context),
            (AnswerPart::Notice, &self.decision.notice, Loss::Notice),
            (AnswerPart::Summary, &self.decision.summary, Loss::Summary),
        ];
        let mut faults = Vec::new();
        for (part, text, loss) in texts {
            let Some(text) = text.as_ref().filter(|_| !self.losses.contains(&loss)) else { continue };
            if !outcome.texts.iter().any(|(of, got)| *of == part && got.contains(text.as_str())) {
                faults.push(format!("the {} was neither passed on nor declared lost", part.word()));
            }
        }
        let document = Raw::document(self.reply.stdout.as_str());
        for (at, value) in self.fitted.extra() {
            if document.at(at).as_ref() != Some(value) {
                faults.push(format!("the native member {at} is not in the answer"));
            }
        }
        faults
    }
}

/// The value of a member of an object. Its name may be any text, also one that is no step of a path.
fn member(of: &Raw, key: &str) -> Option<Raw> {
    of.object().ok()?.last(key)
}

/// Returns true if the value that the agent uses is the one of the change. Some agents use only the text of a result,
/// and some receive the whole request.
fn same(event: &HookEvent, change: &Change, carried: &Raw) -> bool {
    if carried.means(&change.value) {
        return true;
    }
    match change.target {
        Target::Result => {
            let Some(text) = carried.text() else { return false };
            let whole = event.result().and_then(|result| result.with_text(&text.value));
            // Some agents take only the text of a result.
            whole.as_ref() == Some(&change.value) || text_of(&change.value).is_some_and(|only| only == text.value)
        }
        Target::Request => change
            .value
            .object()
            .is_ok_and(|wanted| wanted.members().all(|(key, value)| member(carried, key) == Some(value))),
        _ => false,
    }
}

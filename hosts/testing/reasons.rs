//! A block and a question show their reason.

use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::testing::{Suite, blank, decisions, describe, place, show};

use crate::{Account, AnswerPart, Effect, EventAccount};

/// Finds denials and questions at a gate whose reason is blank on hosts that show reasons, and approvals with exit 2.
pub fn reasons(suite: &Suite, account: &Account) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged() {
        let tells = account.row(event.row).is_some_and(EventAccount::tells_reasons);
        for decision in decisions(&event).into_iter().chain(blank(&event)) {
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            let reply = suite.protocol().format(&event, &fitted);
            let said = fitted.verdict().kind();
            let needs = tells && event.row.gates() && matches!(said, VerdictKind::Deny | VerdictKind::Ask);
            for host in event.row.hosts {
                let outcome = account.interpret(&event, host, &reply);
                let at = || format!("{} on {host}: {}", place(&event, fixture), describe(&decision));
                if reply.exit == 2 && outcome.effect == Effect::Approves {
                    found.push(format!("{}: an approval with exit 2; {}", at(), show(&reply)));
                }
                // The reason of a question may also be shown as a warning.
                let shown = outcome.text(AnswerPart::Notice).filter(|_| said == VerdictKind::Ask);
                let blank = outcome.text(AnswerPart::Reason).or(shown).is_none_or(|reason| reason.trim().is_empty());
                if needs && blank {
                    found.push(format!("{}: the reason is blank; {}", at(), show(&reply)));
                }
            }
        }
    }
    found
}

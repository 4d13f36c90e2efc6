//! Fitting on every event of every agent: replies stay below the length that an agent reads, exclusive members are sent
//! alone, and the text of a response stays unchanged.

#![allow(clippy::indexing_slicing, reason = "tests")]

mod common;

use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Fitted, Limits, Loss, fit};
use snaphook_adapters::model::{Change, Decision, HookEvent, Need, Response, Target, VerdictKind};
use snaphook_adapters::testing::{decisions, sample, value};

/// A length above that of any reason that blocks and the document around it.
const LONG: usize = 8192;

fn capped(event: &HookEvent, max: Option<usize>) -> HookEvent {
    let mut agent = event.agent.clone();
    agent.max_reply = max;
    let mut event = event.clone();
    event.agent = Box::leak(Box::new(agent));
    event
}

fn length(event: &HookEvent, fitted: &Fitted) -> usize {
    (event.row.reply)(event, fitted).stdout.len()
}

/// Returns a long value of the same type.
fn longer(value: &Raw) -> Option<Raw> {
    let text = "x".repeat(LONG);
    match value.as_str().strip_suffix('}') {
        Some(open) if open.len() > 1 => Some(Raw::document(format!(r#"{open},"more":"{text}"}}"#))),
        Some(_) => None,
        None => value.as_str().starts_with('"').then(|| Raw::string(&text)),
    }
}

fn stops(fitted: &Fitted) -> bool {
    fitted.verdict().kind().blocks() || fitted.change(Target::Result).is_some()
}

fn events() -> Vec<HookEvent> {
    let suites = common::suites();
    suites.iter().flat_map(|suite| suite.judged().map(|(_, event)| event).collect::<Vec<_>>()).collect()
}

#[test]
fn a_reply_below_the_limit_is_unchanged() {
    for event in events() {
        let free = capped(&event, None);
        for decision in decisions(&event) {
            let (whole, losses) = fit(decision.clone(), &free, &Limits::default());
            let over = capped(&event, Some(length(&free, &whole) + 1));
            assert_eq!(fit(decision, &over, &Limits::default()), (whole, losses), "{}", event.row.key());
        }
    }
}

#[test]
fn a_reply_above_the_limit_drops_its_texts_and_still_blocks() {
    let mut seen = [0; 3];
    for event in events() {
        let long = "x".repeat(LONG);
        let change = |target| {
            let text = longer(&value(&event, target)?)?;
            Some(Decision::pass().change(Change::optional(target, text)))
        };
        let mut all: Vec<_> = Target::ALL.into_iter().filter_map(change).collect();
        all.push(Decision::pass().context(long.clone()));
        all.push(Decision::deny("not this").context(long.clone()));
        all.push(Decision::pass().context("short").extra("none", Raw::string(&long)));
        for decision in all {
            let free = capped(&event, None);
            let (whole, _) = fit(decision.clone(), &free, &Limits::default());
            let max = length(&free, &whole);
            if max < LONG {
                continue;
            }
            let event = capped(&event, Some(max));
            let place = format!("{} {}: {decision:?}", event.agent.id, event.row.key());
            let (fitted, losses) = fit(decision.clone(), &event, &Limits::default());
            assert!(length(&event, &fitted) < max, "{place}");
            assert_eq!(losses.first(), Some(&Loss::TooLong { max }), "{place}");
            if decision.verdict.kind().blocks() {
                let reason = fitted.verdict().reason();
                assert!(!whole.verdict().kind().blocks() || reason == "not this", "{place}: {reason}");
                seen[0] += 1;
            } else if event.row.gates() {
                assert!(stops(&fitted), "{place}");
                let reason = fitted.verdict().reason();
                assert!(reason.is_empty() || reason.contains(&max.to_string()), "{place}: {reason}");
                seen[1] += 1;
            } else {
                assert!(fitted.is_silent(), "{place}: {fitted:?}");
                let lost = |change: &Change| Loss::Change {
                    target: change.target,
                    need: Need::Optional,
                    why: "too long",
                    blocked: false,
                };
                let mut wanted: Vec<_> = decision.changes.iter().map(lost).collect();
                wanted.extend(decision.context.as_ref().map(|_| Loss::Context));
                assert_eq!(losses.get(1..), Some(&*wanted), "{place}");
                seen[2] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 0), "{seen:?}");
}

/// An optional change that is too long is dropped; the rest of the decision is sent.
#[test]
fn short_texts_are_sent_if_a_change_is_too_long() {
    let mut seen = 0;
    for event in events().iter().filter(|event| !event.row.gates()) {
        for target in Target::ALL {
            let Some(text) = value(event, target).as_ref().and_then(longer) else { continue };
            let decision = Decision::pass().context("short").change(Change::optional(target, text.clone()));
            let free = capped(event, None);
            let (whole, _) = fit(decision.clone(), &free, &Limits::default());
            if whole.change(target).is_none() || whole.context().is_none() {
                continue;
            }
            let event = capped(event, Some(length(&free, &whole)));
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            assert_eq!((fitted.change(target), fitted.context()), (None, Some("short")), "{}", event.row.key());
            // The length of the reply must stay below the limit: at the limit, the texts are dropped too.
            let (short, _) = fit(Decision::pass().context("short"), &free, &Limits::default());
            let exact = capped(&event, Some(length(&free, &short)));
            let (fitted, losses) = fit(decision.clone(), &exact, &Limits::default());
            assert!(fitted.is_silent() && losses.contains(&Loss::Context), "{}: {fitted:?}", event.row.key());
            // A required change that is too long blocks, if the event can block.
            let required = Decision::pass().change(Change::required(target, text));
            let (fitted, losses) = fit(required, &event, &Limits::default());
            let unenforceable = losses.contains(&Loss::Unenforceable { wanted: VerdictKind::Pass });
            assert!(stops(&fitted) || unenforceable, "{}: {losses:?}", event.row.key());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn an_exclusive_native_member_is_sent_alone() {
    let mut seen = 0;
    for event in events() {
        for exclusive in event.row.extras().filter(|extra| extra.exclusive) {
            let once = Decision::pass().extra(exclusive.key(), sample(exclusive));
            let (fitted, _) = fit(once.clone(), &event, &Limits::default());
            if fitted.extra().len() != 1 {
                continue;
            }
            let others = event.row.extras().chain([exclusive]);
            let all = others.fold(once, |decision, extra| decision.extra(extra.key(), sample(extra)));
            let (fitted, losses) = fit(all.clone(), &event, &Limits::default());
            assert_eq!(fitted.extra().len(), 1, "{}: {fitted:?}", event.row.key());
            assert_eq!(losses.len(), all.extra.len() - 1, "{}: {losses:?}", event.row.key());
            // An exclusive member is not sent together with a text either.
            let texts = [Decision::pass().context("text"), Decision::pass().notice("text")];
            for decision in texts.map(|text| text.extra(exclusive.key(), sample(exclusive))) {
                let (fitted, losses) = fit(decision, &event, &Limits::default());
                let is_said = fitted.context().or(fitted.notice()).is_some();
                let is_lost = losses.contains(&Loss::Extra { key: exclusive.key().to_owned() });
                assert!(!is_said || (fitted.extra().is_empty() && is_lost), "{}: {fitted:?}", event.row.key());
            }
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// The text of a response that becomes a reason is cut to the limit of texts and not signed.
#[test]
fn a_response_that_becomes_a_block_keeps_its_text() {
    let limits = Limits::new(64, 512).signed("snaphook: ", "; ask why");
    let text = "forty-two ".repeat(20);
    let text = text.trim();
    let mut seen = 0;
    for event in events().iter().filter(|event| event.agent.max_reason.is_none()) {
        let (fitted, _) = fit(Decision::respond(Response::new(text)), event, &limits);
        let (denied, _) = fit(Decision::deny("no"), event, &limits);
        if !fitted.verdict().kind().blocks() || fitted.verdict().kind() == VerdictKind::Respond {
            continue;
        }
        assert_eq!(fitted.verdict().reason(), text, "{}", event.row.key());
        assert_eq!(denied.verdict().reason(), "snaphook: no; ask why", "{}", event.row.key());
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn a_decision_with_one_part_is_not_silent() {
    let mut seen = [0; 4];
    for event in events() {
        let pass = Decision::pass();
        let mut all = vec![
            (0, pass.clone().context("text")),
            (1, pass.clone().notice("text")),
            (2, pass.clone().summary("text")),
        ];
        all.extend(event.row.extras().map(|extra| (3, pass.clone().extra(extra.key(), sample(extra)))));
        for (kind, decision) in all {
            let (fitted, losses) = fit(decision, &event, &Limits::default());
            assert_eq!(fitted.is_silent(), !losses.is_empty(), "{}: {fitted:?}, {losses:?}", event.row.key());
            seen[kind] += usize::from(losses.is_empty());
        }
    }
    assert!(seen.iter().all(|&seen| seen > 0), "{seen:?}");
}
